import MovieBox

/// The surroundings of a movie atom that matter to an in-place edit: empty free space for new bytes, and the atoms that
/// must be repeated after a new movie atom at the end of the file.
///
/// Reads the free space next to the movie atom and after it. This free space is usually small.
struct InPlaceFreeSpace {
  /// An atom of empty free space next to the movie atom.
  struct Space {
    let range: ByteRange
    let headerByteCount: UInt64
    /// Whether the payload is all zeros. Otherwise, an earlier edit created the space, and the first bytes of the
    /// payload identify it.
    let isZero: Bool
  }

  private let movie: Movie
  /// The free space directly before the movie atom.
  let spaceBeforeMovie: Space?
  /// The free space directly after the movie atom.
  let spaceAfterMovie: Space?
  /// Empty free space, zeros, or the remains of an interrupted edit at the end of the file.
  let emptyTail: ByteRange?
  /// Whether ``emptyTail`` is truncated before anything is written there. This is necessary if it starts with an
  /// incomplete header in two sectors. A power loss could mix that header with the new header.
  let truncatesTail: Bool
  /// Whether media follows the movie atom.
  let hasMediaAfterMovie: Bool
  /// The atoms that are repeated after a new movie atom at the end of the file. They contain neither media nor empty
  /// free space.
  let repeatedAtoms: [FileLayout.TopLevelAtom]
  /// The bytes at the end of the file that are not an atom, or `nil` if there are none. They must remain the last
  /// bytes, because they may be a trailer that a manufacturer's software expects at the end.
  let repeatedTrailing: ByteRange?

  /// Limits for the number and the total size of the free atoms that are examined. Further free atoms count as data.
  /// Real files contain a handful, but a malicious file may contain a million.
  private static let largestExaminedCount = 64
  private static let largestExaminedByteCount: UInt64 = 1 << 30

  private var layout: FileLayout { movie.layout }

  /// The atom directly before the movie atom if it may be extended over the movie atom. It contains media or is empty
  /// free space.
  let atomBeforeMovie: FileLayout.TopLevelAtom?

  /// The ranges of empty free space after the movie atom, except at the end of the file. The commit of an appended edit
  /// covers these ranges.
  let coveredSpace: [ByteRange]

  /// The ranges that are repeated, in file order.
  var repeatedRanges: [ByteRange] { repeatedAtoms.map(\.range) + (repeatedTrailing.map { [$0] } ?? []) }

  /// The ranges of the empty free space on both sides of the movie atom.
  var spaceNextToMovie: [ByteRange] { [spaceBeforeMovie, spaceAfterMovie].compactMap { $0?.range } }

  /// The end of the file without its empty tail.
  var keptEnd: UInt64 { emptyTail?.offset ?? layout.identity.byteCount }

