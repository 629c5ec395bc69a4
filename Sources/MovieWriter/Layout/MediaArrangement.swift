import MovieBox

/// The contents of the media data in a new file, and the top-level atoms that are omitted.
///
/// MediaMap divides the old media into extents. The arrangement keeps, drops or sorts the extents, and inserts the new
/// samples.
struct MediaArrangement {
  /// A run of bytes.
  enum Piece: Hashable {
    /// A range of the source: the old file, or a movie from which tracks are imported.
    case source(ByteRange)
    /// A range of the new samples, counted from their first byte.
    case new(ByteRange)
  }

  /// The new payloads of `mdat` atoms whose bytes change, by index among the top-level atoms.
  private(set) var payloads: [Int: [Piece]] = [:]
  /// The indices of the omitted atoms.
  private(set) var omittedAtomIndices: Set<Int> = []
  /// Whether ``payloads`` contains the new samples.
  private(set) var placesNewSamples = false
  /// The order of the new samples if they form a separate run, or `nil` for the order in which they were generated.
  private(set) var newRun: [Piece]?

  /// Whether the arrangement is known to separate no chunk.
  private(set) var keepsChunksWhole = false

  /// Whether unused bytes are omitted.
  private var isCompact = false

  /// Creates an arrangement that changes nothing and does not yet contain new samples.
  init(keepsChunksWhole: Bool = false) {
    self.keepsChunksWhole = keepsChunksWhole
  }

  /// Creates the arrangement of a media map for a layout. Inserts new chunks only if all chunks are sorted.
  init(_ map: MediaMap, _ newChunks: [NewChunk], _ requestedLayout: OutputLayout, in movie: Movie) {
    let fileLayout = movie.layout
    keepsChunksWhole = map.coversAllChunks
    isCompact = requestedLayout.isCompact
    // Dash cameras store measurements in free space, and list their positions in a table (`gps `). Keep this free
    // space.
    if requestedLayout.isCompact, movie.tree.child(of: movie.tree.root, "gps ") == nil {
      omittedAtomIndices = Set(
        fileLayout.atoms.indices.filter { fileLayout.atoms[$0].isFreeSpace && !map.referencedAtoms.contains($0) })
    }
    switch requestedLayout.interleaving {
    case .none, .newSamples: keepOrder(of: map, in: fileLayout)
    case .all: sortChunks(of: map, newChunks, in: fileLayout)
    }
    if requestedLayout.interleaving == .all, !placesNewSamples { writeIntoRun(newChunks) }
  }

  private func isKept(_ extent: MediaExtent) -> Bool {
    switch extent.use {
    case .samples, .other: true
    case .removedSamples: false
    case .unused: !isCompact
    }
  }

  /// Writes the new samples into a separate run, sorted by time.
  private mutating func writeIntoRun(_ newChunks: [NewChunk]) {
    newRun = Run(newChunks.lazy.map(\.piece)).pieces
  }

  /// Inserts the new chunks into the media data at these points. Pass `true` for `nothingElseMoves` if no other media
  /// moves.
  mutating func insert(
    _ newChunks: [NewChunk], at insertion: InsertionPoints, in file: FileLayout, nothingElseMoves: Bool
  ) {
    if nothingElseMoves { keepsChunksWhole = true }
    keepsChunksWhole = keepsChunksWhole && insertion.coversAllChunks
    guard insertion.isComplete, hasKeptMedia(for: insertion, in: file) else { return writeIntoRun(newChunks) }
    placesNewSamples = true
    var rest = insertion.points[...]
    for (index, atom) in file.atoms.enumerated() where atom.type == "mdat" && !omittedAtomIndices.contains(index) {
      let payload = atom.payloadRange
      let end = rest.partitioningIndex { $0.offset > payload.end }
      let points = rest[rest.startIndex..<end].drop { $0.offset < payload.offset }
      guard !points.isEmpty else { continue }
      rest = rest[end...]
      payloads[index] = Self.inserting(newChunks, at: points, into: payloads[index] ?? [.source(payload)])
    }
  }

