import Subtitles

/// A line of a chapter list that a person wrote. It contains a time and text around the time.
///
/// Each line is parsed with the time before the title, and with the time after the title. ``ChapterTextList`` selects
/// one of the results for the whole list. Each parser examines a bounded number of characters around the time.
struct ChapterLine {
  struct TextAfterTime {
    /// The start of the text after the time. The text may begin with a separator.
    let start: Int
    /// The start of the text after the separator, or `nil` if the text does not begin with a separator.
    var separatorEnd: Int?
    /// Whether the separator cannot belong to the title. This applies to a dash before a blank, and to a punctuation
    /// mark directly after the time.
    var isCertain = false
    /// The closing brackets that are missing. Their opening brackets precede the time.
    var openBrackets: [Unicode.Scalar] = []
    /// Whether the time is the text of a Markdown link. The target of the link is skipped.
    var hasLink = false
  }

  /// A line, parsed with the time before the title.
  struct TimeBeforeTitle {
    /// The words before the time, such as `Chapter 1`. The range is empty if only signs or a number precede the time.
    let label: Range<Int>
    let emoji: [Unicode.Scalar]
    let start: ChapterTimestamp
    let rest: TextAfterTime
    /// A second time directly after the first time, and the text after the second time.
    let secondTime: (time: ChapterTimestamp, rest: TextAfterTime)?
  }

  /// A line, parsed with the time after the title.
  struct TimeAfterTitle {
    let start: ChapterTimestamp
    let end: ChapterTimestamp?
    let title: Range<Int>
  }

  /// The line number, from 1.
  let number: Int
  /// The line without surrounding blanks.
  let text: [Unicode.Scalar]
  let timeBeforeTitle: TimeBeforeTitle?
  let timeAfterTitle: TimeAfterTitle?

  init(_ number: Int, _ line: String) {
    (self.number, text) = (number, Array(line.unicodeScalars))
    timeBeforeTitle = Self.timeBeforeTitle(text)
    timeAfterTitle = Self.timeAfterTitle(text)
  }

  /// Whether there are words before the time and words after it.
  var hasLabel: Bool {
    guard let time = timeBeforeTitle, !time.label.isEmpty else { return false }
    let rest = time.secondTime?.rest ?? time.rest
    return !title(from: rest.separatorEnd ?? rest.start, closing: rest.openBrackets).isEmpty
  }

