import MovieBox

/// What stands beside a movie atom, as an edit in place sees it: empty free space to write to, and what has to be
/// repeated after a new movie atom at the end of the file.
///
/// Reads the free space next to the movie atom and after it, which is mostly none or little.
struct InPlaceFreeSpace {
  /// An atom of empty free space next to the movie atom.
  struct Space {
    let range: ByteRange
    let headerByteCount: UInt64
    /// Whether its payload is all zeros; else an earlier edit left it, and its first bytes say so.
    let isZero: Bool
  }

  private let movie: Movie
  /// The free space directly before the movie atom.
  let spaceBefore: Space?
  /// The free space directly after it.
  let spaceAfter: Space?
  /// Empty free space, zeros, or the remains of an interrupted edit at the end of the file.
  let emptyTail: ByteRange?
  /// Whether ``emptyTail`` is cut off before anything is written there: its torn header crosses the bounds of a
  /// sector, so that a power loss could mix it with the new one.
  let cutsTail: Bool
  /// Whether media lies after the movie atom.
  let hasMediaAfter: Bool
  /// What is repeated after a new movie atom at the end of the file: neither media nor empty free space.
  let repeatedAtoms: [FileLayout.TopLevelAtom]
  /// Bytes at the end that are not an atom and stay the last: stray bytes, or a vendor's trailer, which is looked for
  /// there.
  let repeatedTrailing: ByteRange?

  /// At most so many atoms of free space, and so many bytes of them, are examined; others count as data. Real files
  /// have a handful; a hostile one may have a million.
  private static let largestExaminedCount = 64
  private static let largestExaminedByteCount: UInt64 = 1 << 30

  private var layout: FileLayout { movie.layout }

  /// The atom directly before the movie atom, where it may grow over it: media, or empty free space.
  let atomBefore: FileLayout.TopLevelAtom?

  /// Empty free space after the movie atom that an appended edit covers, but for the end of the file.
  let coveredSpace: [ByteRange]

  /// The places of what is repeated, in the order of the file.
  var repeatedRanges: [ByteRange] { repeatedAtoms.map(\.range) + (repeatedTrailing.map { [$0] } ?? []) }

  /// The places of the empty free space on both sides of the movie atom.
  var spaceBesideMovie: [ByteRange] { [spaceBefore, spaceAfter].compactMap { $0?.range } }

  /// Where the file ends but for what is empty there.
  var keptEnd: UInt64 { emptyTail?.offset ?? layout.identity.byteCount }

  init(of movie: Movie, in source: some RandomAccessSource) throws {
    self.movie = movie
    let layout = movie.layout
    let movieRange = movie.movieAtom.range
    hasMediaAfter = movie.hasMedia(after: movieRange.offset)
    let following = layout.atoms.filter { $0.range.offset > movieRange.offset }
    var named = NamedPlaces(of: movie, in: source)
    var contents: [UInt64: FreeSpace.Contents] = [:]
    var budget = Self.largestExaminedByteCount
    func isEmpty(_ atom: FileLayout.TopLevelAtom) throws -> Bool {
      guard atom.isFreeSpace else { return false }
      if contents[atom.range.offset] == nil {
        guard contents.count < Self.largestExaminedCount, atom.payloadRange.count <= budget else { return false }
        budget -= atom.payloadRange.count
      }
      guard !named.mayHoldReferencedBytes(in: atom.range) else {
        contents[atom.range.offset] = .data
        return false
      }
      let found = try contents[atom.range.offset] ?? FreeSpace.contents(of: atom.payloadRange, in: source)
      contents[atom.range.offset] = found
      // Dash cameras keep what they measure in free space, and its places in a table of their own (`gps `).
      return found == .leftByEdit || found == .zeros && movie.tree.child(of: movie.tree.root, "gps ") == nil
    }
    func space(_ atom: FileLayout.TopLevelAtom?) throws -> Space? {
      guard let atom, !atom.isTruncated, atom.sizeField != .toEndOfFile, try isEmpty(atom) else { return nil }
      return Space(
        range: atom.range, headerByteCount: UInt64(atom.headerByteCount), isZero: contents[atom.range.offset] == .zeros)
    }
    let before = layout.atoms.last { $0.range.offset < movieRange.offset && $0.range.end == movieRange.offset }
    spaceBefore = try space(before)
    // Only what is empty may grow over the movie atom; media may always.
    atomBefore = try before.flatMap { try $0.type == "mdat" || isEmpty($0) ? $0 : nil }
    spaceAfter = try space(following.first)

    var tail: ByteRange?
    var trailing = layout.trailing
    var isCut = false
    if let leftover = layout.leftover {
      tail = leftover
      isCut = !InPlacePlan.HeaderWrite.isInOneSector(leftover.offset, byteCount: 8)
    } else if let zeros = layout.trailing {
      // Part of a header among zeros would be unidentifiable.
      if InPlacePlan.HeaderWrite.isInOneSector(zeros.offset, byteCount: 8),
        try !named.mayHoldReferencedBytes(in: zeros) && FreeSpace.isZero(zeros, in: source)
      {
        (tail, trailing) = (zeros, nil)
      }
    } else if let last = following.last, try isEmpty(last) {
      let straddles = !InPlacePlan.HeaderWrite.isInOneSector(last.range.offset, byteCount: 8)
      isCut = straddles && (last.isTruncated || last.sizeField == .toEndOfFile)
      // A header that a power loss may tear is not written over: what is appended goes after the whole atom.
      // Nor is an atom too short for the header and its mark: after it, what others append stays.
      let isLongEnough =
        last.isTruncated || last.sizeField == .toEndOfFile
        || last.range.count >= FreeSpace.markedHeaderByteCount
      if isCut || !straddles && isLongEnough { tail = last.range }
    }
    emptyTail = tail
    cutsTail = isCut
    repeatedTrailing = trailing
    let end = tail?.offset ?? .max
    let others = following.filter { $0.range.offset < end && $0.type != "mdat" }
    let covered = try others.filter(isEmpty)
    coveredSpace = covered.map(\.range)
    let coveredOffsets = Set(covered.map(\.range.offset))
    repeatedAtoms = others.filter { !coveredOffsets.contains($0.range.offset) }
  }

