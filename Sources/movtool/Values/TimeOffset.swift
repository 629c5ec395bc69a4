import Subtitles

/// A time by which cues are moved, in milliseconds.
struct TimeOffset: Hashable, Sendable {
  /// Milliseconds; negative for earlier. Below 1000 hours either way.
  let milliseconds: Int64

  private init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Reads seconds (`1.5`, `-0.25`) or `[-][HH:]MM:SS[.mmm]`; a comma may stand for the point, as in SubRip.
  ///
  /// Fails on more than three decimals, on minutes and seconds above 59 where a larger unit stands before them, and
  /// from 1000 hours on.
  init?(_ text: String) {
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest.removeFirst() }
    let halves = rest.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    let units = halves[0].split(separator: ":", omittingEmptySubsequences: false)
    guard units.count <= 3 else { return nil }
    var seconds: Int64 = 0
    for (index, unit) in units.enumerated() {
      guard let number = Self.digits(unit, atMost: 7), index == 0 || number < 60 else { return nil }
      seconds = seconds * 60 + number  // Below 10^7 · 3600 + 3600.
    }
    var milliseconds: Int64 = 0
    if halves.count == 2 {
      guard let fraction = Self.digits(halves[1], atMost: 3) else { return nil }
      milliseconds = fraction * [0, 100, 10, 1][halves[1].utf8.count]
    }
    let total = seconds * 1000 + milliseconds
    guard total < 1000 * 3_600_000 else { return nil }
    self.init(milliseconds: isNegative ? -total : total)
  }

  /// The number that one to `count` digits spell.
  private static func digits(_ text: Substring, atMost count: Int) -> Int64? {
    text.utf8.count <= count ? Int64(digits: text) : nil
  }
}
