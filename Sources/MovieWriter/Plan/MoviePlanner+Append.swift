import MovieBox

extension MoviePlanner {
  /// The most bytes after `moov` that an edit in place writes again.
  static var largestRest: UInt64 { 1 << 20 }

  /// A disk writes whole sectors of at least this size; a write inside one is never torn.
  static var sectorByteCount: UInt64 { 512 }

  /// The most bytes that an edit in place appends behind bytes that are no atom but could be taken for a longer one.
  static var largestAppendixToTrailing: UInt64 { 256 << 20 }

  /// Where the bytes that an edit in place keeps end: at the end of the file, or before what an interrupted edit left
  /// there and nobody can read as an atom.
  private var keptEnd: UInt64 {
    if let leftover = layout.leftover { return leftover.offset }
    if let last = layout.atoms.last, last.isFreeSpace, last.isTruncated { return last.range.offset }
    return layout.identity.byteCount
  }

  private var atomsAfterMovie: [FileLayout.TopLevelAtom] {
    layout.atoms.filter { $0.range.offset > movie.movieAtom.range.offset && $0.range.offset < keptEnd }
  }

  /// Why the movie cannot be edited in place; `nil` when it can.
  func obstacleToAppending() -> String? {
    if movie.isFragmented { return "the movie is fragmented" }
    let atom = movie.movieAtom
    let rest = keptEnd - Swift.min(keptEnd, atom.range.end)
    if movie.hasMedia(after: atom.range.offset) { return "media lies after the movie atom (fast start)" }
    if atom.sizeField == .toEndOfFile { return "the movie atom's size is 0, to the end of the file" }
    if let trailing = layout.trailing, let claim = layout.trailingClaim,
      claim <= trailing.count &+ Self.largestAppendixToTrailing
    {
      return "the bytes at the end of the file could be taken for an atom if more followed"
    }
    if let last = layout.atoms.last, last.sizeField == .toEndOfFile || (last.isTruncated && !last.isFreeSpace) {
      return "the last atom has no end of its own"
    }
    if rest > Self.largestRest { return "\(rest) bytes stand after the movie atom" }
    if UInt32(exactly: atom.range.count &+ rest &+ 8) == nil {
      return "the movie atom is too large to become free space"
    }
    if atom.range.offset % Self.sectorByteCount > Self.sectorByteCount - 8 {
      return "the movie atom's header straddles two sectors"
    }
    return nil
  }

  /// The edit in place.
  ///
  /// Throws `.invalidEdit` where ``obstacleToAppending()`` names an obstacle.
  func appendPlan() throws -> AppendPlan {
    if let obstacle = obstacleToAppending() { throw MovieError(.invalidEdit, obstacle) }
    let old = movie.movieAtom.range
    let rest = atomsAfterMovie.filter { !$0.isFreeSpace }
    // Stray bytes, or a vendor's trailer, which is looked for at the very end.
    let trailing = layout.trailing.map { [$0] } ?? []
    let media = try mediaAtom()
    let hidingHeader = 8
    var wideTracks: Set<Int> = []
    while true {
      var writer = ByteWriter()
      writer.reserve(hidingHeader + media.count + movie.tree.bytes.count + 64 << 10)
      writer.write(UInt32(0))
      writer.write("free" as FourCC)
      writer.write(media)
      // So that the next edit can be one in place too.
      let place = (keptEnd + UInt64(writer.bytes.count)) % Self.sectorByteCount
      let padding = place > Self.sectorByteCount - 8 ? 8 : 0
      if padding > 0 { writer.atom("free") { _ in } }
      let range = try writeMovie(to: &writer, wideTracks: wideTracks)
      // Where everything went, with the old movie and what stood after it dead.
      let moved = try RemuxPlan(
        of: layout.identity,
        [
          .source(ByteRange(0..<old.offset)), .zeros(keptEnd - old.offset + UInt64(hidingHeader)),
          .zeros(UInt64(media.count + padding)), .zeros(UInt64(range.count)),
        ] + rest.map { .source($0.range) } + trailing.map { .source($0) })
      for atom in rest {
        if let bytes = try relocatedFileMetadata(atom, by: moved) {
          writer.write(bytes)
        } else {
          writer.write(try source.readExactly(atom.range))
        }
      }
      for range in trailing { writer.write(try source.readExactly(range)) }
      let largest = trailing.isEmpty ? UInt64(UInt32.max) : Self.largestAppendixToTrailing
      guard let hiddenByteCount = UInt32(exactly: writer.bytes.count), hiddenByteCount <= largest else {
        throw MovieError(.limit, "\(writer.bytes.count) bytes to append, \(largest) at most")
      }
      writer.patch(hiddenByteCount, at: 0)
      var buffer = writer.take()
      let tooNarrow = try relocate(
        &buffer, range, by: moved,
        newMedia: [
          NewMediaRun(
            range: ByteRange(0..<UInt64(revision.newMedia.count)),
            outputOffset: keptEnd + UInt64(hidingHeader + Self.mediaHeaderByteCount))
        ])
      if tooNarrow.isEmpty {
        return AppendPlan(
          source: layout.identity, keptByteCount: keptEnd, appended: Bytes(buffer),
          commit: AppendPlan.HeaderWrite(
            offset: old.offset, expected: Self.headerStart(of: movie.movieAtom),
            replacement: freeHeader(byteCount: keptEnd - old.offset + UInt64(hidingHeader))))
      }
      guard !tooNarrow.isSubset(of: wideTracks) else {
        throw MovieError(.unsupported, in: "moov", "a table of 32-bit positions cannot be widened")
      }
      wideTracks.formUnion(tooNarrow)
    }
  }

  /// The first 8 bytes of an atom that has an end of its own, as they were read. Not those of ``Movie/tree``, which may
  /// have been inflated.
  private static func headerStart(of atom: FileLayout.TopLevelAtom) -> Bytes {
    var writer = ByteWriter()
    writer.write(atom.sizeField == .wide ? 1 : UInt32(truncatingIfNeeded: atom.range.count))  // 32 bits were read.
    writer.write(atom.type)
    return Bytes(writer.bytes)
  }

  private func freeHeader(byteCount: UInt64) -> Bytes {
    var writer = ByteWriter()
    writer.write(UInt32(truncatingIfNeeded: byteCount))  // Made sure by `obstacleToAppending`.
    writer.write("free" as FourCC)
    return Bytes(writer.bytes)
  }
}
