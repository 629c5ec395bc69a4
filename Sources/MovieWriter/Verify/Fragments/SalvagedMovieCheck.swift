import MovieBox

/// Checks a cut-off movie that is written without its missing samples.
///
/// The end of the media is missing, so the tables of each track must end before the first sample that is not in the
/// file.
struct SalvagedMovieCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Checks that each track keeps exactly the samples before its first missing sample, with their bytes, times, flags,
  /// groups and subsamples. Outside the tables, edit lists and durations of these tracks, `moov` must be unchanged.
  ///
  /// Makes one pass over all samples.
  func check() throws(MovieError) {
    guard let salvaged = resolved.stages.salvaged else { return }
    let original = salvaged.original
    let plainMovie = resolved.stages.plain
    guard original.tracks.count == plainMovie.tracks.count else { throw failure("the cut-off movie lost a track") }
    let cut = zip(original.tracks, plainMovie.tracks).filter { $0.samples.sampleCount != $1.samples.sampleCount }
    try AtomChangePolicy.salvaged(tracks: Set(cut.map(\.0.id))).check(.init(original.tree), .init(plainMovie.tree))
    for (old, new) in zip(original.tracks, plainMovie.tracks) where !resolved.tracks.removed.contains(old.id) {
      try checkSalvaged(old, new, from: original, to: plainMovie)
    }
    let duration = plainMovie.tracks.reduce(UInt64(0)) {
      Swift.max($0, $1.durationInMovieTicks(movieTimeScale: plainMovie.header.timeScale))
    }
    guard cut.isEmpty || plainMovie.header.duration == duration else {
      throw failure("the cut-off movie declares a wrong duration of \(plainMovie.header.duration) ticks")
    }
    // KeptTracksCheck compares the planned tracks with the tracks of the salvaged movie.
  }

  private func checkSalvaged(_ old: Track, _ new: Track, from original: Movie, to plain: Movie) throws(MovieError) {
    let fileEnd = original.layout.identity.byteCount
    guard let before = original.tree.sampleTable(ofTrack: old.atom),
      let after = plain.tree.sampleTable(ofTrack: new.atom)
    else { throw failure("track \(old.id) has no sample table") }
    let locator = ChunkLocator(old)
    var chunks = old.samples.chunks.makeIterator()
    var chunk = chunks.next()
    var keptSamples = new.samples.samples.makeIterator()
    var count = 0
    var media = (decoding: UInt64(0), presentation: Int64(0))
    for sample in old.samples.samples {
      while let current = chunk, sample.index >= current.samples.upperBound { chunk = chunks.next() }
      let isExternal = locator.isExternal(description: sample.sampleDescriptionIndex)
      let end =
        locator.hasNoLegacyAudioPackets
        ? sample.byteRange?.end
        : chunk.flatMap { locator.end(ofPacketOf: sample.index, in: $0, old.samples.sampleSizes) }
      let isMissing = !isExternal && end.map { $0 > fileEnd } ?? true
      guard let found = keptSamples.next() else {
        // The first dropped sample must have bytes past the end of the file, or be in an incomplete packet.
        guard isMissing else {
          throw failure("sample \(sample.index + 1) of track \(old.id) is in the file, but was dropped")
        }
        break
      }
      guard !isMissing || sample.byteRange?.count == 0 else {
        throw failure("sample \(sample.index + 1) of track \(old.id) is not in the file")
      }
      guard found.byteRange == sample.byteRange, found.decodeTime == sample.decodeTime,
        found.duration == sample.duration, found.compositionOffset == sample.compositionOffset,
        found.isSync == sample.isSync || new.mediaType.isText,
        found.sampleDescriptionIndex == sample.sampleDescriptionIndex
      else { throw failure("sample \(sample.index + 1) of track \(old.id) changed") }
      count += 1
      media.decoding = sample.decodeTime.addingClamped(UInt64(sample.duration))
      media.presentation = Swift.max(
        media.presentation, sample.presentationTime.addingClamped(Int64(sample.duration)))
    }
    guard keptSamples.next() == nil else { throw failure("track \(old.id) has new samples") }
    guard count < old.samples.sampleCount else {
      // `AtomChangePolicy` identifies shortened tracks by ID. If a shortened track has the ID of this track, the policy
      // would allow changes here too, so the bytes are compared.
      guard original.tree.bytes(of: old.atom) == plain.tree.bytes(of: new.atom) else {
        throw failure("track \(old.id) changed, although it lost no sample")
      }
      return
    }
    guard new.mediaHeader.duration == media.decoding else {
      throw failure("track \(old.id) declares a wrong media duration of \(new.mediaHeader.duration) ticks")
    }
    let shown = new.presentationEndInMovieTicks(movieTimeScale: original.header.timeScale)
    guard new.header.duration == shown || new.header.duration == shown.addingClamped(1) else {
      throw failure("track \(old.id) declares a wrong duration of \(new.header.duration) ticks")
    }
    try checkSalvagedEdits(old, new, movieTimeScale: original.header.timeScale, mediaEnd: media.presentation)
    try checkSalvagedFields((before, original.tree), (after, plain.tree), count: count, track: old.id)
  }

  /// Checks that edit lists changed only as the missing samples require. An edit may be shortened to the end of the
  /// media, or removed if all of its media is missing.
  private func checkSalvagedEdits(
    _ old: Track, _ new: Track, movieTimeScale: UInt32, mediaEnd: Int64
  ) throws(MovieError) {
    guard old.editList != new.editList else { return }
    var rest = (new.editList?.entries ?? [])[...]
    let (media, movie) = (Int128(old.mediaHeader.timeScale), Int128(movieTimeScale))
    for edit in old.editList?.entries ?? [] {
      let remainingTicks = Int128(mediaEnd) - Int128(edit.mediaTime)
      if let found = rest.first, found.mediaTime == edit.mediaTime, found.mediaRate == edit.mediaRate {
        // The edit may be shortened to the end of the media, rounded to a tick of the movie.
        let isCut =
          edit.mediaTime >= 0 && found.segmentDuration < edit.segmentDuration
          && (Int128(found.segmentDuration) * media - remainingTicks * movie).magnitude <= media.magnitude
        if found.segmentDuration == edit.segmentDuration || isCut {
          rest.removeFirst()
          continue
        }
      }
      guard edit.mediaTime >= 0, remainingTicks <= 0 else {
        throw failure("track \(old.id) is shown at a different time than before")
      }
    }
    guard rest.isEmpty else { throw failure("track \(old.id) has additional edits") }
  }

  /// Compares the fields that tables assign to each kept sample.
  private func checkSalvagedFields(
    _ old: (stbl: Int, tree: AtomTree), _ new: (stbl: Int, tree: AtomTree), count: Int, track: UInt32
  ) throws(MovieError) {
    let before = SampleFlagTables(in: old.stbl, of: old.tree)
    let after = SampleFlagTables(in: new.stbl, of: new.tree)
    for sample in 0..<Swift.min(count, Swift.max(before.sampleCount, after.sampleCount)) {
      guard before.dependencies(of: sample) == after.dependencies(of: sample),
        before.padding(of: sample) == after.padding(of: sample),
        before.priority(of: sample) == after.priority(of: sample)
      else { throw failure("sample \(sample + 1) of track \(track) changed its flags") }
    }
    func partialSyncSamples(_ stbl: Int, _ tree: AtomTree) throws(MovieError) -> [UInt32] {
      var numbers: [UInt32] = []
      for stps in tree.children(of: stbl, "stps") { numbers += try tree.decode(SyncSampleTable.self, at: stps) }
      return numbers
    }
    let partial = try partialSyncSamples(old.stbl, old.tree).filter { Int($0) <= count }
    guard try partialSyncSamples(new.stbl, new.tree) == partial else {
      throw failure("partial sync samples of track \(track) changed")
    }
    let oldGroups = old.tree.children(of: old.stbl, "sbgp")
    let newGroups = new.tree.children(of: new.stbl, "sbgp")
    guard oldGroups.count == newGroups.count else { throw failure("track \(track) lost sample groups") }
    for (left, right) in zip(oldGroups, newGroups) {
      let groups = try (
        old.tree.decode(SampleToGroupTable.self, at: left), new.tree.decode(SampleToGroupTable.self, at: right)
      )
      guard groups.0.groupingType == groups.1.groupingType, groups.0.parameter == groups.1.parameter,
        Self.assignments(groups.0, upTo: count) == Self.assignments(groups.1, upTo: .max)
      else { throw failure("samples of track \(track) changed their groups") }
    }
    let (oldParts, newParts) = (old.tree.children(of: old.stbl, "subs"), new.tree.children(of: new.stbl, "subs"))
    guard oldParts.count == newParts.count else { throw failure("track \(track) lost subsamples") }
    for (left, right) in zip(oldParts, newParts) {
      var was = try SubsampleEntries(old.tree.payload(of: left), firstSample: 0)
      var now = try SubsampleEntries(new.tree.payload(of: right), firstSample: 0)
      guard was.flags == now.flags else { throw failure("subsamples of track \(track) changed") }
      while let entry = try was.next() {
        guard entry.sampleNumber <= count else { break }
        guard let found = try now.next(), found == entry else { throw failure("subsamples of track \(track) changed") }
      }
      guard try now.next() == nil else { throw failure("track \(track) has subsamples of missing samples") }
    }
  }

  /// Returns the group assignments of the first samples as runs.
  private static func assignments(_ table: SampleToGroupTable, upTo count: Int) -> RunLengths<UInt32> {
    var groups = RunLengths<UInt32>()
    for entry in table {
      groups.append(entry.descriptionIndex, count: Swift.min(count - groups.count, Int(entry.sampleCount)))
    }
    return groups
  }
}

extension ChunkLocator {
  /// Returns the end offset of a sample's packet, or of the sample itself if it is not in a packet. Returns `nil` if
  /// the offset exceeds 64 bits.
  ///
  /// Takes constant time for packets, because their samples have one size in `stsz`.
  fileprivate func end(ofPacketOf sample: Int, in chunk: Chunk, _ sizes: SampleSizeTable) -> UInt64? {
    let packet = Int(clamping: Swift.max(1, samplesPerPacket(of: chunk)))
    let number = (sample - chunk.firstSample) / packet + 1
    let count = number.multipliedReportingOverflow(by: packet)
    let end = count.overflow ? chunk.sampleCount : Swift.min(chunk.sampleCount, count.partialValue)
    return byteCount(of: chunk.firstSample..<chunk.firstSample + end, of: chunk, sizes).flatMap {
      ByteRange(offset: chunk.offset, count: $0)?.end
    }
  }
}
