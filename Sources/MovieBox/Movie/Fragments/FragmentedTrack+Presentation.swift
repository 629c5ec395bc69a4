// When the samples of a fragmented track are shown: what its header cannot know before they are made.
extension FragmentedTrack {
  /// The decode time of the first sample, in ticks of the media; `nil` without samples.
  package var startTime: UInt64? {
    tableSampleCount > 0 ? 0 : runs.first { $0.sampleCount > 0 }?.decodeTime
  }

  /// Whether some of its samples lie in fragments.
  package var hasFragmentSamples: Bool { runs.contains { $0.sampleCount > 0 } }

  /// The shift of each run that makes decode times monotonic when all samples are listed in the movie atom: 0 but where
  /// times go back.
  ///
  /// A run whose time lies before that of the last sample follows that sample. Those after it keep their distances to
  /// it until their own times fit again. Costs one pass over the runs.
  package var delays: [UInt64] {
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

  /// The end of the last sample, in ticks of the media from their start; 0 without samples. Unlike ``endTime``, it
  /// excludes fragments of an empty duration, and if times go back, later samples count from the later time.
  package var sampleEndTime: UInt64 {
    guard let last = runs.lastIndex(where: { $0.sampleCount > 0 }) else { return table.times(of: tableSampleCount).end }
    return runs[last].endTime.addingClamped(delays[last])
  }

  /// The end of the last sample in presentation order, in ticks of the media from their start; later than
  /// ``sampleEndTime`` if samples are shown later than they are decoded. A time beyond 63 bits becomes the largest.
  ///
  /// Costs one pass over the samples of runs with composition offsets, and over the tables.
  package var presentationEndTime: Int64 { ends.presentation }

  /// ``sampleEndTime`` and ``presentationEndTime`` at the cost of one.
  package var ends: (decoding: UInt64, presentation: Int64) {
    let times = table.times(of: tableSampleCount)
    var (decoding, presentation) = (times.end, times.presentationEnd)
    for (run, delay) in zip(runs, delays) where run.sampleCount > 0 {
      decoding = run.endTime.addingClamped(delay)
      presentation = Swift.max(presentation, run.presentation.end.addingClamped(Int64(clamping: delay)))
    }
    return (decoding, presentation)
  }

  /// The earliest presentation time of a fragment's sample, in ticks of the media; `nil` without samples in fragments.
  /// Less than their ``startTime`` if a sample is shown before the first one is decoded.
  ///
  /// Costs one pass over the samples of runs with composition offsets.
  package var fragmentPresentationStart: Int64? {
    runs.lazy.filter { $0.sampleCount > 0 }.map(\.presentation.start).min()
  }

  /// The time from decoding the first sample to showing the first picture, in ticks of the media, or 0 if the fragments
  /// have no samples or a picture is shown earlier.
  ///
  /// Costs one pass over the samples of runs with composition offsets.
  package var compositionDelay: Int64 {
    guard let startTime, let shown = fragmentPresentationStart else { return 0 }
    return Swift.max(0, shown.addingClamped(-Int64(clamping: startTime)))
  }

  /// The end of the samples if they are shown one after the other. Earlier than ``presentationEndTime`` if the last
  /// samples are decoded before samples that are shown earlier, and these are missing.
  var presentationEndWithoutGaps: Int64 {
    let end = presentationEndTime
    guard let start = fragmentPresentationStart, tableSampleCount == 0 else { return end }
    return Swift.min(end, start.addingClamped(Int64(clamping: mediaDuration)))
  }

  /// The end of the movie atom's samples, by decoding and by presentation, in ticks of the media.
  var tableEnds: (decoding: Int64, presentation: Int64) {
    let times = table.times(of: tableSampleCount)
    return (Int64(clamping: times.end), times.presentationEnd)
  }

  /// The duration of all samples, in ticks of the media: `mdhd` stores it for a movie without fragments.
  package var mediaDuration: UInt64 {
    let (duration, underflow) = sampleEndTime.subtractingReportingOverflow(startTime ?? 0)
    return underflow ? 0 : duration
  }

  /// Returns the duration of the presentation, in movie ticks, rounded up: all edits, or the samples without an edit
  /// list.
  ///
  /// What the header of the track says, where fragments change nothing in it.
  ///
  /// - Parameter start: what is subtracted from all times; `nil` for nothing.
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

  /// The edit list of the track without fragments, in which the samples begin at tick 0 of the media: it shows them
  /// when they are shown now. `nil` where none is needed.
  ///
  /// Samples that are decoded before the media's start are hidden, as priming is. The time before the first sample
  /// becomes an empty edit, rounded to the nearest movie tick. The empty edit includes the composition delay, and the edit
  /// after it begins with the sample that is shown first: FFmpeg drops the delay of an edit that begins at tick 0 after an
  /// empty one. An open edit gets the duration up to the end of the track, rounded up; others of no known length show
  /// nothing, and go.
  ///
  /// - Parameter movieStart: what is subtracted from all times; `nil` for nothing. Samples before it are not shown.
  package func flattenedEditList(
    of track: Track, movieTimeScale: UInt32, from movieStart: MediaTime? = nil
  ) -> EditList? {
    let scale = Scale(media: track.mediaHeader.timeScale, movie: movieTimeScale)
    guard let startTime, let scale else { return track.editList }
    let shift = (movieStart?.ticks(of: track.mediaHeader.timeScale) ?? 0).addingClamped(
      Int64(clamping: ticksBeforeStart))
    let start = Int64(clamping: startTime).addingClamped(-shift)
    let old = continuedEditList(of: track, movieTimeScale: movieTimeScale).flatMap { $0.entries.isEmpty ? nil : $0 }
    if old == nil, start == 0 { return track.editList }
    let end = presentationEndTime.addingClamped(-shift)
    var edits = EditList(flags: track.editList?.flags ?? 0, entries: [], tail: track.editList?.tail ?? Bytes())
    let list = old ?? EditList(entries: [EditList.Entry(segmentDuration: 0, mediaTime: 0)])
    // Samples of the movie atom begin at tick 0, so no edit begins before them.
    let delay = start > 0 && tableSampleCount == 0 ? compositionDelay : 0
    for (index, edit) in list.entries.enumerated() {
      guard edit.mediaTime >= 0 else {
        // What a time below -1 means nobody says: it shows nothing, and stays as it is.
        if edit.isEmptyEdit { edits.appendEmpty(edit.knownDuration) } else { edits.entries.append(edit) }
        continue
      }
      let isOpen = list.isOpen(at: index)
      if !isOpen, edit.knownDuration == 0 { continue }  // It shows nothing, and must not come to be the last.
      var left = edit.segmentDuration
      let isLate = edit.mediaTime < start
      if isLate {
        // No sample is there to be shown up to the first. The start is not negative here.
        let lead = scale.nearest((start - edit.mediaTime).magnitude.addingClamped(delay.magnitude))
        edits.appendEmpty(isOpen ? lead : Swift.min(lead, left))
        left = left > lead ? left - lead : 0
        if !isOpen, left == 0 { continue }
      }
      let mediaTime = isLate ? delay : Swift.max(0, edit.mediaTime.addingClamped(-start))
      let length = end.addingClamped(-start)
      let rest = length > mediaTime ? (length - mediaTime).magnitude : 0
      edits.entries.append(
        EditList.Entry(
          segmentDuration: isOpen ? scale.up(rest) : left, mediaTime: mediaTime, mediaRate: edit.mediaRate))
    }
    // None shows anything, but without any all would be shown.
    if edits.entries.isEmpty { edits.entries = list.entries }
    edits.version = track.editList?.version == 1 ? 1 : EditList(entries: edits.entries).version
    return edits
  }

  /// Passes from ticks of a media to those of the movie.
  private struct Scale {
    private let media: UInt64
    private let movie: UInt64

    init?(media: UInt32, movie: UInt32) {
      guard media > 0 else { return nil }
      self.media = UInt64(media)
      self.movie = UInt64(movie)
    }

    func up(_ ticks: UInt64) -> UInt64 { ticks.scaledUp(by: movie, over: media) ?? .max }

    func nearest(_ ticks: UInt64) -> UInt64 {
      // Half of twice the value: at most 2⁶³ ticks go in.
      ticks.scaled(by: 2 &* movie, over: media).map { $0 / 2 + $0 % 2 } ?? .max
    }
  }
}

extension MovieFragments {
  /// Returns the duration of the movie with all its fragments, in movie ticks: that of the longest track.
  ///
  /// - Parameters:
  ///   - movie: the movie that the fragments were read with.
  ///   - start: what is subtracted from all times; `nil` for nothing.
  package func durationInMovieTicks(of movie: Movie, from start: MediaTime? = nil) -> UInt64 {
    let scale = movie.header.timeScale
    return zip(tracks, movie.tracks)
      .map { $0.durationInMovieTicks(of: $1, movieTimeScale: scale, from: start) }.max() ?? 0
  }
}

extension EditList {
  /// Adds an empty edit, or makes the one at the end longer: readers know of one at most.
  fileprivate mutating func appendEmpty(_ duration: UInt64) {
    guard duration > 0 else { return }
    if let last = entries.last, last.isEmptyEdit {
      entries[entries.count - 1].segmentDuration = last.segmentDuration.addingClamped(duration)
    } else {
      entries.append(Entry(segmentDuration: duration, mediaTime: -1))
    }
  }
}

extension FragmentRun {
  /// The earliest start and the latest end of a sample's presentation.
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

