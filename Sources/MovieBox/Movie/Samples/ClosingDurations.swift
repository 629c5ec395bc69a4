/// The durations of a track's last samples, by which an implausible last duration is recognized.
package struct ClosingDurations: Hashable, Sendable {
  /// The duration of the last sample; 0 without samples.
  package private(set) var last: UInt32 = 0
  /// The duration of the last sample before it that lasts some time; 0 for none.
  package private(set) var before: UInt32 = 0
  /// The longest duration of the samples before the last one. Of fragments only the last ones count.
  package private(set) var longestBefore: UInt32 = 0

  fileprivate init(_ table: SampleTable, count: Int) {
    var left = count
    for run in table.timeToSample where left > 0 {
      let runCount = Swift.min(Int(clamping: run.sampleCount), left)
      left -= runCount
      add(runCount, lasting: run.duration)
    }
    add(left, lasting: 0)  // Samples past the table last no time.
  }

  fileprivate mutating func add(_ count: Int, lasting duration: UInt32) {
    guard count > 0 else { return }
    if last > 0 { before = last }
    longestBefore = Swift.max(longestBefore, last)
    if count > 1, duration > 0 {
      before = duration
      longestBefore = Swift.max(longestBefore, duration)
    }
    last = duration
  }
}

extension SampleTable {
  /// How long the last samples last. Costs a pass over the runs of `stts`.
  package var closingDurations: ClosingDurations { ClosingDurations(self, count: sampleCount) }
}

extension FragmentedTrack {
  /// How long the last samples last. Costs a pass over the runs of `stts`.
  package var closingDurations: ClosingDurations {
    var durations = ClosingDurations(table, count: tableSampleCount)
    // The last two of two fragments are enough: earlier ones say no more of how long samples last.
    for run in runs.lazy.filter({ $0.sampleCount > 0 }).suffix(2) {
      for index in Swift.max(0, run.sampleCount - 2)..<run.sampleCount {
        durations.add(1, lasting: run.table[index].duration ?? run.defaults.duration)
      }
    }
    return durations
  }
}
