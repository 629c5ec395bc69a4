// The presentation times of a fragmented track's samples. The track header does not declare these times.
extension FragmentedTrack {
  /// The decode time of the first sample, in media ticks, or `nil` if the track has no samples.
  package var startTime: UInt64? {
    tableSampleCount > 0 ? 0 : runs.first { $0.sampleCount > 0 }?.decodeTime
  }

  /// Whether the track has samples in fragments.
  package var hasFragmentSamples: Bool { runs.contains { $0.sampleCount > 0 } }

  /// The delay of each run, in media ticks, if one `stts` lists all samples of the track. Decode times in `stts` cannot
  /// decrease, so a run that begins too early is delayed. All other delays are 0.
  ///
  /// If a run begins before the start of the preceding sample, it is delayed to the end of that sample. The runs after
  /// it have the same delay, up to the first run that begins late enough without a delay. Makes one pass over the runs.
  package var runDelays: [UInt64] {
    guard !runs.isEmpty else { return [] }
    var delay: UInt64 = 0
    var last: (start: UInt64, end: UInt64)?
    if tableSampleCount > 0 {
      let times = table.times(of: tableSampleCount)
      last = (times.end - Swift.min(times.end, UInt64(times.lastDuration)), times.end)
    }
    return runs.map { run in
      guard run.sampleCount > 0 else { return delay }
      if let last {
        if run.decodeTime >= last.start {
          delay = 0
        } else if run.decodeTime.addingClamped(delay) < last.start {
          delay = last.end - run.decodeTime
        }
      }
      let end = run.endTime.addingClamped(delay)
      let duration = UInt64(run.table.last?.duration ?? run.defaults.duration)
      last = (end - Swift.min(end, duration), end)
      return delay
    }
  }

  /// The end of the last sample, in media ticks from the start of the media, or 0 if there are no samples. Unlike
  /// ``endTime``, it excludes fragments with an empty duration and includes the ``delays``.
  package var sampleEndTime: UInt64 {
    guard let last = runs.lastIndex(where: { $0.sampleCount > 0 }) else { return table.times(of: tableSampleCount).end }
    return runs[last].endTime.addingClamped(runDelays[last])
  }

  /// The end of the last sample in presentation order, in media ticks from the start of the media. It is later than
  /// ``sampleEndTime`` if composition offsets delay the last samples. Saturates at `Int64.max`.
  ///
  /// Makes one pass over the samples of runs with composition offsets, and over the tables.
  package var presentationEndTime: Int64 { ends.presentation }

  /// ``sampleEndTime`` and ``presentationEndTime``, computed in one pass.
  package var ends: (decoding: UInt64, presentation: Int64) {
    let times = table.times(of: tableSampleCount)
    var (decodeEnd, presentationEnd) = (times.end, times.presentationEnd)
    for (run, delay) in zip(runs, runDelays) where run.sampleCount > 0 {
      decodeEnd = run.endTime.addingClamped(delay)
      presentationEnd = Swift.max(presentationEnd, run.presentation.end.addingClamped(Int64(clamping: delay)))
    }
    return (decodeEnd, presentationEnd)
  }

  /// The earliest presentation time of a sample in a fragment, in media ticks, or `nil` if there is none. It is less
  /// than ``startTime`` if composition offsets are negative.
  ///
  /// Makes one pass over the samples of runs with composition offsets.
  package var fragmentPresentationStart: Int64? {
    runs.lazy.filter { $0.sampleCount > 0 }.map(\.presentation.start).min()
  }

  /// The time from the first decode time to the first presentation time, in media ticks. It is 0 if the fragments
  /// contain no samples, or if a sample is presented before the first sample is decoded.
  ///
  /// Makes one pass over the samples of runs with composition offsets.
  package var compositionDelay: Int64 {
    guard let startTime, let shown = fragmentPresentationStart else { return 0 }
    return Swift.max(0, shown.addingClamped(-Int64(clamping: startTime)))
  }

  /// The time at which the samples would end if they were presented without gaps. It is earlier than
  /// ``presentationEndTime`` if missing samples leave gaps between the presented samples.
  var presentationEndWithoutGaps: Int64 {
    let end = presentationEndTime
    guard let start = fragmentPresentationStart, tableSampleCount == 0 else { return end }
    return Swift.min(end, start.addingClamped(Int64(clamping: mediaDuration)))
  }

  /// The end of the samples in the movie atom, in decoding and in presentation order, in media ticks.
  var tableEnds: (decoding: Int64, presentation: Int64) {
    let times = table.times(of: tableSampleCount)
    return (Int64(clamping: times.end), times.presentationEnd)
  }

