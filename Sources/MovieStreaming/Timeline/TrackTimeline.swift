import MovieBox

/// When the samples of a track are shown, and how their times become those of fragments.
///
/// Players disagree about edit lists in fragments and about negative composition offsets: some pass over the one, some
/// over the other. All of them agree about offsets that are not negative and no edit list. So that is what is written:
/// what an edit list takes away at the start is taken from decode times, and a delay that is the same for all tracks
/// keeps these from being negative.
struct TrackTimeline: Sendable {
  /// Ticks a second.
  let timeScale: UInt32
  /// What is added to the presentation time of a sample to get its time in the movie, in ticks.
  let shift: Int64
  /// What is added to composition offsets so that none is negative, and taken from decode times.
  let compositionShift: Int64
  /// The numbers of the samples that the presentation has, in the order of decoding.
  private(set) var samples: Range<Int>
  /// When the first sample is decoded.
  private(set) var firstDecodeTime: Int64
  /// When the presentation begins to show the track, in ticks of the movie's time: at ``shownStart``, or at the key
  /// picture before it.
  private(set) var start: Int64
  /// When its last sample ends.
  private(set) var end: Int64
  /// How long the first sample lasts.
  private(set) var firstDuration: UInt32
  /// How long all samples last, one after the other.
  private(set) var mediaDuration: UInt64
  /// How long the last sample lasts in the presentation, where the movie says nothing that makes sense.
  private(set) var lastDuration: UInt32?
  private let correctsLast: Bool
  /// When the movie begins to show the track, in ticks of the movie's time; in a presentation whose start is trimmed the
  /// start of the presentation, if that is later.
  private(set) var shownStart: Int64
  /// When players begin the track, in ticks of the movie's time: at ``shownStart``, or at the first decode time before
  /// that if no edit list takes the delay of reordered pictures away.
  ///
  /// ffmpeg writes fragments without edit lists (`-movflags empty_moov`): its pictures with B-frames are shown 80 ms
  /// after the sound, which they begin with. hls.js 1.6 keeps that distance (measured).
  private(set) var playedStart: Int64
  /// When the movie ends to show the track; `nil` where that is the end of the media.
  private let shownEnd: Int64?
  /// The first moment of the media that the presentation has: pictures before it are left out.
  private(set) var firstMediaTime = Int64.min
  /// Which ends of the media an edit list hides.
  private let hidden: HiddenEnds
  /// Where the edit list is.
  let editPlace: (offset: UInt64, path: String)

  /// No time lies further from 0: seventeen years. In ticks of any scale it has 61 bits, so that sums of a few are safe.
  private static let secondCountLimit: UInt64 = 1 << 29

  /// Looks at the edit list and the times of a track. Costs its composition offsets.
  ///
  /// If an edit list hides media, ``fit(to:isPicture:startingAt:trimmingTo:)`` has to choose the samples. Throws
  /// `.unsupported` for an edit list that fragments cannot say, with its place, and `.malformed` for a time scale of 0 and times that
  /// make no sense.
  init(_ track: Track, _ samples: FragmentedTrack, of movie: Movie) throws(MovieError) {
    timeScale = track.mediaHeader.timeScale
    guard timeScale > 0, movie.header.timeScale > 0 else {
      throw MovieError(.malformed, "track \(track.id) has a time scale of 0, its times mean nothing")
    }
    var edit = try Edit(track, of: movie)
    let origin = Int64(clamping: samples.ticksBeforeStart)
    // Samples before the media's start are hidden without an edit list too.
    if origin > 0, edit.mediaTime == nil { edit.mediaTime = 0 }
    edit.origin = origin
    let (startTime, ends) = (samples.startTime ?? 0, samples.ends)
    self.samples = 0..<samples.sampleCount
    firstDecodeTime = Int64(clamping: startTime)
    mediaDuration = ends.decoding > startTime ? ends.decoding - startTime : 0
    let opening = Opening(samples)
    firstDuration = opening.duration
    let end = ends.presentation
    let least = samples.leastCompositionOffset
    compositionShift = least < 0 ? -least : 0
    let seconds = Int64(timeScale)
    // Times of the media may be those of a recording's clock; 62 bits leave room for their sums.
    let clock = (-(edit.mediaTime ?? 0)).addingClamped(-origin)
    guard firstDecodeTime >> 62 == 0, end.magnitude >> 62 == 0,
      [edit.emptyTicks, origin, firstDecodeTime.addingClamped(clock), end.addingClamped(clock)].allSatisfy({
        ($0 / seconds).magnitude < Self.secondCountLimit
      })
    else { throw Self.farTimes(of: track, after: edit.emptyTicks) }
    shift = edit.shift
    self.end = end + shift
    let first = opening.presentationTime + shift
    shownStart = edit.mediaTime == nil ? first : max(first, edit.emptyTicks)
    start = shownStart
    let takesDelayAway = edit.emptyTicks > 0 || edit.mediaTime ?? 0 > firstDecodeTime.addingClamped(-origin)
    playedStart = takesDelayAway ? shownStart : min(shownStart, firstDecodeTime.addingClamped(shift))
    shownEnd = edit.end
    editPlace = edit.place
    hidden = edit.hiddenEnds(first: first, end: self.end, firstDuration: firstDuration, of: track)
    // A last sample that lasts longer than those before it and reaches past the edits was given a duration by nobody.
    let closing = samples.closingDurations
    let excess = edit.end.map { Int128(end) + Int128(edit.shift) - Int128($0) } ?? 0
    correctsLast =
      closing.last == 0 && closing.before > 0 || closing.last > closing.before && excess > Int128(closing.before)
  }

