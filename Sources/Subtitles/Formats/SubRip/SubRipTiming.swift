/// A timing line of SubRip: `00:00:01,000 --> 00:00:02,500 X1:40`.
struct SubRipTiming {
  /// The two times, in milliseconds.
  private(set) var start: Int64 = 0
  private(set) var end: Int64 = 0
  /// Whether `!!!` stands after the times.
  private(set) var isForced = false
  /// Words like `X1:40` or `align:start` after the times.
  private(set) var settings: Range<Int>?
  /// The lowest line of the picture that coordinates among the settings reach.
  private(set) var lowestY: Int?
  /// What else stands after the times: text that belongs to the cue.
  private(set) var text: Range<Int>?
  /// Whether the line could be understood otherwise or is not kept whole: one or two digits of fraction (others read
  /// `,5` as 5 ms), digits beyond milliseconds, 60 or more minutes or seconds, blanks inside times, another arrow,
  /// semicolons between the numbers, letters that look like digits.
  private(set) var isUnusual = false
  /// Whether two digits stand after a third colon, as those of frames do in time codes; they are read as a fraction.
  private(set) var mayHaveFrames = false

  /// Parses a line; fails when it is no timing line.
  init?(_ text: [UInt8], _ line: Range<Int>) {
    var scanner = Scanner(text: text, position: line.lowerBound, end: line.upperBound)
    scanner.skipBlanks()
    scanner.skipNumberOfCue()
    guard let start = scanner.time() else { return nil }
    let startHasHoursAndFraction = scanner.hasHoursAndFraction
    scanner.skipBlanks()
    guard let arrow = scanner.arrow() ?? scanner.wordBetweenTimes() else { return nil }
    scanner.skipBlanks()
    guard let end = scanner.time() else { return nil }
    // Letters make times only where everything else says that they are meant as digits.
    guard !scanner.hasLetters || arrow == .usual && startHasHoursAndFraction && scanner.hasHoursAndFraction else {
      return nil
    }
    self.start = start
    self.end = end
    isUnusual = scanner.isUnusual
    mayHaveFrames = scanner.mayHaveFrames
    scanner.skipBlanks()
    guard scanner.position < line.upperBound else {
      // Prose has arrows of other kinds, but not between two whole times that are all there is in a line.
      if arrow == .other, !(startHasHoursAndFraction && scanner.hasHoursAndFraction) { return nil }
      return
    }
    guard arrow == .usual else { return nil }
    readRest(text, scanner.position..<line.upperBound)
  }

  private mutating func readRest(_ bytes: [UInt8], _ range: Range<Int>) {
    var others: [ArraySlice<UInt8>] = []
    for word in bytes[range].split(whereSeparator: Ascii.isBlank) {
      if word.elementsEqual("!!!".utf8) { isForced = true } else { others.append(word) }
    }
    guard let first = others.first, let last = others.last else { return }
    let rest = first.startIndex..<last.endIndex
    guard others.allSatisfy({ SubRipTiming.isSetting($0) }) else {
      text = rest
      return
    }
    settings = rest
    lowestY = others.compactMap(SubRipTiming.y).max()
  }

  /// `X1:40`, `position:10%`: a name of letters and digits, a colon, a value.
  private static func isSetting(_ word: ArraySlice<UInt8>) -> Bool {
    guard let first = word.first, Ascii.isLetter(first), let colon = word.firstIndex(of: UInt8(ascii: ":")) else {
      return false
    }
    return colon + 1 < word.endIndex && word[..<colon].allSatisfy { Ascii.isLetter($0) || Ascii.isDigit($0) }
  }

  /// The number of `Y1:440`.
  private static func y(_ word: ArraySlice<UInt8>) -> Int? {
    guard word.count > 3, word.first.map({ $0 | 0x20 }) == UInt8(ascii: "y") else { return nil }
    return Int(String(decoding: word.dropFirst(3), as: UTF8.self)).flatMap { (0...32_767).contains($0) ? $0 : nil }
  }

