package import MovieBox

/// The media data of a file, divided into extents: the bytes of chunks, and the bytes between chunks.
///
/// Overlapping chunks form one extent, so that extents can be reordered without separating the bytes of a chunk.
struct MediaMap {
  /// The extents of an `mdat` in file order, without gaps.
  struct MediaDataAtom {
    /// The index among the top-level atoms.
    let index: Int
    let extents: ArraySlice<MediaExtent>
  }

  /// The `mdat` atoms that can be divided, because no chunk crosses their ends.
  let atoms: [MediaDataAtom]

  /// The indices of top-level atoms of any type that contain referenced bytes.
  let referencedAtoms: Set<Int>

  /// Whether all chunks are in the extents of ``atoms``. No chunk is then separated.
  let coversAllChunks: Bool

  /// Creates the map of media by its positions in the old file. It covers the media to which the tracks of `new` and
  /// the removed tracks refer, and `others`, the bytes to which other tables refer. A range in `others` is empty if its
  /// length is unknown.
  ///
  /// Takes time linear in the number of chunks of all tracks, and sorts a list that is usually already sorted.
  init(_ resolved: ResolvedEdit, new: Movie, others: [ByteRange]) {
    var referenced: [MediaExtent] = []
    referenced.reserveCapacity(resolved.movie.tracks.reduce(others.count) { $0 + $1.samples.chunkCount })
    let imported = Set(resolved.added.importedTracks.map(\.id))
    let keptTracks = new.tracks.enumerated().filter {
      !imported.contains($0.element.id) && !resolved.tracks.new.contains($0.element.id)
    }
    let origins = keptTracks.map { ChunkOrigins($0.element, resolved.added.externalMedia[$0.element.id]) }
    var times = keptTracks.map { ChunkTimes($0.element, movieTimeScale: new.header.timeScale) }
    let numbers = keptTracks.map { Int32(clamping: $0.offset) }
    for element in ChunksInFileOrder(keptTracks.map(\.element)) {
      let trackIndex = element.track
      let time = MediaExtent.Time(microseconds: times[trackIndex].start(of: element.chunk), track: numbers[trackIndex])
      guard origins[trackIndex].part(of: element.chunk) == 0 else { continue }
      referenced.append(MediaExtent(range: element.range, time: time, use: .samples))
    }
    for track in resolved.movie.tracks where resolved.tracks.removed.contains(track.id) {
      let scale = resolved.movie.header.timeScale
      referenced += track.mediaExtents(number: .max, movieTimeScale: scale).lazy.map {
        MediaExtent(range: $0.range, time: $0.time, use: .removedSamples)
      }
    }
    // Bytes that are not samples get the latest time, so that they are sorted after samples that contain the same
    // bytes.
    let latestTime = MediaExtent.Time(microseconds: .max, track: .max)
    referenced += others.lazy.filter { $0.count > 0 }.map { MediaExtent(range: $0, time: latestTime, use: .other) }
    referenced.sortAndMerge()
    var cutter = MediaCutter(referenced, others.filter { $0.count == 0 }.map(\.offset).sorted())
    atoms = resolved.movie.layout.atoms.enumerated().compactMap { cutter.cut($0.element, index: $0.offset) }
    referencedAtoms = cutter.referencedAtoms
    coversAllChunks = cutter.cutExtentCount == referenced.count
  }
}

/// Divides atoms into extents, one after the other in file order.
private struct MediaCutter {
  /// The referenced extents in file order. They do not overlap.
  private let referenced: [MediaExtent]
  /// Referenced offsets of unknown length, in file order.
  private let positions: [UInt64]
  private var next = 0
  private var nextPosition = 0
  private(set) var referencedAtoms: Set<Int> = []
  /// The number of referenced extents in the divided atoms.
  private(set) var cutExtentCount = 0

  init(_ referenced: [MediaExtent], _ positions: [UInt64]) {
    self.referenced = referenced
    self.positions = positions
  }