  init(of movie: Movie, in source: some RandomAccessSource) throws {
    self.movie = movie
    let layout = movie.layout
    let movieRange = movie.movieAtom.range
    hasMediaAfterMovie = movie.hasMedia(after: movieRange.offset)
    let followingAtoms = layout.atoms.filter { $0.range.offset > movieRange.offset }
    var referenced = ReferencedBytes(of: movie, in: source)
    var contents: [UInt64: FreeSpace.Contents] = [:]
    var budget = Self.largestExaminedByteCount
    func isEmpty(_ atom: FileLayout.TopLevelAtom) throws -> Bool {
      guard atom.isFreeSpace else { return false }
      if contents[atom.range.offset] == nil {
        guard contents.count < Self.largestExaminedCount, atom.payloadRange.count <= budget else { return false }
        budget -= atom.payloadRange.count
      }
      guard !referenced.mayOverlap(in: atom.range) else {
        contents[atom.range.offset] = .data
        return false
      }
      let found = try contents[atom.range.offset] ?? FreeSpace.contents(of: atom.payloadRange, in: source)
      contents[atom.range.offset] = found
      // Dash cameras store measurements in free space, and list their positions in a table (`gps `). Keep this free
      // space.
      return found == .leftByEdit || found == .zeros && movie.tree.child(of: movie.tree.root, "gps ") == nil
    }
    func space(_ atom: FileLayout.TopLevelAtom?) throws -> Space? {
      guard let atom, !atom.isTruncated, atom.sizeField != .toEndOfFile, try isEmpty(atom) else { return nil }
      return Space(
        range: atom.range, headerByteCount: UInt64(atom.headerByteCount), isZero: contents[atom.range.offset] == .zeros)
    }
    let precedingAtom = layout.atoms.last { $0.range.offset < movieRange.offset && $0.range.end == movieRange.offset }
    spaceBeforeMovie = try space(precedingAtom)
    // An edit may extend the preceding atom over the movie atom if it is an `mdat` or empty free space.
    atomBeforeMovie = try precedingAtom.flatMap { try $0.type == "mdat" || isEmpty($0) ? $0 : nil }
    spaceAfterMovie = try space(followingAtoms.first)

    var tail: ByteRange?
    var trailing = layout.trailing
    var isCut = false
    if let leftover = layout.leftoverFreeSpace {
      tail = leftover
      isCut = !InPlacePlan.HeaderWrite.isInOneSector(leftover.offset, byteCount: 8)
    } else if let zeros = layout.trailing {
      // Use the zeros only if the new header is in one sector. A header that was partly written among zeros could not
      // be identified.
      if InPlacePlan.HeaderWrite.isInOneSector(zeros.offset, byteCount: 8),
        try !referenced.mayOverlap(in: zeros) && FreeSpace.isZero(zeros, in: source)
      {
        (tail, trailing) = (zeros, nil)
      }
    } else if let last = followingAtoms.last, try isEmpty(last) {
      let straddles = !InPlacePlan.HeaderWrite.isInOneSector(last.range.offset, byteCount: 8)
      isCut = straddles && (last.isTruncated || last.sizeField == .toEndOfFile)
      // A header that a power loss may tear is not overwritten, so the edit is appended after the whole atom. An atom
      // that is too short for a marked header is not overwritten either, because bytes of other programs may follow it.
      let isLongEnough =
        last.isTruncated || last.sizeField == .toEndOfFile
        || last.range.count >= FreeSpace.markedHeaderByteCount
      if isCut || !straddles && isLongEnough { tail = last.range }
    }
    emptyTail = tail
    truncatesTail = isCut
    repeatedTrailing = trailing
    let end = tail?.offset ?? .max
    let movableAtoms = followingAtoms.filter { $0.range.offset < end && $0.type != "mdat" }
    let emptyAtoms = try movableAtoms.filter(isEmpty)
    coveredSpace = emptyAtoms.map(\.range)
    let coveredOffsets = Set(emptyAtoms.map(\.range.offset))
    repeatedAtoms = movableAtoms.filter { !coveredOffsets.contains($0.range.offset) }
  }

  /// The largest number of bytes that are appended after stray bytes at the end of the file. A movie atom with
  /// subtitles is far smaller.
  ///
  /// Stray bytes may look like the header of an atom. If that atom could end within the appended bytes, readers would
  /// skip these bytes as its contents, so the edit is rejected. A size that exceeds the stray bytes and this limit is
  /// harmless, because the atom would still end after the end of the file.
  static var largestAppendedAfterStrayBytes: UInt64 { 256 << 20 }

  /// The maximum size of media that is appended. An atom with a 32-bit size can cover it, with 2 GiB left for the movie
  /// atom and the repeated atoms.
  static var largestAppendedMedia: UInt64 { 2 << 30 }

  /// Returns the reason why no movie atom can be appended, or `nil` if one can be appended.
  func reasonAgainstAppending(_ position: InPlacePlan.Position, _ sizes: InPlaceDraft.HeaderLayout) -> String? {
    if hasMediaAfterMovie, position == .keepingFastStart, isFastStart {
      let hasSpace = spaceBeforeMovie != nil || spaceAfterMovie != nil
      return "media follows the movie atom (fast start)"
        + (hasSpace ? ", and the free space next to it is too small" : "")
    }
    if let trailing = repeatedTrailing, let claim = layout.trailingAtomByteCount,
      claim <= trailing.count &+ Self.largestAppendedAfterStrayBytes
    {
      return "the bytes at the end of the file could be mistaken for an atom if more bytes followed"
    }
    if emptyTail == nil, let last = layout.atoms.last, last.sizeField == .toEndOfFile || last.isTruncated {
      return "the last atom is cut off, or extends to the end of the file (size 0)"
    }
    if sizes.repeatedByteCount > FileLayout.maximumRewrittenByteCount {
      return
        "\(sizes.repeatedByteCount) bytes follow the movie atom; the limit is \(FileLayout.maximumRewrittenByteCount)"
    }
    if hasMediaAfterMovie, movie.hasSamples(in: ByteRangeSet(repeatedRanges).ranges) {
      return "samples are outside media data, in atoms after the movie atom"
    }
    if sizes.mediaByteCount > Self.largestAppendedMedia {
      return "\(sizes.mediaByteCount) bytes of media are more than one 32-bit atom can cover"
    }
    // The movie atom may become larger than `sizes.movieByteCount`, because its tables may be added to or widened
    // later. Half of the limit is left for this growth.
    let appended = sizes.mediaByteCount &+ sizes.movieByteCount  // Media is less than 2 GiB, so the sum fits.
    if repeatedTrailing != nil, appended > Self.largestAppendedAfterStrayBytes / 2 {
      return "\(appended) bytes are too many to append after stray bytes at the end of the file"
    }
    return nil
  }

