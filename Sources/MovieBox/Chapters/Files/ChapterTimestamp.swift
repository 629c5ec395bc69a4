import Subtitles

/// A time in a line of text that a person or program wrote, such as `1:05`, `01:01:05.500`, `1h01m05s` or
/// `01:01:05:12`.
///
/// Digits of other scripts and full-width colons are recognized, because Japanese and Arabic lists use them.
struct ChapterTimestamp: Equatable {
  /// The frame number at the end of a timecode.
  struct Frames: Equatable {
    let count: Int64
    /// The declared frame rate (GPAC's `12/25`) in frames per thousand seconds, or `nil` if the timecode does not
    /// declare one.
    let perThousandSeconds: Int64?
    /// Whether the timecode skips frame numbers. In this case, a semicolon precedes the frame number, and the rate is
    /// 29.97 frames per second.
    let isDropFrame: Bool
  }

  /// The time in milliseconds, without frames.
  var milliseconds: Int64
  /// Whether the time has the format `HH:MM:SS.mmm`. Programs write this format.
  let hasFullFormat: Bool
  /// The frame number after the seconds, or `nil` if the time has none.
  let frames: Frames?
  /// The position of the time in the line.
  let range: Range<Int>

  /// Parses the time that begins at a position, or returns `nil` if no time begins there.
  init?(_ text: [Unicode.Scalar], at start: Int) {
    let isInside = start > 1 && text[start - 1].isColon && text[start - 2].decimalDigit != nil
    guard !isInside else { return nil }
    if let time = Self.colonSeparatedTime(text, start) ?? Self.timeWithUnits(text, start) {
      self = time
    } else {
      return nil
    }
  }

  /// Parses the time that ends at a position, or returns `nil` if no time ends there.
  init?(_ text: [Unicode.Scalar], endingAt end: Int) {
    var start = end
    while start > 0, end - start < 20, text[start - 1].canOccurInTime { start -= 1 }
    if start > 0, text[start - 1].isWord, text[start - 1].isASCII { return nil }
    for position in start..<end where text[position].decimalDigit != nil {
      guard position == 0 || text[position - 1].decimalDigit == nil else { continue }
      guard let time = Self(text, at: position), time.range.upperBound == end else { continue }
      self = time
      return
    }
    return nil
  }

  static func all(in text: [Unicode.Scalar]) -> [ChapterTimestamp] {
    var times: [ChapterTimestamp] = []
    var position = 0
    while position < text.count {
      guard text[position].decimalDigit != nil else {
        position += 1
        continue
      }
      let followsWord = position > 0 && text[position - 1].isASCII && text[position - 1].isWord
      if !followsWord, let time = ChapterTimestamp(text, at: position) {
        times.append(time)
        position = time.range.upperBound
      } else {
        while position < text.count, text[position].decimalDigit != nil { position += 1 }
      }
    }
    return times
  }

  private init(_ milliseconds: Int64, hasFullFormat: Bool = false, frames: Frames? = nil, _ range: Range<Int>) {
    (self.milliseconds, self.hasFullFormat, self.frames, self.range) = (milliseconds, hasFullFormat, frames, range)
  }

  // MARK: - Reading

  /// Parses a number of at most `maximumDigitCount` digits.
  private static func number(
    _ text: [Unicode.Scalar], _ start: Int, atMost maximumDigitCount: Int
  ) -> (value: Int64, end: Int)? {
    var (value, position): (Int64, Int) = (0, start)
    while position < text.count, let digit = text[position].decimalDigit {
      guard position - start < maximumDigitCount else { return nil }
      value = value * 10 + digit
      position += 1
    }
    return position > start ? (value, position) : nil
  }

  /// Whether a time can end at a position. It cannot if a letter or digit follows.
  private static func canTimeEnd(_ text: [Unicode.Scalar], _ position: Int) -> Bool {
    guard position < text.count else { return true }
    let next = text[position]
    if next.decimalDigit != nil { return false }
    if next.isASCII, next.isWord { return false }
    let followsDigit = position + 1 < text.count && text[position + 1].decimalDigit != nil
    return !(followsDigit && (next.isColon || next == "." || next == ","))
  }