  /// The duration of all samples, in media ticks. In a movie without fragments, `mdhd` declares this duration.
  package var mediaDuration: UInt64 {
    let (duration, underflow) = sampleEndTime.subtractingReportingOverflow(startTime ?? 0)
    return underflow ? 0 : duration
  }

  /// Returns the duration of the presentation, in movie ticks, rounded up. It is the total duration of all edits, or
  /// the duration of the samples if there is no edit list.
  ///
  /// If fragments do not affect the duration, the result equals the duration in the track's header.
  ///
  /// - Parameter start: the time to subtract from all times, or `nil` to keep the times.
  package func durationInMovieTicks(
    of track: Track, movieTimeScale: UInt32, from start: MediaTime? = nil
  ) -> UInt64 {
    let edits = flattenedEditList(of: track, movieTimeScale: movieTimeScale, from: start)
    guard hasFragmentSamples || edits != track.editList else {
      return track.durationInMovieTicks(movieTimeScale: movieTimeScale)
    }
    if let edits, !edits.entries.isEmpty {
      return edits.durationInMovieTicks
    }
    return mediaDuration.scaledUp(by: UInt64(movieTimeScale), over: UInt64(track.mediaHeader.timeScale)) ?? 0
  }

  /// Returns the edit list for a version of the track without fragments, or `nil` if the track needs no edit list. In
  /// that version, the samples begin at media tick 0, and the edit list presents them at unchanged times.
  ///
  /// Samples that are decoded before the start of the media are hidden, like priming samples. The time before the first
  /// sample becomes an empty edit, rounded to the nearest movie tick. The empty edit includes the composition delay,
  /// and the next edit begins at the first presented sample. If the next edit began at tick 0, FFmpeg would ignore the
  /// composition delay. An open edit receives an explicit duration up to the end of the track, rounded up. Other edits
  /// of unknown duration present nothing and are dropped.
  ///
  /// - Parameter movieStart: the time to subtract from all times, or `nil` to keep the times. Samples before this time
  ///   are not presented.
  package func flattenedEditList(
    of track: Track, movieTimeScale: UInt32, from movieStart: MediaTime? = nil
  ) -> EditList? {
    let scale = Scale(media: track.mediaHeader.timeScale, movie: movieTimeScale)
    guard let startTime, let scale else { return track.editList }
    let shift = (movieStart?.ticks(of: track.mediaHeader.timeScale) ?? 0).addingClamped(
      Int64(clamping: ticksBeforeStart))
    let start = Int64(clamping: startTime).addingClamped(-shift)
    let oldList = continuedEditList(of: track, movieTimeScale: movieTimeScale).flatMap { $0.entries.isEmpty ? nil : $0 }
    if oldList == nil, start == 0 { return track.editList }
    let end = presentationEndTime.addingClamped(-shift)
    var edits = EditList(flags: track.editList?.flags ?? 0, entries: [], tail: track.editList?.tail ?? Bytes())
    let list = oldList ?? EditList(entries: [EditList.Entry(segmentDuration: 0, mediaTime: 0)])
    // If the movie atom lists samples, the first sample is at tick 0. No edit begins before it, so no delay is needed.
    let delay = start > 0 && tableSampleCount == 0 ? compositionDelay : 0
    for (index, edit) in list.entries.enumerated() {
      guard edit.mediaTime >= 0 else {
        // A media time below -1 is undefined. An edit with this time has no samples to trim, so it is kept unchanged.
        if edit.isEmptyEdit { edits.appendEmpty(edit.knownDuration) } else { edits.entries.append(edit) }
        continue
      }
      let isOpen = list.isOpen(at: index)
      // Drop an edit with the duration 0 that presents nothing. If it became the last edit of the new list, players
      // would take the 0 to mean the rest of the media.
      if !isOpen, edit.knownDuration == 0 { continue }
      var left = edit.segmentDuration
      let isLate = edit.mediaTime < start
      if isLate {
        // The edit begins before the first sample, and the time before that sample becomes an empty edit. The
        // difference is positive, because `start` exceeds the media time of the edit.
        let lead = scale.roundedToNearest((start - edit.mediaTime).magnitude.addingClamped(delay.magnitude))
        edits.appendEmpty(isOpen ? lead : Swift.min(lead, left))
        left = left > lead ? left - lead : 0
        if !isOpen, left == 0 { continue }
      }
      let mediaTime = isLate ? delay : Swift.max(0, edit.mediaTime.addingClamped(-start))
      let length = end.addingClamped(-start)
      let rest = length > mediaTime ? (length - mediaTime).magnitude : 0
      edits.entries.append(
        EditList.Entry(
          segmentDuration: isOpen ? scale.roundedUp(rest) : left, mediaTime: mediaTime, mediaRate: edit.mediaRate))
    }
    // If no edit presents anything, the list must not be empty, because an empty list would present all media.
    if edits.entries.isEmpty { edits.entries = list.entries }
    edits.version = track.editList?.version == 1 ? 1 : EditList(entries: edits.entries).version
    return edits
  }