  /// Clocks of recordings count from 1970 or 1904: no start lies further from 0 than two thousand years.
  private static let longestClockInSeconds: UInt64 = 1 << 36

  /// The error for times that are too far from 0. An empty edit of that length comes from the clock of a recording.
  private static func farTimes(of track: Track, after emptyTicks: Int64) -> MovieError {
    let timeScale = track.mediaHeader.timeScale
    guard (secondCountLimit..<longestClockInSeconds).contains(UInt64(clamping: emptyTicks) / UInt64(max(1, timeScale))),
      let start = MediaTime(ticks: emptyTicks, timeScale: timeScale)
    else { return MovieError(.malformed, "track \(track.id) has times that make no sense") }
    return MovieError(
      .unsupported,
      "track \(track.id) begins at \(start.text), later than HLS segments can say: the movie keeps the clock of a "
        + "recording; make it of the recording again with times that count from 0")
  }

  /// Whether ``fit(to:isPicture:startingAt:trimmingTo:)`` has something to do.
  private var needsFit: Bool { correctsLast || !hidden.isEmpty }

  /// Chooses the samples of the presentation where edits hide some or the start is trimmed, and corrects the duration of
  /// the last one where it makes no sense. Costs two walks over the samples then.
  ///
  /// - Parameters:
  ///   - startTime: when the presentation begins, in ticks of the movie's time; `nil` for when the movie begins to show
  ///     the track.
  ///   - trimmedStart: when the presentation begins, though the movie shows the track before that; `nil` if the start is
  ///     not trimmed.
  mutating func fit(
    to track: FragmentedTrack, isPicture: Bool, startingAt startTime: Int64? = nil,
    trimmingTo trimmedStart: Int64? = nil
  ) throws(MovieError) {
    guard needsFit || trimmedStart != nil else { return }
    let shownEnd = shownEnd.map { $0.addingClamped(-shift) }
    let wantedStart = trimmedStart ?? (hidden.contains(.start) ? min(startTime ?? shownStart, shownStart) : nil)
    let wanted = SampleSelection.Wanted(
      start: wantedStart?.addingClamped(-shift),
      end: hidden.contains(.end) ? shownEnd : nil, endOfLast: shownEnd, correctsLast: correctsLast)
    guard let selection = try SampleSelection(of: track, wanted, isPicture: isPicture) else {
      throw MovieError(
        .unsupported, at: editPlace.offset, in: editPlace.path,
        "the edit list shows no sample of track \(track.trackID)")
    }
    samples = selection.numbers
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
    guard isPicture, hidden.contains(.start) else { return }
    let opening = selection.firstPresentationTime ?? Opening(track).presentationTime
    guard shownStart - opening.addingClamped(shift) > Int64(firstDuration) else { return }
    start = opening.addingClamped(shift)
    // Pictures that are decoded after the first one and shown before it need what is not there.
    firstMediaTime = selection.firstPresentationTime ?? .min
  }