  /// Whether the movie has a fast start that an edit could destroy. Samples may also be outside media data.
  private var isFastStart: Bool {
    layout.isFastStart || !layout.atoms.contains { $0.type == "mdat" && $0.payloadRange.count > 0 }
  }
}

/// The bytes of a file to which its movie refers. An edit must not overwrite them.
struct ReferencedBytes<Source: RandomAccessSource> {
  let movie: Movie
  let source: Source
  /// Ranges outside of chunks, searched on first use, or `nil` if the positions of items cannot be read.
  private lazy var otherRanges: [ByteRange]? = Self.otherRanges(of: movie, in: source)

  init(of movie: Movie, in source: Source) {
    self.movie = movie
    self.source = source
  }

  /// Whether a range may contain samples, auxiliary information or items.
  mutating func mayOverlap(in range: ByteRange) -> Bool {
    guard range.count > 0 else { return false }
    guard let otherRanges else { return true }
    return otherRanges.contains { range.offset <= $0.offset && $0.offset < range.end || $0.overlaps(range) }
      || movie.hasSamples(in: [range])
  }

  /// Returns the first bytes of auxiliary information, and the ranges of items in `moov` and in a top-level `meta`.
  private static func otherRanges(of movie: Movie, in source: Source) -> [ByteRange]? {
    do {
      let tables = try PositionTable.all(in: movie.tree).filter { movie.tree[$0.atom].type == "saio" }
      return try movie.otherReferencedBytes(
        by: tables, in: movie.tree.bytes, ItemLocations.all(in: movie.tree).map(\.locations), of: source)
    } catch {
      return nil  // An unreadable table may refer to any byte, so no free space counts as empty.
    }
  }
}

extension Movie {
  /// Whether samples are in any of these ranges. The ranges must be in file order. Considers the chunks that start in a
  /// range and the last chunk that starts before it. The checker finds longer chunks that start even earlier.
  ///
  /// Adds up sample sizes only for these chunks, because adding sizes costs more than comparing chunk offsets.
  fileprivate func hasSamples(in ranges: [ByteRange]) -> Bool {
    guard !ranges.isEmpty else { return false }
    return tracks.contains { track in
      var nearest: Set<UInt64> = []
      var last: [UInt64?] = Array(repeating: nil, count: ranges.count + 1)
      let offsets = track.samples.chunkOffsets
      func note(_ offset: UInt64, before next: Int) { last[next] = Swift.max(last[next] ?? 0, offset) }
      func next(after offset: UInt64) -> Int { ranges.partitioningIndex { $0.offset > offset } }
      track.samples.forEachChunkBlock { chunks, bounds in
        let (first, end) = (next(after: bounds.lowerBound), next(after: bounds.upperBound))
        if first == end {
          note(bounds.upperBound, before: end)
        } else {
          for chunk in chunks { note(offsets[chunk], before: next(after: offsets[chunk])) }
        }
        return true
      }
      for index in ranges.indices {
        if let offset = last[index] { nearest.insert(offset) }
        last[index + 1] = [last[index], last[index + 1]].compactMap { $0 }.max()
      }
      func mayBeNear(_ offsets: ClosedRange<UInt64>) -> Bool {
        let range = ranges.firstIndex(endingAfter: offsets.lowerBound)
        return range < ranges.count && ranges[range].offset <= offsets.upperBound
          || nearest.contains(where: offsets.contains)
      }
      let locator = ChunkLocator(track)
      let found = track.samples.chunks.first(whereOffsets: mayBeNear) { chunk in
        guard chunk.byteCount > 0, !locator.isExternal(chunk) else { return false }
        guard let bytes = locator.byteRange(of: chunk) else { return true }
        let range = ranges.firstIndex(endingAfter: bytes.offset)
        return range < ranges.count && ranges[range].overlaps(bytes)
      }
      return found != nil
    }
  }
}
