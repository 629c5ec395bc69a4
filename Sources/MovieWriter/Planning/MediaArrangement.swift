import MovieBox

/// What the media data of a new file is made of, and which top-level atoms it does without.
struct MediaArrangement {
  /// A run of bytes.
  enum Piece: Hashable {
    /// Of the source: of the old file, or of a movie that tracks were taken from.
    case source(ByteRange)
    /// Of the new samples, counted from the first byte of them.
    case new(ByteRange)
  }

  /// What the `mdat` atoms hold that do not keep their bytes, by their index among the top-level atoms.
  private(set) var payloads: [Int: [Piece]] = [:]
  /// The atoms that are left out.
  private(set) var leftOut: Set<Int> = []
  /// Whether the new samples have their places in ``payloads``.
  private(set) var holdsNewSamples = false
  /// The order of new samples that have no place among others, and lie in a run of their own; `nil` for that in which
  /// they were made.
  private(set) var newRun: [Piece]?

  /// Whether it is known that no chunk is torn.
  private(set) var keepsChunksWhole = false

  /// Whether bytes that nothing uses are left out.
  private var isCompact = false

  /// Everything where it is; new samples have no place yet.
  init(keepsChunksWhole: Bool = false) {
    self.keepsChunksWhole = keepsChunksWhole
  }

  /// The media of `map`, laid out as `wanted` says; new chunks have a place only where all are sorted.
  init(_ map: MediaMap, _ newChunks: [NewChunk], _ wanted: OutputLayout, in movie: Movie) {
    let file = movie.layout
    keepsChunksWhole = map.holdsAllChunks
    isCompact = wanted.isCompact
    // Dash cameras keep what they measure in free space, and its places in a table of their own.
    if wanted.isCompact, movie.tree.child(of: movie.tree.root, "gps ") == nil {
      leftOut = Set(file.atoms.indices.filter { file.atoms[$0].isFreeSpace && !map.namedAtoms.contains($0) })
    }
    switch wanted.interleaving {
    case .none, .newSamples: keepOrder(of: map, in: file)
    case .all: sortChunks(of: map, newChunks, in: file)
    }
    if wanted.interleaving == .all, !holdsNewSamples { putIntoRun(newChunks) }
  }

  private func isKept(_ extent: MediaExtent) -> Bool {
    switch extent.use {
    case .samples, .other: true
    case .removedSamples: false
    case .unused: !isCompact
    }
  }

  /// Gives new samples a run of their own, in the order of their times.
  private mutating func putIntoRun(_ newChunks: [NewChunk]) {
    newRun = Run(newChunks.lazy.map(\.piece)).pieces
  }

  /// Puts new chunks between the bytes of media data, at the points that were found for them; `nothingElseMoves` where
  /// nothing but that changes the media.
  mutating func insert(
    _ newChunks: [NewChunk], at insertion: InsertionPoints, in file: FileLayout, nothingElseMoves: Bool
  ) {
    if nothingElseMoves { keepsChunksWhole = true }
    keepsChunksWhole = keepsChunksWhole && insertion.holdsAllChunks
    guard insertion.holdsAll, hasPlaces(for: insertion, in: file) else { return putIntoRun(newChunks) }
    holdsNewSamples = true
    var rest = insertion.points[...]
    for (index, atom) in file.atoms.enumerated() where atom.type == "mdat" && !leftOut.contains(index) {
      let payload = atom.payloadRange
      let end = rest.partitioningIndex { $0.offset > payload.end }
      let points = rest[rest.startIndex..<end].drop { $0.offset < payload.offset }
      guard !points.isEmpty else { continue }
      rest = rest[end...]
      payloads[index] = Self.inserting(newChunks, at: points, into: payloads[index] ?? [.source(payload)])
    }
  }

  /// Whether all points lie in media data that is not left out.
  private func hasPlaces(for insertion: InsertionPoints, in file: FileLayout) -> Bool {
    let media = file.atoms.indices.filter { file.atoms[$0].type == "mdat" && !leftOut.contains($0) }
      .map { file.atoms[$0].payloadRange }
    return insertion.points.allSatisfy { point in
      let index = media.partitioningIndex { $0.end >= point.offset }
      return index < media.count && media[index].offset <= point.offset
    }
  }

  private static func inserting(
    _ newChunks: [NewChunk], at points: ArraySlice<(offset: UInt64, chunks: Range<Int>)>, into pieces: [Piece]
  ) -> [Piece] {
    var points = points
    var run = Run()
    /// The chunks of all points that come no later than a byte.
    func putChunks(upTo offset: UInt64) {
      while let point = points.first, point.offset <= offset {
        for chunk in newChunks[point.chunks] { run.append(chunk.piece) }
        points.removeFirst()
      }
    }
    for piece in pieces {
      guard case .source(var range) = piece else {
        run.append(piece)
        continue
      }
      putChunks(upTo: range.offset)
      while let point = points.first, point.offset < range.end {
        run.append(.source(ByteRange(range.offset..<point.offset)))
        range = ByteRange(point.offset..<range.end)
        putChunks(upTo: point.offset)
      }
      run.append(.source(range))
    }
    putChunks(upTo: .max)
    return run.pieces
  }

