import MovieBox

/// The presentation times of a track's samples, and their conversion to fragment times.
///
/// Some players ignore edit lists in fragments, and others ignore negative composition offsets. All players handle
/// fragments without edit lists and with nonnegative offsets. So the time that an edit list removes at the start is
/// subtracted from decode times instead. A delay that is added to all tracks keeps decode times nonnegative.
struct TrackTimeline: Sendable {
  /// The number of ticks per second.
  let timeScale: UInt32
  /// The difference between times on the movie's clock and presentation times in the media, in ticks.
  let shift: Int64
  /// The value added to composition offsets to make them nonnegative, and subtracted from decode times.
  let compositionShift: Int64
  /// The indices of the samples in the presentation, in decode order.
  private(set) var samples: Range<Int>
  /// The decode time of the first sample.
  private(set) var firstDecodeTime: Int64
  /// The time at which the presentation starts to show the track, in ticks on the movie's clock. This is
  /// ``shownStart``, or the time of the preceding sync sample.
  private(set) var start: Int64
  /// The time at which the last sample ends.
  private(set) var end: Int64
  /// The duration of the first sample.
  private(set) var firstDuration: UInt32
  /// The sum of all sample durations.
  private(set) var mediaDuration: UInt64
  /// The corrected duration of the last sample, or `nil` if its duration in the movie is plausible.
  private(set) var lastDuration: UInt32?
  private let correctsLastDuration: Bool
  /// The time at which the movie starts to show the track, in ticks on the movie's clock. If the presentation is
  /// trimmed to a later start, this is the start of the presentation.
  private(set) var shownStart: Int64
  /// The time at which players start the track, in ticks on the movie's clock. This is ``shownStart``, or the first
  /// decode time if it is earlier and no edit list removes the delay of reordered pictures.
  ///
  /// ffmpeg writes fragments without edit lists (`-movflags empty_moov`). Video with B-frames then starts 80 ms after
  /// the audio. hls.js 1.6 keeps that distance (measured).
  private(set) var playedStart: Int64
  /// The time at which the movie stops showing the track, or `nil` if the movie shows the track up to the end of the
  /// media.
  private let shownEnd: Int64?
  /// The earliest presentation time to include, in media ticks. Pictures with earlier times are omitted.
  private(set) var firstMediaTime = Int64.min
  /// Whether an edit list hides the start of the media, its end, or both.
  private let hiddenEnds: HiddenEnds
  /// The location of the edit list.
  let editListLocation: (offset: UInt64, path: String)

  /// The largest distance of a time from 0 (17 years). In ticks of any scale, times within this limit have 61 bits, so
  /// sums of a few times do not overflow.
  private static let secondCountLimit: UInt64 = 1 << 29

  /// Reads the edit list and the times of a track. Makes a pass over its composition offsets.
  ///
  /// If an edit list hides media, the caller must then call ``fit(to:isPicture:startingAt:trimmingTo:)`` to select the
  /// samples. Throws `.unsupported`, with the location, for an edit list that fragments cannot express. Throws
  /// `.malformed` for a time scale of 0 and for implausible times.
  init(_ track: Track, _ samples: FragmentedTrack, of movie: Movie) throws(MovieError) {
    timeScale = track.mediaHeader.timeScale
    guard timeScale > 0, movie.header.timeScale > 0 else {
      throw MovieError(.malformed, "track \(track.id) has a time scale of 0, so its times are undefined")
    }
    var edit = try Edit(track, of: movie)
    let ticksBeforeStart = Int64(clamping: samples.ticksBeforeStart)
    // Samples before the start of the media are hidden even without an edit list.
    if ticksBeforeStart > 0, edit.mediaTime == nil { edit.mediaTime = 0 }
    edit.ticksBeforeStart = ticksBeforeStart
    let (startTime, ends) = (samples.startTime ?? 0, samples.ends)
    self.samples = 0..<samples.sampleCount
    firstDecodeTime = Int64(clamping: startTime)
    mediaDuration = ends.decoding > startTime ? ends.decoding - startTime : 0
    let opening = FirstSamples(samples)
    firstDuration = opening.duration
    let end = ends.presentation
    let leastOffset = samples.leastCompositionOffset
    compositionShift = leastOffset < 0 ? -leastOffset : 0
    let seconds = Int64(timeScale)
    // Media times may be large if they count from the start of a recording's clock instead of from 0. They are limited
    // to 62 bits, so that the sum of two times cannot overflow.
    let clock = (-(edit.mediaTime ?? 0)).addingClamped(-ticksBeforeStart)
    guard firstDecodeTime >> 62 == 0, end.magnitude >> 62 == 0,
      [edit.emptyTicks, ticksBeforeStart, firstDecodeTime.addingClamped(clock), end.addingClamped(clock)].allSatisfy({
        ($0 / seconds).magnitude < Self.secondCountLimit
      })
    else { throw Self.timeRangeError(of: track, after: edit.emptyTicks) }
    shift = edit.shift
    self.end = end + shift
    let first = opening.presentationTime + shift
    shownStart = edit.mediaTime == nil ? first : max(first, edit.emptyTicks)
    start = shownStart
    let removesDelay = edit.emptyTicks > 0 || edit.mediaTime ?? 0 > firstDecodeTime.addingClamped(-ticksBeforeStart)
    playedStart = removesDelay ? shownStart : min(shownStart, firstDecodeTime.addingClamped(shift))
    shownEnd = edit.end
    editListLocation = edit.location
    hiddenEnds = edit.hiddenEnds(first: first, end: self.end, firstDuration: firstDuration, of: track)
    // If the last sample is longer than all previous samples and extends past the edits, its duration is meaningless.
    let closingDurations = samples.closingDurations
    let excess = edit.end.map { Int128(end) + Int128(edit.shift) - Int128($0) } ?? 0
    correctsLastDuration =
      closingDurations.last == 0 && closingDurations.previous > 0
      || closingDurations.last > closingDurations.previous && excess > Int128(closingDurations.previous)
  }

