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

  /// The rates of a playlist whose target duration is given in seconds; rounded up. Costs a step for each segment and
  /// each start.
  package init(_ segments: [MediaPlaylist.Segment], targetDuration: UInt64) {
    let (shortest, longest) = (targetDuration * 500_000, targetDuration * 1_500_000)
    var total = Sum()
    var peak: UInt64 = 0
    for start in segments.indices {
      total.add(segments[start])
      var run = Sum()
      for segment in segments[start...] {
        run.add(segment)
        if run.microseconds > longest { break }
        if run.microseconds >= shortest { peak = max(peak, run.bitsPerSecond) }
      }
    }
    average = total.bitsPerSecond
    self.peak = peak > 0 ? peak : total.bitsPerSecond  // A programme shorter than half a segment.
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
      microseconds &+= segment.microseconds
    }

    var bitsPerSecond: UInt64 {
      let bits = byteCount.multipliedFullWidth(by: 8_000_000)
      guard microseconds > bits.high else { return UInt64(UInt32.max) }
      let (quotient, rest) = microseconds.dividingFullWidth((bits.high, bits.low))
      return min(UInt64(UInt32.max), quotient) + (rest > 0 ? 1 : 0)
    }
  }
}
