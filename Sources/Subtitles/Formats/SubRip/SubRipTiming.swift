/// A timing line of SubRip, such as `00:00:01,000 --> 00:00:02,500 X1:40`.
///
/// Malformed timing lines are detected as well. If such a line were read as text, two cues would be merged. Sentences
/// may contain times and arrows too, and must not be read as timing lines.
struct SubRipTiming {
  /// The start as written.
  private(set) var startTime = SubRipTime()
  /// The end as written.
  private(set) var endTime = SubRipTime()
  /// Whether `!!!` follows the times.
  private(set) var isForced = false
  /// The settings after the times, such as `X1:40` or `align:start`.
  private(set) var settings: Range<Int>?
  /// The largest vertical coordinate in the settings.
  private(set) var lowestY: Int?
  /// The text after the times on the line. It belongs to the cue.
  private(set) var text: Range<Int>?
  /// Whether the line deviates from the standard format. A notice must report its interpretation, because other readers
  /// interpret it differently. For example, they read `,5` as 5 ms.
  ///
  /// The deviations are fractions without three digits, 60 or more minutes or seconds, blanks inside times, other
  /// arrows, semicolons, look-alike letters, signs and units.
  private(set) var isUnusual = false
  /// Whether two digits follow a third colon. They may be a frame number, but are read as a fraction.
  private(set) var mayHaveFrames = false
  /// Whether `-->` separates the times.
  private(set) var hasUsualArrow = false
  /// Whether a minute or second is 60 or more.
  private(set) var hasFieldAboveLimit = false
  /// The bytes after the times.
  private(set) var rest: Range<Int>

  /// Parses a line, or returns `nil` if it is not a timing line.
  init?(_ text: [UInt8], _ line: Range<Int>) {
    rest = line.upperBound..<line.upperBound
    var scanner = SubRipTimeScanner(text: text, position: line.lowerBound, end: line.upperBound)
    scanner.skipBlanks()
    scanner.skipCueNumber()
    scanner.skipSignsBeforeTime()
    guard let start = scanner.readTime() else { return nil }
    scanner.skipSignsAfterTime()
    scanner.skipBlanks()
    guard let arrow = scanner.skipArrow() ?? scanner.skipOtherSeparator() else { return nil }
    scanner.skipBlanks()
    scanner.skipSignsBeforeTime()
    guard let end = scanner.readTime() else { return nil }
    scanner.skipSignsAfterTime()
    let areWhole = start.hasHours && end.hasHours && start.fractionDigitCount > 0 && end.fractionDigitCount > 0
    // Letters are read as digits only if the line contains `-->` between two times with hours and fractions.
    guard !scanner.hasLetters || arrow == .usual && areWhole else { return nil }
    if scanner.hasSigns {
      // In a sentence, signs may surround times too, as in `"10:30 --> 11:30"`. So both times must have fractions or
      // hours.
      let haveFractions = start.fractionDigitCount > 0 && end.fractionDigitCount > 0
      guard arrow == .usual, haveFractions || start.hasHours && end.hasHours else { return nil }
    }
    (startTime, endTime) = (start, end)
    isUnusual = scanner.isUnusual
    mayHaveFrames = scanner.mayHaveFrames
    hasFieldAboveLimit = scanner.hasFieldAboveLimit
    hasUsualArrow = arrow == .usual
    scanner.skipBlanks()
    guard scanner.position < line.upperBound else {
      // Sentences also contain arrows other than `-->`. So a line with another arrow must consist of two times with
      // hours and fractions.
      if arrow == .other, !areWhole { return nil }
      return
    }
    guard arrow == .usual else { return nil }
    rest = scanner.position..<line.upperBound
    readRest(text, rest)
  }

