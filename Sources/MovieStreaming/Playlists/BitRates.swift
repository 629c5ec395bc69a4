/// How many bits a second a playlist wants (RFC 8216, 4.1).
package struct BitRates: Hashable, Sendable {
  /// The largest rate of neighbouring segments that last between half and one and a half target durations together.
  package let peak: UInt64
  /// All bits over the whole duration.
  package let average: UInt64

  package init(peak: UInt64, average: UInt64) {
    self.peak = peak
    self.average = average
  }

  /// The most that a choice among some playlists can cost; `nil` without any.
  package init?(mostOf all: [BitRates]) {
    guard let peak = all.map(\.peak).max(), let average = all.map(\.average).max() else { return nil }
    self.init(peak: peak, average: average)
  }

  /// So many segments are looked at from each one: single pictures of a quarter of a second in one and a half segments
  /// of a minute are fewer. Only a playlist that is meant to cost time has more.
  private static let longestRun = 400

  /// The rates of a playlist whose target duration is given in seconds; rounded up.
  ///
  /// Costs a step for each segment and each start. Where more than ``longestRun`` segments last as long as the target
  /// duration, the peak is at most three times what it is, and never less.
  package init(_ segments: [MediaPlaylist.Segment], targetDuration: UInt64) {
    let (shortest, longest) = (targetDuration * 500_000, targetDuration * 1_500_000)
    let total = segments.reduce(into: Sum()) { $0.add($1) }
    var peak = Sum()
    for start in segments.indices {
      var run = Sum()
      let end = min(segments.count, start + Self.longestRun)
      for index in start..<end {
        run.add(segments[index])
        if run.microseconds > longest { break }
        if run.microseconds >= shortest, run.isMore(than: peak) { peak = run }
      }
      if end < segments.count, run.microseconds <= longest {
        self = Self(bounding: segments, total: total, shortest, longest)
        return
      }
    }
    average = total.bitsPerSecond
    self.peak = peak.byteCount > 0 ? peak.bitsPerSecond : total.bitsPerSecond  // Or shorter than half a segment.
  }

  /// The peak is bounded by the most bytes in any run that is not too long, had it lasted as short as it may.
  private init(bounding segments: [MediaPlaylist.Segment], total: Sum, _ shortest: UInt64, _ longest: UInt64) {
    var (first, run, most) = (0, Sum(), Sum())
    for segment in segments {
      run.add(segment)
      while run.microseconds > longest, first < segments.count {
        run.remove(segments[first])
        first += 1
      }
      most.byteCount = max(most.byteCount, run.byteCount)
    }
    most.microseconds = shortest
    average = total.bitsPerSecond
    peak = max(most.bitsPerSecond, average)
  }

  /// The rates of two playlists played together.
  package func adding(_ other: BitRates?) -> BitRates {
    guard let other else { return self }
    return BitRates(peak: peak + other.peak, average: average + other.average)
  }

  private struct Sum {
    var byteCount: UInt64 = 0
    var microseconds: UInt64 = 0

    mutating func add(_ segment: MediaPlaylist.Segment) {
      byteCount &+= segment.byteCount  // Of files that are there.
      microseconds &+= segment.microseconds  // Of some years at most.
    }

    /// Takes off a segment that was added.
    mutating func remove(_ segment: MediaPlaylist.Segment) {
      byteCount &-= segment.byteCount
      microseconds &-= segment.microseconds
    }

    /// Whether the rate is higher; that of no time is none.
    func isMore(than other: Sum) -> Bool {
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
