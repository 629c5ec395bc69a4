/// Tells when samples are decoded, for numbers that ascend: one pass over `stts` for all of them.
package struct DecodeTimeCursor {
  private let table: TimeToSampleTable
  private var entry = 0
  /// The first sample of the entry, and when it is decoded.
  private var firstSample = 0
  private var start: UInt64 = 0

  package init(_ table: TimeToSampleTable) {
    TablePass.times.begin()
    self.table = table
  }

  /// When the sample is decoded, in ticks of the media; past the table's end, when the last one ends.
  ///
  /// `index` is not below that of the call before. A time beyond 64 bits stays at the largest.
  package mutating func decodeTime(of index: Int) -> UInt64 {
    while entry < table.count {
      let run = table[entry]
      let steps = index - firstSample
      if steps < Int(run.sampleCount) { return start.addingClamped(UInt64(steps) &* UInt64(run.duration)) }
      firstSample += Int(run.sampleCount)  // At most `index`.
      start = start.addingClamped(UInt64(run.sampleCount) &* UInt64(run.duration))
      entry += 1
    }
    return start
  }
}
