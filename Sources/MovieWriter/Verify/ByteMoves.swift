import MovieBox

/// Where runs of bytes went, so that a run can be looked up without a look at its bytes.
struct ByteMoves {
  /// Bytes that all went the same distance.
  private struct Run {
    /// What is added to a position, wrapping where it goes back.
    let distance: UInt64
    var source: ByteRange
  }

  /// By distance, then by place; no two of one distance touch.
  private var runs: [Run] = []

  /// No bytes.
  init() {}

  /// The bytes that a plan copies, and atoms that it writes again.
  init(of plan: OutputPlan, and rewritten: [(old: ByteRange, newOffset: UInt64)]) {
    var all = rewritten.map { Run(distance: $0.newOffset &- $0.old.offset, source: $0.old) }
    for extent in plan.extents {
      guard let source = extent.sourceRange else { continue }
      all.append(Run(distance: extent.offset &- source.offset, source: source))
    }
    all.sort { ($0.distance, $0.source.offset) < ($1.distance, $1.source.offset) }
    for run in all {
      if let last = runs.last, last.distance == run.distance, let joined = last.source.joined(with: run.source) {
        runs[runs.count - 1].source = joined
      } else {
        runs.append(run)
      }
    }
  }

  /// Whether the bytes at `range` of the source stand, in one piece, at `newOffset` of the output.
  ///
  /// Costs a binary search.
  func isMoved(_ range: ByteRange, to newOffset: UInt64) -> Bool {
    let distance = newOffset &- range.offset
    let next = runs.partitioningIndex { ($0.distance, $0.source.offset) > (distance, range.offset) }
    guard next > 0, runs[next - 1].distance == distance else { return false }
    return range.end <= runs[next - 1].source.end
  }
}