  private mutating func readRest(_ bytes: [UInt8], _ range: Range<Int>) {
    var otherSettings: [ArraySlice<UInt8>] = []
    for word in bytes[range].split(whereSeparator: Ascii.isBlank) {
      if word.elementsEqual("!!!".utf8) { isForced = true } else { otherSettings.append(word) }
    }
    guard let first = otherSettings.first, let last = otherSettings.last else { return }
    let rest = first.startIndex..<last.endIndex
    guard otherSettings.allSatisfy({ SubRipTiming.isSetting($0) }) else {
      text = rest
      return
    }
    settings = rest
    lowestY = otherSettings.compactMap(SubRipTiming.yCoordinate).max()
  }

  /// Whether a word is a setting, such as `X1:40` or `position:10%`. A setting consists of a name, a colon and a value.
  private static func isSetting(_ word: ArraySlice<UInt8>) -> Bool {
    guard let first = word.first, Ascii.isLetter(first), let colon = word.firstIndex(of: UInt8(ascii: ":")) else {
      return false
    }
    return colon + 1 < word.endIndex && word[..<colon].allSatisfy { Ascii.isLetter($0) || Ascii.isDigit($0) }
  }

  /// Returns the number in a setting such as `Y1:440`.
  private static func yCoordinate(_ word: ArraySlice<UInt8>) -> Int? {
    guard word.count > 3, word.first.map({ $0 | 0x20 }) == UInt8(ascii: "y") else { return nil }
    return Int(String(decoding: word.dropFirst(3), as: UTF8.self)).flatMap { (0...32_767).contains($0) ? $0 : nil }
  }
}

// Detection of malformed timing lines.
extension SubRipTiming {
  /// Whether a line is a malformed timing line.
  static func looksLikeTiming(_ text: [UInt8], _ line: Range<Int>) -> Bool {
    beginsLikeTiming(text, line) || looksLikeTiming(text, line, arrow: arrow(text, line)) || isTwoTimes(text, line)
  }

  /// Whether a line consists of two times with a short separator, such as `00:00:05,000 ==> 00:00:06,000` or `5,0 -->
  /// 6,0`.
  private static func isTwoTimes(_ text: [UInt8], _ line: Range<Int>) -> Bool {
    guard (9...80).contains(line.count) else { return false }
    let words = text[line].split(whereSeparator: Ascii.isBlank)
    guard words.count <= 5, let first = words.first, let last = words.last, first.startIndex < last.startIndex else {
      return false
    }
    let ends = [first, last]
    let middle = text[first.endIndex..<last.startIndex].filter { !Ascii.isBlank($0) }
    guard middle.count <= 8, !middle.contains(where: Ascii.isDigit) else { return false }
    let areNumbers = ends.allSatisfy { word in
      word.count(where: Ascii.isDigit) >= 2 && word.count <= 24
        && word.allSatisfy { Ascii.isDigit($0) || ":;.,'hms".utf8.contains($0) }
        && word.first.map(Ascii.isDigit) == true
    }
    guard areNumbers else { return false }
    if ends.allSatisfy(resemblesTime) { return true }
    // A sentence may contain `10:30 -> 11:30`. So require more separators or a longer arrow than in this example.
    let marks = ends.reduce(0) { $0 + $1.count { ":;.,hm".utf8.contains($0) } }
    let containsTimes = ends.contains { $0.contains { ":,".utf8.contains($0) } }
    guard middle.contains(UInt8(ascii: ">")), containsTimes || ends.allSatisfy({ $0.contains(UInt8(ascii: "h")) })
    else {
      return false
    }
    return marks >= (containsTimes && middle.count >= 3 ? 2 : 3)
  }

