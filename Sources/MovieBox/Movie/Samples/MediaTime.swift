/// A time as a number of ticks of one scale, which another scale may be unable to express exactly.
package struct MediaTime: Hashable, Sendable {
  package let ticks: Int64
  /// How many ticks make a second; above 0.
  package let timeScale: UInt32

  /// The time 0.
  package static let zero = MediaTime(second: 0)

  private init(second: Int64) {
    ticks = second
    timeScale = 1
  }

  /// A time of these ticks, or `nil` if the time scale is 0.
  package init?(ticks: Int64, timeScale: UInt32) {
    guard timeScale > 0 else { return nil }
    self.ticks = ticks
    self.timeScale = timeScale
  }

  /// The time in ticks of another scale, to the nearest, halves up. A time beyond 64 bits stays at the largest.
  package func ticks(of timeScale: UInt32) -> Int64 {
    let scale = Int128(self.timeScale)
    let doubled = 2 * Int128(ticks) * Int128(timeScale) + scale  // At most 2⁹⁷.
    let (quotient, remainder) = doubled.quotientAndRemainder(dividingBy: 2 * scale)
    return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
  }

  /// Whether the time comes before another one, whatever their scales.
  package func isBefore(_ other: MediaTime) -> Bool {
    Int128(ticks) * Int128(other.timeScale) < Int128(other.ticks) * Int128(timeScale)
  }

  /// Whether less than so many seconds lie between the times.
  package func isWithin(seconds: Int64, of other: MediaTime) -> Bool {
    let distance = Int128(ticks) * Int128(other.timeScale) - Int128(other.ticks) * Int128(timeScale)
    return distance.magnitude < (Int128(seconds) * Int128(timeScale) * Int128(other.timeScale)).magnitude
  }

  /// Whether recordings that start at these times share a clock: segments of one stream begin at most ten seconds apart.
  package func sharesClock(with other: MediaTime) -> Bool { isWithin(seconds: 10, of: other) }

  /// The time as people read it: `4:43:58.000`.
  package var text: String {
    ticks < 0
      ? "-" + Quantity.time(ticks.magnitude, timeScale: timeScale) : Quantity.time(UInt64(ticks), timeScale: timeScale)
  }

  /// The note on a recording whose clock starts at this time, which is subtracted from all others.
  package var subtractionNote: String {
    "the recording's clock starts at \(text), which is subtracted from all times; --keep-start keeps its clock"
  }

  /// The time in milliseconds, to the nearest.
  package var milliseconds: Int64 { ticks(of: 1_000) }
}