  /// The most bytes that are appended after bytes that are not an atom but could be taken for a longer one: far more
  /// than a movie atom with subtitles, so that only strays with the size of real media stand in the way.
  static var largestAppendedAfterStrayBytes: UInt64 { 256 << 20 }

  /// The most bytes of media that are appended: one atom with a 32-bit size hides them, with 2 GiB of room for the
  /// movie atom and what follows it.
  static var largestAppendedMedia: UInt64 { 2 << 30 }

  /// Why no movie atom can be appended; `nil` when one can.
  func appendBlocker(_ position: InPlacePlan.Position, _ sizes: InPlaceDraft.Sizes) -> String? {
    if hasMediaAfter, position == .keepingFastStart, isFastStart {
      let hasSpace = spaceBefore != nil || spaceAfter != nil
      return "media lies after the movie atom (fast start)"
        + (hasSpace ? ", and the space beside it is too small" : "")
    }
    if let trailing = repeatedTrailing, let claim = layout.trailingClaim,
      claim <= trailing.count &+ Self.largestAppendedAfterStrayBytes
    {
      return "the bytes at the end of the file could be taken for an atom if more followed"
    }
    if emptyTail == nil, let last = layout.atoms.last, last.sizeField == .toEndOfFile || last.isTruncated {
      return "the last atom is cut off, or reaches to the end of the file (size 0)"
    }
    if sizes.repeated > FileLayout.largestRewrittenRest {
      return "\(sizes.repeated) bytes stand after the movie atom"
    }
    if hasMediaAfter, movie.hasSamples(in: ByteRangeSet(repeatedRanges).ranges) {
      return "samples lie outside media data, in what stands after the movie atom"
    }
    if sizes.media > Self.largestAppendedMedia {
      return "\(sizes.media) bytes of media are more than one 32-bit atom can cover"
    }
    // The movie atom and its new tables are no more than the other half.
    let appended = sizes.media &+ sizes.movie  // In memory, but for media of less than 2 GiB.
    if repeatedTrailing != nil, appended > Self.largestAppendedAfterStrayBytes / 2 {
      return "\(appended) bytes would be appended after stray bytes at the end of the file, which is too much"
    }
    return nil
  }

  /// Whether there is a fast start to lose; samples may also lie outside of media data.
  private var isFastStart: Bool {
    layout.isFastStart || !layout.atoms.contains { $0.type == "mdat" && $0.payloadRange.count > 0 }
  }
}

/// The places in a file that its movie says something lies at.
struct NamedPlaces<Source: RandomAccessSource> {
  let movie: Movie
  let source: Source
  /// Looked for when free space is there at all; `nil` where the places of items cannot be read.
  private lazy var others: [ByteRange]? = Self.others(of: movie, in: source)

  init(of movie: Movie, in source: Source) {
    self.movie = movie
    self.source = source
  }

  /// Whether samples, auxiliary information or items lie in a range, or may.
  mutating func mayHoldReferencedBytes(in range: ByteRange) -> Bool {
    guard range.count > 0 else { return false }
    guard let others else { return true }
    return others.contains { range.offset <= $0.offset && $0.offset < range.end || $0.overlaps(range) }
      || movie.hasSamples(in: [range])
  }

  /// Auxiliary information of samples, by its first byte, and items, in `moov` and in a top-level `meta`.
  private static func others(of movie: Movie, in source: Source) -> [ByteRange]? {
    do {
      let tables = try PositionTable.all(in: movie.tree).filter { movie.tree[$0.atom].type == "saio" }
      return try movie.otherNamedBytes(
        by: tables, in: movie.tree.bytes, ItemLocations.all(in: movie.tree).map(\.locations), of: source)
    } catch {
      return nil  // A table that does not read may name anything: then no free space counts as empty.
    }
  }
}

extension Movie {
  /// Whether samples lie in any of these ranges, in the order of the file, or reach into them from the last chunk that
  /// begins before one; longer ones before that are the checker's to find.
  ///
  /// Adds up the sizes of the samples of these chunks alone, which costs more than looking at where chunks begin.
  fileprivate func hasSamples(in ranges: [ByteRange]) -> Bool {
    guard !ranges.isEmpty else { return false }
    return tracks.contains { track in
      var nearest: Set<UInt64> = []
      var last: [UInt64?] = Array(repeating: nil, count: ranges.count + 1)
      let offsets = track.samples.chunkOffsets
      func note(_ offset: UInt64, before next: Int) { last[next] = Swift.max(last[next] ?? 0, offset) }
      func next(after offset: UInt64) -> Int { ranges.partitioningIndex { $0.offset > offset } }
      offsets.forEachBlock { chunks, bounds in
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
