import MovieBox

/// Checks a movie that is no longer fragmented, and tracks imported from fragmented movies.
///
/// Flattening moves the samples of all fragments into the sample tables of `moov`. The check reads the old samples from
/// fragment runs and the new samples from sample tables, with different code, and compares them one by one.
struct FlattenedMovieCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Checks that every sample of the old `moov` and its fragments is in the new `moov` with the same bytes, times,
  /// flags, groups, subsamples and auxiliary information, and that everything else in `moov` is unchanged.
  ///
  /// Makes one pass over all samples and all `moof` atoms. Reads auxiliary information outside of `moof` atoms.
  func check() throws {
    if let flattenedMovie = resolved.stages.flattened {
      guard !planned.isFragmented else { throw failure("the new movie is fragmented") }
      let plain = resolved.stages.plain
      let tracks = flattenedMovie.pairs(plain).filter { !resolved.tracks.removed.contains($0.original.id) }
      let keptPlannedTracks = planned.tracks.filter { !resolved.tracks.new.contains($0.id) }
      // ConversionCheck compares rewritten text with the text of the movie without fragments.
      let pairs = zip(tracks, keptPlannedTracks).map { (old: $0, planned: $1) }.filter { pair in
        resolved.stages.converted == nil || !ConvertedTrackComparison.isTextRewritten(pair.old.plain, pair.planned)
      }
      try check(flattenedMovie, plain, ofPart: 0, pairs)
    }
    for (index, file) in resolved.added.otherFiles.enumerated() {
      guard case .flattened(let flattenedMovie) = file.contents else { continue }
      let tracks = ImportedTracksCheck(checker: checker).importedTracks.filter { $0.origin.part == index + 1 }
        .compactMap { imported in
          flattenedMovie.pairs(flattenedMovie.movie).first { $0.plain.atom == imported.origin.track.atom }.map {
            ($0, imported.planned)
          }
        }
      try check(flattenedMovie, flattenedMovie.movie, ofPart: index + 1, tracks)
    }
  }

  /// Compares a fragmented movie with `plain`, the same movie without fragments. Also compares its tracks with the
  /// planned tracks. The source contains the fragmented movie as the part with the number `part`.
  private func check(
    _ flattenedMovie: FlattenedMovie, _ plain: Movie, ofPart part: Int,
    _ tracks: [(old: FlattenedMovie.TrackPair, planned: Track)]
  ) throws {
    guard let file = plan.source.range(ofPart: part) else { throw failure("the source has no part \(part)") }
    let original = flattenedMovie.original
    try checkStart(of: flattenedMovie, ofPart: part)
    try AtomChangePolicy.flattened.check(.init(original.tree), .init(plain.tree))
    for (old, planned) in tracks where old.fragmented.hasFragmentSamples {
      let shown = try checkSamples(old.original, old.fragmented, planned, ofPart: part)
      try checkEdits(of: old, from: flattenedMovie.start, movieTimeScale: original.header.timeScale, shown)
    }
    do {
      try FragmentContentsCheck.check(
        tracks.map { ($0.old.original, $0.old.fragmented, $0.planned) },
        from: MovieSide(original, flattenedMovie.fragments, of: source),
        to: MovieSide(self.planned, nil, of: output), file: file)
    } catch let error as MovieError where error.code == .contentsDiffer {
      throw failure(error.reason, at: error.offset, in: error.path)
    }
  }

  // MARK: - Samples

  /// The presentation times of a track's samples, in media ticks from the first decode time.
  private struct ShownSamples {
    /// The earliest time at which a sample is shown.
    var start = Int64.max
    /// The latest time at which a sample ends.
    var end: Int64 = 0
  }

  /// Checks the samples of a track, and returns their presentation times.
  private func checkSamples(
    _ track: Track, _ fragmented: FragmentedTrack, _ new: Track, ofPart part: Int
  ) throws(MovieError) -> ShownSamples {
    guard let file = plan.source.range(ofPart: part) else { throw failure("the source has no part \(part)") }
    let locator = ChunkLocator(track)
    let shift = fragmented.startTime ?? 0
    let isText = new.mediaType.isText
    let hasExternalMedia = track.sampleDescriptions.entries.indices.contains {
      locator.isExternal(description: UInt32(clamping: $0 + 1))
    }
    var planned = new.samples.samples.makeIterator()
    var copied = CopiedRange()
    var last: SampleTimes?
    var shown = ShownSamples()
    for old in fragmented.samples {
      guard let sample = planned.next() else {
        throw failure("track \(track.id) had \(fragmented.sampleCount) samples and now has \(old.index)")
      }
      // All text samples are sync samples, even if a fragment declares otherwise: ffmpeg 5.1 marks empty samples as
      // non-sync.
      guard old.compositionOffset == sample.compositionOffset, (old.isSync || isText) == sample.isSync,
        old.sampleDescriptionIndex == sample.sampleDescriptionIndex
      else { throw sampleError(old, of: track, "changed its composition offset, sync flag or description") }
      let times = SampleTimes(old, sample, shift: shift)
      if times.newTime != times.oldTime, let fault = times.fault(after: last) {
        throw sampleError(old, of: track, fault)
      }
      last = times
      // A sample that is extended to fill a gap shows nothing in the added time, so its old duration counts.
      let presentationTime = sample.presentationTime
      shown.end = Swift.max(shown.end, presentationTime &+ Int64(old.duration))
      shown.start = Swift.min(shown.start, presentationTime)
      guard let from = old.byteRange, let to = sample.byteRange, from.count == to.count else {
        guard old.byteRange?.count ?? 0 > 0 || sample.byteRange?.count != 0 else { continue }
        throw sampleError(old, of: track, "changed its size")
      }
      if hasExternalMedia, from.count > 0, locator.isExternal(description: old.sampleDescriptionIndex) {
        guard from == to else { throw sampleError(old, of: track, "is in another file and was moved") }
        continue
      }
      if from.count == 0 || copied.contains(to, of: from) { continue }
      guard let inSource = from.moved(by: file.offset) else { throw sampleError(old, of: track, "is outside its file") }
      guard checker.copies(to, of: inSource) else { throw sampleError(old, of: track, "refers to other bytes") }
      copied = CopiedRange(plan.extent(at: to.offset), from: file.offset)
    }
    guard planned.next() == nil else { throw failure("track \(track.id) has new samples") }
    if let last {
      guard last.duration == last.newDuration else {
        throw failure("the last sample of track \(track.id) changed its duration")
      }
      guard new.mediaHeader.duration == last.newDecodeTime.addingClamped(UInt64(last.newDuration)) else {
        throw failure("track \(track.id) declares a wrong media duration of \(new.mediaHeader.duration) ticks")
      }
    }
    return shown
  }

  private func sampleError(_ sample: Sample, of track: Track, _ fault: String) -> MovieError {
    failure("sample \(sample.index + 1) of track \(track.id) \(fault)", at: sample.byteRange?.offset)
  }

  /// A range of the output that the plan copies from the source in one piece.
  private struct CopiedRange {
    private var output = ByteRange(0..<0)
    /// The offset of the range in the file of its track.
    private var offset: UInt64 = 0

    init() {}

    /// Creates the range of an extent. The range is empty if the extent is not copied. `fileOffset` is the offset of
    /// the track's file in the source.
    init(_ extent: OutputPlan.Extent?, from fileOffset: UInt64) {
      guard let extent, let source = extent.sourceRange, source.offset >= fileOffset else { return }
      (output, offset) = (extent.range, source.offset &- fileOffset)
    }

    /// Returns whether the output range `bytes` is in this range, and is a copy of the range `from` of the track's
    /// file.
    func contains(_ bytes: ByteRange, of from: ByteRange) -> Bool {
      output.contains(bytes) && offset &+ (bytes.offset &- output.offset) == from.offset
    }
  }

  /// The times of a sample in the old and in the planned movie.
  ///
  /// If decode times decreased at a fragment, its run may be delayed. The distances between the samples of the run do
  /// not change. Durations follow from decode times, except the duration of the last sample.
  private struct SampleTimes {
    let chunkIndex: Int
    let oldTime: UInt64
    let duration: UInt32
    /// The decode time in the planned movie, on the clock of ``oldTime``.
    let newTime: UInt64
    let newDecodeTime: UInt64
    let newDuration: UInt32

    init(_ old: Sample, _ new: Sample, shift: UInt64) {
      (chunkIndex, oldTime, duration) = (old.chunkIndex, old.decodeTime, old.duration)
      (newDecodeTime, newDuration) = (new.decodeTime, new.duration)
      newTime = new.decodeTime.addingClamped(shift)
    }

    /// Returns the reason why a changed decode time is wrong, or `nil` if the change is allowed.
    func fault(after previous: SampleTimes?) -> String? {
      guard newTime > oldTime, let previous else { return "is decoded too early" }
      if previous.chunkIndex == chunkIndex {
        return newTime - oldTime == previous.newTime &- previous.oldTime
          ? nil : "is no longer at the same distance from the previous sample"
      }
      return oldTime < previous.newTime ? nil : "is decoded too late"
    }
  }

  // MARK: - Edits

  /// A part of the movie in which media is shown.
  private struct ShownMedia {
    /// The start in ticks of the movie.
    var start: UInt64
    /// The duration in ticks of the movie, or 0 if the part extends to the end.
    let duration: UInt64
    /// The time in ticks of the media.
    let mediaTime: Int64

    /// Returns the parts of the media that an edit list shows, or all of the media if there is no list. If `continues`
    /// is true, the last edit has no end.
    static func all(in list: EditList?, continues: Bool = false) -> [ShownMedia] {
      guard let entries = list?.entries, !entries.isEmpty else {
        return [ShownMedia(start: 0, duration: 0, mediaTime: 0)]
      }
      var time: UInt64 = 0
      return entries.enumerated().compactMap { index, entry in
        defer { time = time.addingClamped(entry.knownDuration) }
        // An edit of unknown length shows something only if it is the last edit.
        let isLast = index == entries.count - 1
        guard entry.mediaTime >= 0, entry.knownDuration > 0 || isLast else { return nil }
        let duration = isLast && continues ? 0 : entry.knownDuration
        return ShownMedia(start: time, duration: duration, mediaTime: entry.mediaTime)
      }
    }
  }

  /// Checks that each edit shows the same media as before at the same movie time, within one movie tick. `start` is the
  /// time on the recording's clock that becomes 0, or `nil` if times do not change.
  ///
  /// The time before the first sample becomes an empty edit. A last edit that ended with the samples in `moov` may
  /// continue through the fragments. Samples that are decoded before the start of the media are hidden.
  private func checkEdits(
    of tracks: FlattenedMovie.TrackPair, from start: MediaTime?, movieTimeScale: UInt32, _ shown: ShownSamples
  ) throws(MovieError) {
    let (old, fragmented, new) = (tracks.original, tracks.fragmented, tracks.plain)
    let (media, movie) = (Int64(old.mediaHeader.timeScale), Int64(movieTimeScale))
    guard media > 0, let first = fragmented.startTime.flatMap({ Int64(exactly: $0) }) else { return }
    let shift = (start?.ticks(of: old.mediaHeader.timeScale) ?? 0).addingClamped(
      Int64(clamping: fragmented.ticksBeforeStart))
    let continues = old.editList.map { fragmented.lastEditEndsWithTable($0, old, movieTimeScale) } ?? false
    var rest = ShownMedia.all(in: new.editList)[...]
    for edit in ShownMedia.all(in: old.editList, continues: continues) {
      let (shownFrom, overflow) = edit.mediaTime.addingReportingOverflow(shift)
      let isLate = shownFrom < first
      let mediaTime = isLate ? first.addingClamped(Swift.max(0, shown.start)) : shownFrom
      // Times of both scales are compared as products: movie ticks times the media time scale, and media ticks times
      // the movie time scale. If a product overflows, the remaining edits of the track are not checked.
      guard !overflow, let lead = Self.product(mediaTime &- shownFrom, movie),
        let start = Self.product(Int64(clamping: edit.start), media)?.addingReportingOverflow(lead), !start.overflow,
        let duration = Self.product(Int64(clamping: edit.duration), media),
        let toTheEnd = Self.product(Swift.max(0, shown.end &- (mediaTime &- first)), movie)
      else { return }
      let visible = edit.duration == 0 ? toTheEnd : duration &- lead
      func isSame(_ found: ShownMedia) -> Bool {
        guard found.mediaTime == mediaTime &- first, let newStart = Self.product(Int64(clamping: found.start), media),
          let newDuration = Self.product(Int64(clamping: found.duration), media)
        else { return false }
        let distance = newStart.subtractingReportingOverflow(start.partialValue).partialValue
        let startsOnTime = distance.magnitude <= media.magnitude
        if edit.duration == 0, found.duration == 0 { return startsOnTime }
        return startsOnTime
          && newDuration.subtractingReportingOverflow(visible).partialValue.magnitude <= media.magnitude
      }
      if let found = rest.first, isSame(found) {
        rest.removeFirst()
      } else if edit.duration == 0 || visible > media {
        throw failure("track \(old.id) is shown at a different time than before")
      }
    }
    guard rest.isEmpty else { throw failure("track \(old.id) has additional edits") }
  }

  /// Returns the product, or `nil` on overflow.
  private static func product(_ left: Int64, _ right: Int64) -> Int64? {
    let (product, overflow) = left.multipliedReportingOverflow(by: right)
    return overflow ? nil : product
  }
}

