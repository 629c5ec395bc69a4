import Subtitles

/// Times as files of chapters write them, in milliseconds.
enum ChapterTime {
  /// No time is later: a hundred years.
  private static let latest = Int64(SubtitleLimits().movieMilliseconds)

  /// `[[H]H:]MM:SS[.fraction]`, rounded to the nearest millisecond; `nil` for other texts.
  static func milliseconds(_ text: some StringProtocol) -> Int64? {
    let halves = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    let units = halves[0].split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(units.count) else { return nil }
    var seconds: Int64 = 0
    for (index, unit) in units.enumerated() {
      guard (1...(index == 0 ? 6 : 2)).contains(unit.utf8.count), unit.utf8.allSatisfy(Ascii.isDigit),
        let number = Int64(unit), index == 0 || number < 60
      else { return nil }
      seconds = seconds * 60 + number  // Below 10⁶ · 3600 + 3600.
    }
    guard let fraction = halves.count == 2 ? fraction(halves[1]) : 0 else { return nil }
    return seconds * 1_000 + fraction
  }

  /// A number of seconds, as JSON writes it: `12`, `-0.5`, `1.2e3`. `nil` for what is no time.
  static func milliseconds(ofSeconds text: String) -> Int64? {
    if text.contains(where: { $0 == "e" || $0 == "E" }) {
      guard let seconds = Double(text), seconds.isFinite, seconds.magnitude < 1e10 else { return nil }
      return Int64((seconds * 1_000).rounded())
    }
    let isNegative = text.hasPrefix("-")
    let halves = text.dropFirst(isNegative ? 1 : 0).split(
      separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = halves.first.flatMap({ Int64($0) }), (0...latest / 1_000).contains(whole),
      let fraction = halves.count == 2 ? fraction(halves[1]) : 0
    else { return nil }
    return isNegative ? -(whole * 1_000 + fraction) : whole * 1_000 + fraction
  }

  /// Digits after the point, as milliseconds to the nearest.
  private static func fraction(_ digits: some StringProtocol) -> Int64? {
    guard digits.utf8.allSatisfy(Ascii.isDigit), !digits.isEmpty else { return nil }
    let four =
      Array(digits.utf8.prefix(4)) + repeatElement(UInt8(ascii: "0"), count: Swift.max(0, 4 - digits.utf8.count))
    let value = four.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    return (value + 5) / 10
  }

  /// So many ticks, of which each lasts `numerator` ÷ `denominator` seconds, to the nearest millisecond.
  static func milliseconds(ticks: Int64, _ numerator: UInt64, over denominator: UInt64) -> Int64? {
    let scale = numerator.multipliedReportingOverflow(by: 1_000)
    guard !scale.overflow, let value = ticks.magnitude.scaledToNearest(by: scale.partialValue, over: denominator),
      let milliseconds = Int64(exactly: value), milliseconds <= latest
    else { return nil }
    return ticks < 0 ? -milliseconds : milliseconds
  }

  /// `HH:MM:SS.mmm`.
  static func text(_ milliseconds: Int64) -> String { timeText(milliseconds: Swift.max(0, milliseconds)) }

  /// A number of seconds with as many decimals as it needs: `12`, `12.5`.
  static func seconds(_ milliseconds: Int64) -> String {
    let value = Swift.max(0, milliseconds)
    guard value % 1_000 != 0 else { return String(value / 1_000) }
    var text = String(value % 1_000 + 1_000).dropFirst()
    while text.last == "0" { text.removeLast() }
    return "\(value / 1_000).\(text)"
  }
}
