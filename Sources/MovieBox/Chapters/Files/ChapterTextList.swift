import Subtitles

/// A chapter list that a person wrote below a video, in show notes or in a set list, or that mp4chaps wrote.
///
/// The lines of one list rarely differ in their format, but lists differ from one another. So each line is parsed in
/// every possible way. The whole list then determines whether times precede titles, whether second times are ends, and
/// whether a sign after the time is a separator. Lines without a time are reported and do not become chapters.
struct ChapterTextList {
  struct Entry {
    /// The number of the line that contains the chapter's start.
    let line: Int
    let start: ChapterTimestamp
    var end: ChapterTimestamp?
    var title: String
    var hasLink = false
  }

  /// The chapters in list order.
  private(set) var entries: [Entry] = []
  /// The groups of consecutive lines that belong to no chapter.
  private(set) var otherLines: [(line: Int, texts: [String], hasDifferentShape: Bool)] = []
  /// The sign that precedes every title of a list that a program wrote, or `nil` if the titles do not begin with the
  /// same sign. The sign is read as a separator. A program wrote the list if all times have the format `HH:MM:SS.mmm`.
  private(set) var programSeparator: String?
  /// Whether each time follows its title.
  private(set) var hasTimesAfterTitles = false
  /// Whether a title contains a second time that is not the end of the chapter.
  private(set) var hasTimesInTitles = false

  /// Parses a text in linear time.
  init(_ utf8: [UInt8]) {
    var lines: [ChapterLine] = []
    for line in NumberedLines(utf8) where !line.text.isEmpty {
      // Lists copied from the source of a web page contain HTML line breaks, so split lines at them.
      for text in Self.lines(ofHTML: line.text) where !text.isEmpty { lines.append(ChapterLine(line.number, text)) }
    }
    self.init(ChapterLine.splitting(lines))
  }

  /// Splits a text at HTML line breaks.
  private static func lines(ofHTML text: String) -> [String] {
    guard text.utf8.contains(UInt8(ascii: "<")) else { return [text] }
    var lines: [String] = []
    var (lineStart, position) = (text.startIndex, text.startIndex)
    while let start = text[position...].firstIndex(of: "<") {
      let tag = text[start...].prefix(6).lowercased()
      if let name = ["<br>", "<br/>", "<br />"].first(where: tag.hasPrefix) {
        lines.append(text[lineStart..<start].trimmed)
        position = text.index(start, offsetBy: name.count)
        lineStart = position
      } else {
        position = text.index(after: start)
      }
    }
    return lines + [text[lineStart...].trimmed]
  }

  private init(_ lines: [ChapterLine]) {
    let labeledCount = lines.count(where: \.hasLabel)
    let first = lines.count { $0.timeBeforeTitle?.label.isEmpty ?? false }
    let last = lines.count { $0.timeAfterTitle != nil }
    // If words such as Chapter 1 and Chapter 2 precede the time on every line, the words belong to the titles.
    let usesLabels = first == 0 && labeledCount >= 2 && labeledCount >= last
    let count = usesLabels ? labeledCount : first
    hasTimesAfterTitles = count < last
    let isChapter: (ChapterLine) -> Bool = { [hasTimesAfterTitles] line in
      if hasTimesAfterTitles { return line.timeAfterTitle != nil }
      return usesLabels ? line.hasLabel : line.timeBeforeTitle?.label.isEmpty ?? false
    }
    var chapterIndices = lines.indices.filter { isChapter(lines[$0]) }
    let timedIndices = chapterIndices
    if !hasTimesAfterTitles, !usesLabels { chapterIndices = Self.droppingDifferentLastLines(chapterIndices, in: lines) }
    var titleLines: [Int: Int] = [:]
    if hasTimesAfterTitles {
      readTimesAfterTitles(chapterIndices.map { lines[$0] })
    } else {
      readTimesBeforeTitles(chapterIndices.map { lines[$0] })
    }
    hasTimesInTitles = entries.contains { !ChapterTimestamp.all(in: Array($0.title.unicodeScalars)).isEmpty }
    if entries.allSatisfy({ $0.title.isEmpty }) { titleLines = titles(of: chapterIndices, in: lines) }
    // In files that programs wrote, lines without a time are comments for the program. They are not reported.
    let isWrittenByProgram = !entries.isEmpty && entries.allSatisfy(\.start.hasFullFormat)
    var knownIndices = Set(chapterIndices).union(titleLines.values)
    let otherShapes = Set(timedIndices).subtracting(chapterIndices)
    for (index, line) in lines.enumerated() where line.text.first == "#" {
      if isWrittenByProgram || line.string(line.text.indices).lowercased().contains("total-duration") {
        knownIndices.insert(index)
      }
    }
    for (index, line) in lines.enumerated() where !knownIndices.contains(index) {
      let hasDifferentShape = otherShapes.contains(index)
      let follows =
        index > 0 && !knownIndices.contains(index - 1) && otherLines.last?.hasDifferentShape == hasDifferentShape
      if follows {
        otherLines[otherLines.count - 1].texts.append(line.string(line.text.indices))
      } else {
        otherLines.append((line.number, [line.string(line.text.indices)], hasDifferentShape))
      }
    }
  }