// The start of a recording's clock. Flattening subtracts it from all times.
extension FlattenedMovieCheck {
  /// Checks that the subtracted time is the start of the earliest track. No time is subtracted if the clock is kept or
  /// already starts at 0. If two recordings share a clock, tracks of the other movie use the edited movie's start.
  ///
  /// The start is computed here from samples and edits, independently of the planner.
  private func checkStart(of flattenedMovie: FlattenedMovie, ofPart part: Int) throws(MovieError) {
    var expectedStart = resolved.requested.keepsStart ? nil : Self.earliestStart(of: flattenedMovie)
    if part > 0, !resolved.requested.keepsStart {
      let edited = resolved.stages.flattened?.start
      if (expectedStart ?? .zero).isWithin(seconds: 10, of: edited ?? .zero) { expectedStart = edited }
    }
    let isSame =
      switch (flattenedMovie.start, expectedStart) {
      case (nil, nil): true
      case (let start?, let expectedStart?): !start.isBefore(expectedStart) && !expectedStart.isBefore(start)
      default: false
      }
    guard isSame else {
      throw failure(
        "\(flattenedMovie.start?.text ?? "nothing") is subtracted from all times instead of \(expectedStart?.text ?? "nothing")"
      )
    }
  }

  /// Returns the start of the earliest track, or `nil` if that start is 0 or earlier.
  private static func earliestStart(of flattenedMovie: FlattenedMovie) -> MediaTime? {
    let tracks = zip(flattenedMovie.original.tracks, flattenedMovie.fragments.tracks).filter { $1.sampleCount > 0 }
    let isAllText = tracks.allSatisfy { track, _ in track.hasReadableText }
    var starts: [MediaTime] = []
    for (track, fragmented) in tracks {
      // A track with samples in `moov` starts at 0, even if the samples show nothing.
      guard fragmented.tableSampleCount == 0 else { return nil }
      // A text sample that contains only a length of 0, or an empty WebVTT cue, shows nothing.
      let emptyByteCount: UInt64? =
        isAllText || !track.hasReadableText ? nil : track.formats.contains("wvtt") ? 8 : 2
      var samples = fragmented.samples.makeIterator()
      var next = samples.next()
      while let sample = next, let count = emptyByteCount, sample.byteRange?.count ?? 0 <= count {
        next = samples.next()
      }
      guard let first = next else { continue }
      // The track starts at the earliest presentation time in its first chunk or run, after the media that the first
      // edit skips.
      let origin = Int64(clamping: fragmented.ticksBeforeStart)
      let decoded = Int64(clamping: first.decodeTime).addingClamped(-origin)
      var shown = first.presentationTime.addingClamped(-origin)
      while let sample = next, sample.chunkIndex == first.chunkIndex {
        shown = Swift.min(shown, sample.presentationTime.addingClamped(-origin))
        next = samples.next()
      }
      let shownEdit = (track.editList?.entries ?? []).enumerated().first { index, edit in
        edit.mediaTime >= 0 && (edit.knownDuration > 0 || index + 1 == track.editList?.entries.count)
      }
      let omitted = shownEdit?.element.mediaTime ?? 0
      let isShownAtOnce = omitted >= decoded
      let ticks = isShownAtOnce ? 0 : Swift.min(decoded, Swift.max(shown, decoded).addingClamped(-omitted))
      guard let start = MediaTime(ticks: ticks, timeScale: track.mediaHeader.timeScale) else { continue }
      starts.append(start)
    }
    guard let earliest = starts.min(by: { $0.isBefore($1) }), earliest.ticks > 0 else { return nil }
    return earliest
  }
}
