/// A timing line of SubRip: `00:00:01,000 --> 00:00:02,500 X1:40`.
struct SubRipTiming {
  /// The first time as it is written.
  private(set) var startTime = SubRipTime()
  /// The second time as it is written.
  private(set) var endTime = SubRipTime()
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
  /// semicolons between the numbers, letters that look like digits, signs beside the times, units in them.
  private(set) var isUnusual = false
  /// Whether two digits stand after a third colon, as those of frames do in time codes; they are read as a fraction.
  private(set) var mayHaveFrames = false
  /// Whether `-->` stands between the times.
  private(set) var hasUsualArrow = false
  /// Whether a minute or second counts 60 or more.
  private(set) var carries = false
  /// The bytes after the times.
  private(set) var rest: Range<Int>

  /// Parses a line; fails when it is no timing line.
  init?(_ text: [UInt8], _ line: Range<Int>) {
    rest = line.upperBound..<line.upperBound
    var scanner = SubRipTimeScanner(text: text, position: line.lowerBound, end: line.upperBound)
    scanner.skipBlanks()
    scanner.skipNumberOfCue()
    scanner.skipSignsBeforeTime()
    guard let start = scanner.time() else { return nil }
    scanner.skipSignsAfterTime()
    scanner.skipBlanks()
    guard let arrow = scanner.arrow() ?? scanner.wordBetweenTimes() else { return nil }
    scanner.skipBlanks()
    scanner.skipSignsBeforeTime()
    guard let end = scanner.time() else { return nil }
    scanner.skipSignsAfterTime()
    let areWhole = start.hasHours && end.hasHours && start.fractionDigitCount > 0 && end.fractionDigitCount > 0
    // Letters make times only where everything else says that they are meant as digits.
    guard !scanner.hasLetters || arrow == .usual && areWhole else { return nil }
    if scanner.hasSigns {
      // Prose has `"10:30 --> 11:30"`.
      let haveFractions = start.fractionDigitCount > 0 && end.fractionDigitCount > 0
      guard arrow == .usual, haveFractions || start.hasHours && end.hasHours else { return nil }
    }
    (startTime, endTime) = (start, end)
    isUnusual = scanner.isUnusual
    mayHaveFrames = scanner.mayHaveFrames
    carries = scanner.carries
    hasUsualArrow = arrow == .usual
    scanner.skipBlanks()
    guard scanner.position < line.upperBound else {
      // Prose has arrows of other kinds, but not between two whole times that are all there is in a line.
      if arrow == .other, !areWhole { return nil }
      return
    }
    guard arrow == .usual else { return nil }
    rest = scanner.position..<line.upperBound
    readRest(text, rest)
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
}
