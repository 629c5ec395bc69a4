/// The bit rates that a playlist declares (RFC 8216, 4.1).
///
/// Players choose a variant by its rates, so a peak must never be too low. If computing the exact peak would take too
/// long, an upper limit of the peak is used instead.
package struct BitRates: Hashable, Sendable {
  /// The largest bit rate of consecutive segments that together last 0.5 to 1.5 target durations.
  package let peak: UInt64
  /// The size of all segments divided by their duration.
  package let average: UInt64

  package init(peak: UInt64, average: UInt64) {
    self.peak = peak
    self.average = average
  }

  /// Creates the highest peak and the highest average among some playlists, or returns `nil` if there are no playlists.
  package init?(highestOf all: [BitRates]) {
    guard let peak = all.map(\.peak).max(), let average = all.map(\.average).max() else { return nil }
    self.init(peak: peak, average: average)
  }

  /// The largest number of consecutive segments that the exact computation adds up.
  ///
  /// If the target duration is 60 seconds, a run lasts at most 90 seconds. If each segment contains a single picture of
  /// a quarter of a second, the run has 360 segments. So only a hostile playlist exceeds the number.
  private static let maximumRunSegmentCount = 400

  /// Creates the rates of a playlist, rounded up. The target duration is in seconds.
  ///
  /// Takes at most ``longestRun`` steps for each segment. If more than ``longestRun`` segments fit 1.5 target
  /// durations, the peak is estimated. The estimate is at least the exact peak, and at most three times the exact peak.
  package init(_ segments: [MediaPlaylist.Segment], targetDuration: UInt64) {
    let (shortestDuration, longestDuration) = (targetDuration * 500_000, targetDuration * 1_500_000)
    let total = segments.reduce(into: SegmentSum()) { $0.add($1) }
    var peak = SegmentSum()
    for start in segments.indices {
      var run = SegmentSum()
      let end = min(segments.count, start + Self.maximumRunSegmentCount)
      for index in start..<end {
        run.add(segments[index])
        if run.microseconds > longestDuration { break }
        if run.microseconds >= shortestDuration, run.hasHigherRate(than: peak) { peak = run }
      }
      if end < segments.count, run.microseconds <= longestDuration {
        self = Self(
          bounding: segments, total: total, shortestInMicroseconds: shortestDuration,
          longestInMicroseconds: longestDuration)
        return
      }
    }
    average = total.bitsPerSecond
    self.peak = peak.byteCount > 0 ? peak.bitsPerSecond : total.bitsPerSecond  // All runs may be too short to count.
  }

  /// Estimates the peak: the largest size of segments that together last 1.5 target durations, divided by half a target
  /// duration.
  private init(
    bounding segments: [MediaPlaylist.Segment], total: SegmentSum, shortestInMicroseconds shortest: UInt64,
    longestInMicroseconds longest: UInt64
  ) {
    var (first, currentSum, largestSum) = (0, SegmentSum(), SegmentSum())
    for segment in segments {
      currentSum.add(segment)
      while currentSum.microseconds > longest, first < segments.count {
        currentSum.remove(segments[first])
        first += 1
      }
      largestSum.byteCount = max(largestSum.byteCount, currentSum.byteCount)
    }
    largestSum.microseconds = shortest
    average = total.bitsPerSecond
    peak = max(largestSum.bitsPerSecond, average)
  }

  /// Returns the sum of the bit rates of two playlists. A player plays both playlists at the same time.
  package func adding(_ other: BitRates?) -> BitRates {
    guard let other else { return self }
    return BitRates(peak: peak + other.peak, average: average + other.average)
  }

  private struct SegmentSum {
    var byteCount: UInt64 = 0
    var microseconds: UInt64 = 0

    mutating func add(_ segment: MediaPlaylist.Segment) {
      byteCount &+= segment.byteCount  // The files exist, so the sum fits.
      microseconds &+= segment.microseconds  // The sum is a few years at most.
    }

    /// Subtracts a segment that was previously added.
    mutating func remove(_ segment: MediaPlaylist.Segment) {
      byteCount &-= segment.byteCount
      microseconds &-= segment.microseconds
    }

    /// Whether the bit rate of this sum is higher than the bit rate of the other sum. The bit rate of an empty sum is
    /// 0.
    func hasHigherRate(than other: SegmentSum) -> Bool {
      let (left, right) = (
        byteCount.multipliedFullWidth(by: max(1, other.microseconds)),
        other.byteCount.multipliedFullWidth(by: microseconds)
      )
      return (left.high, left.low) > (right.high, right.low)
    }

    var bitsPerSecond: UInt64 {
      let bits = byteCount.multipliedFullWidth(by: 8_000_000)
      guard microseconds > bits.high else { return UInt64(UInt32.max) }
      let (quotient, rest) = microseconds.dividingFullWidth((bits.high, bits.low))
      return min(UInt64(UInt32.max), quotient) + (rest > 0 ? 1 : 0)
    }
  }
}
