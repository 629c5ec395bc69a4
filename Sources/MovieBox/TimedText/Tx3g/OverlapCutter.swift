import Subtitles

/// Divides overlapping cues into samples that do not overlap.
///
/// The cutter makes one pass over the sorted starts and ends. The cues that are shown at a time form a linked list
/// (`previousPositions` and `nextPositions`), ordered by start. Adding a cue at the end and removing a cue require
/// constant time. The time for each sample is proportional to the number of cues that it shows.
struct OverlapCutter {
  private let cues: [Cue]
  private let spans: [CueSpan]
  private let limits: SubtitleLimits
  private(set) var notices: NoticeList

  /// The links from each shown cue to the previous shown cue. With `nextPositions`, `firstPosition` and `lastPosition`,
  /// they form a linked list of indices in `spans`. `noPosition` marks both ends of the list.
  private var previousPositions: [Int]
  private var nextPositions: [Int]
  private var firstPosition = noPosition
  private var lastPosition = noPosition
  private static let noPosition = -1

  private var isShown: [Bool]
  private var isReported: [Bool]
  private var isReportedAsMoved: [Bool]
  private var samples: [TimedSample] = []
  /// The current sample, with its start.
  private var pendingSample: (start: UInt64, sample: TimedSample)?
  private var byteCount = 0

  /// Creates a cutter. `spans` must be ordered by start and not empty, and must contain indices in `cues`.
  init(cues: [Cue], spans: [CueSpan], limits: SubtitleLimits, notices: NoticeList) {
    self.cues = cues
    self.spans = spans
    self.limits = limits
    self.notices = notices
    previousPositions = Array(repeating: OverlapCutter.noPosition, count: spans.count)
    nextPositions = previousPositions
    isShown = Array(repeating: false, count: spans.count)
    isReported = isShown
    isReportedAsMoved = isShown
  }

  /// The total number of cues in all samples. Apart from sorting, the running time is proportional to this number.
  private(set) var visitedCueCount = 0

  /// The number of cues that appear in at least one sample.
  var shownCueCount: Int { isShown.count { $0 } }

  /// Returns the samples from 0 to `end`. No span may end after `end`.
  mutating func run(until end: UInt64) throws(SubtitleError) -> [TimedSample] {
    samples.reserveCapacity(2 * spans.count + 1)
    var changes = CueChanges(spans)
    var currentTime: UInt64 = 0
    while let change = changes.next() {
      if change.time > currentTime { try show(from: currentTime) }
      currentTime = change.time
      change.ended.forEach { unlink($0) }
      change.started.forEach { link($0) }
    }
    if end > currentTime { try show(from: currentTime) }
    flush(until: end)
    for position in spans.indices {
      if isShown[position] { noteLoss(cue(position)) } else { report(position) }
    }
    return samples
  }

  /// Reports features of a cue that samples cannot express. Each cue is reported only once.
  private mutating func noteLoss(_ cue: Cue) {
    if cue.placement.horizontal != .center {
      let place =
        switch cue.placement.horizontal {
        case .right: "at the right"
        case .indented(let hundredths): "\(hundredths / 100) % right of the left edge"
        case .centeredAt(let hundredths): "around a point \(hundredths / 100) % right of the left edge"
        case .endingAt(let hundredths): "left of a point \(hundredths / 100) % right of the left edge"
        case .left, .center: "at the left"
        }
      notices.add(
        .placementLost, line: cue.line,
        "\(cue.text.excerpt) is placed \(place), but text in tx3g subtitle tracks is always centered")
    }
    guard !cue.text.runs.isEmpty else { return }
    if cue.text.runs.contains(where: { $0.style.backgroundColor != nil }) {
      notices.add(
        .inexpressibleStyle, "background", line: cue.line,
        "the background color of \(cue.text.excerpt) was dropped")
    }
    if let voice = cue.text.runs.lazy.compactMap(\.style.voice).first {
      notices.add(
        .inexpressibleStyle, "voice", line: cue.line, "the name of a speaker, \(excerpt(voice.utf8)), was dropped")
    }
  }

  private mutating func link(_ position: Int) {
    previousPositions[position] = lastPosition
    if lastPosition == OverlapCutter.noPosition {
      firstPosition = position
    } else {
      nextPositions[lastPosition] = position
    }
    lastPosition = position
  }

  private mutating func unlink(_ position: Int) {
    let (previousPosition, nextPosition) = (previousPositions[position], nextPositions[position])
    if previousPosition == OverlapCutter.noPosition {
      firstPosition = nextPosition
    } else {
      nextPositions[previousPosition] = nextPosition
    }
    if nextPosition == OverlapCutter.noPosition {
      lastPosition = previousPosition
    } else {
      previousPositions[nextPosition] = previousPosition
    }
    nextPositions[position] = OverlapCutter.noPosition
  }