  /// Drops the last lines if their bullets or brackets differ from the bullets and brackets of all earlier lines. They
  /// are probably sentences that contain a time.
  private static func droppingDifferentLastLines(_ indices: [Int], in lines: [ChapterLine]) -> [Int] {
    let shapes = indices.map { lines[$0].shape }
    guard let last = shapes.lastIndex(of: shapes.first ?? ""), last > 0 else { return indices }
    let knownShapes = Set(shapes[...last])
    return indices.indices.filter { $0 <= last || knownShapes.contains(shapes[$0]) }.map { indices[$0] }
  }

  /// Whether the times may be lengths instead of starts. This is possible if no time is 0 and the times are not in
  /// order.
  var mayHaveLengths: Bool {
    let starts = entries.map(\.start.milliseconds)
    return !starts.contains(0) && zip(starts, starts.dropFirst()).contains { $0 > $1 }
  }

  /// Whether the text is a chapter list. A single line that ends with a time is not a list, because it may be a
  /// sentence.
  var isList: Bool {
    guard let first = entries.first else { return false }
    return entries.count > 1 || !hasTimesAfterTitles || first.start.milliseconds == 0
  }

  // MARK: - The times first

  private mutating func readTimesBeforeTitles(_ lines: [ChapterLine]) {
    let parts = lines.compactMap { line in line.timeBeforeTitle.map { (line: line, time: $0) } }
    let hasEnds = Self.areSecondTimesEnds(parts.map { $0.time.secondTime != nil })
    let texts = parts.map { part in
      let second = hasEnds ? part.time.secondTime : nil
      return (part.line, part.time, second?.time, second?.rest ?? part.time.rest)
    }
    let titledLines = texts.filter { $0.3.start < $0.0.text.count }
    var areSeparated = !titledLines.isEmpty && titledLines.allSatisfy { $0.3.separatorEnd != nil }
    if areSeparated, texts.allSatisfy(\.1.start.hasFullFormat) {
      // Programs write no separator between time and title, so a sign after the time belongs to the title. If all
      // titles begin with the same sign, this sign is a separator nevertheless.
      let signs = Set(
        titledLines.map { line, _, _, rest in line.string(rest.start..<(rest.separatorEnd ?? rest.start)) })
      areSeparated = titledLines.count > 1 && signs.count == 1
      programSeparator = areSeparated ? signs.first : nil
    }
    let emoji = parts.map(\.time.emoji)
    let keepsEmoji = emoji.contains { $0 != emoji.first }
    for (line, time, end, rest) in texts {
      let position = areSeparated || rest.isCertain ? rest.separatorEnd ?? rest.start : rest.start
      var words = [line.title(from: position, closing: rest.openBrackets)]
      if !time.label.isEmpty { words.insert(Self.textBeforeTime(line, time.label), at: 0) }
      if keepsEmoji, !time.emoji.isEmpty {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: time.emoji)
        words.insert(String(view), at: 0)
      }
      entries.append(
        Entry(
          line: line.number, start: time.start, end: end, title: words.filter { !$0.isEmpty }.joined(separator: " "),
          hasLink: rest.hasLink))
    }
  }

  /// Returns the words before a time, without the signs between them and the time.
  private static func textBeforeTime(_ line: ChapterLine, _ range: Range<Int>) -> String {
    var end = range.upperBound
    while end > 0, line.text[end - 1].isOrnament { end -= 1 }
    var start = 0
    while start < end, line.text[start].isOrnament { start += 1 }
    return line.string(start..<end)
  }

  /// Whether second times are the ends of chapters. Every line except the last must contain a second time.
  private static func areSecondTimesEnds(_ haveSecondTime: [Bool]) -> Bool {
    haveSecondTime.contains(true) && haveSecondTime.dropLast(haveSecondTime.count > 1 ? 1 : 0).allSatisfy(\.self)
  }

  // MARK: - The times last

  private mutating func readTimesAfterTitles(_ lines: [ChapterLine]) {
    let parts = lines.compactMap { line in line.timeAfterTitle.map { (line: line, time: $0) } }
    let hasEnds = Self.areSecondTimesEnds(parts.map { $0.time.end != nil })
    var titles = parts.map { part in
      // If a line has two times and the second is not the end of the chapter, the second is its start. The first
      // belongs to the title.
      let end = hasEnds || part.time.end == nil ? part.time.title.upperBound : part.time.start.range.upperBound
      return part.line.string(part.time.title.lowerBound..<end)
    }
    let numberedTitles = titles.map { Self.leadingNumber($0) }
    if let first = numberedTitles.first.flatMap({ $0?.number }), titles.count > 1,
      numberedTitles.enumerated().allSatisfy({ $0.element?.number == first + Int64($0.offset) })
    {
      titles = zip(titles, numberedTitles).map { title, number in number?.rest ?? title }
    }
    for (part, title) in zip(parts, titles) {
      let start = hasEnds ? part.time.start : part.time.end ?? part.time.start
      entries.append(
        Entry(line: part.line.number, start: start, end: hasEnds ? part.time.end : nil, title: title))
    }
  }

  /// Parses the number at the start of a numbered title: `3. `, `3) `, `3 - `.
  private static func leadingNumber(_ title: String) -> (number: Int64, rest: String)? {
    let digits = title.prefix { $0.isASCII && $0.isNumber }
    guard (1...3).contains(digits.count), let number = Int64(digits) else { return nil }
    let rest = title[digits.endIndex...].drop { $0.isWhitespace }
    guard let sign = rest.first, [".", ")", ":", "-", "–"].contains(sign) else { return nil }
    let text = rest.dropFirst()
    return text.first?.isWhitespace == true ? (number, text.trimmed) : nil
  }

  // MARK: - The times alone

  /// Uses adjacent lines as titles if no line with a time contains a title. Returns the title line of each entry.
  private mutating func titles(of indices: [Int], in lines: [ChapterLine]) -> [Int: Int] {
    guard let last = indices.last, lines.count > indices.count, !hasTimesAfterTitles else { return [:] }
    let step = last == lines.count - 1 ? -1 : 1
    let timedIndices = Set(indices)
    var titleIndices: [Int: Int] = [:]
    for (entry, position) in indices.enumerated() {
      let neighborIndex = position + step
      guard lines.indices.contains(neighborIndex), !timedIndices.contains(neighborIndex) else { continue }
      titleIndices[entry] = neighborIndex
    }
    guard titleIndices.count == indices.count else { return [:] }
    for (entry, line) in titleIndices { entries[entry].title = lines[line].string(lines[line].text.indices) }
    return titleIndices
  }
}