  /// A conversion from media ticks to movie ticks.
  private struct Scale {
    private let media: UInt64
    private let movie: UInt64

    init?(media: UInt32, movie: UInt32) {
      guard media > 0 else { return nil }
      self.media = UInt64(media)
      self.movie = UInt64(movie)
    }

    func roundedUp(_ ticks: UInt64) -> UInt64 { ticks.scaledUp(by: movie, over: media) ?? .max }

    func roundedToNearest(_ ticks: UInt64) -> UInt64 {
      // Convert to half ticks. An odd number of half ticks is rounded up. `2 &* movie` has at most 33 bits.
      ticks.scaled(by: 2 &* movie, over: media).map { $0 / 2 + $0 % 2 } ?? .max
    }
  }
}

extension MovieFragments {
  /// Returns the duration of the movie with all its fragments, in movie ticks. It is the duration of the longest
  /// track.
  ///
  /// - Parameters:
  ///   - movie: the movie of these fragments.
  ///   - start: the time to subtract from all times, or `nil` to keep the times.
  package func durationInMovieTicks(of movie: Movie, from start: MediaTime? = nil) -> UInt64 {
    let scale = movie.header.timeScale
    return zip(tracks, movie.tracks)
      .map { $0.durationInMovieTicks(of: $1, movieTimeScale: scale, from: start) }.max() ?? 0
  }
}

extension EditList {
  /// Appends an empty edit, or extends an empty edit at the end, because many readers support only one empty edit.
  fileprivate mutating func appendEmpty(_ duration: UInt64) {
    guard duration > 0 else { return }
    if let last = entries.last, last.isEmptyEdit {
      entries[entries.count - 1].segmentDuration = last.segmentDuration.addingClamped(duration)
    } else {
      entries.append(Entry(segmentDuration: duration, mediaTime: -1))
    }
  }
}

extension FragmentedTrack {
  /// Returns the earliest presentation time of the samples of a track fragment, in ticks of the media, or `nil` if the
  /// track fragment has no samples.
  package func presentationStart(of fragment: TrackFragment) -> Int64? {
    runs[fragment.runs.clamped(to: runs.indices)].lazy.filter { $0.table.count > 0 }.map { $0.presentation.start }.min()
  }
}

extension FragmentRun {
  /// The earliest start and latest end of a sample's presentation.
  fileprivate var presentation: (start: Int64, end: Int64) {
    guard table.hasCompositionOffsets else { return (Int64(clamping: decodeTime), Int64(clamping: endTime)) }
    var time = decodeTime
    var (start, end) = (Int64.max, Int64.min)
    for entry in table {
      let offset = Int64(entry.compositionOffset ?? 0)
      start = Swift.min(start, Int64(clamping: time).addingClamped(offset))
      time = time.addingClamped(UInt64(entry.duration ?? defaults.duration))
      end = Swift.max(end, Int64(clamping: time).addingClamped(offset))
    }
    return (start, end)
  }

  /// Returns the earliest presentation time of the samples from `index`. Makes one pass over the samples.
  func presentationStart(from index: Int) -> Int64 {
    var time = decodeTime
    var start = Int64.max
    for (position, entry) in table.enumerated() {
      if position >= index {
        start = Swift.min(start, Int64(clamping: time).addingClamped(Int64(entry.compositionOffset ?? 0)))
      }
      time = time.addingClamped(UInt64(entry.duration ?? defaults.duration))
    }
    return start
  }
}

extension SampleTable {
  /// Returns the end of the first `count` samples in decoding order and in presentation order, and the duration of the
  /// last of these samples. Makes one pass over both tables.
  fileprivate func times(of count: Int) -> (end: UInt64, presentationEnd: Int64, lastDuration: UInt32) {
    var remainingCount = UInt64(count)
    var (end, presentationEnd): (UInt64, Int64) = (0, 0)
    var lastDuration: UInt32 = 0
    forEachSampleRun(ofFirst: remainingCount) { count, duration, offset in
      lastDuration = duration
      remainingCount -= UInt64(count)
      end = end.addingClamped(UInt64(count) &* UInt64(duration))  // Both factors have 32 bits.
      presentationEnd = Swift.max(presentationEnd, Int64(clamping: end).addingClamped(Int64(offset)))
    }
    // If `stts` ends before the last sample, the last sample has no duration.
    return (end, presentationEnd, remainingCount == 0 ? lastDuration : 0)
  }
}