  /// Whether a line after a cue's number is a damaged timing line. A damaged timing line begins with a time and
  /// contains no letters outside braces. Examples are `0:03 -> 0:04`, `[00:00:03.000 - 00:00:04.000]` and
  /// `00:00:03,000`.
  static func looksLikeDamagedTiming(_ text: [UInt8], _ line: Range<Int>) -> Bool {
    guard line.count <= 80 else { return false }
    let bytes = text[line].drop { Ascii.isBlank($0) || "[({".utf8.contains($0) }
    let hours = bytes.prefix(while: Ascii.isDigit)
    let rest = bytes.dropFirst(hours.count)
    guard !hours.isEmpty, rest.first == UInt8(ascii: ":"), rest.dropFirst().prefix(2).allSatisfy(Ascii.isDigit),
      rest.count >= 3
    else { return false }
    var isInBraces = false
    return bytes.allSatisfy { byte in
      if byte == UInt8(ascii: "{") { isInBraces = true }
      if byte == UInt8(ascii: "}") { isInBraces = false }
      return isInBraces || !Ascii.isLetter(byte)
    }
  }

  /// Whether an arrow separates unknown times. For unknown times, programs write words as in `undefined --> undefined`
  /// or `00:00:01,000 --> NaN:NaN:NaN,NaN`.
  static func hasUnknownTimes(_ text: [UInt8], _ line: Range<Int>) -> Bool {
    guard line.count <= 80, let arrow = arrow(text, line) else { return false }
    let sides = [text[line.lowerBound..<arrow], text[arrow + 3..<line.upperBound]]
    let words = sides.map { side in
      side.split { !Ascii.isLetter($0) && !Ascii.isDigit($0) }.map { String(decoding: $0, as: UTF8.self).lowercased() }
    }
    let unknown: Set = ["undefined", "nan", "null", "none", "nil", "inf", "infinity", "invalid", "date", "false"]
    guard words.allSatisfy({ !$0.isEmpty }), words.joined().contains(where: unknown.contains) else { return false }
    return words.joined().allSatisfy { unknown.contains($0) || $0.utf8.allSatisfy(Ascii.isDigit) }
  }

  /// Returns the position of `-->` in a line, or `nil` if there is no such arrow.
  static func arrow(_ text: [UInt8], _ line: Range<Int>) -> Int? {
    var hyphenCount = 0
    for index in line {
      switch text[index] {
      case UInt8(ascii: "-"): hyphenCount += 1
      case UInt8(ascii: ">") where hyphenCount >= 2: return index - 2
      default: hyphenCount = 0
      }
    }
    return nil
  }

  /// Whether the words on both sides of `-->` resemble times, such as `00:xx:03,000` or `00.00.03.000`.
  private static func looksLikeTiming(_ text: [UInt8], _ line: Range<Int>, arrow: Int?) -> Bool {
    guard let arrow else { return false }
    let words = text[line.lowerBound..<arrow].split(whereSeparator: Ascii.isBlank)
    // If other words precede the time, the line is a sentence.
    guard let before = words.last, !words.dropLast().joined().contains(where: Ascii.isLetter) else { return false }
    let after = text[arrow + 3..<line.upperBound].split(whereSeparator: Ascii.isBlank).first ?? []
    return resemblesTime(before) && resemblesTime(after)
  }

  /// Whether a word contains at least two separators and five digits. A version number has fewer than five digits.
  private static func resemblesTime(_ word: ArraySlice<UInt8>) -> Bool {
    let marks = word.count { ":;.,'-".utf8.contains($0) }
    return marks >= 2 && word.count(where: Ascii.isDigit) >= 5 && word.count <= 24
  }

  /// Whether a line begins with a time, an arrow and a digit.
  ///
  /// If the arrow is not `-->`, the first time must contain hours. Otherwise, the line may be a sentence.
  private static func beginsLikeTiming(_ text: [UInt8], _ line: Range<Int>) -> Bool {
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
        guard SubRipTimeScanner.otherArrows.contains(where: { rest.starts(with: $0.utf8) }) else { return false }
        return colons > 1 && rest.contains(where: Ascii.isDigit)
      }
      if byte == UInt8(ascii: ":") { colons += 1 }
      let isTime = Ascii.isDigit(byte) || Ascii.isBlank(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ".")
      guard isTime || byte == UInt8(ascii: ":") else { return false }
      index += 1
    }
    return false
  }
}

