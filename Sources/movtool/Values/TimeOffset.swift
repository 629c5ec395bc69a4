import Subtitles

/// A time by which cues are moved, in milliseconds.
struct TimeOffset: Hashable, Sendable {
  /// Milliseconds; negative for earlier.
  let milliseconds: Int64

  private init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Reads seconds (`1.5`, `-0.25`) or `[-][HH:]MM:SS[.mmm]`; a comma may stand for the point, as in SubRip.
  ///
  /// Fails on more than three decimals, on minutes and seconds above 59 where a larger unit stands before them, and
  /// from so many hours on.
  init?(_ text: String, belowHours limit: Int64 = 1_000) {
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest.removeFirst() }
    let halves = rest.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    let units = halves[0].split(separator: ":", omittingEmptySubsequences: false)
    guard units.count <= 3 else { return nil }
    var seconds: Int64 = 0
    for (index, unit) in units.enumerated() {
      guard let number = Self.digits(unit, atMost: 10), index == 0 || number < 60 else { return nil }
      seconds = seconds * 60 + number  // Below 10^10 · 3600 + 3600.
    }
    var milliseconds: Int64 = 0
    if halves.count == 2 {
      guard let fraction = Self.digits(halves[1], atMost: 3) else { return nil }
      milliseconds = fraction * [0, 100, 10, 1][halves[1].utf8.count]
    }
    let total = seconds * 1000 + milliseconds
    guard total / 3_600_000 < limit else { return nil }
    self.init(milliseconds: isNegative ? -total : total)
  }

  /// The most hours by which cues are moved: the longest movie that gets subtitles.
  static let longestOffsetInHours = Int64(SubtitleLimits().movieMilliseconds / 3_600_000)

  /// Reads a time of a movie, which may be on a clock since 1970.
  init(offset text: String) throws(UsageError) {
    if let offset = TimeOffset(text, belowHours: Self.longestOffsetInHours) {
      self = offset
    } else if TimeOffset(text, belowHours: .max) != nil {
      throw UsageError(
        .invalidValue, "--offset \(text): too large; the limit is \(Self.longestOffsetInHours) hours, a hundred years")
    } else {
      throw UsageError(.invalidValue, "--offset \(text): not a time such as 1.5, -0.25 or 00:01:02.500")
    }
  }

  /// The number that one to `count` digits spell.
  private static func digits(_ text: Substring, atMost count: Int) -> Int64? {
    text.utf8.count <= count ? Int64(digits: text) : nil
  }
}