// Chapters from a list in plain text.
extension ChapterFileContents {
  mutating func readList(_ list: ChapterTextList, _ rate: ChapterFrameRate?) throws(SubtitleError) {
    noteOtherLines(of: list)
    if let separator = list.programSeparator, let first = list.entries.first {
      note(
        "separator-left-out", line: first.line,
        "every title begins with \"\(separator)\": it is read as a separator and omitted")
    }
    if let link = list.entries.first(where: \.hasLink) {
      note("links-left-out", line: link.line, "the times are links; the links are omitted")
    }
    let stamps = list.entries.flatMap { [$0.start, $0.end].compactMap(\.self) }
    let clock = FrameClock(stamps.compactMap(\.frames), rate)
    if clock.isGuessed, let first = list.entries.first(where: { $0.start.frames != nil || $0.end?.frames != nil }) {
      note("frame-rate-guessed", line: first.line, clock.assumedRateMessage)
    }
    let starts = list.entries.map { clock.milliseconds($0.start) }
    let ends = self.ends(of: list, starts, list.entries.map { $0.end.map { clock.milliseconds($0) } })
    if list.mayHaveLengths, let first = list.entries.first {
      note(
        "times-may-be-lengths", line: first.line,
        "the times are read as starts, but do not begin at 0 and are not in order: they may be lengths of chapters")
    }
    if let only = list.entries.first, list.entries.count == 1, list.hasTimesInTitles {
      note(
        "several-times-in-line", line: only.line,
        "the line contains more than one time, but is read as one chapter; write each chapter on a separate line")
    }
    for (index, entry) in list.entries.enumerated() {
      if index > 0, starts[index] < starts[index - 1] {
        note(
          "chapters-out-of-order", line: entry.line,
          "\"\(entry.title)\" begins at \(ChapterTime.text(starts[index])), before the previous chapter: "
            + "the chapters are sorted by time")
      }
      try add(
        Chapter(startMilliseconds: starts[index], endMilliseconds: ends[index], titles: [.init(entry.title)]),
        line: entry.line)
    }
  }

