/// Scans the times of a SubRip timing line and the characters around the times.
///
/// Files deviate from `00:00:01,000 --> 00:00:02,500` in many ways: they contain additional blanks, brackets, units or
/// look-alike letters. The scanner accepts and records these deviations. ``SubRipTiming`` then determines whether the
/// line is a timing line.
struct SubRipTimeScanner {
  /// The separator between two times.
  enum Arrow {
    /// The separator `-->`.
    case usual
    /// A separator other than `-->`.
    case other
  }

  let text: [UInt8]
  var position: Int
  let end: Int
  var isUnusual = false
  /// Whether letters that resemble digits were read as digits.
  private(set) var hasLetters = false
  /// Whether the fraction of a time may be a frame number.
  private(set) var mayHaveFrames = false
  /// Whether a minute or second is 60 or more.
  private(set) var hasFieldAboveLimit = false
  /// Whether punctuation marks surround a time (`[00:01,5]`), or a time contains units (`1m5s`).
  private(set) var hasSigns = false
  /// The signs that close the brackets before the first time.
  private var closingSigns: [UInt8] = []

  init(text: [UInt8], position: Int, end: Int) {
    self.text = text
    self.position = position
    self.end = end
  }

  /// Variants of the arrow in files from translators and word processors.
  static let otherArrows = ["--->", "-- >", "->", "–>", "—>", "→", "=>"]

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < end, text[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func skipBlanks() {
    while position < end, Ascii.isBlank(text[position]) { position += 1 }
  }

  /// Skips the cue's number on the timing line, as in `3 00:00:05,000` or `3: 00:00:05,000`.
  mutating func skipCueNumber() {
    var cursor = position
    while cursor < end, Ascii.isDigit(text[cursor]), cursor - position < 7 { cursor += 1 }
    guard cursor > position, cursor < end else { return }
    if text[cursor] == UInt8(ascii: ":") || text[cursor] == UInt8(ascii: ".") || text[cursor] == UInt8(ascii: ")") {
      cursor += 1
    }
    let blanks = cursor
    while cursor < end, Ascii.isBlank(text[cursor]) { cursor += 1 }
    // If blanks surround the colons of a time, the number may belong to the time. The number is the cue's number only
    // if a complete time follows it.
    guard cursor > blanks, cursor < end, Ascii.isDigit(text[cursor]) else { return }
    let rest = text[cursor..<end]
    let time = rest.prefix { !Ascii.isBlank($0) && $0 != UInt8(ascii: "-") }
    guard time.count(where: { $0 == UInt8(ascii: ":") }) == 2 else { return }
    position = cursor
    isUnusual = true
  }

  mutating func skipArrow() -> Arrow? {
    let hyphen = UInt8(ascii: "-")
    if end - position >= 3, text[position] == hyphen, text[position + 1] == hyphen,
      text[position + 2] == UInt8(ascii: ">")
    {
      position += 3
      while skip(">") { isUnusual = true }
      return .usual
    }
    let rest = text[position..<end]
    guard let other = Self.otherArrows.first(where: { rest.starts(with: $0.utf8) }) else { return nil }
    position += other.utf8.count
    while skip(">") {}
    isUnusual = true
    return .other
  }

  /// Skips any separator other than an arrow, such as `==>`, `>>`, `bis` or a tab, up to the next digit. A comma is not
  /// skipped, because it separates the times of SubViewer.
  mutating func skipOtherSeparator() -> Arrow? {
    guard let digit = text[position..<end].prefix(12).firstIndex(where: Ascii.isDigit),
      text[position] != UInt8(ascii: ",")
    else { return nil }
    position = digit
    isUnusual = true
    return .other
  }
}

// MARK: - Signs

extension SubRipTimeScanner {
  /// Returns the length of the sign at `cursor`, or 0 if this sign cannot be next to a time.
  private func signLength(at cursor: Int) -> Int {
    if ",:;'\"".utf8.contains(text[cursor]) { return 1 }
    let rest = text[cursor..<end]
    return ["“", "”", "‘", "’", "«", "»"].first { rest.starts(with: $0.utf8) }?.utf8.count ?? 0
  }

