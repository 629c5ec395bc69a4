import MovieBox

/// Cuts overlapping cues into pieces that do not.
///
/// One pass over the sorted starts and ends. The cues shown at a time form a list linked through `previous` and `next`,
/// ordered by start: a new cue goes to its end, one that ends is unlinked, both in constant time. A piece costs the
/// cues that it shows.
struct CueFlattening {
  private let cues: [Cue]
  private let spans: [CueSpan]
  private let limits: SubtitleLimits
  private(set) var notices: NoticeList

  /// The cues shown now, by their positions in `spans`; `none` ends the list at both sides.
  private var previous: [Int]
  private var next: [Int]
  private var head = none
  private var last = none
  private static let none = -1

  private var isShown: [Bool]
  private var isReported: [Bool]
  private var samples: [TimedSample] = []
  private var pending: (start: UInt64, text: StyledText?, isForced: Bool, line: Int)?
  private var byteCount = 0

  /// Flattens `spans`, which are ordered by start, not empty, and name positions in `cues`.
  init(cues: [Cue], spans: [CueSpan], limits: SubtitleLimits, notices: NoticeList) {
    self.cues = cues
    self.spans = spans
    self.limits = limits
    self.notices = notices
    previous = Array(repeating: CueFlattening.none, count: spans.count)
    next = previous
    isShown = Array(repeating: false, count: spans.count)
    isReported = isShown
  }

  /// How many cues stand in at least one sample.
  var shownCueCount: Int { isShown.count { $0 } }

  /// The samples from 0 to `end`, which no span passes.
  mutating func run(until end: UInt64) throws(SubtitleError) -> [TimedSample] {
    let byEnd = spans.indices.sorted { (spans[$0].end, $0) < (spans[$1].end, $1) }
    var started = 0
    var ended = 0
    var now: UInt64 = 0
    while ended < spans.count {
      // A cue that has not started ends later than it starts, so the next change is the smaller of the two.
      let change = min(spans[byEnd[ended]].end, started < spans.count ? spans[started].start : UInt64.max)
      if change > now {
        try show(from: now)
        now = change
      }
      while ended < spans.count, spans[byEnd[ended]].end == now {
        unlink(byEnd[ended])
        ended += 1
      }
      while started < spans.count, spans[started].start == now {
        link(started)
        started += 1
      }
    }
    if end > now { try show(from: now) }
    flush(until: end)
    for position in spans.indices where !isShown[position] { report(position) }
    return samples
  }

  private mutating func link(_ position: Int) {
    previous[position] = last
    if last == CueFlattening.none { head = position } else { next[last] = position }
    last = position
  }

  private mutating func unlink(_ position: Int) {
    let (before, after) = (previous[position], next[position])
    if before == CueFlattening.none { head = after } else { next[before] = after }
    if after == CueFlattening.none { last = before } else { previous[after] = before }
    next[position] = CueFlattening.none
  }

  /// Begins a piece that shows the linked cues; it goes on with the piece before when both are equal.
  private mutating func show(from start: UInt64) throws(SubtitleError) {
    var parts: [StyledText] = []
    var textByteCount = 0
    var runCount = 0
    var isForced = head != CueFlattening.none
    var position = head
    while position != CueFlattening.none {
      let cue = cues[spans[position].index]
      let longer = textByteCount + cue.text.text.utf8.count + (parts.isEmpty ? 0 : 1)
      // A text that is too long by itself is cut where samples are encoded.
      guard longer <= Tx3gSample.longestText || parts.isEmpty else {
        report(position)
        break
      }
      textByteCount = longer
      runCount += cue.text.runs.count
      parts.append(cue.text)
      isForced = isForced && cue.isForced
      isShown[position] = true
      position = next[position]
    }
    byteCount += textByteCount + runCount * Tx3gStyleRecord.byteCount
    guard byteCount <= limits.sampleByteCount else {
      throw SubtitleError(
        .limit, line: cues[spans[head].index].line,
        "so many cues overlap that the samples take more than \(limits.sampleByteCount) bytes")
    }
    let text = parts.count > 1 ? StyledText.joined(parts) : parts.first
    if let pending, pending.text == text, pending.isForced == isForced { return }
    let line = head == CueFlattening.none ? 0 : cues[spans[head].index].line
    flush(until: start)
    pending = (start, text, isForced, line)
  }

  /// Ends the last piece. One that is longer than a sample can be becomes several.
  private mutating func flush(until end: UInt64) {
    guard let pending else { return }
    var left = end - pending.start  // Pieces begin in order.
    while left > 0 {
      let duration = UInt32(clamping: left)
      samples.append(
        TimedSample(duration: duration, text: pending.text, isForced: pending.isForced, line: pending.line))
      left -= UInt64(duration)
    }
    self.pending = nil
  }

  private mutating func report(_ position: Int) {
    guard !isReported[position] else { return }
    isReported[position] = true
    let cue = cues[spans[position].index]
    notices.add(
      .overlapTooLong, line: cue.line,
      "\(cue.text.excerpt) overlaps cues that already fill a sample of 65535 bytes, left out there")
  }
}