  /// The largest plausible start time of a recording: about two thousand years after 1970 or 1904.
  private static let longestClockInSeconds: UInt64 = 1 << 36

  /// Returns the error for times that are too far from 0. If an empty edit is that long, its duration is the time on a
  /// recording's clock.
  private static func timeRangeError(of track: Track, after emptyTicks: Int64) -> MovieError {
    let timeScale = track.mediaHeader.timeScale
    guard (secondCountLimit..<longestClockInSeconds).contains(UInt64(clamping: emptyTicks) / UInt64(max(1, timeScale))),
      let start = MediaTime(ticks: emptyTicks, timeScale: timeScale)
    else { return MovieError(.malformed, "track \(track.id) has invalid sample times") }
    return MovieError(
      .unsupported,
      "track \(track.id) begins at \(start.text), which is too late for HLS segments: its times count from the date "
        + "of the recording; write the movie again from the original recording, with times that start at 0")
  }

  /// Whether ``fit(to:isPicture:startingAt:trimmingTo:)`` changes the timeline.
  private var needsSelection: Bool { correctsLastDuration || !hiddenEnds.isEmpty }

  /// Selects the samples of the presentation if edits hide samples or the start is trimmed. Corrects the duration of
  /// the last sample if it is implausible. In these cases, makes two passes over the samples.
  ///
  /// - Parameters:
  ///   - startTime: the start of the presentation, in ticks on the movie's clock, or `nil` for the time at which the
  ///     movie starts to show the track.
  ///   - trimmedStart: the start of a trimmed presentation, or `nil` if the start is not trimmed.
  mutating func fit(
    to track: FragmentedTrack, isPicture: Bool, startingAt startTime: Int64? = nil,
    trimmingTo trimmedStart: Int64? = nil
  ) throws(MovieError) {
    guard needsSelection || trimmedStart != nil else { return }
    let shownEnd = shownEnd.map { $0.addingClamped(-shift) }
    let requiredStart = trimmedStart ?? (hiddenEnds.contains(.start) ? min(startTime ?? shownStart, shownStart) : nil)
    let requiredRange = SampleSelection.RequiredRange(
      start: requiredStart?.addingClamped(-shift),
      end: hiddenEnds.contains(.end) ? shownEnd : nil, lastSampleEndLimit: shownEnd,
      correctsLastDuration: correctsLastDuration)
    guard let selection = try SampleSelection(of: track, requiredRange, isPicture: isPicture) else {
      throw MovieError(
        .unsupported, at: editListLocation.offset, in: editListLocation.path,
        "the edit list shows no sample of track \(track.trackID)")
    }
    samples = selection.sampleIndices
    firstDecodeTime = Int64(clamping: selection.firstDecodeTime)
    firstDuration = selection.firstDuration
    mediaDuration = selection.decodeEnd - min(selection.decodeEnd, selection.firstDecodeTime)
    end = selection.presentationEnd.addingClamped(shift)
    lastDuration = selection.lastDuration
    if let trimmedStart {
      shownStart = max(shownStart, trimmedStart)
      start = shownStart
      playedStart = shownStart
      if isPicture { firstMediaTime = selection.firstPresentationTime ?? .min }
      return
    }
    guard isPicture, hiddenEnds.contains(.start) else { return }
    let opening = selection.firstPresentationTime ?? FirstSamples(track).presentationTime
    guard shownStart - opening.addingClamped(shift) > Int64(firstDuration) else { return }
    start = opening.addingClamped(shift)
    // Omitted pictures are needed to decode the pictures that are decoded after the first picture but shown before it.
    firstMediaTime = selection.firstPresentationTime ?? .min
  }