  /// Whether a line that is not a timing line is meant as one.
  static func looksLikeTiming(_ text: [UInt8], _ line: Range<Int>) -> Bool {
    beginsLikeTiming(text, line) || looksLikeTiming(text, line, arrow: arrow(text, line)) || isTwoTimes(text, line)
  }

  /// Whether a line is two times and next to nothing else, whatever stands between them:
  /// `00:00:05,000 ==> 00:00:06,000`, `5,0 --> 6,0`.
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
    if ends.allSatisfy(isLikeTime) { return true }
    // Prose has `10:30 -> 11:30`.
    let marks = ends.reduce(0) { $0 + $1.count { ":;.,hm".utf8.contains($0) } }
    let isOfTimes = ends.contains { $0.contains { ":,".utf8.contains($0) } }
    guard middle.contains(UInt8(ascii: ">")), isOfTimes || ends.allSatisfy({ $0.contains(UInt8(ascii: "h")) }) else {
      return false
    }
    return marks >= (isOfTimes && middle.count >= 3 ? 2 : 3)
  }

  /// Whether a line after the number of a cue is its times, however spoilt: it begins with one, and has no letters but
  /// in braces. `0:03 -> 0:04`, `[00:00:03.000 - 00:00:04.000]`, `00:00:03,000`.
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

  /// The position of a `-->` in a line.
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

  /// Whether the words on both sides of a `-->` are like times, however spoilt: `00:xx:03,000`, `00.00.03.000`.
  private static func looksLikeTiming(_ text: [UInt8], _ line: Range<Int>, arrow: Int?) -> Bool {
    guard let arrow else { return false }
    let before = text[line.lowerBound..<arrow].split(whereSeparator: Ascii.isBlank).last ?? []
    let after = text[arrow + 3..<line.upperBound].split(whereSeparator: Ascii.isBlank).first ?? []
    return isLikeTime(before) && isLikeTime(after)
  }

  /// Two separators at least, and more digits than the numbers of versions have.
  private static func isLikeTime(_ word: ArraySlice<UInt8>) -> Bool {
    let marks = word.count { ":;.,'-".utf8.contains($0) }
    return marks >= 2 && word.count(where: Ascii.isDigit) >= 5 && word.count <= 24
  }

  /// A time, something like an arrow, a digit.
  ///
  /// With an arrow other than `-->`, the first time must have its hours, so that prose is not taken for one.
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
        guard Scanner.otherArrows.contains(where: { rest.starts(with: $0.utf8) }) else { return false }
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

private struct Scanner {
  /// What stands between two times.
  enum Arrow {
    /// `-->`
    case usual
    case other
  }

  let text: [UInt8]
  var position: Int
  let end: Int
  var isUnusual = false
  /// Whether the last time has hours and a fraction.
  var hasHoursAndFraction = false
  /// Whether letters were taken for the digits that they look like.
  private(set) var hasLetters = false
  /// Whether a fraction may be a number of frames.
  private(set) var mayHaveFrames = false