  /// Returns the extents of an `mdat`. Returns `nil` if the atom has another type or is truncated, or if a chunk
  /// crosses its end.
  mutating func cut(_ atom: FileLayout.TopLevelAtom, index: Int) -> MediaMap.MediaDataAtom? {
    let payload = atom.payloadRange
    while next < referenced.count, referenced[next].range.end <= payload.offset { next += 1 }
    let first = next
    while next < referenced.count, referenced[next].range.offset < payload.end { next += 1 }
    let referencedRanges = referenced[first..<next]
    // If the last chunk extends into the next atom, examine the chunk again for the next atom.
    if let last = referencedRanges.last, last.range.end > payload.end { next -= 1 }
    if !referencedRanges.isEmpty { referencedAtoms.insert(index) }
    let canBeCut =
      atom.type == "mdat" && !atom.isTruncated && referencedRanges.allSatisfy { payload.contains($0.range) }
    guard canBeCut else {
      if isReferenced(payload) { referencedAtoms.insert(index) }
      return nil
    }
    cutExtentCount += referencedRanges.count
    if isAlreadySplit(referencedRanges, payload) {
      return MediaMap.MediaDataAtom(index: index, extents: referencedRanges)
    }
    var extents: [MediaExtent] = []
    var end = payload.offset
    func appendGap(to start: UInt64) {
      guard end < start else { return }
      // A gap with a referenced offset may contain data of unknown length, so it is kept as a whole.
      let gap = ByteRange(end..<start)
      let time = extents.last?.time ?? MediaExtent.Time(microseconds: 0, track: 0)
      extents.append(MediaExtent(range: gap, time: time, use: isReferenced(gap) ? .other : .unused))
    }
    for extent in referencedRanges {
      appendGap(to: extent.range.offset)
      let isOther = extent.use == .other || extent.use == .removedSamples && isReferenced(extent.range)
      let before = extents.last?.time ?? MediaExtent.Time(microseconds: 0, track: 0)
      extents.append(isOther ? MediaExtent(range: extent.range, time: before, use: .other) : extent)
      end = extent.range.end
    }
    appendGap(to: payload.end)
    return MediaMap.MediaDataAtom(index: index, extents: extents[...])
  }

  /// Whether the payload consists of contiguous chunks of kept tracks.
  private func isAlreadySplit(_ extents: ArraySlice<MediaExtent>, _ payload: ByteRange) -> Bool {
    var end = payload.offset
    for extent in extents {
      guard extent.use == .samples, extent.range.offset == end else { return false }
      end = extent.range.end
    }
    return end == payload.end
  }

  /// Whether a referenced offset is in the range. Ranges must be passed in file order.
  private mutating func isReferenced(_ range: ByteRange) -> Bool {
    while nextPosition < positions.count, positions[nextPosition] < range.offset { nextPosition += 1 }
    return nextPosition < positions.count && positions[nextPosition] < range.end
  }
}

// The bytes to which tables other than the chunk offsets refer.
extension Movie {
  /// Returns the bytes of the file to which auxiliary information tables and items refer, including the items of
  /// file-level `meta` atoms. A range is empty if the length is unknown, as it is for auxiliary information.
  ///
  /// - Parameter bytes: the bytes of the tree that contains the tables.
  /// - Throws: the errors of ``fileMetadata(_:in:)``.
  func otherReferencedBytes(
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
    for item in items { ranges += try item.itemRanges }
    for atom in layout.atoms where atom.type == "meta" {
      for (_, item) in try ItemLocations.all(in: fileMetadata(atom, in: source)) { ranges += try item.itemRanges }
    }
    return ranges
  }

  /// Reads the atoms of a file-level `meta`.
  ///
  /// Throws if the atom may refer to bytes that cannot be determined: `.limit` if it exceeds the movie's size limit,
  /// and `.malformed` if item positions are among bytes that are not atoms.
  func fileMetadata(_ atom: FileLayout.TopLevelAtom, in source: some RandomAccessSource) throws -> AtomTree {
    guard atom.range.count <= limits.movieByteCount else {
      throw MovieError(
        .limit, at: atom.range.offset, in: "meta",
        "has \(atom.range.count) bytes and may contain file positions; the limit is \(limits.movieByteCount) bytes")
    }
    let tree = try AtomTree(source.readExactly(atom.range), at: atom.range.offset, limits: limits)
    if let hiddenItem = ItemLocations.firstHidden(in: tree) {
      throw tree.error(
        .malformed, at: hiddenItem,
        "item positions (iloc) are among bytes that are not atoms, where they cannot be updated")
    }
    return tree
  }
}

extension Movie {
  /// The largest number of free atoms that are examined. Real files contain a handful.
  private static var largestExaminedSpaceCount: Int { 64 }

  /// Returns the indices of the top-level free atoms that a new file must clear, because they contain the remains of
  /// in-place edits. The remains are usually old movie atoms. They may contain metadata that was removed later.
  ///
  /// Excludes referenced bytes. Excludes all free atoms of a fragmented movie, because its samples may be anywhere.
  package func spaceLeftByEdits(in source: some RandomAccessSource) throws -> Set<Int> {
    guard !isFragmented else { return [] }
    var referenced = ReferencedBytes(of: self, in: source)
    let spaces = layout.atoms.indices.lazy.filter { layout.atoms[$0].isFreeSpace }
    var erasableSpaces: Set<Int> = []
    for index in spaces.prefix(Self.largestExaminedSpaceCount) {
      let atom = layout.atoms[index]
      guard try atom.isSpaceLeftByEdit(in: source), !tracks.contains(where: { $0.hasSamples(in: atom.range) }),
        !referenced.mayOverlap(in: atom.range)
      else { continue }
      erasableSpaces.insert(index)
    }
    return erasableSpaces
  }
}
