/// Reads SubRip (`.srt`) as it is found.
///
/// What numbers before the cues say does not matter; times may have any number of hours and fraction digits; cues may
/// follow one another without a blank line, and blank lines may stand in a cue. Tags, the overrides that other formats
/// leave in converted files, and character references become styles, places and characters. Whatever is repaired or
/// dropped is reported in a notice, with the text that is lost.
///
///     let file = try SubtitleFile.read(Array("00:00:01,000 --> 00:00:02,500\nHello\n".utf8))
///     print(file.cues[0].text.text)  // Hello
package enum SubRipReader {
  /// Reads a decoded file, whose notices come first. Cues keep the order of the file; they may overlap.
  ///
  /// Throws when there is no cue at all, or when a limit is passed. Costs a few passes over the bytes.
  package static func read(
    _ text: SubtitleText, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> SubtitleFile {
    var scan = SubRipScan(
      text: NormalizedLine.withPlainTimes(text.utf8), limits: limits, notices: NoticeList(limits, text.notices))
    try scan.run()
    guard !scan.cues.isEmpty else { throw SubtitleError(.noCues, scan.reasonForNoCues) }
    return SubtitleFile(cues: scan.cues, droppedCueCount: scan.droppedCueCount, notices: scan.notices.finished)
  }
}

private struct SubRipScan {
  let text: [UInt8]
  let limits: SubtitleLimits
  /// The lines; blank ones that follow one another are one.
  let lines: [Line]
  var cues: [Cue] = []
  var droppedCueCount = 0
  var notices: NoticeList
  private var markup: CueMarkup
  /// Whether cues have numbers before their times; where they have none, a number is what someone says.
  private var hasNumbers = true
  /// The line of each distinct cue where it stands first.
  private var linesOfCues: [Cue: Int] = [:]
  /// The cues with coordinates after their times: which, and the lowest line of the picture that they reach.
  private var coordinates: [(cue: Int, lowestY: Int, settings: Range<Int>)] = []

  init(text: [UInt8], limits: SubtitleLimits, notices: NoticeList) {
    self.text = text
    self.limits = limits
    self.notices = notices
    markup = CueMarkup(text)
    lines = SubRipScan.lines(of: text)
  }

  /// A line without its end and the blanks before that, or a row of blank lines.
  ///
  /// A file may be nothing but line ends: these take little room, and rows of them none.
  struct Line {
    private let start: UInt32
    private let end: UInt32
    private let storedNumber: UInt32

    /// `range` lies in a text of less than 4 GiB, as ``SubtitleLimits/fileByteCount`` makes sure.
    init(_ range: Range<Int>, number: Int) {
      start = UInt32(clamping: range.lowerBound)
      end = UInt32(clamping: range.upperBound)
      storedNumber = UInt32(clamping: number)
    }

    /// The bytes of the text.
    var range: Range<Int> { Int(start)..<Int(end) }
    /// The number, from 1; of a row, that of the first line.
    var number: Int { Int(storedNumber) }
    /// Whether the line is blank.
    var isEmpty: Bool { start == end }
  }

  /// What a timing line began.
  private struct Block {
    var timing: SubRipTiming?  // nil: a line that is meant as one but cannot be understood
    var index: Int
    var line: Int
    var hasNumber: Bool
  }

  /// A cue's text ends where the next timing line, or the number before it, begins: blank lines alone end nothing.
  mutating func run() throws(SubtitleError) {
    var block: Block?
    var bodyStart = 0
    let timings = indicesOfTimings
    hasNumbers = numbersArePlausible(before: timings)
    for index in timings {
      let timing = SubRipTiming(text, lines[index].range)
      let number = numberLine(before: index, from: bodyStart, in: block)
      let body = bodyStart..<(number ?? index)
      if block != nil, let last = body.last, !lines[last].isEmpty {
        let taken = number.map { ", \(excerpt(text[lines[$0].range])) taken as its number" } ?? ""
        notices.add(.missingBlankLine, line: lines[index].number, "no blank line before this cue" + taken)
      }
      try finish(block, body: body)
      block = Block(timing: timing, index: index, line: lines[index].number, hasNumber: number != nil)
      bodyStart = index + 1
    }
    try finish(block, body: bodyStart..<lines.count)
    placeByCoordinates()
  }

  var reasonForNoCues: String {
    guard lines.contains(where: { !$0.isEmpty }) else { return "no cues: the file is empty" }
    let first = notices.finished.first.map { " (\($0))" } ?? ""
    return "no cues: no line like 00:00:01,000 --> 00:00:02,500 with text after it" + first
  }

  /// The lines that are timing lines, or meant as such.
  private var indicesOfTimings: [Int] {
    var last: Int?  // The number of the cue before.
    return lines.indices.filter { index in
      let isTiming = isTiming(index)
      guard isTiming || SubRipTiming.looksLikeDamagedTiming(text, lines[index].range) else { return false }
      let number = index > 0 ? wholeNumber(lines[index - 1]) : nil
      let beginsCue = number != nil && (index == 1 || lines[index - 2].isEmpty || number == last.map { $0 &+ 1 })
      if beginsCue { last = number }
      return isTiming || beginsCue
    }
  }

  /// The number that a line is, of nine digits at most.
  private func wholeNumber(_ line: Line) -> Int? {
    guard !line.isEmpty, line.range.count <= 60 else { return nil }
    // Nearly all are digits of ASCII, and a file has a hundred thousand of them.
    if line.range.count <= 9, text[line.range].allSatisfy(Ascii.isDigit) {
      return text[line.range].reduce(0) { $0 * 10 + Int($1 & 15) }
    }
    let digits = plainDigits(line)
    return digits.count <= 9 && digits.allSatisfy(Ascii.isDigit) ? Int(String(decoding: digits, as: UTF8.self)) : nil
  }

  /// Whether a line is a timing line, or meant as one.
  private func isTiming(_ index: Int) -> Bool {
    let range = lines[index].range
    return mayBeTiming(index) && (SubRipTiming(text, range) != nil || SubRipTiming.looksLikeTiming(text, range))
  }

  /// A timing line begins with a digit, a look-alike or `-`; a malformed one still has an arrow. Rules out nearly all
  /// other lines.
  private func mayBeTiming(_ index: Int) -> Bool {
    let range = lines[index].range
    var position = range.lowerBound
    while position < range.upperBound, Ascii.isBlank(text[position]) { position += 1 }
    guard position < range.upperBound else { return false }
    return Ascii.isDigit(text[position]) || text[position] == UInt8(ascii: "-")
      || SubRipTiming.arrow(text, range) != nil
  }

  /// Whether the first timing line has a number before it and nothing else, or most of them have, and these count up.
  private func numbersArePlausible(before timings: [Int]) -> Bool {
    /// The line before, a blank one left out: files with an empty line after each line are found, too.
    func lineBefore(_ index: Int) -> Int? {
      [index - 1, index - 2].first { $0 >= 0 && !lines[$0].isEmpty }
    }
    func number(before index: Int) -> Int? {
      guard let line = lineBefore(index) else { return nil }
      let digits = plainDigits(lines[line])
      return digits.count <= 9 ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }
    guard let first = timings.first else { return false }
    if let line = lineBefore(first), plainDigits(lines[line]).first.map(Ascii.isDigit) == true {
      // Text may stand after the first number, but not before it.
      let isFirst = lines[..<line].allSatisfy(\.isEmpty)
      if isFirst || line == first - 1 && number(before: first) != nil { return true }
    }
    let numbers = timings.map(number)
    let counted = zip(numbers, numbers.dropFirst()).count { $0 != nil && $0.map { $0 + 1 } == $1 }
    return numbers.count { $0 != nil } * 2 > timings.count && counted > 0
  }

  /// A line without blanks before it and marks of direction, as digits are found in.
  private func plainDigits(_ line: Line) -> [UInt8] {
    let bytes = text[line.range]
    let hasMarks = bytes.first.map { $0 >= 0x80 } == true || bytes.last.map { $0 >= 0x80 } == true
    return Array(
      (hasMarks && bytes.count <= 60 ? NormalizedLine.bytes(of: bytes)[...] : bytes).drop(while: Ascii.isBlank))
  }

  /// The line with the number of the cue whose timing line stands at `index`, if there is one.
  private mutating func numberLine(before index: Int, from bodyStart: Int, in block: Block?) -> Int? {
    var candidate = index - 1
    while candidate >= bodyStart, lines[candidate].isEmpty { candidate -= 1 }
    guard candidate >= bodyStart else { return nil }
    let followsBlank = candidate == bodyStart ? block == nil : lines[candidate - 1].isEmpty
    let isAdjacent = candidate == index - 1
    let digits = plainDigits(lines[candidate])
    if !hasNumbers {
      // A number alone in its cue, or in the middle of its lines, is what someone says.
      let isOnlyText = lines[bodyStart..<candidate].allSatisfy(\.isEmpty)
      return isAdjacent && followsBlank && !isOnlyText && digits.allSatisfy(Ascii.isDigit) ? candidate : nil
    }
    if digits.allSatisfy(Ascii.isDigit) {
      // After a cue without a number, one alone may be what someone says.
      let isOnlyText = candidate == bodyStart && block?.hasNumber == false
      guard followsBlank || isAdjacent && !isOnlyText else { return nil }
      // With a blank line after it, it may be what someone says.
      if !isAdjacent, block != nil { noteNumber(candidate) }
      return candidate
    }
    guard followsBlank, isAdjacent, let first = digits.first, Ascii.isDigit(first) else { return nil }
    noteNumber(candidate)
    return candidate
  }

  private mutating func noteNumber(_ candidate: Int) {
    notices.add(
      .textOutsideCue, "number", line: lines[candidate].number, lostText: joinedText(candidate..<candidate + 1),
      "\(excerpt(text[lines[candidate].range])) taken as the cue's number, dropped")
  }

  private mutating func finish(_ block: Block?, body: Range<Int>) throws(SubtitleError) {
    let first = body.first { !lines[$0].isEmpty }
    guard let block else {
      if let first {
        notices.add(
          .textOutsideCue, "before", line: lines[first].number, lostText: joinedText(body),
          "\(counted(body.count { !lines[$0].isEmpty }, "line")) before the first cue dropped: "
            + excerpt(text[lines[first].range]))
      }
      return
    }
    guard let timing = block.timing else {
      droppedCueCount += 1
      let count = body.count { !lines[$0].isEmpty }
      notices.add(
        .unreadableTiming, line: block.line, lostText: joinedText(block.index..<body.upperBound),
        "times not understood, cue dropped with \(counted(count, "line")) of text: \(excerpt(text[lines[block.index].range]))"
      )
      return
    }
    addNotices(about: timing, line: block.line)
    guard timing.end > timing.start else {
      droppedCueCount += 1
      notices.add(
        .endNotAfterStart, line: block.line, lostText: joinedText(body, after: timing.text),
        "ends at \(timeText(milliseconds: timing.end)), not after its start, cue dropped with "
          + "\(counted(body.count { !lines[$0].isEmpty }, "line")) of text: "
          + (first.map { excerpt(text[lines[$0].range]) } ?? "none"))
      return
    }
    markup.begin(cueRange(block, body))
    read(body, after: timing.text, of: block)
    let styled = markup.finish(&notices)
    guard !styled.isEmpty else {
      droppedCueCount += 1
      notices.add(.emptyCue, line: block.line, "cue without text dropped")
      return
    }
    let cue = Cue(
      startMilliseconds: timing.start, endMilliseconds: timing.end, text: styled,
      placement: markup.placement ?? .standard, isForced: timing.isForced, line: block.line)
    if timing.lowestY == nil, let line = lineOfEarlier(cue) {
      notices.add(
        .repeatedCue, line: block.line,
        "the cue of line \(line) once more, with the same times and text: taken once")
      return
    }
    guard cues.count < limits.cueCount else {
      throw SubtitleError(.limit, line: block.line, "more than \(limits.cueCount) cues")
    }
    if markup.placement == nil, let lowestY = timing.lowestY, let settings = timing.settings {
      coordinates.append((cues.count, lowestY, settings))
    }
    cues.append(cue)
  }

  /// The line of a cue that is the same but for its line; the cue is remembered where there is none.
  private mutating func lineOfEarlier(_ cue: Cue) -> Int? {
    var key = cue
    key.line = 0
    if let line = linesOfCues[key] { return line }
    linesOfCues[key] = cue.line
    return nil
  }

  /// The bytes of a cue from its timing line on.
  private func cueRange(_ block: Block, _ body: Range<Int>) -> Range<Int> {
    lines[block.index].range
      .lowerBound..<(body.last.map { lines[$0].range.upperBound } ?? lines[block.index].range.upperBound)
  }

  private mutating func read(_ body: Range<Int>, after first: Range<Int>?, of block: Block) {
    if let first { markup.append(line: first, number: block.line) }
    guard let start = body.first(where: { !lines[$0].isEmpty }), let last = body.last(where: { !lines[$0].isEmpty })
    else { return }
    if let blank = (body.lowerBound..<last).first(where: { lines[$0].isEmpty }) {
      notices.add(.blankLineInCue, line: lines[blank].number, "blank line taken as part of the cue")
    }
    for index in start...last {
      let line = lines[index]
      let end = line.isEmpty && index < last ? lines[index + 1].number : line.number + 1
      for number in line.number..<end { markup.append(line: line.range, number: number) }
    }
  }

  /// Lines as they stand, for a notice that they are lost; `nil` where there is nothing to lose.
  private func joinedText(_ body: Range<Int>, after first: Range<Int>? = nil) -> String? {
    let ranges = [first].compactMap { $0 } + body.map { lines[$0].range }.filter { !$0.isEmpty }
    guard !ranges.isEmpty else { return nil }
    return ranges.map { String(decoding: text[$0], as: UTF8.self) }.joined(separator: "\n")
  }

  /// Coordinates count lines of a picture whose height the file does not tell: the smallest usual one that holds them
  /// all is taken. What ends in its upper half stands at the top.
  private mutating func placeByCoordinates() {
    let lowest = coordinates.map(\.lowestY).max() ?? 0
    let height = [240, 288, 360, 480, 576, 720, 1_080, 2_160].first { $0 >= lowest } ?? lowest
    for (index, lowestY, settings) in coordinates {
      let isAtTop = lowestY * 2 <= height
      if isAtTop { cues[index].placement.vertical = .top }
      notices.add(
        .approximatedPlacement, line: cues[index].line,
        "\(excerpt(text[settings])) after the times understood as the \(isAtTop ? "top" : "bottom") of the picture")
    }
  }

  private mutating func addNotices(about timing: SubRipTiming, line: Int) {
    if timing.isUnusual {
      notices.add(
        .unusualTime, line: line,
        "times understood as \(timeText(milliseconds: timing.start)) to \(timeText(milliseconds: timing.end))"
          + (timing.mayHaveFrames ? "; if the last two digits count frames, write milliseconds in their place" : ""))
    }
    if let words = timing.text {
      notices.add(
        .textBesideTimes, line: line, "\(excerpt(text[words])) beside the times taken as the cue's first line")
    }
    if let settings = timing.settings, timing.lowestY == nil {
      notices.add(.ignoredSetting, line: line, "\(excerpt(text[settings])) after the times ignored")
    }
  }

  /// Cuts at LF, CR and CR LF, and takes blanks off the ends. CR CR LF, which programs make of CR LF that take it for
  /// LF, is one end too.
  private static func lines(of text: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var start = 0
    var number = 1
    func add(_ lineEnd: Int) {
      var end = lineEnd
      while end > start, Ascii.isBlank(text[end - 1]) { end -= 1 }
      if NormalizedLine.isInvisible(text[start..<end]) { end = start }
      let line = Line(start..<end, number: number)
      if !line.isEmpty || lines.last?.isEmpty != true { lines.append(line) }
      number += 1
    }
    let scan = ByteScan(text)
    var index = scan.endOfLine(from: 0)
    while index < text.count {
      let byte = text[index]
      if byte == Ascii.lineFeed || byte == Ascii.carriageReturn {
        let end = endOfLineEnd(index, text)
        add(index)
        start = end
        index = scan.endOfLine(from: start)
      } else {
        index += 1
      }
    }
    if start < text.count { add(text.count) }
    return lines
  }

  /// Where the line end at `index` is over.
  private static func endOfLineEnd(_ index: Int, _ text: [UInt8]) -> Int {
    guard text[index] == Ascii.carriageReturn else { return index + 1 }
    let next = text[(index + 1)...].prefix(2)
    if next.first == Ascii.lineFeed { return index + 2 }
    return next.elementsEqual([Ascii.carriageReturn, Ascii.lineFeed]) ? index + 3 : index + 1
  }
}
