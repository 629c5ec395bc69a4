import MovieBox

extension MoviePlanner {
  /// The most bytes that an edit in place appends behind bytes that are no atom but could be taken for a longer one.
  static var largestAppendixToTrailing: UInt64 { 256 << 20 }

  /// The most bytes of media that are appended: one atom with a 32-bit size hides them, with 2 GiB of room for the
  /// movie header and what follows it.
  static var largestAppendedMedia: UInt64 { 2 << 30 }

  /// Free space at the end of the file that claims to go on behind it.
  private var cutFreeSpace: FileLayout.TopLevelAtom? {
    layout.atoms.last.flatMap { $0.isFreeSpace && $0.isTruncated ? $0 : nil }
  }

  /// Where the bytes that an edit in place keeps end: at the end of the file, or before what an interrupted edit left
  /// there and nobody can read as an atom.
  private var keptEnd: UInt64 {
    if let leftover = layout.leftover { return leftover.offset }
    if let cutFreeSpace { return cutFreeSpace.range.offset }
    return layout.identity.byteCount
  }

  private var atomsAfterMovie: [FileLayout.TopLevelAtom] {
    layout.atoms.filter { $0.range.offset > movie.movieAtom.range.offset && $0.range.offset < keptEnd }
  }

  /// What is written again behind the new movie header: neither media nor free space.
  private var atomsToRepeat: [FileLayout.TopLevelAtom] {
    atomsAfterMovie.filter { !$0.isFreeSpace && $0.type != "mdat" }
  }

  /// The bytes from the old movie header to the end of the new atom's header.
  private var coveredByteCount: UInt64 {
    keptEnd - movie.movieAtom.range.offset + UInt64(Self.hidingHeaderByteCount)
  }

  /// The size of the header of the `free` atom that hides what is appended.
  private static var hidingHeaderByteCount: Int { 8 }

  /// Why the movie cannot be edited in place; `nil` when it can.
  func obstacleToAppending(_ position: AppendPlan.Position) -> String? {
    if movie.isFragmented { return "the movie is fragmented" }
    let atom = movie.movieAtom
    let coversMedia = movie.hasMedia(after: atom.range.offset)
    if coversMedia, position == .inOrder { return "media lies after the movie atom (fast start)" }
    if atom.sizeField == .toEndOfFile { return "the movie atom's size is 0, to the end of the file" }
    if let trailing = layout.trailing, let claim = layout.trailingClaim,
      claim <= trailing.count &+ Self.largestAppendixToTrailing
    {
      return "the bytes at the end of the file could be taken for an atom if more followed"
    }
    if let last = layout.atoms.last, last.sizeField == .toEndOfFile || (last.isTruncated && !last.isFreeSpace) {
      return "the last atom has no end of its own"
    }
    if let obstacle = obstacleInRest(coversMedia: coversMedia) { return obstacle }
    let rest = coversMedia ? atomsToRepeat.map(\.range) + (layout.trailing.map { [$0] } ?? []) : []
    if holdSamples(rest) { return "samples lie outside media data, in what stands after the movie atom" }
    if let cutFreeSpace, holdSamples([cutFreeSpace.range]) {
      return "samples lie in free space that is cut off at the end of the file"
    }
    if revision.addedMediaByteCount > Self.largestAppendedMedia {
      return "\(revision.addedMediaByteCount) bytes of media are more than one atom hides"
    }
    // The header and its new tables are no more than the other half.
    let appended = revision.addedMediaByteCount &+ UInt64(movie.tree.bytes.count)
    if layout.trailing != nil, appended > Self.largestAppendixToTrailing / 2 {
      return "\(appended) bytes are more than goes behind bytes that are no atom"
    }
    let header = coversMedia ? Self.coverHeaderByteCount(coveredByteCount) : 8
    if !coversMedia, UInt32(exactly: coveredByteCount) == nil {
      return "the movie atom is too large to become free space"
    }
    if atom.range.offset % AppendPlan.HeaderWrite.sectorByteCount > AppendPlan.HeaderWrite.sectorByteCount
      - UInt64(header)
    {
      return "the movie atom's header straddles two sectors"
    }
    return nil
  }

  private func obstacleInRest(coversMedia: Bool) -> String? {
    let end = movie.movieAtom.range.end
    let trailing = layout.trailing?.count ?? 0
    let rest =
      coversMedia
      ? atomsToRepeat.reduce(trailing) { $0 &+ $1.range.count }  // Parts of a file.
      : keptEnd - Swift.min(keptEnd, end)
    return rest > FileLayout.largestRewrittenRest ? "\(rest) bytes stand after the movie atom" : nil
  }

  /// Whether samples begin in any of these ranges: in what is written again they would be there twice, and the old ones
  /// inside media data; what is cut off is written over.
  private func holdSamples(_ ranges: [ByteRange]) -> Bool {
    guard !ranges.isEmpty else { return false }
    func isInRest(_ offset: UInt64) -> Bool { ranges.contains { $0.offset <= offset && offset < $0.end } }
    return movie.tracks.contains { track in
      // Done with here mostly: adding sample sizes up costs more than looking at chunks.
      guard track.samples.chunkOffsets.contains(where: isInRest) else { return false }
      let locator = ChunkLocator(track)
      return track.samples.chunks.contains { $0.byteCount > 0 && isInRest($0.offset) && !locator.isExternal($0) }
    }
  }

  /// How wide the header is that covers so many bytes of media.
  private static func coverHeaderByteCount(_ byteCount: UInt64) -> Int {
    byteCount <= UInt64(UInt32.max) ? 8 : 16
  }