  /// Returns the duration of a sample in the presentation. It differs from `duration` for a corrected last sample.
  @inline(__always)
  func duration(_ duration: UInt32, ofSample index: Int) -> UInt32 {
    guard let lastDuration, index == samples.upperBound - 1 else { return duration }
    return lastDuration
  }

  /// Converts a time from ticks of this track to ticks of another scale. The result is rounded toward zero.
  func time(_ ticks: Int64, in scale: UInt32) -> Int64 {
    Int64(clamping: Int128(ticks) * Int128(scale) / Int128(timeScale))
  }

  /// Converts a time from ticks of another scale to ticks of this track. The result is rounded toward zero.
  func time(_ ticks: Int64, from scale: UInt32) -> Int64 {
    Int64(clamping: Int128(ticks) * Int128(timeScale) / Int128(max(1, scale)))
  }

  /// The time from the start of the presentation until the movie shows the track, in ticks.
  var ticksUntilShown: Int64 { shownStart > start ? shownStart - start : 0 }

  /// The time from the end of the edits to the end of the track's media, in ticks, or 0 if the edit list hides only
  /// padding.
  var hiddenTicksAtEnd: Int64 {
    guard hiddenEnds.contains(.end), let shownEnd, end > shownEnd else { return 0 }
    return end - shownEnd
  }

  /// The smallest delay for which no decode time is negative, in ticks.
  var neededDelay: Int64 { compositionShift - shift - firstDecodeTime }

  /// Returns the value added to decode times in fragments.
  func decodeShift(_ delay: StreamDelay) -> Int64 { shift - compositionShift + delay.ticks(timeScale) }
}

extension TrackTimeline {
  /// The ends of the media that an edit list hides: the start, the end, or both.
  private struct HiddenEnds: OptionSet {
    let rawValue: UInt8

    static let start = HiddenEnds(rawValue: 1)
    static let end = HiddenEnds(rawValue: 2)
  }

  /// An edit list that fragments can express: an empty edit, followed by media without a gap.
  private struct Edit {
    /// The duration of the empty edit in media ticks.
    var emptyTicks: Int64 = 0
    /// The first shown media time, or `nil` without an edit list.
    var mediaTime: Int64?
    /// The number of media ticks that were added to sample times to make them nonnegative. Samples before the original
    /// time 0 are hidden.
    var ticksBeforeStart: Int64 = 0
    /// The end of the last edit in ticks on the movie's clock, or `nil` if the edit extends to the end of the media.
    var end: Int64?
    /// The location of the edit list.
    var location: (offset: UInt64, path: String) = (0, "")

    /// The value that converts a presentation time in the media to a time on the movie's clock. The times must be
    /// validated first.
    var shift: Int64 { emptyTicks - (mediaTime ?? 0) - ticksBeforeStart }

    init(_ track: Track, of movie: Movie) throws(MovieError) {
      guard let list = track.editList, !list.entries.isEmpty else { return }
      let entries = list.entries
      // Subtracting the start of a recording adds an edit to a track that has no edit list in the file. Errors about
      // this edit refer to the track.
      let elst = movie.tree.descendant(of: track.atom, "edts", "elst") ?? track.atom
      location = (movie.tree.range(of: elst).offset, movie.tree.path(of: elst))
      func ticks(_ duration: UInt64) -> Int64 {
        let scaled = duration.scaledToNearest(
          by: UInt64(track.mediaHeader.timeScale), over: UInt64(movie.header.timeScale))
        return Int64(clamping: scaled ?? .max)
      }
      emptyTicks = ticks(track.presentationStartInMovieTicks)
      var duration: UInt64 = 0
      // `lastShown` is `nil` if the list shows no media. Such a list is rejected below.
      let lastShown = entries.indices.last { index in
        !entries[index].isEmptyEdit && (entries[index].knownDuration > 0 || list.isOpen(at: index))
      }
      for (index, edit) in entries.enumerated().drop(while: \.element.isEmptyEdit) {
        if edit.isEmptyEdit {
          // An empty edit has no effect if its duration is 0 or no media follows. Otherwise, it is a gap between media.
          if index > lastShown ?? 0 || edit.segmentDuration == 0 { continue }
          throw failure("contains a gap in track \(track.id)")
        }
        if edit.mediaTime >= 0, edit.knownDuration == 0, !list.isOpen(at: index) { continue }  // It shows nothing.
        guard edit.mediaTime >= 0, edit.mediaRate == 0x1_0000 else {
          throw failure("changes the speed of track \(track.id)")
        }
        if let begun = mediaTime {
          // Two edits may show adjacent media, because nothing is missing between them.
          let gap = edit.mediaTime.subtractingReportingOverflow(begun.addingClamped(ticks(duration)))
          guard !gap.overflow, gap.partialValue.magnitude <= 1 else {
            throw failure("reorders parts of track \(track.id)")
          }
        } else {
          mediaTime = edit.mediaTime
        }
        duration = duration.addingClamped(edit.knownDuration)
      }
      guard mediaTime != nil else { throw failure("does not show track \(track.id)") }
      if duration > 0, !list.isOpen { end = emptyTicks.addingClamped(ticks(duration)) }
    }

