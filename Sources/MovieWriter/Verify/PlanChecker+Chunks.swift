import MovieBox

// What tracks name: every chunk the bytes that it named, every new sample bytes of its own.
extension PlanChecker {
  /// Every sample of every kept track names the bytes that it named; every sample of a new track names new bytes.
  func checkTracks() throws {
    let kept = revision.movie.tracks.filter { !revision.tracks.removed.contains($0.id) }
    let keptPlanned = planned.tracks.filter { !revision.tracks.new.contains($0.id) }
    guard kept.count == keptPlanned.count else {
      throw failure("\(kept.count) tracks were to be kept, \(keptPlanned.count) are there")
    }
    for (old, new) in zip(kept, keptPlanned) {
      guard old.id == new.id else { throw failure("track \(old.id) became track \(new.id)") }
      try checkChunks(old: old, new: new, ChunkOrigins(old, revision.added.externalMedia[old.id]))
      try checkDataReferences(old: old, new: new)
      let hasNewAuxiliary = revision.added.tracksWithAuxiliary.contains(old.id)
      try checkPositions(
        from: (revision.movie.tree, old.atom), to: (planned.tree, new.atom),
        leavingOut: hasNewAuxiliary ? ["saio"] : [])
    }
    try checkPositions(
      from: (revision.movie.tree, revision.movie.tree.root), to: (planned.tree, planned.tree.root))
    for (wanted, track) in zip(revision.requested.tracks, planned.tracks) {
      if let made = wanted.generated { try checkNewSamples(made, track) }
    }
  }

  /// The samples of a track made of cues or chapters are those that the request encodes to, in order, and new bytes.
  private func checkNewSamples(_ made: any GeneratedTrack, _ track: Track) throws {
    let output = PlannedSource(plan, of: source)
    let expected = made.sampleData
    var position = expected.startIndex
    for chunk in track.samples.chunks where chunk.byteCount > 0 {
      guard let range = chunk.byteRange, range.end <= plan.byteCount,
        plan.extents(in: range).allSatisfy({ $0.sourceRange == nil })
      else { throw failure("a new sample of track \(track.id) refers to old bytes, or to none", at: chunk.offset) }
      let end = position + Int(clamping: Swift.min(range.count, UInt64(expected.count)))
      guard end <= expected.endIndex, range.count <= expected.count,
        try output.readExactly(range).elementsEqual(expected[position..<end])
      else { throw failure("a new sample of track \(track.id) refers to other bytes than its own", at: chunk.offset) }
      position = end
    }
    guard position == expected.endIndex else {
      throw failure("track \(track.id) refers to \(position) of \(expected.count) bytes of its samples")
    }
  }

  /// Every chunk names the bytes that it named in its own file, which is a part of the source.
  func checkChunks(old: Track, new: Track, _ origins: ChunkOrigins) throws(MovieError) {
    guard old.samples.chunkCount == new.samples.chunkCount else {
      throw failure("track \(old.id) had \(old.samples.chunkCount) chunks, has \(new.samples.chunkCount)")
    }
    let areWithoutMakers = try isWithoutMakers(new, of: old)
    // With these the same, a chunk holds what it held, and only its place may be another.
    guard old.samples.sampleToChunk == new.samples.sampleToChunk, old.samples.sampleSizes == new.samples.sampleSizes,
      old.sampleDescriptions == new.sampleDescriptions || areWithoutMakers
        || changedLabels[old.id]?.contains("stsd") == true
          && EditedMovieComparison.differOnlyInForcing(old: old.sampleDescriptions, new: new.sampleDescriptions)
        || revision.requested.declaresParameterSetsComplete(ofTrack: old.id)
          && ParameterSetComparison.declaresComplete(old: old.sampleDescriptions, new: new.sampleDescriptions)
    else { throw failure("the chunks of track \(old.id) hold other samples than before") }
    let before = ChunkLocator(old)
    let after = ChunkLocator(new)
    let bases = origins.bases(in: plan.source)
    let (places, oldPlaces) = (new.samples.chunkOffsets, old.samples.chunkOffsets)
    // No chunk here is larger, and all lie in one file: then chunks that went the same way, inside of one extent, are
    // looked at together.
    let bound = before.hasNoPackets && !after.hasExternalChunks ? old.samples.chunkByteCountBound : nil
    let base = bases.common
    let files = (0..<Swift.max(1, plan.source.parts.count)).compactMap { plan.source.range(ofPart: $0) }
    let file = files.first { $0.offset == base && $0.count > 0 }
    /// The first chunk from one on that is not known to have gone where its extent did.
    func firstUnknown(from chunk: Int) -> Int {
      guard let bound, let base, let file, let extent = plan.extent(at: places[chunk]),
        let source = extent.sourceRange, file.contains(source), extent.range.count >= bound
      else { return chunk }
      return places.firstChunk(
        from: chunk, notAt: extent.offset &- source.offset &+ base, from: oldPlaces,
        in: extent.offset...extent.range.end &- bound)
    }
    var known: OutputPlan.Extent?  // Chunks mostly lie in the same extent as the one before.
    func isCopied(_ chunk: Chunk) -> Bool {
      guard chunk.byteCount > 0 else { return true }
      let place = places[chunk.index]  // As many as there are chunks.
      guard let base = bases[chunk] else { return chunk.offset == place && after.isExternal(chunk) }
      guard let from = before.byteRange(of: chunk)?.moved(by: base), !after.isExternal(chunk),
        let to = ByteRange(offset: place, count: from.count),
        files.contains(where: { $0.offset == base && $0.contains(from) })
      else { return false }
      if known.map({ $0.range.contains(to) }) != true { known = plan.extent(at: to.offset) }
      guard let extent = known, let copied = extent.sourceRange, extent.range.contains(to) else {
        return copies(to, of: from)
      }
      return copied.offset &+ (to.offset &- extent.offset) == from.offset
    }
    var finder = ChunkSequence.Finder(old.samples.chunks)
    var next = places.isEmpty ? 0 : firstUnknown(from: 0)
    while next < places.count, let chunk = finder.chunk(at: next) {
      guard isCopied(chunk) else { throw lost(chunk, old, isExternal: bases[chunk] == nil) }
      next = next + 1 < places.count ? firstUnknown(from: next + 1) : places.count
    }
  }

  /// Whether the descriptions of a track say what they said but for who made the encoder, where the movie is shared.
  private func isWithoutMakers(_ new: Track, of old: Track) throws(MovieError) -> Bool {
    guard revision.sharing != nil, let handler = old.handler?.handlerType else { return false }
    var expected = old.sampleDescriptions
    for (place, entry) in expected.entries.enumerated() {
      expected.entries[place] = try SharingPolicy.withoutMaker(entry, ofMedia: handler)
    }
    return expected == new.sampleDescriptions
  }

  private func lost(_ chunk: Chunk, _ track: Track, isExternal: Bool) -> MovieError {
    isExternal
      ? failure("chunk \(chunk.index + 1) of track \(track.id) lies in another file and was moved")
      : failure("chunk \(chunk.index + 1) of track \(track.id) no longer refers to its bytes", at: chunk.offset)
  }
}
