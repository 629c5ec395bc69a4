package import Subtitles

/// Cues laid out as samples that follow one another from a movie's start to its end.
///
/// A subtitle track shows one sample at a time, so cues that overlap are cut where anything changes, and each piece
/// shows the lines of all its cues, the one that started first on top. Empty samples fill the gaps and the end.
///
///     let timeline = try CueTimeline(file.cues, movieDuration: 60_000, movieTimeScale: 1_000)
///     print(timeline.samples.count)
package struct CueTimeline: Hashable, Sendable {
  /// The samples; their durations sum up to ``duration``. None where the movie has no length.
  package let samples: [TimedSample]
  /// Ticks a second.
  package let timeScale: UInt32
  /// The movie's duration in ticks, rounded down, so that the track is never longer than the movie.
  package let duration: UInt64
  /// The number of cues that are shown, in whole or in part.
  package let shownCueCount: Int
  /// Notices about cues that were cut, moved or dropped, in the order of the cues' lines.
  package let notices: [SubtitleNotice]

  /// Lays out `cues`, in any order.
  ///
  /// `movieDuration` counts in `movieTimeScale` ticks a second. `timing` says what times of the movie the cues' times
  /// are. They become ticks of `timeScale`, each for itself and rounded down, so that nothing adds up; 1000 keeps them
  /// exact.
  /// Throws when a time scale is 0 or a limit is passed. Costs the sorting and what it makes.
  package init(
    _ cues: [Cue], movieDuration: UInt64, movieTimeScale: UInt32, timing: CueTiming = CueTiming(),
    timeScale: UInt32 = 1_000, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) {
    try self.init(
      CueTimes(
        cues, movieDuration: movieDuration, movieTimeScale: movieTimeScale, timing: timing, timeScale: timeScale,
        limits: limits))
  }

  /// Lays out cues whose times are known.
  package init(_ times: CueTimes) throws(SubtitleError) {
    var cutter = OverlapCutter(cues: times.cues, spans: times.spans, limits: times.limits, notices: times.notices)
    samples = try cutter.run(until: times.duration)
    timeScale = times.timeScale
    duration = times.duration
    shownCueCount = cutter.shownCueCount
    notices = cutter.notices.finished
  }
}