  /// The edit in place.
  ///
  /// Throws `.invalidEdit` where ``obstacleToAppending(_:)`` names an obstacle.
  func appendPlan(_ position: AppendPlan.Position) throws -> AppendPlan {
    if let obstacle = obstacleToAppending(position) { throw MovieError(.invalidEdit, obstacle) }
    let old = movie.movieAtom.range
    let rest = atomsToRepeat
    // Stray bytes, or a vendor's trailer, which is looked for at the very end.
    let trailing = layout.trailing.map { [$0] } ?? []
    let mediaHeader = newMediaHeader()
    let hidingHeader = Self.hidingHeaderByteCount
    let imported = revision.importedMedia.map { RemuxPlan.Content.source($0.range) }
    let mediaByteCount = UInt64(mediaHeader.count) &+ revision.addedMediaByteCount
    var wideTracks: Set<Int> = []
    while true {
      var writer = ByteWriter()  // What comes behind the media.
      writer.reserve(movie.tree.bytes.count + 1 << 20)
      // So that the next edit can be one in place too.
      let place = (keptEnd &+ UInt64(hidingHeader) &+ mediaByteCount) % AppendPlan.HeaderWrite.sectorByteCount
      let padding = place > AppendPlan.HeaderWrite.sectorByteCount - 8 ? 8 : 0
      if padding > 0 { writer.atom("free") { _ in } }
      let range = try writeMovie(to: &writer, wideTracks: wideTracks)
      // Where everything went, with the old movie and what stood after it dead, but for media.
      let moved = try RemuxPlan(
        of: revision.sourceIdentity(),
        [.source(ByteRange(0..<old.offset))] + coveredContents + [
          .zeros(UInt64(mediaHeader.count + revision.newMedia.count))
        ] + imported + [.zeros(UInt64(padding)), .zeros(UInt64(range.count))] + rest.map { .source($0.range) }
          + trailing.map { .source($0) })
      for atom in rest {
        if let bytes = try relocatedFileMetadata(atom, by: moved) {
          writer.write(bytes)
        } else {
          writer.write(try source.readExactly(atom.range))
        }
      }
      for range in trailing { writer.write(try source.readExactly(range)) }
      let largest = trailing.isEmpty ? UInt64(UInt32.max) : Self.largestAppendixToTrailing
      let byteCount = UInt64(hidingHeader + writer.bytes.count) &+ mediaByteCount
      guard let hiddenByteCount = UInt32(exactly: byteCount), hiddenByteCount <= largest else {
        throw MovieError(.limit, "\(byteCount) bytes to append, \(largest) at most")
      }
      var buffer = writer.take()
      let tooNarrow = try relocate(
        &buffer, range, by: moved,
        newMedia: [
          NewMediaRun(
            range: ByteRange(0..<UInt64(revision.newMedia.count)),
            outputOffset: keptEnd + UInt64(hidingHeader + mediaHeader.count))
        ])
      if tooNarrow.isEmpty {
        let head = Self.hidingHeader(hiddenByteCount) + mediaHeader
        return AppendPlan(
          source: try revision.sourceIdentity(), keptByteCount: keptEnd,
          appended: appendix(head, imported, buffer),
          commit: try commit(movie.hasMedia(after: old.offset) ? "mdat" : "free"))
      }
      guard !tooNarrow.isSubset(of: wideTracks) else {
        throw MovieError(.unsupported, in: "moov", "a table of 32-bit positions cannot be widened")
      }
      wideTracks.formUnion(tooNarrow)
    }
  }

  private static func hidingHeader(_ byteCount: UInt32) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(byteCount)
    writer.write("free" as FourCC)
    return writer.bytes
  }

  /// Headers and new samples, the media of other movies, and what comes behind.
  private func appendix(
    _ head: [UInt8], _ imported: [RemuxPlan.Content], _ tail: [UInt8]
  ) -> [RemuxPlan.Content] {
    let start = head + revision.newMedia.array
    if imported.isEmpty { return [.generated(Bytes(start + tail))] }
    return [.generated(Bytes(start))] + imported + [.generated(Bytes(tail))]
  }

  /// The first 8 bytes of an atom that has an end of its own, as they were read. Not those of ``Movie/tree``, which may
  /// have been inflated.
  private static func headerStart(of atom: FileLayout.TopLevelAtom) -> Bytes {
    var writer = ByteWriter()
    writer.write(atom.sizeField == .wide ? 1 : UInt32(truncatingIfNeeded: atom.range.count))  // 32 bits were read.
    writer.write(atom.type)
    return Bytes(writer.bytes)
  }

  /// What stands from the old movie header to the end of the new atom's header: media where it was, all else dead.
  private var coveredContents: [RemuxPlan.Content] {
    var contents: [RemuxPlan.Content] = []
    var end = movie.movieAtom.range.offset
    for atom in atomsAfterMovie where atom.type == "mdat" {
      contents += [.zeros(atom.range.offset - end), .source(atom.range)]
      end = atom.range.end
    }
    return contents + [.zeros(keptEnd - end + UInt64(Self.hidingHeaderByteCount))]
  }

  /// The write that makes an atom of this type of everything up to the new atoms.
  private func commit(_ type: FourCC) throws -> AppendPlan.HeaderWrite {
    let atom = movie.movieAtom
    var writer = ByteWriter()
    guard let byteCount = UInt32(exactly: coveredByteCount) else {
      writer.write(UInt32(1))
      writer.write(type)
      writer.write(coveredByteCount)
      let start = atom.range.offset
      return AppendPlan.HeaderWrite(
        offset: start, expected: try source.readExactly(ByteRange(start..<start + 16)), replacement: Bytes(writer.bytes)
      )
    }
    writer.write(byteCount)
    writer.write(type)
    return AppendPlan.HeaderWrite(
      offset: atom.range.offset, expected: Self.headerStart(of: atom), replacement: Bytes(writer.bytes))
  }
}
