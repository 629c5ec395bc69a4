/// Reads SubRip files (`.srt`) with the deviations that occur in practice.
///
/// The numbers before cues are ignored. Hours and fractions may have any number of digits. The blank line between cues
/// may be missing, and cues may contain blank lines. Tags and overrides from other formats become styles and
/// placements. A notice reports each repair or loss, with the lost text.
///
///     let file = try SubtitleFile.read(Array("00:00:01,000 --> 00:00:02,500\nHello\n".utf8))
///     print(file.cues[0].text.text)  // Hello
package enum SubRipReader {
  /// Reads a decoded file. `notices` contains the notices of the decoding, and further notices are appended. The cues
  /// are in file order and may overlap.
  ///
  /// Throws if there are no cues or a limit is exceeded. Makes a few passes over the bytes.
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

/// Splits a SubRip file into lines and assembles cues from them.
///
/// The scan first finds all timing lines of the file, because the interpretation of numbers and fractions depends on
/// all cues. It then assigns the lines between two timing lines to the cue of the first timing line.
struct SubRipScan {
  let text: [UInt8]
  let limits: SubtitleLimits
  /// The lines. Consecutive blank lines are merged.
  let lines: [Line]
  var cues: [Cue] = []
  var droppedCueCount = 0
  var notices: NoticeList
  private var markup: CueMarkup
  /// Whether numbers precede the times of cues. If `false`, a number is spoken text.
  var hasNumbers = true
  /// Whether words, or numbers with signs, precede the times of cues.
  var hasLabels = false
  /// Whether a blank line follows every line.
  let hasBlankLinesBetween: Bool
  /// The line number of each distinct cue. If a cue is repeated, it is the line number of the first occurrence.
  private var lineNumbersByCue: [Cue: Int] = [:]
  /// The rule for interpreting the fractions of times in the file.
  var fractions = FractionRule()
  /// The indices of cues that do not end after their start.
  private var cuesWithoutDuration: [Int] = []
  /// The indices of cues with coordinates after their times. `lowestY` is the largest vertical coordinate.
  private var coordinates: [(cue: Int, lowestY: Int, settings: Range<Int>)] = []

  init(text: [UInt8], limits: SubtitleLimits, notices: NoticeList) {
    self.text = text
    self.limits = limits
    self.notices = notices
    markup = CueMarkup(text)
    lines = SubRipScan.lines(of: text)
    hasBlankLinesBetween = SubRipScan.hasBlankLinesBetween(lines)
  }

  /// One line without its line break and trailing blanks, or several consecutive blank lines.
  ///
  /// A file may consist only of line breaks. To save memory, lines are compact, and consecutive blank lines are stored
  /// as one element.
  struct Line {
    private let start: UInt32
    private let end: UInt32
    private let storedNumber: UInt32

    /// Creates a line. The text must be smaller than 4 GiB. ``SubtitleLimits/fileByteCount`` guarantees this.
    init(_ range: Range<Int>, number: Int) {
      start = UInt32(clamping: range.lowerBound)
      end = UInt32(clamping: range.upperBound)
      storedNumber = UInt32(clamping: number)
    }

    /// The range of the line in the text.
    var range: Range<Int> { Int(start)..<Int(end) }
    /// The line number, from 1. For consecutive blank lines, it is the number of the first blank line.
    var number: Int { Int(storedNumber) }
    var isEmpty: Bool { start == end }
  }

  /// A cue whose timing line has been read.
  struct Block {
    var timing: SubRipTiming?  // `nil` if the line is malformed.
    var index: Int
    var line: Int
    var hasNumber: Bool
  }

  /// Reads all cues. The text of a cue ends before the number or timing line of the next cue. Blank lines do not end a
  /// cue.
  mutating func run() throws(SubtitleError) {
    var block: Block?
    var bodyStart = 0
    let timings = findTimings()
    hasNumbers = hasPlausibleNumbers(beforeTimings: timings)
    hasLabels = !hasNumbers && hasPlausibleLabels(beforeTimings: timings)
    if hasBlankLinesBetween, !timings.isEmpty {
      notices.add(
        .spacedLines, line: 2, "a blank line follows every line: these blank lines were ignored")
    }
    for index in timings {
      let timing = SubRipTiming(text, lines[index].range)
      let number = numberLine(before: index, from: bodyStart, in: block)
      let body = bodyStart..<(number ?? index)
      if block != nil, let last = body.last, !lines[last].isEmpty {
        let taken = number.map { ", \(excerpt(text[lines[$0].range])) was read as its number" } ?? ""
        notices.add(.missingBlankLine, line: lines[index].number, "no blank line precedes this cue" + taken)
      }
      try finish(block, body: body)
      block = Block(timing: timing, index: index, line: lines[index].number, hasNumber: number != nil)
      bodyStart = index + 1
    }
    try finish(block, body: bodyStart..<endOfText(from: bodyStart))
    placeByCoordinates()
    cues.extendCuesWithoutDuration(at: cuesWithoutDuration, &notices)
  }

  /// Returns the end of the last cue's lines. Language models write files as Markdown code blocks, so a last line of
  /// three grave accents is excluded.
  private mutating func endOfText(from start: Int) -> Int {
    guard let last = lines[start...].lastIndex(where: { !$0.isEmpty }), lines[last].range.count == 3,
      text[lines[last].range].allSatisfy({ $0 == UInt8(ascii: "`") })
    else { return lines.count }
    notices.add(
      .textOutsideCue, "after", line: lines[last].number, lostText: joinedText(last..<last + 1),
      "the line after the last cue was dropped: \(excerpt(text[lines[last].range]))")
    return last
  }

  var reasonForNoCues: String {
    guard lines.contains(where: { !$0.isEmpty }) else { return "no cues: the file is empty" }
    let first = notices.finished.first.map { " (\($0))" } ?? ""
    return "no cues: no line like 00:00:01,000 --> 00:00:02,500 with text after it" + first
  }

  private mutating func finish(_ block: Block?, body: Range<Int>) throws(SubtitleError) {
    let first = body.first { !lines[$0].isEmpty }
    guard let block else {
      if let first {
        notices.add(
          .textOutsideCue, "before", line: lines[first].number, lostText: joinedText(body),
          "dropped \(counted(body.count { !lines[$0].isEmpty }, "line")) before the first cue: "
            + excerpt(text[lines[first].range]))
      }
      return
    }
    guard let timing = block.timing else {
      droppedCueCount += 1
      let count = body.count { !lines[$0].isEmpty }
      notices.add(
        .unreadableTiming, line: block.line, lostText: joinedText(block.index..<body.upperBound),
        "times \(excerpt(text[lines[block.index].range])) are malformed: the cue was dropped"
          + (first.map { " with \(counted(count, "line")) of text: \(excerpt(text[lines[$0].range]))" } ?? "")
      )
      return
    }
    let start = timing.startTime.milliseconds(fractions)
    let end = timing.endTime.milliseconds(fractions)
    addNotices(about: timing, at: block.index, start, end)
    markup.begin(cueRange(block, body))
    read(body, after: timing.text, of: block)
    let styled = markup.finish(&notices)
    guard !styled.isEmpty else {
      droppedCueCount += 1
      notices.add(.emptyCue, line: block.line, "a cue without text was dropped")
      return
    }
    let cue = Cue(
      startMilliseconds: start, endMilliseconds: end, text: styled,
      placement: markup.placement ?? .standard, isForced: timing.isForced, line: block.line)
    if timing.lowestY == nil, let line = earlierLineNumber(of: cue) {
      notices.add(
        .repeatedCue, line: block.line,
        "repeats the cue of line \(line) with equal times and text, so the cue was read only once")
      return
    }
    guard cues.count < limits.cueCount else {
      throw SubtitleError(.limit, line: block.line, "more than \(limits.cueCount) cues")
    }
    if markup.placement == nil, let lowestY = timing.lowestY, let settings = timing.settings {
      coordinates.append((cues.count, lowestY, settings))
    }
    if end <= start { cuesWithoutDuration.append(cues.count) }
    cues.append(cue)
  }

  /// Returns the line number of an equal cue that occurs earlier in the file, or `nil` if there is none. Stores the
  /// line number of a new cue.
  private mutating func earlierLineNumber(of cue: Cue) -> Int? {
    var key = cue
    key.line = 0
    if let line = lineNumbersByCue[key] { return line }
    lineNumbersByCue[key] = cue.line
    return nil
  }

  /// Returns the range of a cue in the file, beginning with its timing line.
  private func cueRange(_ block: Block, _ body: Range<Int>) -> Range<Int> {
    lines[block.index].range
      .lowerBound..<(body.last.map { lines[$0].range.upperBound } ?? lines[block.index].range.upperBound)
  }

  private mutating func read(_ body: Range<Int>, after first: Range<Int>?, of block: Block) {
    if let first { markup.append(line: first, number: block.line) }
    guard let start = body.first(where: { !lines[$0].isEmpty }), let last = body.last(where: { !lines[$0].isEmpty })
    else { return }
    if hasBlankLinesBetween {
      for index in start...last where !lines[index].isEmpty {
        markup.append(line: lines[index].range, number: lines[index].number)
      }
      return
    }
    if let blank = (body.lowerBound..<last).first(where: { lines[$0].isEmpty }) {
      notices.add(.blankLineInCue, line: lines[blank].number, "a blank line was read as part of the cue")
    }
    for index in start...last {
      let line = lines[index]
      let end = line.isEmpty && index < last ? lines[index + 1].number : line.number + 1
      for number in line.number..<end { markup.append(line: line.range, number: number) }
    }
  }

  /// Returns the lines with the indices `body` as written, or `nil` if all these lines are empty. Notices contain this
  /// text as lost text.
  func joinedText(_ body: Range<Int>) -> String? {
    let ranges = body.map { lines[$0].range }.filter { !$0.isEmpty }
    guard !ranges.isEmpty else { return nil }
    return ranges.map { String(decoding: text[$0], as: UTF8.self) }.joined(separator: "\n")
  }

  /// Places cues by their coordinates. Cues that end in the upper half of the picture are placed at the top. The file
  /// does not declare the height of the picture, so the smallest common height that contains all coordinates is used.
  private mutating func placeByCoordinates() {
    let lowest = coordinates.map(\.lowestY).max() ?? 0
    let height = [240, 288, 360, 480, 576, 720, 1_080, 2_160].first { $0 >= lowest } ?? lowest
    for (index, lowestY, settings) in coordinates {
      let isAtTop = lowestY * 2 <= height
      if isAtTop { cues[index].placement.vertical = .top }
      notices.add(
        .approximatedPlacement, line: cues[index].line,
        "\(excerpt(text[settings])) after the times was read as the \(isAtTop ? "top" : "bottom") of the picture")
    }
  }

  private mutating func addNotices(about timing: SubRipTiming, at index: Int, _ start: Int64, _ end: Int64) {
    let line = lines[index].number
    if timing.isUnusual {
      let isShort = timing.startTime.hasShortFraction || timing.endTime.hasShortFraction
      let reason =
        fractions.hasShortMilliseconds && isShort
        ? "; short fractions are milliseconds in this file, because the cue of line \(fractions.evidenceLine) "
          + "would otherwise end before "
          + "it starts"
        : timing.mayHaveFrames ? "; if the last two digits are frames, replace them by milliseconds" : ""
      notices.add(
        .unusualTime, fractions.hasShortMilliseconds && isShort ? "milliseconds" : "", line: line,
        "times \(excerpt(text[lines[index].range])) were read as \(timeText(milliseconds: start)) to "
          + timeText(milliseconds: end) + reason)
    }
    if let words = timing.text {
      notices.add(
        .textBesideTimes, line: line, "\(excerpt(text[words])) next to the times was read as the cue's first line")
    }
    if let settings = timing.settings, timing.lowestY == nil {
      notices.add(.ignoredSetting, line: line, "\(excerpt(text[settings])) after the times was ignored")
    }
  }

  /// Splits a text at LF, CR and CR LF, and removes trailing blanks. CR CR LF is one line break too, because some
  /// programs convert the LF of CR LF to CR LF.
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
        let end = endOfLineBreak(index, text)
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

  /// Whether a blank line follows every line. Returns `false` for a file with a single cue.
  private static func hasBlankLinesBetween(_ lines: [Line]) -> Bool {
    guard lines.count > 6 else { return false }
    return !zip(lines, lines.dropFirst()).contains { !$0.isEmpty && !$1.isEmpty }
  }

  /// Returns the position after the line break that begins at `index`.
  private static func endOfLineBreak(_ index: Int, _ text: [UInt8]) -> Int {
    guard text[index] == Ascii.carriageReturn else { return index + 1 }
    let next = text[(index + 1)...].prefix(2)
    if next.first == Ascii.lineFeed { return index + 2 }
    return next.elementsEqual([Ascii.carriageReturn, Ascii.lineFeed]) ? index + 3 : index + 1
  }
}