/// The times of cues in ticks of a track as long as its movie.
package struct CueTimes {
  let cues: [Cue]
  let timing: CueTiming
  /// Ticks a second.
  let timeScale: UInt32
  let limits: SubtitleLimits
  /// The cues that lie in the movie at least in part, ordered by start; those of one start in the order given.
  let spans: [CueSpan]
  /// The duration of the track, in ticks, rounded down: never longer than the movie.
  let duration: UInt64
  /// Notices about cues that were cut, moved or dropped.
  let notices: NoticeList

  /// See ``CueTimeline``'s initialiser. Where the file holds only the first fragments of the movie, the track ends with
  /// them, at `fileEnd` in movie ticks, or with the last cue.
  package init(
    _ cues: [Cue], movieDuration: UInt64, fileEnd: UInt64? = nil, movieTimeScale: UInt32, timing: CueTiming,
    timeScale: UInt32 = 1_000, limits: SubtitleLimits
  ) throws(SubtitleError) {
    guard movieTimeScale > 0, timeScale > 0 else { throw SubtitleError(.invalidTime, "a time scale of 0") }
    guard cues.count <= limits.cueCount else {
      throw SubtitleError(.limit, "\(cues.count) cues, the most that is taken is \(limits.cueCount)")
    }
    let duration = movieDuration.scaled(by: UInt64(timeScale), over: UInt64(movieTimeScale))
    guard let duration, duration / UInt64(timeScale) < limits.movieMilliseconds / 1_000 else {
      throw SubtitleError(
        .movieTooLong,
        "a movie of \(movieDuration / UInt64(movieTimeScale)) seconds is too long to subtitle, the limit is "
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

/// The time of one cue in ticks; not empty, inside the movie.
struct CueSpan {
  let start: UInt64
  let end: UInt64
  /// The index of the cue.
  let index: Int
}

/// Clips cues to the movie.
private struct CueClipper {
  let end: UInt64
  let timeScale: UInt32
  /// The end as people read it.
  private let movieEnd: String
  var notices: NoticeList
  /// The line of the first cue that begins at or after the movie's end, and their number.
  private var late: (line: Int, count: Int)?
  /// The start of the last cue that begins at or after the movie's end, in milliseconds.
  private var latestStart = Int64.min

  /// A single cue that begins so little after the movie's end is not taken for a sign of another frame rate.
  private static let leastDriftInMilliseconds: Int64 = 1_000

  init(end: UInt64, timeScale: UInt32, notices: NoticeList) {
    self.end = end
    self.timeScale = timeScale
    self.notices = notices
    movieEnd = timeText(milliseconds: Int64(clamping: end.scaled(by: 1_000, over: UInt64(timeScale)) ?? UInt64.max))
  }

  /// The cues that lie in the movie at least in part, ordered by start; those of one start in the order given.
  mutating func clip(_ cues: [Cue], _ timing: CueTiming) -> [CueSpan] {
    var spans: [CueSpan] = []
    spans.reserveCapacity(cues.count)
    for index in cues.indices {
      let start = timing.movieMilliseconds(cues[index].startMilliseconds)
      let end = timing.movieMilliseconds(cues[index].endMilliseconds)
      if start >= 0, end > start, !cues[index].text.isEmpty, let span = span(index, ticks(start), ticks(end)) {
        spans.append(span)
      } else if let span = clip(cues[index], index, start, end) {
        spans.append(span)
      }
    }
    let isSorted = zip(spans, spans.dropFirst()).allSatisfy { $0.start <= $1.start }
    if !isSorted { spans.sort { ($0.start, $0.index) < ($1.start, $1.index) } }
    return spans
  }

  /// A span that need not be clipped, as nearly all are.
  private func span(_ index: Int, _ start: UInt64, _ end: UInt64) -> CueSpan? {
    start < end && end <= self.end ? CueSpan(start: start, end: end, index: index) : nil
  }

  private mutating func clip(_ cue: Cue, _ index: Int, _ startTime: Int64, _ endTime: Int64) -> CueSpan? {
    func name() -> String { "\(cue.text.excerpt) at \(timeText(milliseconds: startTime))" }
    guard !cue.text.isEmpty else {
      notices.add(.emptyCue, line: cue.line, "cue without text at \(timeText(milliseconds: startTime)) dropped")
      return nil
    }
    guard endTime > startTime else {
      notices.add(
        .endNotAfterStart, line: cue.line, lostText: cue.text.text, "\(name()) does not end after its start, dropped")
      return nil
    }
    guard endTime > 0 else {
      notices.add(
        .droppedBeforeStart, line: cue.line, lostText: cue.text.text, "\(name()) ends before the movie begins, dropped")
      return nil
    }
    let start = ticks(startTime)
    var end = ticks(endTime)
    guard start < self.end else {
      late = (late?.line ?? cue.line, (late?.count ?? 0) + 1)
      latestStart = max(latestStart, startTime)
      notices.add(
        .droppedPastEnd, line: cue.line, lostText: cue.text.text,
        "\(name()) begins at or after the movie's end, \(movieEnd), dropped")
      return nil
    }
    if startTime < 0 {
      notices.add(.startClamped, line: cue.line, "\(name()) begins before the movie, cut to begin with it")
    }
    if end == start {
      notices.add(.tooShort, line: cue.line, "\(name()) is shorter than a tick, made one tick long")
      end = start + 1  // `start` is below the movie's end.
    }
    if end > self.end {
      let time = timeText(milliseconds: endTime)
      notices.add(.trimmedAtEnd, line: cue.line, "\(name()) lasts until \(time), cut at the movie's end, \(movieEnd)")
      end = self.end
    }
    return CueSpan(start: start, end: end, index: index)
  }

  /// Reports that cues beyond the movie's end lie inside if they are made for a film of another frame rate.
  mutating func noteFrameRate(_ cues: [Cue], _ timing: CueTiming) {
    guard let late, let milliseconds = end.scaled(by: 1_000, over: UInt64(timeScale)),
      late.count > 1 || latestStart > Int64(clamping: milliseconds).addingClamped(Self.leastDriftInMilliseconds),
      let change = timing.frameRateChange(bringing: cues, before: Int64(clamping: milliseconds))
    else { return }
    notices.add(
      .otherFrameRate, "\(change.old)/\(change.new)", line: late.line,
      "\(counted(late.count, "cue")) of \(cues.count) begin at or after the movie's end, \(movieEnd), and all lie "
        + "inside if times are scaled by \(change.old)/\(change.new): made for \(change.old) frames a second, for a "
        + "film of \(change.new)?")
  }

  /// Milliseconds as ticks, rounded down; 0 for what is before the movie.
  private func ticks(_ milliseconds: Int64) -> UInt64 {
    milliseconds <= 0 ? 0 : UInt64(milliseconds).scaled(by: UInt64(timeScale), over: 1_000) ?? UInt64.max
  }
}

/// The times at which cues begin or end, in order, and which do.
///
/// A cue that ends when another begins is gone before that is shown: what ends stands first in a change.
struct CueChanges {
  /// The cues that begin and end at one time.
  struct Change {
    let time: UInt64
    /// Positions of spans that end then.
    let ended: ArraySlice<Int>
    /// Positions of spans that begin then.
    let started: Range<Int>
  }

  private let spans: [CueSpan]
  private let byEnd: [Int]
  private var started = 0
  private var ended = 0

  /// The changes of spans that are ordered by start and not empty.
  init(_ spans: [CueSpan]) {
    self.spans = spans
    let isSortedByEnd = zip(spans, spans.dropFirst()).allSatisfy { $0.end <= $1.end }
    byEnd = isSortedByEnd ? Array(spans.indices) : spans.indices.sorted { (spans[$0].end, $0) < (spans[$1].end, $1) }
  }

  /// The next change; `nil` after the last cue's end.
  mutating func next() -> Change? {
    guard ended < spans.count else { return nil }
    // A cue that has not started ends later than it starts, so the next change is the smaller of the two.
    let time = min(spans[byEnd[ended]].end, started < spans.count ? spans[started].start : .max)
    let (firstEnded, firstStarted) = (ended, started)
    while ended < spans.count, spans[byEnd[ended]].end == time { ended += 1 }
    while started < spans.count, spans[started].start == time { started += 1 }
    return Change(time: time, ended: byEnd[firstEnded..<ended], started: firstStarted..<started)
  }
}

/// Joins what samples show one after the other to cues: one that goes on in the next sample is one cue.
struct CueJoining {
  /// A cue by the clock of its media.
  struct MediaCue {
    let start: Int64
    var end: Int64
    let shown: ShownText
  }

  /// The cues, ordered by their starts.
  private(set) var cues: [MediaCue] = []
  /// The cues that the last sample showed, as indices of `cues`.
  private var current: [Int] = []

  /// Adds what a sample shows. Samples come in the order of their starts.
  mutating func add(_ shown: [ShownText], from start: Int64, to end: Int64) {
    let next = goingOn(shown, at: start)
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

  /// Returns the cue of the last sample that continues in each text, if any.
  private func goingOn(_ shown: [ShownText], at start: Int64) -> [Int?] {
    if let only = shown.first, shown.count == 1, current.count == 1 {
      let last = cues[current[0]]
      return [last.end == start && last.shown == only ? current[0] : nil]
    }
    guard !shown.isEmpty, !current.isEmpty else { return Array(repeating: nil, count: shown.count) }
    // Of several that are equal, each goes on once, in their order.
    var waiting: [ShownText: [Int]] = [:]
    for index in current.reversed() where cues[index].end == start {
      waiting[cues[index].shown, default: []].append(index)
    }
    return shown.map { text in
      waiting.isEmpty ? nil : waiting[text]?.popLast()
    }
  }
}
