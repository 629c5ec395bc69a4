/// The times at which cues begin or end, in order, and which do.
///
/// A cue that ends when another begins is gone before that is shown: what ends stands first in a change.
struct CueChanges {
  /// What happens at a time.
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
