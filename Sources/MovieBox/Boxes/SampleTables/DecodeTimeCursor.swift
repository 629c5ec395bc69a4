/// Tells when samples are decoded, for numbers that ascend: one pass over `stts` for all of them.
package struct DecodeTimeCursor {
  private var runs: RunLengthCursor
  /// The first sample of the run, and when it is decoded.
  private var firstSample = 0
  private var start: UInt64 = 0

  package init(_ table: TimeToSampleTable) {
    TablePass.times.begin()
    runs = RunLengthCursor(table)
  }

  /// When the sample is decoded, in ticks of the media; past the table's end, when the last one ends.
  ///
  /// `index` is not below that of the call before. A time beyond 64 bits stays at the largest.
  package mutating func decodeTime(of index: Int) -> UInt64 {
    while let (duration, count) = runs.run() {
      let steps = index - firstSample
      if steps < Int(count) { return start.addingClamped(UInt64(steps) &* UInt64(duration)) }
      firstSample += Int(count)  // At most `index`.
      start = start.addingClamped(UInt64(count) &* UInt64(duration))
      runs.skip(count)
    }
    return start
  }
}