  /// How long a sample lasts in the presentation.
  @inline(__always)
  func duration(_ duration: UInt32, ofSample index: Int) -> UInt32 {
    guard let lastDuration, index == samples.upperBound - 1 else { return duration }
    return lastDuration
  }

  /// A time in ticks of the movie's time, as ticks of another scale, rounded to zero.
  func time(_ ticks: Int64, in scale: UInt32) -> Int64 {
    Int64(clamping: Int128(ticks) * Int128(scale) / Int128(timeScale))
  }

  /// A time in ticks of another scale, as ticks of the movie's time in this one, rounded to zero.
  func time(_ ticks: Int64, from scale: UInt32) -> Int64 {
    Int64(clamping: Int128(ticks) * Int128(timeScale) / Int128(max(1, scale)))
  }

  /// How much of the media is in the presentation before the movie shows it, in ticks.
  var hiddenTicksBefore: Int64 { shownStart > start ? shownStart - start : 0 }

  /// How much of the media is in the presentation after the movie has shown it, where the edit list hides more than
  /// padding there, in ticks.
  var hiddenTicksAfter: Int64 {
    guard hidden.contains(.end), let shownEnd, end > shownEnd else { return 0 }
    return end - shownEnd
  }

  /// How much later everything has to be for no decode time to be negative, in ticks.
  var neededDelay: Int64 { compositionShift - shift - firstDecodeTime }

  /// What is added to decode times in fragments.
  func decodeShift(_ delay: StreamDelay) -> Int64 { shift - compositionShift + delay.ticks(timeScale) }
}

extension TrackTimeline {
  /// Ends of the media.
  private struct HiddenEnds: OptionSet {
    let rawValue: UInt8

    static let start = HiddenEnds(rawValue: 1)
    static let end = HiddenEnds(rawValue: 2)
  }

  /// What an edit list says in a way that fragments can say too: nothing for a while, then the media without a break.
  private struct Edit {
    /// How long nothing is shown, in media ticks.
    var emptyTicks: Int64 = 0
    /// The first moment of the media that is shown; `nil` without an edit list.
    var mediaTime: Int64?
    /// How far before the media's start times count from, in media ticks.
    var origin: Int64 = 0
    /// When the last edit ends, in ticks of the movie's time; `nil` where that is the end of the media.
    var end: Int64?
    /// Where the edit list is.
    var place: (offset: UInt64, path: String) = (0, "")

    /// What is added to a presentation time in the media; call it for times that make sense.
    var shift: Int64 { emptyTicks - (mediaTime ?? 0) - origin }

    init(_ track: Track, of movie: Movie) throws(MovieError) {
      guard let list = track.editList, !list.entries.isEmpty else { return }
      let entries = list.entries
      // A start that is subtracted may be all that the list has, and the file has none then.
      let elst = movie.tree.descendant(of: track.atom, "edts", "elst") ?? track.atom
      place = (movie.tree.range(of: elst).offset, movie.tree.path(of: elst))
      func ticks(_ duration: UInt64) -> Int64 {
        let scaled = duration.scaledToNearest(
          by: UInt64(track.mediaHeader.timeScale), over: UInt64(movie.header.timeScale))
        return Int64(clamping: scaled ?? .max)
      }
      emptyTicks = ticks(track.presentationStartInMovieTicks)
      var duration: UInt64 = 0
      // `nil` where the list shows no media, and is refused below.
      let lastShown = entries.indices.last { index in
        !entries[index].isEmptyEdit && (entries[index].knownDuration > 0 || list.isOpen(at: index))
      }
      for (index, edit) in entries.enumerated().drop(while: \.element.isEmptyEdit) {
        if edit.isEmptyEdit {
          // An empty edit of no length, or at the end, changes nothing; one before more media is a hole.
          if index > lastShown ?? 0 || edit.segmentDuration == 0 { continue }
          throw failure("shows nothing between parts of track \(track.id)")
        }
        if edit.mediaTime >= 0, edit.knownDuration == 0, !list.isOpen(at: index) { continue }  // It shows nothing.
        guard edit.mediaTime >= 0, edit.mediaRate == 0x1_0000 else {
          throw failure("plays track \(track.id) at another speed")
        }
        if let begun = mediaTime {
          // Cut in two where nothing was taken out.
          let gap = edit.mediaTime.subtractingReportingOverflow(begun.addingClamped(ticks(duration)))
          guard !gap.overflow, gap.partialValue.magnitude <= 1 else {
            throw failure("shows parts of track \(track.id) that do not follow one another")
          }
        } else {
          mediaTime = edit.mediaTime
        }
        duration = duration.addingClamped(edit.knownDuration)
      }
      guard mediaTime != nil else { throw failure("shows nothing of track \(track.id)") }
      if duration > 0, !list.isOpen { end = emptyTicks.addingClamped(ticks(duration)) }
    }