    private func failure(_ reason: String) -> MovieError {
      MovieError(
        .unsupported, at: location.offset, in: location.path, "the edit list \(reason), which HLS does not support")
    }

    /// The longest duration of hidden audio that counts as the priming or padding of a codec.
    private static let longestPrimingInMilliseconds: Int64 = 500

    /// Returns whether the start and the end of the media are hidden. Audio that is only priming or padding does not
    /// count.
    func hiddenEnds(first: Int64, end mediaEnd: Int64, firstDuration: UInt32, of track: Track) -> HiddenEnds {
      guard mediaTime != nil else { return [] }
      let priming = Int64(track.mediaHeader.timeScale) * Self.longestPrimingInMilliseconds / 1_000
      // Players may show hidden pictures, so even a few hidden pictures count.
      let lead = track.mediaType == .audio ? priming : Int64(firstDuration)
      var hiddenEnds: HiddenEnds = emptyTicks - first > lead ? .start : []
      // The end in an edit list has no limit, so the difference might not fit in 64 bits.
      if let end, Int128(mediaEnd) - Int128(end) > Int128(priming) { hiddenEnds.insert(.end) }
      return hiddenEnds
    }
  }

  /// The first samples of a track.
  private struct FirstSamples {
    /// The earliest presentation time of these samples, in media ticks.
    private(set) var presentationTime: Int64 = .max
    private(set) var duration: UInt32 = 0

    /// The number of samples to examine. It exceeds the largest distance between a picture's positions in decode order
    /// and in presentation order.
    private static let sampleCount = 32

    init(_ samples: FragmentedTrack) {
      for (index, sample) in samples.samples.lazy.prefix(Self.sampleCount).enumerated() {
        if index == 0 { duration = sample.duration }
        presentationTime = min(presentationTime, sample.presentationTime)
      }
      if presentationTime == .max { presentationTime = 0 }
    }
  }
}

extension FragmentedTrack {
  /// The smallest composition offset, or 0 if no offset is negative. Makes a pass over the runs.
  fileprivate var leastCompositionOffset: Int64 {
    var leastOffset: Int32 = 0
    if let table = table.compositionOffsets {
      for index in 0..<table.count { leastOffset = min(leastOffset, table[index].offset) }
    }
    for run in runs where run.table.hasCompositionOffsets {
      for entry in run.table { leastOffset = min(leastOffset, entry.compositionOffset ?? 0) }
    }
    return Int64(leastOffset)
  }
}

/// The delay that is added to all times of a presentation, so that no time is negative.
struct StreamDelay: Hashable, Sendable {
  /// The delay in units of 1/``scale`` second.
  private let units: Int64
  /// The number of units per second.
  private let scale: Int64

  /// The scale that is used if the tracks have no common unit of a tenth of a second or less.
  private static let defaultScale: Int64 = 1_000

  /// Computes the smallest sufficient delay. If possible, it is a whole number of ticks of each track and of the 90 kHz
  /// clock of subtitles. Throws if the delay exceeds an hour. No valid movie needs such a delay.
  init(_ timelines: [TrackTimeline]) throws(MovieError) {
    let commonTimeScale = timelines.reduce(90_000) { Self.greatestCommonDivisor($0, UInt64($1.timeScale)) }
    // If the common unit is longer than a tenth of a second, the delay is rounded to a tick of each track.
    let scale = commonTimeScale >= 10 ? Int64(commonTimeScale) : Self.defaultScale
    self.scale = scale
    units = timelines.reduce(0) { units, timeline in
      let needed = Int128(timeline.neededDelay) * Int128(scale)
      guard needed > 0 else { return units }
      let ticks = Int128(timeline.timeScale)
      return max(units, Int64(clamping: (needed + ticks - 1) / ticks))
    }
    guard units / scale < 3_600 else {
      throw MovieError(.unsupported, "a sample is decoded more than an hour before it is shown")
    }
  }

  /// Returns the delay in ticks of a scale, rounded to the nearest tick.
  func ticks(_ timeScale: UInt32) -> Int64 {
    let product = Int128(units) * Int128(timeScale)
    return Int64(clamping: (2 * product + Int128(scale)) / (2 * Int128(scale)))
  }

  private static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