  /// Returns the sign that closes an opening sign, or `nil` if `sign` is not an opening sign.
  private static func closingSign(of sign: UInt8) -> UInt8? {
    switch sign {
    case UInt8(ascii: "["): UInt8(ascii: "]")
    case UInt8(ascii: "("): UInt8(ascii: ")")
    case UInt8(ascii: "<"): UInt8(ascii: ">")
    default: nil
    }
  }

  /// Skips signs and blanks before a time, such as `[`, `"` or `<`.
  mutating func skipSignsBeforeTime() {
    var cursor = position
    var opened: [UInt8] = []
    while cursor < end {
      if let closer = Self.closingSign(of: text[cursor]) {
        opened.append(closer)
        cursor += 1
      } else if Ascii.isBlank(text[cursor]) {
        cursor += 1
      } else {
        let length = signLength(at: cursor)
        guard length > 0 else { break }
        cursor += length
      }
      guard cursor - position <= 8 else { return }
    }
    guard cursor > position, cursor < end, Ascii.isDigit(text[cursor]) || text[cursor] == UInt8(ascii: "-") else {
      return
    }
    guard text[position..<cursor].contains(where: { !Ascii.isBlank($0) }) else { return }
    position = cursor
    closingSigns += opened
    (hasSigns, isUnusual) = (true, true)
  }

  /// Skips signs after a time, such as `"`, `:` or `s`, if a blank, a hyphen or the end of the line follows. Also skips
  /// the signs that close brackets before the first time.
  mutating func skipSignsAfterTime() {
    var cursor = position
    if cursor < end, text[cursor] | 0x20 == UInt8(ascii: "s") { cursor += 1 }
    while cursor < end {
      let length = signLength(at: cursor)
      guard length > 0 || closingSigns.contains(text[cursor]) else { break }
      cursor += max(1, length)
    }
    if cursor > position, cursor == end || Ascii.isBlank(text[cursor]) || text[cursor] == UInt8(ascii: "-") {
      position = cursor
      (hasSigns, isUnusual) = (true, true)
    }
    skipClosers()
  }

  /// Skips the signs that close brackets before the first time. Any text may follow them, as in `[00:01.000 -->
  /// 00:02.000]Hello`.
  private mutating func skipClosers() {
    var cursor = position
    while cursor < end {
      if let index = closingSigns.lastIndex(of: text[cursor]) {
        closingSigns.remove(at: index)
        cursor += 1
        position = cursor
      } else if Ascii.isBlank(text[cursor]) {
        cursor += 1
      } else {
        return
      }
    }
  }
}

// MARK: - Times

extension SubRipTimeScanner {
  /// Reads a time `[-]H:M:S` or `M:S`. `,`, `.` or `:` and a decimal fraction may follow it. Semicolons may replace all
  /// these signs, and units may replace the colons, as in `1h2m3s500`.
  mutating func readTime() -> SubRipTime? {
    var time = SubRipTime()
    time.isNegative = skip("-")
    guard let first = readNumber() else { return nil }
    let hasHourUnit = skipUnit("h")
    guard hasHourUnit || skipUnit("m") || skipSeparator(":"), let second = readNumber() else { return nil }
    hasFieldAboveLimit = hasFieldAboveLimit || second.value >= 60
    time.seconds = first.value * 60 + second.value
    time.hasHours = hasHourUnit
    isUnusual = isUnusual || second.value >= 60 || second.digitCount > 2
    if skipUnit("m") || skipSeparator(":") {
      guard let third = readNumber() else { return nil }
      hasFieldAboveLimit = hasFieldAboveLimit || third.value >= 60
      time.seconds = time.seconds * 60 + third.value
      isUnusual = isUnusual || third.value >= 60 || third.digitCount > 2
      time.hasHours = true
    } else if hasHourUnit {
      guard skip("m") else { return nil }
      time.seconds *= 60
    }
    readFraction(of: &time)
    return time
  }