    private func failure(_ reason: String) -> MovieError {
      MovieError(.unsupported, at: place.offset, in: place.path, "the edit list \(reason), which HLS cannot say")
    }

    /// Sound of so much before the start is a codec's priming, and at the end its padding.
    private static let longestPrimingInMilliseconds: Int64 = 500

    /// Which ends of the media are hidden by more than a decoder's priming and padding.
    func hiddenEnds(first: Int64, end mediaEnd: Int64, firstDuration: UInt32, of track: Track) -> HiddenEnds {
      guard mediaTime != nil else { return [] }
      let priming = Int64(track.mediaHeader.timeScale) * Self.longestPrimingInMilliseconds / 1_000
      // A picture that is not shown may still be seen.
      let lead = track.mediaType == .audio ? priming : Int64(firstDuration)
      var hidden: HiddenEnds = emptyTicks - first > lead ? .start : []
      // Times of tracks are bounded, the end that an edit list says is not.
      if let end, Int128(mediaEnd) - Int128(end) > Int128(priming) { hidden.insert(.end) }
      return hidden
    }
  }

  /// The first samples.
  private struct Opening {
    /// When the first of them to be shown is shown, in media ticks.
    private(set) var presentationTime: Int64 = .max
    private(set) var duration: UInt32 = 0

    /// So many are looked at: pictures are shown no further from their place in the file.
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
  /// The least composition offset; 0 where all are above it. Costs a pass over their runs.
  fileprivate var leastCompositionOffset: Int64 {
    var least: Int32 = 0
    if let table = table.compositionOffsets {
      for index in 0..<table.count { least = min(least, table[index].offset) }
    }
    for run in runs where run.table.hasCompositionOffsets {
      for entry in run.table { least = min(least, entry.compositionOffset ?? 0) }
    }
    return Int64(least)
  }
}

/// How much later all times of a presentation are than the movie's, so that none is negative.
struct StreamDelay: Hashable, Sendable {
  /// In parts of a second.
  private let parts: Int64
  /// How many parts make a second.
  private let scale: Int64

  /// Where the scales of tracks have no parts of less than a tenth of a second in common.
  private static let usualScale: Int64 = 1_000

  /// The least delay that suits all tracks, and is a whole number of ticks of each and of the 90 kHz that subtitles
  /// count in, where such a one is at hand. Throws for one of more than an hour, which no movie means.
  init(_ timelines: [TrackTimeline]) throws(MovieError) {
    let common = timelines.reduce(90_000) { Self.greatestCommonDivisor($0, UInt64($1.timeScale)) }
    // With parts of more than a tenth of a second times are rounded to a tick instead.
    let scale = common >= 10 ? Int64(common) : Self.usualScale
    self.scale = scale
    parts = timelines.reduce(0) { parts, timeline in
      let needed = Int128(timeline.neededDelay) * Int128(scale)
      guard needed > 0 else { return parts }
      let ticks = Int128(timeline.timeScale)
      return max(parts, Int64(clamping: (needed + ticks - 1) / ticks))
    }
    guard parts / scale < 3_600 else {
      throw MovieError(.unsupported, "a track is decoded more than an hour before it is shown")
    }
  }

  /// The delay in ticks of a scale, to the nearest.
  func ticks(_ timeScale: UInt32) -> Int64 {
    let product = Int128(parts) * Int128(timeScale)
    return Int64(clamping: (2 * product + Int128(scale)) / (2 * Int128(scale)))
  }

  private static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
