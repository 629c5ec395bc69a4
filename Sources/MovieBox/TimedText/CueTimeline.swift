package import Subtitles

/// Cues arranged as consecutive samples from the start of a movie to its end.
///
/// A subtitle track shows one sample at a time. Overlapping cues are therefore divided into samples at each start and
/// end of a cue. A sample contains the lines of all cues at its time, with the earliest cue at the top. Empty samples
/// fill the gaps and the end.
///
///     let timeline = try CueTimeline(file.cues, movieDuration: 60_000, movieTimeScale: 1_000)
///     print(timeline.samples.count)
package struct CueTimeline: Hashable, Sendable {
  /// The samples. Their durations add up to ``duration``. The array is empty if the movie has no duration.
  package let samples: [TimedSample]
  /// The time scale in ticks per second.
  package let timeScale: UInt32
  /// The duration of the movie in ticks, rounded down so that the track is not longer than the movie.
  package let duration: UInt64
  /// The number of cues that are shown at least in part.
  package let shownCueCount: Int
  /// Notices about cues that were cut, moved or dropped, ordered by line.
  package let notices: [SubtitleNotice]

  /// Arranges cues in any order.
  ///
  /// `movieDuration` is in ticks of `movieTimeScale`. `timing` maps the cues' times to the movie. Each time is
  /// converted to ticks of `timeScale` and rounded down separately, so that errors do not accumulate. A time scale of
  /// 1000 is exact.
  ///
  /// Throws if a time scale is 0 or a limit is exceeded. Apart from sorting, the running time is proportional to the
  /// output.
  package init(
    _ cues: [Cue], movieDuration: UInt64, movieTimeScale: UInt32, timing: CueTiming = CueTiming(),
    timeScale: UInt32 = 1_000, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) {
    try self.init(
      CueTimes(
        cues, movieDuration: movieDuration, movieTimeScale: movieTimeScale, timing: timing, timeScale: timeScale,
        limits: limits))
  }

  /// Arranges cues with known times.
  package init(_ times: CueTimes) throws(SubtitleError) {
    var cutter = OverlapCutter(cues: times.cues, spans: times.spans, limits: times.limits, notices: times.notices)
    samples = try cutter.run(until: times.duration)
    timeScale = times.timeScale
    duration = times.duration
    shownCueCount = cutter.shownCueCount
    notices = cutter.notices.finished
  }
}

/// The times of cues in a track that is as long as the movie, in ticks of the track.
package struct CueTimes {
  let cues: [Cue]
  let timing: CueTiming
  /// The time scale in ticks per second.
  let timeScale: UInt32
  let limits: SubtitleLimits
  /// The cues that are at least partly within the movie, ordered by start. The sort is stable.
  let spans: [CueSpan]
  /// The duration of the track in ticks, rounded down so that it is not longer than the movie.
  let duration: UInt64
  /// Notices about cues that were cut, moved or dropped.
  let notices: NoticeList

  /// Clips cues to the movie. See ``CueTimeline``'s initializer. If the file contains only the first fragments of the
  /// movie, the track ends at `fileEnd` or with the last cue, whichever is later. `fileEnd` is in movie ticks.
  package init(
    _ cues: [Cue], movieDuration: UInt64, fileEnd: UInt64? = nil, movieTimeScale: UInt32, timing: CueTiming,
    timeScale: UInt32 = 1_000, limits: SubtitleLimits
  ) throws(SubtitleError) {
    guard movieTimeScale > 0, timeScale > 0 else { throw SubtitleError(.invalidTime, "the time scale is 0") }
    guard cues.count <= limits.cueCount else {
      throw SubtitleError(.limit, "the file has \(cues.count) cues: the limit is \(limits.cueCount)")
    }
    let duration = movieDuration.scaled(by: UInt64(timeScale), over: UInt64(movieTimeScale))
    guard let duration, duration / UInt64(timeScale) < limits.movieMilliseconds / 1_000 else {
      throw SubtitleError(
        .movieTooLong,
        "the movie is too long for subtitles: it lasts \(movieDuration / UInt64(movieTimeScale)) seconds, and "
          + "the limit is "
          + "\(limits.movieMilliseconds / 1_000)")
    }
    var clipper = CueClipper(end: duration, timeScale: timeScale, notices: NoticeList(limits))
    spans = clipper.clip(cues, timing)
    clipper.noteFrameRate(cues, timing)
    let end = fileEnd?.scaled(by: UInt64(timeScale), over: UInt64(movieTimeScale)) ?? duration
    self.duration = min(duration, max(end, spans.map(\.end).max() ?? 0))
    notices = clipper.notices
    (self.cues, self.timing, self.timeScale, self.limits) = (cues, timing, timeScale, limits)
  }
}

