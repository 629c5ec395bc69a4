package import MovieBox

/// The media data of a file cut into extents: bytes of chunks, and the bytes between them.
///
/// Chunks that share bytes are one extent, so that extents may be moved about without tearing any.
struct MediaMap {
  /// The extents of an `mdat`, in the order of the file, without gaps.
  struct MediaDataAtom {
    /// Its index among the top-level atoms.
    let index: Int
    let extents: ArraySlice<MediaExtent>
  }

  /// The `mdat` atoms that can be taken apart: no chunk reaches out of them.
  let atoms: [MediaDataAtom]

  /// The top-level atoms, by index, that hold something which is referred to, `mdat` or not.
  let namedAtoms: Set<Int>

  /// Whether all chunks lie in the extents of ``atoms``, where nothing tears them.
  let holdsAllChunks: Bool

  /// The map of the media that the tracks of `new` name, by positions in the old file, of what removed tracks named,
  /// and of `others`, which are named otherwise; 0 bytes where a length is not known.
  ///
  /// Costs the chunks of all tracks, and a sort of what mostly is in order already.
  init(_ resolved: ResolvedEdit, new: Movie, others: [ByteRange]) {
    var named: [MediaExtent] = []
    named.reserveCapacity(resolved.movie.tracks.reduce(others.count) { $0 + $1.samples.chunkCount })
    let imported = Set(resolved.added.importedTracks.map(\.id))
    let kept = new.tracks.enumerated().filter {
      !imported.contains($0.element.id) && !resolved.tracks.new.contains($0.element.id)
    }
    let origins = kept.map { ChunkOrigins($0.element, resolved.added.externalMedia[$0.element.id]) }
    var times = kept.map { ChunkTimes($0.element, movieTimeScale: new.header.timeScale) }
    let numbers = kept.map { Int32(clamping: $0.offset) }
    for element in ChunksInFileOrder(kept.map(\.element)) {
      let place = element.track
      let time = MediaExtent.Time(microseconds: times[place].start(of: element.chunk), track: numbers[place])
      guard origins[place].part(of: element.chunk) == 0 else { continue }
      named.append(MediaExtent(range: element.range, time: time, use: .samples))
    }
    for track in resolved.movie.tracks where resolved.tracks.removed.contains(track.id) {
      let scale = resolved.movie.header.timeScale
      named += track.mediaExtents(number: .max, movieTimeScale: scale).lazy.map {
        MediaExtent(range: $0.range, time: $0.time, use: .removedSamples)
      }
    }
    let later = MediaExtent.Time(microseconds: .max, track: .max)  // Than any samples that it shares bytes with.
    named += others.lazy.filter { $0.count > 0 }.map { MediaExtent(range: $0, time: later, use: .other) }
    named.sortAndMerge()
    var cutter = MediaCutter(named, others.filter { $0.count == 0 }.map(\.offset).sorted())
    atoms = resolved.movie.layout.atoms.enumerated().compactMap { cutter.cut($0.element, index: $0.offset) }
    namedAtoms = cutter.namedAtoms
    holdsAllChunks = cutter.cutExtentCount == named.count
  }
}

/// Cuts one atom after the other, in the order of the file, into extents.
private struct MediaCutter {
  /// In the order of the file, sharing no bytes.
  private let named: [MediaExtent]
  /// Bytes that are named without a length, in the order of the file.
  private let positions: [UInt64]
  private var next = 0
  private var nextPosition = 0
  private(set) var namedAtoms: Set<Int> = []
  /// How many of the named extents lie in atoms that were cut.
  private(set) var cutExtentCount = 0

  init(_ named: [MediaExtent], _ positions: [UInt64]) {
    self.named = named
    self.positions = positions
  }

  /// The extents of an `mdat`; `nil` for another atom, and for one that a chunk reaches out of.
  mutating func cut(_ atom: FileLayout.TopLevelAtom, index: Int) -> MediaMap.MediaDataAtom? {
    let payload = atom.payloadRange
    while next < named.count, named[next].range.end <= payload.offset { next += 1 }
    let first = next
    while next < named.count, named[next].range.offset < payload.end { next += 1 }
    let inside = named[first..<next]
    if let last = inside.last, last.range.end > payload.end { next -= 1 }  // It reaches into the next atom too.
    if !inside.isEmpty { namedAtoms.insert(index) }
    let canBeCut = atom.type == "mdat" && !atom.isTruncated && inside.allSatisfy { payload.contains($0.range) }
    guard canBeCut else {
      if isNamed(payload) { namedAtoms.insert(index) }
      return nil
    }
    cutExtentCount += inside.count
    if isCutAlready(inside, payload) { return MediaMap.MediaDataAtom(index: index, extents: inside) }
    var extents: [MediaExtent] = []
    var end = payload.offset
    func appendGap(to start: UInt64) {
      guard end < start else { return }
      // What may lie after a position that is named stays as a whole.
      let gap = ByteRange(end..<start)
      let time = extents.last?.time ?? MediaExtent.Time(microseconds: 0, track: 0)
      extents.append(MediaExtent(range: gap, time: time, use: isNamed(gap) ? .other : .unused))
    }
    for extent in inside {
      appendGap(to: extent.range.offset)
      let isOther = extent.use == .other || extent.use == .removedSamples && isNamed(extent.range)
      let before = extents.last?.time ?? MediaExtent.Time(microseconds: 0, track: 0)
      extents.append(isOther ? MediaExtent(range: extent.range, time: before, use: .other) : extent)
      end = extent.range.end
    }
    appendGap(to: payload.end)
    return MediaMap.MediaDataAtom(index: index, extents: extents[...])
  }