  /// Returns the characters of a range without surrounding blanks.
  func string(_ range: Range<Int>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: text[range.clamped(to: text.indices)])
    return String(view).trimmed
  }

  /// Returns the title that begins at `start`, without a closing bracket or table border at the end of the line.
  func title(from start: Int, closing brackets: [Unicode.Scalar]) -> String {
    var end = text.count
    if end > start, brackets.contains(text[end - 1]) { end -= 1 }
    if text.first == "|", end > start, text[end - 1] == "|" { end -= 1 }
    return string(min(start, end)..<end)
  }

  // MARK: - The time first

  /// The maximum number of characters before a time.
  private static let maximumPrefixLength = 48

  private static func timeBeforeTitle(_ text: [Unicode.Scalar]) -> TimeBeforeTitle? {
    var (position, numbers, words): (Int, Int, Int) = (0, 0, 0)
    var emoji: [Unicode.Scalar] = []
    while position < min(text.count, maximumPrefixLength) {
      let scalar = text[position]
      if scalar.decimalDigit != nil {
        if let time = ChapterTimestamp(text, at: position) {
          guard words == 0 || numbers > 0 else { return nil }
          let label = words > 0 ? 0..<position : 0..<0
          return TimeBeforeTitle(
            label: label, emoji: emoji, start: time, rest: rest(of: text, after: time),
            secondTime: secondTime(in: text, after: time))
        }
        let start = position
        while position < text.count, text[position].decimalDigit != nil { position += 1 }
        guard position - start <= 4 else { return nil }
        // Section numbers, such as 1.2, are treated as words.
        let isSection =
          position - start < 3 && position + 1 < text.count && text[position] == "."
          && text[position + 1].decimalDigit != nil && ChapterTimestamp(text, at: position + 1) == nil
        if isSection { words += 1 } else { numbers += 1 }
        guard words <= 3, numbers <= (words > 0 ? 2 : 1) else { return nil }
      } else if scalar.isWord || !scalar.isOrnament {
        words += 1
        guard words <= 3 else { return nil }
        while position < text.count, position < maximumPrefixLength,
          text[position].isWord || !text[position].isOrnament,
          text[position].decimalDigit == nil
        {
          position += 1
        }
      } else {
        // Some symbols are emoji only if a variation selector follows them, so keep the selector.
        let selector: Unicode.Scalar = "\u{FE0F}"
        let isSelected = position + 1 < text.count && text[position + 1] == selector && scalar.properties.isEmoji
        if scalar.properties.isEmojiPresentation || isSelected { emoji += isSelected ? [scalar, selector] : [scalar] }
        position += 1
      }
    }
    return nil
  }

  /// The signs that may surround a time: each opening bracket or quotation mark, with the sign that closes it.
  private static let closingSigns: [Unicode.Scalar: Unicode.Scalar] = [
    "(": ")", "[": "]", "{": "}", "<": ">", "（": "）", "［": "］", "｛": "｝", "【": "】", "「": "」", "『": "』", "〈": "〉",
    "《": "》", "〔": "〕", "«": "»", "‹": "›", "“": "”", "„": "“", "‘": "’", "\"": "\"", "'": "'", "`": "`", "*": "*",
    "_": "_", "~": "~",
  ]

  /// Returns the signs that close the brackets directly before `position`. The first closes the innermost bracket.
  private static func brackets(before position: Int, in text: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var (closingBrackets, position): ([Unicode.Scalar], Int) = ([], position)
    while position > 0, closingBrackets.count < 4 {
      var before = position - 1
      if text[before] == " ", before > 0, let outer = closingSigns[text[before - 1]], outer != text[before - 1] {
        before -= 1
      }
      guard let closer = closingSigns[text[before]] else { break }
      closingBrackets.append(closer)
      position = before
    }
    return closingBrackets
  }

  /// Skips closing brackets and returns the brackets that are missing.
  private static func close(
    _ brackets: [Unicode.Scalar], in text: [Unicode.Scalar], at position: inout Int, _ hasLink: inout Bool
  ) -> [Unicode.Scalar] {
    for (index, closer) in brackets.enumerated() {
      var next = position
      if next < text.count, text[next] == " ", next + 1 < text.count, text[next + 1] == closer { next += 1 }
      guard next < text.count, text[next] == closer else { return Array(brackets[index...]) }
      position = next + 1
      // In Markdown, a time may link to a moment on a page: [1:05](https://…). Skip the address.
      guard closer == "]", position < text.count, text[position] == "(",
        text[(position + 1)...].prefix(4).elementsEqual("http".unicodeScalars),
        let end = text[position...].firstIndex(of: ")")
      else { continue }
      (position, hasLink) = (end + 1, true)
    }
    return []
  }

  private static func rest(of text: [Unicode.Scalar], after time: ChapterTimestamp) -> TextAfterTime {
    var (position, hasLink) = (time.range.upperBound, false)
    let openBrackets = close(brackets(before: time.range.lowerBound, in: text), in: text, at: &position, &hasLink)
    return rest(of: text, from: position, hasFullFormat: time.hasFullFormat, openBrackets, hasLink: hasLink)
  }

  private static let dashes: Set<Unicode.Scalar> = ["-", "‐", "‑", "‒", "–", "—", "―", "−", "﹣", "－"]
  /// The signs that separate a time from a title.
  private static let separators = dashes.union([
    "|", "¦", "│", "┃", "｜", ":", "：", "=", "＝", "~", "〜", "～", "•", "·", "∙", "‧", "・", "●", "►", "▶", "▸", "▷", "➤",
    "➔",
    "➜", "→", "⇒", "⟶", "»", "›", ">", "/", "／", "\\", "*", "+", "_", ".", ",", ";", "、", "，", "،", "؛", ")", "]", "@",
    "—",
  ])
  /// Whether a sign may separate a time from a title. The signs in `separators` and most other symbols may do so.
  fileprivate static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    if separators.contains(scalar) { return true }
    guard !scalar.isASCII, !scalar.properties.isEmojiPresentation else { return false }
    switch scalar.properties.generalCategory {
    case .mathSymbol, .otherSymbol, .dashPunctuation: return true
    case .otherPunctuation: return ["‣", "⁃", "※"].contains(scalar)
    default: return false
    }
  }
  /// The signs that are separators only before a blank. Directly before a word, these signs belong to the title.
  private static let looseSeparators: Set<Unicode.Scalar> = ["*", "_", ".", ",", ";", "+", "\\", ")", "]", "@", "~"]

  private static func rest(
    of text: [Unicode.Scalar], from start: Int, hasFullFormat: Bool, _ open: [Unicode.Scalar], hasLink: Bool
  ) -> TextAfterTime {
    var position = start
    while position < text.count, text[position].isInvisible { position += 1 }
    var rest = TextAfterTime(start: position, openBrackets: open, hasLink: hasLink)
    let first = position
    while position < text.count, position - first < 4, isSeparator(text[position]) {
      position += 1
      while position < text.count, (0xFE00...0xFE0F).contains(text[position].value) { position += 1 }
    }
    guard position > first else { return rest }
    let sign = text[first..<position]
    let isLoose = position == text.count || text[position].isInvisible
    let isGlued = first == start && !hasFullFormat
    guard isLoose || isGlued || !sign.contains(where: looseSeparators.contains) else { return rest }
    while position < text.count, text[position].isInvisible { position += 1 }
    rest.separatorEnd = position
    rest.isCertain = !hasFullFormat && (isGlued || isLoose && sign.allSatisfy(dashes.contains))
    return rest
  }

  private static let rangeWords: Set<String> = ["to", "bis", "until", "till", "à", "a", "до", "hasta", "tot", "til"]

  /// Returns the second time of a line, or `nil` if there is none. The second time is the end of the chapter, as in
  /// `0:00 - 1:05`, `[0:00] → [1:05]` or `0:00 to 1:05`.
  private static func secondTime(
    in text: [Unicode.Scalar], after time: ChapterTimestamp
  ) -> (time: ChapterTimestamp, rest: TextAfterTime)? {
    var (position, hasLink) = (time.range.upperBound, false)
    let outerBrackets = brackets(before: time.range.lowerBound, in: text)
    let openBrackets = close(outerBrackets, in: text, at: &position, &hasLink)
    let afterFirst = position
    var hasBlank = false
    func skipBlanks() {
      while position < text.count, text[position].isInvisible {
        hasBlank = true
        position += 1
      }
    }
    skipBlanks()
    let signs: Set<Unicode.Scalar> = dashes.union([
      ">", "→", "⇒", "➔", "➜", "~", "〜", "～", "…", ".", "/", "|", ",", "=", "⟶",
    ])
    let sign = position
    while position < text.count, position - sign < 4, signs.contains(text[position]) { position += 1 }
    if position == sign {
      while position < text.count, position - sign < 6, text[position].isWord { position += 1 }
      if position > sign {
        var word = String.UnicodeScalarView()
        word.append(contentsOf: text[sign..<position])
        guard rangeWords.contains(String(word).lowercased()) else { return nil }
      }
      guard position > sign || hasBlank || afterFirst > time.range.upperBound else { return nil }
    }
    skipBlanks()
    while position < text.count, position - sign < 12, text[position].isInvisible || closingSigns[text[position]] != nil
    {
      position += 1
    }
    guard position < text.count, text[position].decimalDigit != nil, let second = ChapterTimestamp(text, at: position),
      !time.hasFullFormat || second.hasFullFormat
    else { return nil }
    let ownBrackets = brackets(before: position, in: text)
    position = second.range.upperBound
    let missingBrackets = close(ownBrackets + openBrackets, in: text, at: &position, &hasLink)
    return (
      second, rest(of: text, from: position, hasFullFormat: second.hasFullFormat, missingBrackets, hasLink: hasLink)
    )
  }

  // MARK: - The time last

  private static func timeAfterTitle(_ text: [Unicode.Scalar]) -> TimeAfterTitle? {
    var end = text.count
    while end > 0, text.count - end < 8, text[end - 1].isOrnament { end -= 1 }
    guard end > 0, let last = ChapterTimestamp(text, endingAt: end) else { return nil }
    var position = last.range.lowerBound
    while position > 0, last.range.lowerBound - position < 8, text[position - 1].isOrnament { position -= 1 }
    let precedingTime = position < last.range.lowerBound ? ChapterTimestamp(text, endingAt: position) : nil
    let (start, second) = precedingTime.map { ($0, last) } ?? (last, nil)
    let titleStart = titleStart(text)
    let titleEnd = titleEnd(text, start, second ?? last)
    // If the line contains only a bullet and a time, it has no title.
    guard titleStart < titleEnd else { return nil }
    return TimeAfterTitle(start: start, end: second, title: titleStart..<titleEnd)
  }

  /// Returns the end of a title before a time, without brackets, separators and dot leaders.
  private static func titleEnd(_ text: [Unicode.Scalar], _ start: ChapterTimestamp, _ last: ChapterTimestamp) -> Int {
    var end = start.range.lowerBound
    // A sign such as `"` may open or close a quotation. If it precedes and follows the time, it is not part of the
    // title.
    let after = last.range.upperBound
    if end > 0, after < text.count, closingSigns[text[end - 1]] == text[after] { end -= 1 }
    while end > 0 {
      let sign = text[end - 1]
      if sign.isInvisible {
        end -= 1
      } else if let closer = closingSigns[sign], closer != sign, closer != "”", closer != "’", closer != "“" {
        end -= 1
      } else if sign == "." || sign == "…" || sign == "_" || sign == "," || sign == "*" {
        // A single full stop ends a sentence and belongs to the title. Several full stops are a dot leader.
        let isLeader = sign == "…" || end > 1 && (text[end - 2] == sign || text[end - 2].isInvisible)
        guard isLeader || sign == "," else { break }
        while end > 0, text[end - 1] == sign || text[end - 1].isInvisible { end -= 1 }
      } else if separators.contains(sign), sign != ")", sign != "]", sign != "»", sign != "›" {
        end -= 1
      } else {
        break
      }
    }
    return max(0, end)
  }

  /// Returns the start of the title. If the line begins with a bullet and a blank, the title follows them.
  private static func titleStart(_ text: [Unicode.Scalar]) -> Int {
    let bullets: Set<Unicode.Scalar> = separators.union([
      "◦", "▪", "■", "◆", "◇", "★", "☆", "✓", "✔", "✦", "❖", "○", "#",
    ])
    var position = 0
    while position < text.count, position < 4, bullets.contains(text[position]) { position += 1 }
    guard position > 0, position < text.count, text[position].isInvisible else { return 0 }
    while position < text.count, text[position].isInvisible { position += 1 }
    return position
  }
}