/// The time of a cue in ticks. The span is not empty and is within the movie.
struct CueSpan {
  let start: UInt64
  let end: UInt64
  let index: Int
}

private struct CueClipper {
  let movieEnd: UInt64
  let timeScale: UInt32
  /// The formatted end of the movie, for notices.
  private let movieEndText: String
  var notices: NoticeList
  /// The line of the first cue that begins at or after the movie's end, and the number of such cues.
  private var lateCues: (line: Int, count: Int)?
  /// The latest start of a cue at or after the movie's end, in milliseconds.
  private var latestStart = Int64.min

  /// A single cue past the movie's end indicates a wrong frame rate only if it begins at least this long after the end.
  private static let minimumDriftInMilliseconds: Int64 = 1_000

  init(end: UInt64, timeScale: UInt32, notices: NoticeList) {
    self.movieEnd = end
    self.timeScale = timeScale
    self.notices = notices
    movieEndText = timeText(milliseconds: Int64(clamping: end.scaled(by: 1_000, over: UInt64(timeScale)) ?? UInt64.max))
  }

  /// Returns the spans of the cues that are at least partly within the movie, ordered by start. The sort is stable.
  mutating func clip(_ cues: [Cue], _ timing: CueTiming) -> [CueSpan] {
    var spans: [CueSpan] = []
    spans.reserveCapacity(cues.count)
    for index in cues.indices {
      let start = timing.movieMilliseconds(cues[index].startMilliseconds)
      let end = timing.movieMilliseconds(cues[index].endMilliseconds)
      if start >= 0, end > start, !cues[index].text.isEmpty,
        let span = unclippedSpan(ofCueAt: index, from: ticks(start), to: ticks(end))
      {
        spans.append(span)
      } else if let span = clip(cues[index], at: index, from: start, to: end) {
        spans.append(span)
      }
    }
    let isSorted = zip(spans, spans.dropFirst()).allSatisfy { $0.start <= $1.start }
    if !isSorted { spans.sort { ($0.start, $0.index) < ($1.start, $1.index) } }
    return spans
  }

  /// Returns the span of a cue that requires no clipping, or `nil` for other cues. Nearly all cues require no clipping.
  private func unclippedSpan(ofCueAt index: Int, from start: UInt64, to end: UInt64) -> CueSpan? {
    start < end && end <= self.movieEnd ? CueSpan(start: start, end: end, index: index) : nil
  }

  private mutating func clip(
    _ cue: Cue, at index: Int, from startTime: Int64, to endTime: Int64
  ) -> CueSpan? {
    func name() -> String { "\(cue.text.excerpt) at \(timeText(milliseconds: startTime))" }
    guard !cue.text.isEmpty else {
      notices.add(
        .emptyCue, line: cue.line,
        "the cue at \(timeText(milliseconds: startTime)), which has no text, was dropped")
      return nil
    }
    guard endTime > startTime else {
      notices.add(
        .endNotAfterStart, line: cue.line, lostText: cue.text.text,
        "\(name()), which does not end after its start, was dropped")
      return nil
    }
    guard endTime > 0 else {
      notices.add(
        .droppedBeforeStart, line: cue.line, lostText: cue.text.text,
        "\(name()), which ends before the movie begins, was dropped")
      return nil
    }
    let start = ticks(startTime)
    var end = ticks(endTime)
    guard start < self.movieEnd else {
      lateCues = (lateCues?.line ?? cue.line, (lateCues?.count ?? 0) + 1)
      latestStart = max(latestStart, startTime)
      notices.add(
        .droppedPastEnd, line: cue.line, lostText: cue.text.text,
        "\(name()), which begins at or after the movie's end, \(movieEndText), was dropped")
      return nil
    }
    if startTime < 0 {
      notices.add(
        .startClamped, line: cue.line,
        "\(name()) begins before the movie: its start was moved to the start of the movie")
    }
    if end == start {
      notices.add(.tooShort, line: cue.line, "\(name()), which is shorter than a tick, was extended to one tick")
      end = start + 1  // `start` is below the movie's end.
    }
    if end > self.movieEnd {
      let time = timeText(milliseconds: endTime)
      notices.add(
        .trimmedAtEnd, line: cue.line,
        "\(name()), which lasts until \(time), was cut at the movie's end, \(movieEndText)")
      end = self.movieEnd
    }
    return CueSpan(start: start, end: end, index: index)
  }

