import MovieStreaming
import TestSupport
import Testing

struct BitRatesTests {
  private func segments(_ sizes: [(bytes: UInt64, microseconds: UInt64)]) -> [MediaPlaylist.Segment] {
    sizes.map { .init(fileRange: .init(path: "a"), byteCount: $0.bytes, microseconds: $0.microseconds) }
  }

  /// Returns the maximum over every run that RFC 8216 4.1 considers, by separate divisions.
  private func slowPeak(_ all: [(bytes: UInt64, microseconds: UInt64)], _ target: UInt64) -> UInt64? {
    var peak: UInt64?
    for start in all.indices {
      var (time, bytes) = (UInt64(0), UInt64(0))
      for segment in all[start...] {
        (time, bytes) = (time + segment.microseconds, bytes + segment.bytes)
        guard time >= target * 500_000, time <= target * 1_500_000 else { continue }
        peak = max(peak ?? 0, (bytes * 8_000_000 + time - 1) / time)
      }
    }
    return peak
  }

  @Test func computesThePeakOfTheDensestRun() {
    var chance = Chance(seed: 24)
    for _ in 0..<200 {
      let all = (0..<Int.random(in: 1...30, using: &chance)).map { _ in
        (
          bytes: UInt64.random(in: 0...5_000, using: &chance),
          microseconds: UInt64.random(in: 0...4_000_000, using: &chance)
        )
      }
      let rates = BitRates(segments(all), targetDuration: 4)
      if let peak = slowPeak(all, 4) { #expect(rates.peak == peak, "\(all)") }
    }
  }

  /// A hundred thousand segments that are shorter than allowed: the cost is not quadratic, and the result is an upper
  /// bound for every run.
  @Test(.timeLimit(.minutes(1))) func computesThePeakOfManyShortSegmentsQuickly() {
    let all = (0..<100_000).map { (bytes: UInt64($0 % 7 + 1), microseconds: UInt64(1)) }
    let rates = BitRates(segments(all), targetDuration: 100_000)
    #expect(rates.peak >= rates.average && rates.average > 0)
    let some = (0..<1_500).map { (bytes: UInt64($0 % 11), microseconds: UInt64(3_000)) }
    let bounded = BitRates(segments(some), targetDuration: 4)
    let peak = slowPeak(some, 4) ?? 0
    #expect(bounded.peak >= peak && bounded.peak <= 3 * peak)
  }
}
