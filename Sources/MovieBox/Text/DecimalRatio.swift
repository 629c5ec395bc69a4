import Subtitles

/// A positive decimal number or ratio, such as a frame rate or a factor: `25`, `23.976`, `1.001`.
public struct DecimalRatio: Hashable, Sendable {
  /// The number above the line.
  public let numerator: UInt64
  /// The number below the line; never 0.
  public let denominator: UInt64

  /// Reads a number with at most six digits on each side of the point, or fails if the text is no such number. The rates
  /// that are written rounded, such as 23.976, mean 24000/1001.
  public init?(_ text: String) {
    let halves = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let digits = halves.joined()
    guard (1...6).contains(halves[0].utf8.count), halves.count == 1 || (1...6).contains(halves[1].utf8.count),
      let number = UInt64(digits: digits), number > 0
    else { return nil }
    if let exact = Self.ntsc[text] {
      (numerator, denominator) = (exact * 1_000, 1_001)
      return
    }
    numerator = number
    denominator = (0..<(halves.count == 2 ? halves[1].utf8.count : 0)).reduce(1) { power, _ in power * 10 }
  }

  /// The number of frames that have numbers in a second of time code.
  package var framesPerSecond: UInt64 { (numerator + denominator - 1) / denominator }

  private static let ntsc: [String: UInt64] = [
    "23.976": 24, "23.98": 24, "29.97": 30, "47.952": 48, "47.95": 48, "59.94": 60, "119.88": 120,
  ]
}
