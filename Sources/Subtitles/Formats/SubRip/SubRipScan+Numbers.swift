// Detection of timing lines and of cue numbers.
//
// A number on its own line may be the number of the next cue, or spoken text. The scan examines the whole file to tell
// them apart. In a file with cue numbers, a number precedes nearly every cue, and the numbers count up.
extension SubRipScan {
  /// Returns the indices of the timing lines, including malformed lines. Also determines how the file writes fractions.
  mutating func findTimings() -> [Int] {
    var last: Int?  // The number of the previous cue.
    var survey = FractionSurvey()
    let timingIndices = lines.indices.filter { index in
      let range = lines[index].range
      let mayBeTiming = mayBeTiming(index)
      let timing = mayBeTiming ? SubRipTiming(text, range) : nil
      if let timing { survey.add(timing.startTime, timing.endTime, line: lines[index].number) }
      let isTiming = timing != nil || mayBeTiming && SubRipTiming.looksLikeTiming(text, range)
      let isDamaged = !isTiming && SubRipTiming.looksLikeDamagedTiming(text, range)
      let hasArrow = mayBeTiming && !isTiming && !isDamaged && SubRipTiming.arrow(text, range) != nil
      guard isTiming || isDamaged || hasArrow else { return false }
      let number = index > 0 ? wholeNumber(lines[index - 1]) : nil
      let followsBlank = index == 1 || index > 1 && lines[index - 2].isEmpty
      let countsUp = last.map { $0 &+ 1 } == number
      let beginsCue = number != nil && (followsBlank || countsUp)
      // A line with an arrow but without readable times may be text. It is a damaged timing line if the line before it
      // is a cue number, follows a blank line, and exceeds the previous cue number.
      let isArrowOfText = hasArrow && beginsCue && !(followsBlank && last.map { $0 < number ?? 0 } ?? true)
      let isUnknown = hasArrow && SubRipTiming.hasUnknownTimes(text, range)
      let belongsHere = beginsCue && (!isArrowOfText || isUnknown)
      if belongsHere { last = number }
      return isTiming || belongsHere || isUnknown && (index == 0 || lines[index - 1].isEmpty)
    }
    fractions = survey.rule
    return timingIndices
  }

  /// Whether a line may be a timing line. A timing line begins with a digit or `-`, or contains an arrow. Nearly all
  /// lines of text have neither.
  private func mayBeTiming(_ index: Int) -> Bool {
    let range = lines[index].range
    var position = range.lowerBound
    while position < range.upperBound, Ascii.isBlank(text[position]) { position += 1 }
    guard position < range.upperBound else { return false }
    return Ascii.isDigit(text[position]) || text[position] == UInt8(ascii: "-")
      || SubRipTiming.arrow(text, range) != nil
  }

  /// Returns the number if the line contains only a number of at most nine digits, or `nil` otherwise.
  private func wholeNumber(_ line: Line) -> Int? {
    guard !line.isEmpty, line.range.count <= 60 else { return nil }
    // Read numbers of ASCII digits without a parser. Nearly all numbers consist of ASCII digits, and a file may contain
    // a hundred thousand numbers.
    if line.range.count <= 9, text[line.range].allSatisfy(Ascii.isDigit) {
      return text[line.range].reduce(0) { $0 * 10 + Int($1 & 15) }
    }
    let digits = plainDigits(line)
    return digits.count <= 9 && digits.allSatisfy(Ascii.isDigit) ? Int(String(decoding: digits, as: UTF8.self)) : nil
  }

  /// Returns the index of the line before a timing line. A single blank line between them is skipped.
  private func nonemptyLine(before index: Int) -> Int? {
    [index - 1, index - 2].first { $0 >= 0 && !lines[$0].isEmpty }
  }

  /// Whether a label precedes every timing line instead of a number. A label is a number with signs that counts up,
  /// such as `#2` or `[2]`. It may also be a word between a blank line and the times, such as `deux` or `四`, if all
  /// words are distinct.
  func hasPlausibleLabels(beforeTimings timings: [Int]) -> Bool {
    var labels: [Int] = []
    var end = 0  // The start of the previous cue.
    for index in timings {
      guard let label = nonemptyLine(before: index), label >= end, label == index - 1 || hasBlankLinesBetween else {
        return false
      }
      labels.append(label)
      end = index + 1
    }
    guard let first = labels.first, lines[..<first].allSatisfy(\.isEmpty) else { return false }
    let numbers = labels.compactMap { SubRipScan.numberInSigns(text[lines[$0].range]) }
    if numbers.count == labels.count, zip(numbers, numbers.dropFirst()).allSatisfy({ $0 &+ 1 == $1 }) { return true }
    guard labels.count > 1, Set(labels.map { text[lines[$0].range] }).count == labels.count else { return false }
    return labels.indices.allSatisfy { index in
      let line = lines[labels[index]]
      guard line.range.count <= 40, text[line.range].split(whereSeparator: Ascii.isBlank).count <= 4 else {
        return false
      }
      guard index > 0 else { return true }
      return lines[labels[index] - 1].isEmpty
        && lines[timings[index - 1] + 1..<labels[index]].contains { !$0.isEmpty }
    }
  }