  /// Returns the earliest presentation time of the samples from the one at `index` on. Costs one pass over the samples.
  func presentationStart(from index: Int) -> Int64 {
    var time = decodeTime
    var start = Int64.max
    for (place, entry) in table.enumerated() {
      if place >= index {
        start = Swift.min(start, Int64(clamping: time).addingClamped(Int64(entry.compositionOffset ?? 0)))
      }
      time = time.addingClamped(UInt64(entry.duration ?? defaults.duration))
    }
    return start
  }
}

extension SampleTable {
  /// Returns the end of the first `count` samples, by decoding and by presentation, and the duration of the last. Costs
  /// one pass over both tables.
  fileprivate func times(of count: Int) -> (end: UInt64, presentationEnd: Int64, lastDuration: UInt32) {
    var left = UInt64(count)
    var (end, presentationEnd): (UInt64, Int64) = (0, 0)
    var lastDuration: UInt32 = 0
    forEachSpan(of: left) { count, duration, offset in
      lastDuration = duration
      left -= UInt64(count)
      end = end.addingClamped(UInt64(count) &* UInt64(duration))  // A product of two 32-bit numbers.
      presentationEnd = Swift.max(presentationEnd, Int64(clamping: end).addingClamped(Int64(offset)))
    }
    return (end, presentationEnd, left == 0 ? lastDuration : 0)  // Samples past the table last no time.
  }
}