  /// Whether all points are in media data that is kept.
  private func hasKeptMedia(for insertion: InsertionPoints, in file: FileLayout) -> Bool {
    let media = file.atoms.indices.filter { file.atoms[$0].type == "mdat" && !omittedAtomIndices.contains($0) }
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
    /// Appends the chunks of all points up to an offset.
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

  /// Returns the kept media of an atom, in order.
  private func keptRun(of atom: MediaMap.MediaDataAtom) -> Run {
    Run(atom.extents.lazy.filter(isKept).map { .source($0.range) })
  }

  /// Sorts all chunks by time into the first `mdat` that contains samples. If there are only new samples, uses the
  /// first nonempty `mdat`. Unreferenced bytes remain together with the previous chunk.
  private mutating func sortChunks(of map: MediaMap, _ newChunks: [NewChunk], in file: FileLayout) {
    let anyTarget = newChunks.isEmpty ? nil : map.atoms.first { !$0.extents.isEmpty }
    guard let target = map.atoms.first(where: { $0.extents.contains { $0.use == .samples } }) ?? anyTarget else {
      return keepOrder(of: map, in: file)
    }
    let usedAtoms = map.atoms.filter { !$0.extents.isEmpty }
    if newChunks.isEmpty, usedAtoms.count == 1, let only = usedAtoms.first, only.isInOrder {
      return put(keptRun(of: only), into: only, of: file)
    }
    var timedPieces: [(time: MediaExtent.Time, piece: Piece)] = []
    timedPieces.reserveCapacity(map.atoms.reduce(newChunks.count) { $0 + $1.extents.count })
    for atom in map.atoms { timedPieces += atom.extents.lazy.filter(isKept).map { ($0.time, .source($0.range)) } }
    timedPieces += newChunks.map { ($0.time, $0.piece) }
    put(Run(Self.inOrder(timedPieces)), into: target, of: file)
    for atom in map.atoms where atom.index != target.index && !atom.extents.isEmpty {
      omittedAtomIndices.insert(atom.index)
    }
    placesNewSamples = true
  }

  /// Returns the pieces sorted by time. Pieces with the same time keep their order.
  ///
  /// The pieces of each track are usually in order, so they are merged in linear time.
  private static func inOrder(_ all: [(time: MediaExtent.Time, piece: Piece)]) -> [Piece] {
    var order = Array(all.indices)
    order.sortInterleaved { left, right in
      let (one, other) = (all[left].time, all[right].time)
      return one == other ? left < right : one < other
    }
    return order.map { all[$0].piece }
  }

  /// A list of pieces in which adjacent pieces of the source are merged.
  private struct Run {
    private(set) var pieces: [Piece] = []

    init(_ pieces: some Sequence<Piece> = []) {
      for piece in pieces { append(piece) }
    }

    mutating func append(_ piece: Piece) {
      let joined: Piece? =
        switch (pieces.last, piece) {
        case (.source(let left), .source(let right)): left.joined(withAdjacent: right).map { Piece.source($0) }
        case (.new(let left), .new(let right)): left.joined(withAdjacent: right).map { Piece.new($0) }
        default: nil
        }
      if let joined { pieces[pieces.count - 1] = joined } else { pieces.append(piece) }
    }
  }

  private mutating func put(_ run: Run, into atom: MediaMap.MediaDataAtom, of file: FileLayout) {
    let payloadRange = file.atoms[atom.index].payloadRange
    if run.pieces.isEmpty {
      if payloadRange.count > 0 || isCompact { omittedAtomIndices.insert(atom.index) }
    } else if run.pieces != [.source(payloadRange)] {
      payloads[atom.index] = run.pieces
    }
  }
}

extension MediaMap.MediaDataAtom {
  /// Whether the extents are in the order of their times.
  fileprivate var isInOrder: Bool {
    zip(extents, extents.dropFirst()).allSatisfy { $0.time.microseconds <= $1.time.microseconds }
  }
}