  /// Reports text that belongs to no chapter.
  private mutating func noteOtherLines(of list: ChapterTextList) {
    for (line, texts, hasDifferentShape) in list.otherLines {
      let (text, count) = (texts.first ?? "", texts.count)
      let start = text.count > 100 ? text.prefix(100) + "…" : text[...]
      let more = count > 1 ? ", and \(count - 1) more line\(count == 2 ? "" : "s")" : ""
      note(
        "text-left-out", line: line, lostText: texts.joined(separator: "\n"),
        "not a chapter: "
          + (hasDifferentShape
            ? "the characters before the time differ from the characters in the other lines"
            : "the line has no time where the other lines have a time")
          + ": \"\(start)\"\(more)")
    }
  }

  /// Returns the ends of the chapters. Second times may be ends or durations.
  ///
  /// They are durations if two conditions are met: at least one of them is less than the start of its chapter, and each
  /// start plus its second time is the next start, within a second. Otherwise, they are ends.
  private mutating func ends(of list: ChapterTextList, _ starts: [Int64], _ secondTimes: [Int64?]) -> [Int64?] {
    let isEnd = zip(starts, secondTimes).allSatisfy { start, second in second.map { $0 >= start } ?? true }
    guard !isEnd else { return secondTimes }
    let areDurations =
      starts.count > 1
      && zip(zip(starts, starts.dropFirst()), secondTimes).allSatisfy { pair, second in
        second.map { (pair.0.addingClamped($0) - pair.1).magnitude <= 1_000 } ?? false
      }
    if areDurations { return zip(starts, secondTimes).map { start, second in second.map { start.addingClamped($0) } } }
    return list.entries.indices.map { index in
      guard let end = secondTimes[index], end < starts[index] else { return secondTimes[index] }
      note(
        "unreadable-end", line: list.entries[index].line,
        "the end \(ChapterTime.text(end)) is before the start \(ChapterTime.text(starts[index])): the end is omitted")
      return nil
    }
  }
}