/// A time as written in a timing line.
///
/// A fraction is ambiguous. `,91` is 910 ms, but 91 ms if the program omits leading zeros. The digits are stored until
/// all timing lines of the file have been examined.
struct SubRipTime: Hashable {
  var seconds: Int64 = 0
  var isNegative = false
  var hasHours = false
  /// The value of the first three digits of the fraction, or of all digits if the fraction has fewer.
  var fraction: Int64 = 0
  var fractionDigitCount = 0
  /// Whether a digit after the third digit of the fraction is not 0.
  var hasFinerDigits = false

  /// Whether the fraction is `1000`. Some programs write this fraction when they round .9995 up.
  var hasThousandMilliseconds: Bool { fractionDigitCount == 4 && fraction == 100 && !hasFinerDigits }

  /// Whether the fraction has one or two digits.
  var hasShortFraction: Bool { fractionDigitCount == 1 || fractionDigitCount == 2 }

  /// Returns the time in milliseconds. By default, `,5` is 500 ms. Digits after the third are dropped, so `,0019` is 1
  /// ms.
  func milliseconds(_ fractions: FractionRule = FractionRule()) -> Int64 {
    var value = fraction
    if hasThousandMilliseconds, fractions.thousandMeansNextSecond {
      value = 1_000
    } else if !fractions.hasShortMilliseconds {
      for _ in min(fractionDigitCount, 3)..<3 { value *= 10 }
    }
    // The sum cannot overflow, because each number in a time has at most nine digits.
    let milliseconds = seconds * 1_000 + value
    return isNegative ? -milliseconds : milliseconds
  }
}

/// The rule for interpreting the fractions of times in a file.
struct FractionRule: Hashable {
  /// Whether fractions of one or two digits are milliseconds without leading zeros.
  var hasShortMilliseconds = false
  /// Whether `,1000` is a full second. If the file contains other fractions of four digits, `,1000` is a tenth of a
  /// second.
  var thousandMeansNextSecond = true
  /// The line of the first cue that proves that short fractions are milliseconds.
  var evidenceLine = 0
}

/// Determines the rule for interpreting fractions from all timing lines of a file.
struct FractionSurvey {
  private var hasThreeDigits = false
  private var hasFourDigits = false
  /// The number of cues that would end before they start if short fractions were decimal fractions. These cues prove
  /// that short fractions are milliseconds.
  private var millisecondCount = 0
  /// The number of cues that would end before they start if short fractions were milliseconds. These cues prove that
  /// short fractions are decimal fractions.
  private var fractionCount = 0
  private var evidenceLine = 0

  mutating func add(_ start: SubRipTime, _ end: SubRipTime, line: Int) {
    var hasShort = false
    for time in [start, end] {
      hasThreeDigits = hasThreeDigits || time.fractionDigitCount == 3
      hasFourDigits = hasFourDigits || time.fractionDigitCount == 4 && !time.hasThousandMilliseconds
      hasShort = hasShort || time.hasShortFraction
    }
    guard hasShort else { return }
    let asFractions = FractionRule()
    let asMilliseconds = FractionRule(hasShortMilliseconds: true)
    let isBackward = end.milliseconds(asFractions) < start.milliseconds(asFractions)
    let isBackwardInMilliseconds = end.milliseconds(asMilliseconds) < start.milliseconds(asMilliseconds)
    if isBackward, !isBackwardInMilliseconds {
      if millisecondCount == 0 { evidenceLine = line }
      millisecondCount += 1
    } else if !isBackward, isBackwardInMilliseconds {
      fractionCount += 1
    }
  }

  /// The rule that the timing lines prove. Overlapping cues prove nothing, because several people may speak at the same
  /// time.
  var rule: FractionRule {
    let isMilliseconds = hasThreeDigits && millisecondCount > fractionCount
    return FractionRule(
      hasShortMilliseconds: isMilliseconds, thousandMeansNextSecond: !hasFourDigits,
      evidenceLine: isMilliseconds ? evidenceLine : 0)
  }
}