  /// Begins a sample with the linked cues, or extends the previous sample if both look equal.
  private mutating func show(from start: UInt64) throws(SubtitleError) {
    guard firstPosition != OverlapCutter.noPosition else {
      return show(TimedSample(duration: 0, text: nil), from: start)
    }
    guard firstPosition != lastPosition else {
      let (position, index) = (firstPosition, spans[firstPosition].index)
      isShown[position] = true
      visitedCueCount += 1
      try countSampleBytes(cues[index].text.text.utf8.count, cues[index].text.runs.count)
      let sample = TimedSample(
        duration: 0, text: cues[index].text, placement: cues[index].placement, isForced: cues[index].isForced,
        line: cues[index].line)
      return show(sample, from: start)
    }
    var shownPositions: [Int] = []
    var textByteCount = 0
    var runCount = 0
    var isForced = true
    var position = firstPosition
    while position != OverlapCutter.noPosition {
      let index = spans[position].index
      let longer = textByteCount + cues[index].text.text.utf8.count + (shownPositions.isEmpty ? 0 : 1)
      // Stop before the cue with which the texts would be too long for a sample. A single text that is too long is
      // kept, because the encoder cuts it.
      guard longer <= Tx3gSample.maximumTextByteCount || shownPositions.isEmpty else {
        report(position)
        break
      }
      textByteCount = longer
      runCount += cues[index].text.runs.count
      shownPositions.append(position)
      isForced = isForced && cues[index].isForced
      isShown[position] = true
      position = nextPositions[position]
    }
    visitedCueCount += shownPositions.count
    try countSampleBytes(textByteCount, runCount)
    let placement = resolvePlacement(&shownPositions)
    let text =
      shownPositions.count > 1 ? StyledText.joined(shownPositions.map { cue($0).text }) : cue(firstPosition).text
    show(
      TimedSample(duration: 0, text: text, placement: placement, isForced: isForced, line: cue(firstPosition).line),
      from: start)
  }

  /// Begins a sample unless it looks like the previous sample.
  private mutating func show(_ sample: TimedSample, from start: UInt64) {
    if let pendingSample, pendingSample.sample.isVisuallyEqual(to: sample) { return }
    flush(until: start)
    pendingSample = (start, sample)
  }

  private mutating func countSampleBytes(_ textByteCount: Int, _ runCount: Int) throws(SubtitleError) {
    byteCount += textByteCount + runCount * Tx3gStyleRecord.byteCount
    guard byteCount <= limits.sampleByteCount else {
      throw SubtitleError(
        .limit, line: cues[spans[firstPosition].index].line,
        "too many cues overlap: the samples exceed \(limits.sampleByteCount) bytes")
    }
  }

  private func cue(_ position: Int) -> Cue { cues[spans[position].index] }

  /// Returns the placement of a sample. It is the common placement of the cues, or else the lowest placement. Cues with
  /// higher placements are moved to the upper lines.
  private mutating func resolvePlacement(_ shown: inout [Int]) -> Cue.Placement {
    let placements = shown.map { cues[spans[$0].index].placement }
    guard let first = placements.first, placements.contains(where: { $0 != first }) else {
      return placements.first ?? .standard
    }
    let lowestPlacement = placements.max { $0.vertical.depth < $1.vertical.depth } ?? first
    for position in shown
    where cue(position).placement.vertical != lowestPlacement.vertical && !isReportedAsMoved[position] {
      isReportedAsMoved[position] = true
      let moved = cue(position)
      notices.add(
        .placementLost, line: moved.line,
        "\(moved.text.excerpt) is shown above a cue that it overlaps, because that cue has a lower placement")
    }
    let order = shown.enumerated().sorted {
      let depths = (cue($0.element).placement.vertical.depth, cue($1.element).placement.vertical.depth)
      return depths.0 == depths.1 ? $0.offset < $1.offset : depths.0 < depths.1
    }
    shown = order.map(\.element)
    return Cue.Placement(vertical: lowestPlacement.vertical)
  }

  /// Ends the pending sample. If it exceeds the longest duration, divides it into several samples.
  private mutating func flush(until end: UInt64) {
    guard let pendingSample else { return }
    var remainingTicks = end - pendingSample.start  // The difference is not negative, because samples begin in order.
    while remainingTicks > 0 {
      var sample = pendingSample.sample
      sample.duration = min(UInt32(clamping: remainingTicks), Sample.longestDuration)
      samples.append(sample)
      remainingTicks -= UInt64(sample.duration)
    }
    self.pendingSample = nil
  }

  private mutating func report(_ position: Int) {
    guard !isReported[position] else { return }
    isReported[position] = true
    let cue = cues[spans[position].index]
    notices.add(
      .overlapTooLong, line: cue.line, lostText: cue.text.text,
      "part of \(cue.text.excerpt) is omitted, because overlapping cues already fill a sample of 65535 bytes")
  }
}

extension TimedSample {
  /// Whether a change from this sample to the other sample is invisible to viewers.
  fileprivate func isVisuallyEqual(to other: TimedSample) -> Bool {
    text == other.text && isForced == other.isForced && placement == other.placement
  }
}
