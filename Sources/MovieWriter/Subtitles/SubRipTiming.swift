/// A timing line of SubRip: `00:00:01,000 --> 00:00:02,500 X1:40`.
struct SubRipTiming {
  /// The two times, in milliseconds.
  private(set) var start: Int64 = 0
  private(set) var end: Int64 = 0
  /// Whether `!!!` stands after the times.
  private(set) var isForced = false
  /// What else stands after the times.
  private(set) var settings: Range<Int>?
  /// Whether a time could be understood otherwise or is not kept whole: one or two digits of fraction (others read
  /// `,5` as 5 ms), digits beyond milliseconds, 60 or more minutes or seconds.
  private(set) var isUnusual = false

  /// Whether a line that is no timing line is meant as one: a time, something like an arrow, a digit.
  ///
  /// With an arrow other than `-->`, the first time must have its hours, so that prose is not taken for one.
  static func isMeant(_ text: [UInt8], _ line: Range<Int>) -> Bool {
    var index = line.lowerBound
    while index < line.upperBound, Ascii.isBlank(text[index]) { index += 1 }
    if index < line.upperBound, text[index] == UInt8(ascii: "-") { index += 1 }
    guard index < line.upperBound, Ascii.isDigit(text[index]) else { return false }
    var colons = 0
    while index < line.upperBound {
      let byte = text[index]
      if byte == UInt8(ascii: "-") || byte >= 0x80 {
        let rest = text[index..<line.upperBound]
        if rest.starts(with: "-->".utf8) { return colons > 0 }
        guard ["->", "–>", "—>", "→"].contains(where: { rest.starts(with: $0.utf8) }) else { return false }
        return colons > 1 && rest.contains(where: Ascii.isDigit)
      }
      if byte == UInt8(ascii: ":") { colons += 1 }
      let isTime = Ascii.isDigit(byte) || Ascii.isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ".")
      guard isTime || byte == UInt8(ascii: ":") else { return false }
      index += 1
    }
    return false
  }

  /// Parses a line; fails when it is no timing line.
  init?(_ text: [UInt8], _ line: Range<Int>) {
    var scanner = Scanner(text: text, position: line.lowerBound, end: line.upperBound)
    scanner.skipBlanks()
    guard let start = scanner.time() else { return nil }
    scanner.skipBlanks()
    guard scanner.skip("-"), scanner.skip("-"), scanner.skip(">") else { return nil }
    scanner.skipBlanks()
    guard let end = scanner.time() else { return nil }
    self.start = start
    self.end = end
    isUnusual = scanner.isUnusual
    scanner.skipBlanks()
    readSettings(text, scanner.position..<line.upperBound)
  }

  /// Takes `!!!` out of what follows the times; the rest is left for a notice.
  private mutating func readSettings(_ text: [UInt8], _ range: Range<Int>) {
    let words = text[range].split(whereSeparator: Ascii.isBlank)
    let others = words.filter { !$0.elementsEqual("!!!".utf8) }
    isForced = others.count < words.count
    if let first = others.first, let last = others.last { settings = first.startIndex..<last.endIndex }
  }
}

private struct Scanner {
  let text: [UInt8]
  var position: Int
  let end: Int
  var isUnusual = false

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < end, text[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func skipBlanks() {
    while position < end, Ascii.isBlank(text[position]) { position += 1 }
  }

  /// `[-]H:M:S` or `M:S`, then perhaps `,` `.` or `:` and a decimal fraction.
  mutating func time() -> Int64? {
    let isNegative = skip("-")
    guard let first = number(), skip(":"), let second = number() else { return nil }
    var seconds = first * 60 + second
    isUnusual = isUnusual || second >= 60
    if position < end, text[position] == UInt8(ascii: ":") {
      position += 1
      guard let third = number() else { return nil }
      seconds = seconds * 60 + third
      isUnusual = isUnusual || third >= 60
    }
    // Nine digits at most in each part: far below what 64 bits hold.
    let milliseconds = seconds * 1_000 + fraction()
    return isNegative ? -milliseconds : milliseconds
  }

  /// A whole number of at most nine digits, leading zeros aside.
  private mutating func number() -> Int64? {
    let start = position
    var value: Int64 = 0
    while position < end, Ascii.isDigit(text[position]) {
      value = value * 10 + Int64(text[position] - 0x30)
      guard value < 1_000_000_000 else { return nil }
      position += 1
    }
    return position > start ? value : nil
  }

  /// The milliseconds of a decimal fraction, rounded down: `,5` is 500, `,0019` is 1.
  private mutating func fraction() -> Int64 {
    guard skip(",") || skip(".") || skip(":") else { return 0 }
    var value: Int64 = 0
    var digits = 0
    while position < end, Ascii.isDigit(text[position]) {
      if digits < 3 {
        value = value * 10 + Int64(text[position] - 0x30)
      } else if text[position] != 0x30 {
        isUnusual = true
      }
      digits += 1
      position += 1
    }
    isUnusual = isUnusual || digits < 3
    for _ in min(digits, 3)..<3 { value *= 10 }
    return value
  }
}