  /// Parses `[[H]H:]MM:SS[.fraction]` or `HH:MM:SS:FF`.
  private static func colonSeparatedTime(_ text: [Unicode.Scalar], _ start: Int) -> ChapterTimestamp? {
    guard let first = number(text, start, atMost: 6) else { return nil }
    var (units, position) = ([first.value], first.end)
    var secondsStart = start
    while units.count < 3, position < text.count, text[position].isColon,
      let next = number(text, position + 1, atMost: 2)
    {
      guard next.value < 60 else { return nil }
      units.append(next.value)
      secondsStart = position + 1
      position = next.end
    }
    guard units.count >= 2 else { return nil }
    var milliseconds = units.reduce(Int64(0)) { $0 * 60 + $1 } * 1_000  // At most 10⁶ · 3600 + 3600 seconds.
    let hasTwoDigits = position - secondsStart == 2
    var (hasFullFormat, frames): (Bool, Frames?) = (false, nil)
    if position + 1 < text.count, text[position + 1].decimalDigit != nil {
      if text[position] == "." || text[position] == "," || text[position] == "．" {
        guard let fraction = number(text, position + 1, atMost: 12) else { return nil }
        hasFullFormat = text[position] == "." && units.count == 3 && fraction.end - position == 4 && hasTwoDigits
        milliseconds += Self.milliseconds(fraction.value, digitCount: fraction.end - position - 1)
        position = fraction.end
      } else if units.count == 3, text[position].isColon || text[position] == ";" {
        guard let last = number(text, position + 1, atMost: 3) else { return nil }
        if last.end - position == 4 {
          milliseconds += last.value
          position = last.end
        } else {
          let isDropFrame = text[position] == ";"
          var rate: Int64?
          position = last.end
          if position < text.count, text[position] == "/", let declared = Self.rate(text, position + 1) {
            (rate, position) = (declared.value, declared.end)
          }
          frames = Frames(count: last.value, perThousandSeconds: rate, isDropFrame: isDropFrame)
        }
      }
    }
    guard canTimeEnd(text, position) else { return nil }
    return ChapterTimestamp(milliseconds, hasFullFormat: hasFullFormat, frames: frames, start..<position)
  }

  private static func milliseconds(_ fraction: Int64, digitCount: Int) -> Int64 {
    var (value, scale): (Int64, Int64) = (fraction, 1)
    for _ in 0..<digitCount { scale *= 10 }  // There are at most twelve digits.
    value = value * 1_000 + scale / 2
    return value / scale
  }

  /// Parses a rate such as `25` or `29.97` into frames per thousand seconds.
  private static func rate(_ text: [Unicode.Scalar], _ start: Int) -> (value: Int64, end: Int)? {
    guard let whole = number(text, start, atMost: 3), whole.value > 0 else { return nil }
    guard whole.end < text.count, text[whole.end] == ".", let rest = number(text, whole.end + 1, atMost: 6) else {
      return (whole.value * 1_000, whole.end)
    }
    return (whole.value * 1_000 + milliseconds(rest.value, digitCount: rest.end - whole.end - 1), rest.end)
  }

  /// Parses units such as `1h01m05s` or `5m 30s`. At least two units are required.
  private static func timeWithUnits(_ text: [Unicode.Scalar], _ start: Int) -> ChapterTimestamp? {
    let units: [(letter: Unicode.Scalar, seconds: Int64)] = [("h", 3600), ("m", 60), ("s", 1)]
    var (seconds, position, end, count, next): (Int64, Int, Int, Int, Int) = (0, start, start, 0, 0)
    while next < units.count, let number = number(text, position, atMost: 3), number.end < text.count {
      let letter = text[number.end]
      guard
        let unit = units[next...].firstIndex(where: { $0.letter == letter || $0.letter.isLowercaseForm(of: letter) })
      else { break }
      seconds += number.value * units[unit].seconds
      (end, next, count) = (number.end + 1, unit + 1, count + 1)
      position = end
      if position < text.count, text[position] == " " { position += 1 }
    }
    guard count >= 2, canTimeEnd(text, end) else { return nil }
    return ChapterTimestamp(seconds * 1_000, start..<end)
  }
}

extension Unicode.Scalar {
  /// The value of a decimal digit in any script, or `nil` for other characters.
  var decimalDigit: Int64? {
    if isASCII { return value &- 0x30 < 10 ? Int64(value &- 0x30) : nil }
    guard properties.numericType == .decimal, let value = properties.numericValue else { return nil }
    return Int64(value)
  }

  /// Whether the character is a letter.
  var isWord: Bool { isASCII ? (value | 0x20) &- 0x61 < 26 : properties.isAlphabetic }

  /// Whether the character is a colon, including the full-width colon and the ratio sign.
  var isColon: Bool { self == ":" || self == "：" || self == "∶" }

  fileprivate var canOccurInTime: Bool {
    decimalDigit != nil || isColon || self == "." || self == "," || self == ";" || self == "．"
  }

  /// Whether this ASCII letter is the lowercase form of `other`.
  fileprivate func isLowercaseForm(of other: Unicode.Scalar) -> Bool {
    other.isASCII && other.isWord && other.value | 0x20 == value
  }

  /// Whether the character is invisible: a blank, a directional mark or a variation selector.
  var isInvisible: Bool {
    if isASCII { return value <= 0x20 || value == 0x7F }
    return properties.isWhitespace || properties.generalCategory == .format || (0xFE00...0xFE0F).contains(value)
  }

  /// Whether the character is a sign, bracket or emoji that may precede a time but does not belong to a title.
  var isOrnament: Bool {
    if isASCII { return !isWord && decimalDigit == nil }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber:
      return false
    default: return true
    }
  }
}