  /// Returns the number in `#2`, `[2]` or `2.`, or `nil` for other lines.
  private static func numberInSigns(_ line: ArraySlice<UInt8>) -> Int? {
    let start = line.drop { "#[({- ".utf8.contains($0) || Ascii.isBlank($0) }
    let digits = start.prefix(while: Ascii.isDigit)
    guard line.count - start.count <= 3, (1...9).contains(digits.count),
      start.dropFirst(digits.count).allSatisfy({ "])}.:- ".utf8.contains($0) })
    else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  /// Whether cues have numbers. They do if a number precedes the first timing line. They also do if a number precedes
  /// most timing lines, and some of these numbers count up.
  func hasPlausibleNumbers(beforeTimings timings: [Int]) -> Bool {
    func number(before index: Int) -> Int? {
      guard let line = nonemptyLine(before: index) else { return nil }
      let digits = plainDigits(lines[line])
      return digits.count <= 9 ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }
    guard let first = timings.first else { return false }
    if let line = nonemptyLine(before: first), plainDigits(lines[line]).first.map(Ascii.isDigit) == true {
      // Text may follow the number on the line, or lines of text may precede the number, but not both.
      let isFirst = lines[..<line].allSatisfy(\.isEmpty)
      if isFirst || line == first - 1 && number(before: first) != nil { return true }
    }
    let numbers = timings.map(number)
    let consecutiveCount = zip(numbers, numbers.dropFirst()).count { $0 != nil && $0.map { $0 + 1 } == $1 }
    return numbers.count { $0 != nil } * 2 > timings.count && consecutiveCount > 0
  }

  /// Returns a line without leading blanks. Directional marks are removed, and full-width digits become ASCII digits.
  private func plainDigits(_ line: Line) -> [UInt8] {
    let bytes = text[line.range]
    let hasMarks = bytes.first.map { $0 >= 0x80 } == true || bytes.last.map { $0 >= 0x80 } == true
    return Array(
      (hasMarks && bytes.count <= 60 ? NormalizedLine.bytes(of: bytes)[...] : bytes).drop(while: Ascii.isBlank))
  }

  /// Returns the index of the line that contains the number of the cue whose timing line is at `index`, or `nil` if the
  /// cue has no number.
  mutating func numberLine(before index: Int, from bodyStart: Int, in block: Block?) -> Int? {
    var candidate = index - 1
    while candidate >= bodyStart, lines[candidate].isEmpty { candidate -= 1 }
    guard candidate >= bodyStart else { return nil }
    if hasLabels {
      noteNumber(candidate, .unusualNumber)
      return candidate
    }
    let followsBlank = candidate == bodyStart ? block == nil : lines[candidate - 1].isEmpty
    let isAdjacent = candidate == index - 1
    let digits = plainDigits(lines[candidate])
    if !hasNumbers {
      // A number is spoken text if it is the only text of its cue, or if text directly precedes it.
      let isOnlyText = lines[bodyStart..<candidate].allSatisfy(\.isEmpty)
      return isAdjacent && followsBlank && !isOnlyText && digits.allSatisfy(Ascii.isDigit) ? candidate : nil
    }
    if digits.allSatisfy(Ascii.isDigit) {
      // A number may be the only text of the previous cue if that cue has no number of its own.
      let isOnlyText = candidate == bodyStart && block?.hasNumber == false
      guard followsBlank || isAdjacent && !isOnlyText else { return nil }
      // A number before a blank line may be spoken text, so report it.
      if !isAdjacent, block != nil, !hasBlankLinesBetween { noteNumber(candidate) }
      return candidate
    }
    guard followsBlank, isAdjacent, let first = digits.first, Ascii.isDigit(first) else { return nil }
    noteNumber(candidate)
    return candidate
  }

  private mutating func noteNumber(_ candidate: Int, _ kind: SubtitleNotice.Kind = .textOutsideCue) {
    notices.add(
      kind, "number", line: lines[candidate].number, lostText: joinedText(candidate..<candidate + 1),
      "\(excerpt(text[lines[candidate].range])) was read as the cue's number and dropped")
  }
}