  /// What translators and word processors make of the arrow.
  static let otherArrows = ["--->", "-- >", "->", "–>", "—>", "→", "=>"]

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < end, text[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func skipBlanks() {
    while position < end, Ascii.isBlank(text[position]) { position += 1 }
  }

  /// The cue's number where it stands in the line of the times: `3 00:00:05,000`, `3: 00:00:05,000`.
  mutating func skipNumberOfCue() {
    var place = position
    while place < end, Ascii.isDigit(text[place]), place - position < 7 { place += 1 }
    guard place > position, place < end else { return }
    if text[place] == UInt8(ascii: ":") || text[place] == UInt8(ascii: ".") || text[place] == UInt8(ascii: ")") {
      place += 1
    }
    let blanks = place
    while place < end, Ascii.isBlank(text[place]) { place += 1 }
    // A time with blanks around its colons goes on with a colon or has but two digits before the next.
    guard place > blanks, place < end, Ascii.isDigit(text[place]) else { return }
    let rest = text[place..<end]
    let time = rest.prefix { !Ascii.isBlank($0) && $0 != UInt8(ascii: "-") }
    guard time.count(where: { $0 == UInt8(ascii: ":") }) == 2 else { return }
    position = place
    isUnusual = true
  }

  mutating func arrow() -> Arrow? {
    let hyphen = UInt8(ascii: "-")
    if end - position >= 3, text[position] == hyphen, text[position + 1] == hyphen,
      text[position + 2] == UInt8(ascii: ">")
    {
      position += 3
      return .usual
    }
    let rest = text[position..<end]
    guard let other = Scanner.otherArrows.first(where: { rest.starts(with: $0.utf8) }) else { return nil }
    position += other.utf8.count
    isUnusual = true
    return .other
  }

  /// Whatever else stands between two times, up to the next digit: `==>`, `>>`, `bis`, a tab; no comma, which
  /// stands between the two times of SubViewer.
  mutating func wordBetweenTimes() -> Arrow? {
    guard let digit = text[position..<end].prefix(12).firstIndex(where: Ascii.isDigit),
      text[position] != UInt8(ascii: ",")
    else { return nil }
    position = digit
    isUnusual = true
    return .other
  }

  /// `[-]H:M:S` or `M:S`, then perhaps `,` `.` or `:` and a decimal fraction. A semicolon may stand for any of these.
  mutating func time() -> Int64? {
    let isNegative = skip("-")
    guard let first = number(), skipSeparator(":"), let second = number() else { return nil }
    var seconds = first * 60 + second
    isUnusual = isUnusual || second >= 60
    hasHoursAndFraction = false
    if skipSeparator(":") {
      guard let third = number() else { return nil }
      seconds = seconds * 60 + third
      isUnusual = isUnusual || third >= 60
      hasHoursAndFraction = true
    }
    // Nine digits at most in each part: far below what 64 bits hold.
    let milliseconds = seconds * 1_000 + fraction()
    return isNegative ? -milliseconds : milliseconds
  }

  /// A separator and the blanks around it, which translation programs put there; they stay when there is no separator.
  private mutating func skipSeparator(_ character: Unicode.Scalar) -> Bool {
    let start = position
    skipBlanks()
    if skip(";") {
      isUnusual = true
    } else if !skip(character) {
      position = start
      return false
    }
    skipBlanks()
    isUnusual = isUnusual || position - start > 1
    return true
  }

  /// A whole number of at most nine digits, leading zeros aside.
  private mutating func number() -> Int64? {
    let start = position
    var value: Int64 = 0
    while let digit = digit() {
      value = value * 10 + digit
      guard value < 1_000_000_000 else { return nil }
      position += 1
    }
    return position > start ? value : nil
  }

  /// The digit at the position, or what is read as one: recognisers of printed letters confuse O and 0, l and 1.
  private mutating func digit() -> Int64? {
    guard position < end else { return nil }
    if Ascii.isDigit(text[position]) { return Int64(text[position] - 0x30) }
    guard let value = Self.lookalike(text[position]) else { return nil }
    // What begins a word after the times is not a digit.
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

  /// The milliseconds of a decimal fraction, rounded down: `,5` is 500, `,0019` is 1.
  private mutating func fraction() -> Int64 {
    let hasMark = skipSeparator(",") || skipSeparator(".")
    guard hasMark || skipSeparator(":") else {
      hasHoursAndFraction = false
      return 0
    }
    var value: Int64 = 0
    var digits = 0
    while let digit = digit(), digits < 3 || Ascii.isDigit(text[position]) {
      if digits < 3 {
        value = value * 10 + digit
      } else if digit != 0 {
        isUnusual = true
      }
      digits += 1
      position += 1
    }
    isUnusual = isUnusual || digits < 3
    if !hasMark, digits == 2, hasHoursAndFraction { mayHaveFrames = true }
    for _ in min(digits, 3)..<3 { value *= 10 }
    return value
  }
}
