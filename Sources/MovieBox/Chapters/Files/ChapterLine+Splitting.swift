import Subtitles

// Splits lists that were pasted as one line: `0:00 Intro | 1:05 Main | 2:30 Outro`.
//
// A sentence may also contain several times, so a line is split only if each part contains a title.
extension ChapterLine {
  /// The bullets, brackets and numbers before the time, as a pattern. The lines of one list usually share the
  /// pattern.
  var shape: String {
    guard let time = timeFirst else { return "" }
    var view = String.UnicodeScalarView()
    var isOpen = false
    for scalar in text[..<time.start.range.lowerBound] {
      if scalar.decimalDigit != nil {
        if view.last != "#" { view.append("#") }
      } else if scalar.isBulletOrBracket, isOpen || scalar.properties.generalCategory != .closePunctuation {
        // Lists use both `1)` and `1.`, so a closing bracket after a number is replaced by a point.
        isOpen = isOpen || scalar.properties.generalCategory == .openPunctuation
        view.append(scalar)
      }
    }
    return String(view)
  }

  /// Splits lines with several chapters into one line per chapter.
  ///
  /// Splits lines only if every line with a time, except for the last, has several chapters. In other lists, a second
  /// time is the end of a chapter or part of a title.
  static func splitting(_ lines: [ChapterLine]) -> [ChapterLine] {
    let timedIndices = lines.indices.filter { position in
      lines[position].timeFirst != nil || lines[position].timeLast != nil
        || ChapterTimestamp.all(in: lines[position].text).count > 2
    }
    guard let last = timedIndices.last else { return lines }
    var parts: [Int: [String]] = [:]
    var latestStart: Int64 = -1
    for position in timedIndices {
      let times = ChapterTimestamp.all(in: lines[position].text)
      let found = times.count > 1 ? lines[position].parts(times) : nil
      guard found != nil || position == last && timedIndices.count > 1 else { return lines }
      for time in times {
        guard time.milliseconds > latestStart else { return lines }
        latestStart = time.milliseconds
      }
      parts[position] = found
    }
    return lines.indices.flatMap { position in
      parts[position].map { texts in texts.map { ChapterLine(lines[position].number, $0) } } ?? [lines[position]]
    }
  }

  /// Returns the chapters of the line, or `nil` if it has at most one.
  private func parts(_ times: [ChapterTimestamp]) -> [String]? {
    for separator in Self.signsBetweenChapters {
      let parts = text.split(separator: separator).map(Array.init)
      guard parts.count == times.count else { continue }
      let areChapters = parts.allSatisfy { part in
        ChapterTimestamp.all(in: part).count == 1 && Self.hasTitle(part)
      }
      if areChapters { return Self.separatingProse(parts).map { Self.string($0) } }
    }
    // Two times without a separator may be part of a sentence.
    guard times.count > 2 else { return nil }
    let isFirst = timeFirst?.label.isEmpty == true || timeLast == nil && times.first?.milliseconds == 0
    guard isFirst || timeLast != nil else { return nil }
    var boundaries = times.map { isFirst ? $0.range.lowerBound : $0.range.upperBound }
    for index in boundaries.indices {
      // A bracket around a time remains with the time.
      while isFirst, boundaries[index] > 0, "([{<【（".unicodeScalars.contains(text[boundaries[index] - 1]) {
        boundaries[index] -= 1
      }
      while !isFirst, boundaries[index] < text.count, ")]}>】）".unicodeScalars.contains(text[boundaries[index]]) {
        boundaries[index] += 1
      }
    }
    let ends = isFirst ? Array(boundaries.dropFirst()) + [text.count] : boundaries
    let starts = isFirst ? [0] + boundaries.dropFirst() : [0] + boundaries.dropLast()
    var parts = zip(starts, ends).map { start, end in Array(text[min(start, end)..<end]) }
    guard parts.allSatisfy(Self.hasTitle) else { return nil }
    if isFirst, timeFirst?.label.isEmpty != true, let first = boundaries.first, first < ends[0] {
      parts[0] = Array(text[first..<ends[0]])
      parts.insert(Array(text[..<first]), at: 0)
    }
    return parts.map { Self.string($0, withoutSigns: true) }
  }

  /// Returns the parts. The words before the first time become a separate part if no other part begins with words.
  private static func separatingProse(_ parts: [[Unicode.Scalar]]) -> [[Unicode.Scalar]] {
    func wordEnd(_ part: [Unicode.Scalar]) -> Int? {
      ChapterTimestamp.all(in: part).first.flatMap { time in part[..<time.range.lowerBound].lastIndex(where: \.isWord) }
    }
    guard let first = parts.first, let end = wordEnd(first), parts.dropFirst().allSatisfy({ wordEnd($0) == nil }) else {
      return parts
    }
    // A bracket before the time remains with the time.
    let boundary = first[(end + 1)...].firstIndex { $0.isInvisible || $0.isColon }.map { $0 + 1 } ?? end + 1
    return [Array(first[..<boundary]), Array(first[boundary...])] + parts.dropFirst()
  }

  /// The signs between chapters on one line, with or without blanks around them.
  private static let signsBetweenChapters: [Unicode.Scalar] = [
    "|", "｜", "¦", "│", "┃", "•", "·", "●", "►", "▶", "→", "➜", "»", ";", "；", "/", "／", ",", "、", "，",
  ]

  private static func hasTitle(_ text: [Unicode.Scalar]) -> Bool { text.contains(where: \.isWord) }

  /// Returns the characters without surrounding blanks and, if requested, without surrounding signs between chapters.
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
