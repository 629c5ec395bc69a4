import Subtitles

// Splits lists that were pasted as one line: `0:00 Intro | 1:05 Main | 2:30 Outro`.
//
// A sentence may also contain more than one time. A line is therefore split only if a title belongs to each of its
// times.
extension ChapterLine {
  /// The bullets, brackets and numbers before the time, with `#` for each number. The lines of a list usually have
  /// equal shapes.
  var shape: String {
    guard let time = timeBeforeTitle else { return "" }
    var view = String.UnicodeScalarView()
    var isOpen = false
    for scalar in text[..<time.start.range.lowerBound] {
      if scalar.decimalDigit != nil {
        if view.last != "#" { view.append("#") }
      } else if scalar.isBulletOrBracket, isOpen || scalar.properties.generalCategory != .closePunctuation {
        // Skip a closing bracket after a number, because lists mix `1)` and `1.`.
        isOpen = isOpen || scalar.properties.generalCategory == .openPunctuation
        view.append(scalar)
      }
    }
    return String(view)
  }

  /// Splits lines with several chapters into one line per chapter.
  ///
  /// Splits lines only if every line with a time contains several chapters. The last line may contain a single chapter.
  /// In other lists, a second time is the end of a chapter or belongs to a title.
  static func splitting(_ lines: [ChapterLine]) -> [ChapterLine] {
    let timedIndices = lines.indices.filter { position in
      lines[position].timeBeforeTitle != nil || lines[position].timeAfterTitle != nil
        || ChapterTimestamp.all(in: lines[position].text).count > 2
    }
    guard let last = timedIndices.last else { return lines }
    var texts: [Int: [String]] = [:]
    var latestStart: Int64 = -1
    for position in timedIndices {
      let times = ChapterTimestamp.all(in: lines[position].text)
      let found = times.count > 1 ? lines[position].chapterTexts(times) : nil
      guard found != nil || position == last && timedIndices.count > 1 else { return lines }
      for time in times {
        guard time.milliseconds > latestStart else { return lines }
        latestStart = time.milliseconds
      }
      texts[position] = found
    }
    return lines.indices.flatMap { position in
      texts[position].map { texts in texts.map { ChapterLine(lines[position].number, $0) } } ?? [lines[position]]
    }
  }

  /// Returns the text of each chapter in the line, or `nil` if the line contains only one chapter.
  private func chapterTexts(_ times: [ChapterTimestamp]) -> [String]? {
    for separator in Self.signsBetweenChapters {
      let texts = text.split(separator: separator).map(Array.init)
      guard texts.count == times.count else { continue }
      let areChapters = texts.allSatisfy { text in
        ChapterTimestamp.all(in: text).count == 1 && Self.hasTitle(text)
      }
      if areChapters { return Self.separatingLeadingWords(texts).map { Self.string($0) } }
    }
    // Without a separator, don't split a line with only two times, because it may be a sentence.
    guard times.count > 2 else { return nil }
    let isFirst = timeBeforeTitle?.label.isEmpty == true || timeAfterTitle == nil && times.first?.milliseconds == 0
    guard isFirst || timeAfterTitle != nil else { return nil }
    var boundaries = times.map { isFirst ? $0.range.lowerBound : $0.range.upperBound }
    for index in boundaries.indices {
      // Don't separate a time from the bracket around it.
      while isFirst, boundaries[index] > 0, "([{<【（".unicodeScalars.contains(text[boundaries[index] - 1]) {
        boundaries[index] -= 1
      }
      while !isFirst, boundaries[index] < text.count, ")]}>】）".unicodeScalars.contains(text[boundaries[index]]) {
        boundaries[index] += 1
      }
    }
    let ends = isFirst ? Array(boundaries.dropFirst()) + [text.count] : boundaries
    let starts = isFirst ? [0] + boundaries.dropFirst() : [0] + boundaries.dropLast()
    var texts = zip(starts, ends).map { start, end in Array(text[min(start, end)..<end]) }
    guard texts.allSatisfy(Self.hasTitle) else { return nil }
    if isFirst, timeBeforeTitle?.label.isEmpty != true, let first = boundaries.first, first < ends[0] {
      texts[0] = Array(text[first..<ends[0]])
      texts.insert(Array(text[..<first]), at: 0)
    }
    return texts.map { Self.string($0, withoutSigns: true) }
  }

  /// Returns the chapters' texts. If only the first text has words before its time, these words become a separate text.
  private static func separatingLeadingWords(_ texts: [[Unicode.Scalar]]) -> [[Unicode.Scalar]] {
    func wordEnd(_ part: [Unicode.Scalar]) -> Int? {
      ChapterTimestamp.all(in: part).first.flatMap { time in part[..<time.range.lowerBound].lastIndex(where: \.isWord) }
    }
    guard let first = texts.first, let end = wordEnd(first), texts.dropFirst().allSatisfy({ wordEnd($0) == nil }) else {
      return texts
    }
    // Don't separate the time from a bracket before it.
    let boundary = first[(end + 1)...].firstIndex { $0.isInvisible || $0.isColon }.map { $0 + 1 } ?? end + 1
    return [Array(first[..<boundary]), Array(first[boundary...])] + texts.dropFirst()
  }

  /// The signs between chapters on one line, with or without blanks around them.
  private static let signsBetweenChapters: [Unicode.Scalar] = [
    "|", "｜", "¦", "│", "┃", "•", "·", "●", "►", "▶", "→", "➜", "»", ";", "；", "/", "／", ",", "、", "，",
  ]

  private static func hasTitle(_ text: [Unicode.Scalar]) -> Bool { text.contains(where: \.isWord) }

  /// Returns the text without surrounding blanks. If `withoutSigns` is `true`, also removes surrounding signs such as
  /// `|`.
  private static func string(_ text: [Unicode.Scalar], withoutSigns: Bool = false) -> String {
    var text = text[...]
    let signs = Set(signsBetweenChapters).union(["-", "–", "—"])
    func isSign(_ scalar: Unicode.Scalar) -> Bool { scalar.isInvisible || withoutSigns && signs.contains(scalar) }
    while let last = text.last, isSign(last) { text.removeLast() }
    while let first = text.first, isSign(first) { text.removeFirst() }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: text)
    return String(view).trimmed
  }
}

extension Unicode.Scalar {
  /// Whether the character is a bracket or a bullet of a list.
  fileprivate var isBulletOrBracket: Bool {
    if ["*", "+", ">", "•", "·", "●", "○", "◦", "▪", "‣", "⁃", "►", "▶", "<"].contains(self) { return true }
    switch properties.generalCategory {
    case .openPunctuation, .closePunctuation, .dashPunctuation: return true
    default: return false
    }
  }
}