  /// Whether there is nothing but chunks of tracks that stay, one after the other.
  private func isCutAlready(_ extents: ArraySlice<MediaExtent>, _ payload: ByteRange) -> Bool {
    var end = payload.offset
    for extent in extents {
      guard extent.use == .samples, extent.range.offset == end else { return false }
      end = extent.range.end
    }
    return end == payload.end
  }

  /// Whether a position lies in the range; asked for ranges in the order of the file.
  private mutating func isNamed(_ range: ByteRange) -> Bool {
    while nextPosition < positions.count, positions[nextPosition] < range.offset { nextPosition += 1 }
    return nextPosition < positions.count && positions[nextPosition] < range.end
  }
}

// Bytes that are named otherwise than as samples of chunks.
extension Movie {
  /// The bytes of the file that tables of sample auxiliary information and items name, and those that the items of a
  /// `meta` beside the movie atom do; 0 bytes where a length is not known, as it is not of auxiliary information.
  ///
  /// `bytes` are those of the tables' tree. Throws as ``fileMetadata(_:in:)`` does.
  func otherNamedBytes(
    by tables: some Sequence<PositionTable>, in bytes: Bytes, _ items: some Sequence<ItemLocations>,
    of source: some RandomAccessSource
  ) throws -> [ByteRange] {
    var ranges: [ByteRange] = []
    for table in tables {
      for entry in 0..<table.count where !table.isExternal(entry) {
        let position = table.position(entry, in: bytes)
        ranges.append(ByteRange(position..<position))
      }
    }
    for item in items { ranges += try item.namedBytes }
    for atom in layout.atoms where atom.type == "meta" {
      for (_, item) in try ItemLocations.all(in: fileMetadata(atom, in: source)) { ranges += try item.namedBytes }
    }
    return ranges
  }

  /// The atoms of a `meta` beside the movie atom.
  ///
  /// Throws where it may name bytes that nobody can tell: `.limit` where it is larger than the movie's limits allow,
  /// `.malformed` where positions of items stand among bytes that are not atoms.
  func fileMetadata(_ atom: FileLayout.TopLevelAtom, in source: some RandomAccessSource) throws -> AtomTree {
    guard atom.range.count <= limits.movieByteCount else {
      throw MovieError(
        .limit, at: atom.range.offset, in: "meta",
        "\(atom.range.count) bytes, which may hold positions, the limit is \(limits.movieByteCount)")
    }
    let tree = try AtomTree(source.readExactly(atom.range), at: atom.range.offset, limits: limits)
    if let hidden = ItemLocations.firstHidden(in: tree) {
      throw tree.error(
        .malformed, at: hidden,
        "positions of items (iloc) stand among bytes that are not atoms, where they cannot be moved")
    }
    return tree
  }
}

extension Movie {
  /// No more atoms of free space are looked at: real files have a handful.
  private static var largestExaminedSpaceCount: Int { 64 }

  /// The numbers of the top-level atoms of free space that are zeros in a new file: an edit in place left them, mostly as
  /// old movie atoms, and these may say what was taken out since.
  ///
  /// What the movie names stays, and all that is in a movie in fragments, whose samples may lie anywhere.
  package func spaceLeftByEdits(in source: some RandomAccessSource) throws -> Set<Int> {
    guard !isFragmented else { return [] }
    var named = NamedPlaces(of: self, in: source)
    let spaces = layout.atoms.indices.lazy.filter { layout.atoms[$0].isFreeSpace }
    var found: Set<Int> = []
    for index in spaces.prefix(Self.largestExaminedSpaceCount) {
      let atom = layout.atoms[index]
      guard try atom.isSpaceLeftByEdit(in: source), !tracks.contains(where: { $0.hasSamples(in: atom.range) }),
        !named.mayHoldReferencedBytes(in: atom.range)
      else { continue }
      found.insert(index)
    }
    return found
  }
}