  private mutating func keepOrder(of map: MediaMap, in file: FileLayout) {
    for atom in map.atoms { put(keptRun(of: atom), into: atom, of: file) }
  }

  /// What of an atom's media is kept, in its order.
  private func keptRun(of atom: MediaMap.MediaDataAtom) -> Run {
    Run(atom.extents.lazy.filter(isKept).map { .source($0.range) })
  }

  /// All chunks in the order of their times, in the first `mdat` that has some, or, where only new samples are to be
  /// put in order, anything; what lies after a chunk goes with it.
  private mutating func sortChunks(of map: MediaMap, _ newChunks: [NewChunk], in file: FileLayout) {
    let anyTarget = newChunks.isEmpty ? nil : map.atoms.first { !$0.extents.isEmpty }
    guard let target = map.atoms.first(where: { $0.extents.contains { $0.use == .samples } }) ?? anyTarget else {
      return keepOrder(of: map, in: file)
    }
    let used = map.atoms.filter { !$0.extents.isEmpty }
    if newChunks.isEmpty, used.count == 1, let only = used.first, only.isInOrder {
      return put(keptRun(of: only), into: only, of: file)
    }
    var all: [(time: MediaExtent.Time, piece: Piece)] = []
    for atom in map.atoms { all += atom.extents.filter(isKept).map { ($0.time, .source($0.range)) } }
    all += newChunks.map { ($0.time, $0.piece) }
    put(Run(Self.inOrder(all)), into: target, of: file)
    for atom in map.atoms where atom.index != target.index && !atom.extents.isEmpty { leftOut.insert(atom.index) }
    holdsNewSamples = true
  }

  /// Pieces by their times; those of one time keep their order.
  ///
  /// Those of one track mostly are in order, so that tracks are merged, which costs a step for each piece.
  private static func inOrder(_ all: [(time: MediaExtent.Time, piece: Piece)]) -> [Piece] {
    var byTrack: [Int32: [Int]] = [:]
    for index in all.indices { byTrack[all[index].time.track, default: []].append(index) }
    func precedes(_ left: Int, _ right: Int) -> Bool {
      let (one, other) = (all[left].time, all[right].time)
      return one == other ? left < right : one < other
    }
    let queues = Array(byTrack.values)
    let areSorted = queues.allSatisfy { queue in
      zip(queue, queue.dropFirst()).allSatisfy { precedes($0, $1) }
    }
    guard areSorted, queues.count <= 16 else { return all.indices.sorted(by: precedes).map { all[$0].piece } }
    var nexts = Array(repeating: 0, count: queues.count)
    var pieces: [Piece] = []
    pieces.reserveCapacity(all.count)
    while pieces.count < all.count {
      var first: (queue: Int, index: Int)?
      for queue in queues.indices where nexts[queue] < queues[queue].count {
        let index = queues[queue][nexts[queue]]
        if first.map({ precedes(index, $0.index) }) ?? true { first = (queue, index) }
      }
      guard let first else { break }
      pieces.append(all[first.index].piece)
      nexts[first.queue] += 1
    }
    return pieces
  }

  /// Pieces one after the other; those that follow one another in the source are one.
  private struct Run {
    private(set) var pieces: [Piece] = []

    init(_ pieces: some Sequence<Piece> = []) {
      for piece in pieces { append(piece) }
    }

    mutating func append(_ piece: Piece) {
      let joined: Piece? =
        switch (pieces.last, piece) {
        case (.source(let left), .source(let right)): left.followed(by: right).map { Piece.source($0) }
        case (.new(let left), .new(let right)): left.followed(by: right).map { Piece.new($0) }
        default: nil
        }
      if let joined { pieces[pieces.count - 1] = joined } else { pieces.append(piece) }
    }
  }

  private mutating func put(_ run: Run, into atom: MediaMap.MediaDataAtom, of file: FileLayout) {
    let whole = file.atoms[atom.index].payloadRange
    if run.pieces.isEmpty {
      if whole.count > 0 || isCompact { leftOut.insert(atom.index) }
    } else if run.pieces != [.source(whole)] {
      payloads[atom.index] = run.pieces
    }
  }
}

extension MediaMap.MediaDataAtom {
  /// Whether no extent lies before one that is wanted earlier.
  fileprivate var isInOrder: Bool {
    zip(extents, extents.dropFirst()).allSatisfy { $0.time.microseconds <= $1.time.microseconds }
  }
}