  /// Adds a notice if cues past the movie's end would be within the movie at another frame rate. Adds no notice if the
  /// offset alone moves the cues past the end.
  mutating func noteFrameRate(_ cues: [Cue], _ timing: CueTiming) {
    guard let lateCues, let milliseconds = movieEnd.scaled(by: 1_000, over: UInt64(timeScale)),
      lateCues.count > 1 || latestStart > Int64(clamping: milliseconds).addingClamped(Self.minimumDriftInMilliseconds),
      timing.offsetMilliseconds <= 0
        || latestStart.addingClamped(-timing.offsetMilliseconds) >= Int64(clamping: milliseconds),
      let change = timing.frameRateChange(bringing: cues, before: Int64(clamping: milliseconds))
    else { return }
    notices.add(
      .otherFrameRate, "\(change.old)/\(change.new)", line: lateCues.line,
      "\(counted(lateCues.count, "cue")) of \(cues.count) begin at or after the movie's end, \(movieEndText), but all "
        + "fit if times are scaled by \(change.old)/\(change.new): the file may be "
        + "made for \(change.old) frames per second, and the film may have \(change.new)")
  }

  /// Converts milliseconds to ticks, rounded down. Returns 0 for negative times.
  private func ticks(_ milliseconds: Int64) -> UInt64 {
    milliseconds <= 0 ? 0 : UInt64(milliseconds).scaled(by: UInt64(timeScale), over: 1_000) ?? UInt64.max
  }
}

/// The starts and ends of cues in chronological order.
///
/// If a cue ends at the start of another cue, the end comes first, so the two cues are not shown together.
struct CueChanges {
  /// The cues that start and end at one time.
  struct Change {
    let time: UInt64
    /// The indices of the spans that end at this time.
    let ended: ArraySlice<Int>
    /// The indices of the spans that start at this time.
    let started: Range<Int>
  }

  private let spans: [CueSpan]
  private let indicesByEnd: [Int]
  private var startedCount = 0
  private var endedCount = 0

  /// Creates the changes of `spans`. The spans must be ordered by start, and no span may be empty.
  init(_ spans: [CueSpan]) {
    self.spans = spans
    let isSortedByEnd = zip(spans, spans.dropFirst()).allSatisfy { $0.end <= $1.end }
    indicesByEnd =
      isSortedByEnd ? Array(spans.indices) : spans.indices.sorted { (spans[$0].end, $0) < (spans[$1].end, $1) }
  }

  /// Returns the next change, or `nil` after the end of the last cue.
  mutating func next() -> Change? {
    guard endedCount < spans.count else { return nil }
    // The next change is the next start or the next end, whichever is earlier. If the next end belongs to a cue that
    // has not started, the next start is earlier.
    let time = min(spans[indicesByEnd[endedCount]].end, startedCount < spans.count ? spans[startedCount].start : .max)
    let (firstEnded, firstStarted) = (endedCount, startedCount)
    while endedCount < spans.count, spans[indicesByEnd[endedCount]].end == time { endedCount += 1 }
    while startedCount < spans.count, spans[startedCount].start == time { startedCount += 1 }
    return Change(time: time, ended: indicesByEnd[firstEnded..<endedCount], started: firstStarted..<startedCount)
  }
}

/// Joins consecutive samples into cues. If a text continues in the next sample, both samples form one cue.
struct CueJoining {
  /// A cue in media time.
  struct MediaCue {
    let start: Int64
    var end: Int64
    let shown: ShownText
  }

  /// The cues, ordered by start.
  private(set) var cues: [MediaCue] = []
  /// The indices of the cues that the last sample showed.
  private var current: [Int] = []

  /// Adds the texts of a sample. Samples must be added in order of their starts.
  mutating func add(_ shown: [ShownText], from start: Int64, to end: Int64) {
    let next = continuedCues(shown, at: start)
    current.removeAll(keepingCapacity: true)
    for (text, index) in zip(shown, next) {
      if let index {
        cues[index].end = end
        current.append(index)
      } else {
        current.append(cues.count)
        cues.append(MediaCue(start: start, end: end, shown: text))
      }
    }
  }

  /// Returns the index of the cue that each text continues, or `nil` if the text begins a new cue.
  private func continuedCues(_ shown: [ShownText], at start: Int64) -> [Int?] {
    if let only = shown.first, shown.count == 1, current.count == 1 {
      let last = cues[current[0]]
      return [last.end == start && last.shown == only ? current[0] : nil]
    }
    guard !shown.isEmpty, !current.isEmpty else { return Array(repeating: nil, count: shown.count) }
    // If several cues are equal, continue each of them only once, in order.
    var openIndices: [ShownText: [Int]] = [:]
    for index in current.reversed() where cues[index].end == start {
      openIndices[cues[index].shown, default: []].append(index)
    }
    return shown.map { text in
      openIndices.isEmpty ? nil : openIndices[text]?.popLast()
    }
  }
}