  /// Skips a unit between two numbers, and any blanks after it. After the unit of seconds, blanks are not skipped.
  private mutating func skipUnit(_ unit: Unicode.Scalar) -> Bool {
    guard position < end, text[position] | 0x20 == UInt8(ascii: unit) else { return false }
    var cursor = position + 1
    while unit != "s", cursor < end, Ascii.isBlank(text[cursor]) { cursor += 1 }
    guard cursor < end, Ascii.isDigit(text[cursor]) else { return false }
    position = cursor
    (hasSigns, isUnusual) = (true, true)
    return true
  }

  /// Skips a separator and the blanks around it. Translation programs insert such blanks. Skips nothing if there is no
  /// separator, or if no number follows it.
  private mutating func skipSeparator(_ character: Unicode.Scalar) -> Bool {
    let start = position
    let wasUnusual = isUnusual
    skipBlanks()
    if skip(";") {
      isUnusual = true
    } else if !skip(character) {
      position = start
      return false
    }
    skipBlanks()
    isUnusual = isUnusual || position - start > 1
    // A comma at the end of a time begins an empty fraction, as in `00:00:01,`. A colon at the end is not a separator.
    if character == ":", position == end || !isDigitOrLookalike(text[position]) {
      (position, isUnusual) = (start, wasUnusual)
      return false
    }
    return true
  }

  private func isDigitOrLookalike(_ byte: UInt8) -> Bool { Ascii.isDigit(byte) || Self.lookalike(byte) != nil }

  /// Reads a number of at most nine digits. Leading zeros are not counted.
  private mutating func readNumber() -> (value: Int64, digitCount: Int)? {
    let start = position
    var value: Int64 = 0
    while let digit = nextDigit() {
      value = value * 10 + digit
      guard value < 1_000_000_000 else { return nil }
      position += 1
    }
    return position > start ? (value, position - start) : nil
  }

  /// Returns the next digit, or a letter that text recognition confuses with a digit: O with 0, or l with 1.
  private mutating func nextDigit() -> Int64? {
    guard position < end else { return nil }
    if Ascii.isDigit(text[position]) { return Int64(text[position] - 0x30) }
    guard let value = Self.lookalike(text[position]) else { return nil }
    // A letter that resembles a digit is not read as a digit if a word begins with it.
    if position + 1 < end, Self.lookalike(text[position + 1]) == nil {
      guard !Ascii.isLetter(text[position + 1]), text[position + 1] < 0x80 else { return nil }
    }
    (hasLetters, isUnusual) = (true, true)
    return value
  }

  private static func lookalike(_ byte: UInt8) -> Int64? {
    switch byte {
    case UInt8(ascii: "O"), UInt8(ascii: "o"): 0
    case UInt8(ascii: "l"), UInt8(ascii: "I"): 1
    default: nil
    }
  }

  private mutating func readFraction(of time: inout SubRipTime) {
    let hasMark = skipUnit("s") || skipSeparator(",") || skipSeparator(".")
    guard hasMark || skipSeparator(":") else { return }
    var digits = 0
    while let digit = nextDigit(), digits < 3 || Ascii.isDigit(text[position]) {
      if digits < 3 {
        time.fraction = time.fraction * 10 + digit
      } else if digit != 0 {
        (time.hasFinerDigits, isUnusual) = (true, true)
      }
      digits += 1
      position += 1
    }
    time.fractionDigitCount = digits
    isUnusual = isUnusual || digits < 3 || time.hasThousandMilliseconds
    if !hasMark, digits == 2, time.hasHours { mayHaveFrames = true }
  }
}
