/// Converts the lines and tags of a cue to styled text.
///
/// Tags may be nested, crossed or unclosed, so the parser counts the open tags of each type. Colors form a stack, so a
/// closing tag restores the previous color. Overrides of SubStation Alpha and MicroDVD set styles independently of
/// tags.
struct CueMarkup {
  let source: [UInt8]
  /// The range of the cue's lines in the source.
  private(set) var cueRange = 0..<0
  var output = StyledTextBuilder()
  /// Whether the text may contain characters that ``StyledText`` normalizes.
  private var mayNeedNormalizing = false
  var tags = OpenTags()
  /// The style set by overrides in braces.
  var overrideStyle = StyledText.Style.plain
  /// The style that `{y:i}` of MicroDVD sets for the line.
  var lineStyle = StyledText.Style.plain
  /// Whether drawing commands follow instead of text.
  var isDrawing = false
  /// The placement that the markup declares, or `nil` if there is none.
  var placement: Cue.Placement?
  private var lineNumber = 0
  private(set) var findings = CueNotices()

  struct OpenTags {
    var bold = 0
    var italic = 0
    var underline = 0
    var colors: [StyledText.Color?] = []

    var count: Int { bold + italic + underline + colors.count }
  }

  /// The names of closing tags in the cue, or `nil` if they have not been computed yet.
  private var foundClosingTagNames: Set<String>?

  /// Creates a parser for the cues in `source`.
  init(_ source: [UInt8]) {
    self.source = source
  }

  mutating func begin(_ range: Range<Int>) {
    cueRange = range
    output.removeAll()
    mayNeedNormalizing = false
    findings = CueNotices()
    (overrideStyle, lineStyle) = (.plain, .plain)
    tags = OpenTags()
    (placement, isDrawing) = (nil, false)
    foundClosingTagNames = nil
  }

  mutating func append(line range: Range<Int>, number: Int) {
    lineNumber = number
    output.breakLine()
    if lineStyle != .plain {
      lineStyle = .plain
      updateStyle()
    }
    var index = range.lowerBound
    while index < range.upperBound {
      let start = index
      while index < range.upperBound, !CueMarkup.beginsMarkup(source[index]) {
        // U+2028 and U+2029 need normalizing, and both begin with the byte 0xE2. The decoder already removed the other
        // characters that ``StyledText`` removes, unless they are written as references.
        if source[index] == 0xE2 { mayNeedNormalizing = true }
        index += 1
      }
      if !isDrawing || !dropDrawing(start..<index) { output.append(source[start..<index]) }
      guard index < range.upperBound else { return }
      if let next = parseMarkup(at: index, end: range.upperBound) {
        index = next
      } else {
        output.append(source[index])
        index += 1
      }
    }
  }

  /// Closes the open tags and returns the text without trailing blanks and line breaks.
  mutating func finish(_ notices: inout NoticeList) -> StyledText {
    let openCount = tags.count
    if openCount > 0 {
      record(.unclosedTag) { _ in
        "\(counted(openCount, "tag")) \(openCount == 1 ? "was" : "were") closed at the end of the cue"
      }
    }
    findings.add(to: &notices)
    return output.finish(normalizing: mayNeedNormalizing)
  }

  // MARK: - Text

  private static func beginsMarkup(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "<") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "\\")
  }

  /// Parses a tag, override, escape or reference. Returns its end, or `nil` if the character is plain text.
  private mutating func parseMarkup(at index: Int, end: Int) -> Int? {
    switch source[index] {
    case UInt8(ascii: "<"): return parseTag(at: index, end: end)
    case UInt8(ascii: "{"): return parseBrace(at: index, end: end)
    case UInt8(ascii: "&"):
      guard let reference = CharacterReference(source, at: index, end: end) else { return nil }
      mayNeedNormalizing = true
      output.append(String(reference.scalar).utf8)
      return index + reference.byteCount
    default: return parseEscape(at: index, end: end)
    }
  }

  mutating func updateStyle() {
    var new = StyledText.Style.plain
    new.isBold = tags.bold > 0 || overrideStyle.isBold || lineStyle.isBold
    new.isItalic = tags.italic > 0 || overrideStyle.isItalic || lineStyle.isItalic
    new.isUnderlined = tags.underline > 0 || overrideStyle.isUnderlined || lineStyle.isUnderlined
    new.color = lineStyle.color ?? overrideStyle.color ?? tags.colors.last ?? nil
    output.style = new
  }

  // MARK: - Findings

  /// Adds a notice. `lost` is the range of text in the source that is not shown.
  mutating func record(
    _ kind: SubtitleNotice.Kind, _ subject: String = "", lost: Range<Int>? = nil, _ message: (CueMarkup) -> String
  ) {
    // Move the notices to a local variable, because the message reads other properties of `self`.
    var cueNotices = CueNotices()
    swap(&cueNotices, &findings)
    cueNotices.add(kind, subject, line: lineNumber, lost: lost.map { source[$0] }) { message(self) }
    findings = cueNotices
  }

  /// Returns a tag or override as written. A long tag or override is shortened.
  func text(_ range: Range<Int>) -> String {
    let shownText = String(decoding: source[range.prefix(40)], as: UTF8.self)
    return range.count > 40 ? shownText + "…" : shownText
  }

  /// Returns the names of the closing tags in the cue. The first call scans the cue, and later calls return the stored
  /// names.
  mutating func closingTagNames() -> Set<String> {
    if let foundClosingTagNames { return foundClosingTagNames }
    var names: Set<String> = []
    var index = cueRange.lowerBound
    while index + 1 < cueRange.upperBound {
      defer { index += 1 }
      guard source[index] == UInt8(ascii: "<"), source[index + 1] == UInt8(ascii: "/") else { continue }
      let name = source[index + 2..<cueRange.upperBound].prefix { Ascii.isLetter($0) || Ascii.isDigit($0) }
      names.insert(String(decoding: name, as: UTF8.self).lowercased())
    }
    foundClosingTagNames = names
    return names
  }

  /// Parses `<name …>` or `</name>`. Returns the end, or `nil` if the `<` is plain text.
  mutating func parseTag(at start: Int, end: Int) -> Int? {
    var index = start + 1
    var isClosing = false
    if index < end, source[index] == UInt8(ascii: "/") {
      isClosing = true
      index += 1
    }
    guard index < end, Ascii.isLetter(source[index]) else { return nil }
    let nameStart = index
    while index < end, Ascii.isLetter(source[index]) || Ascii.isDigit(source[index]) { index += 1 }
    let nameEnd = index
    while index < end, source[index] != UInt8(ascii: ">") {
      if source[index] == UInt8(ascii: "<") { return nil }
      index += 1
    }
    guard index < end else { return nil }
    if source[index - 1] == UInt8(ascii: "/") { isClosing = true }
    let tag = start..<index + 1
    // Handle tags of one letter first and quickly, because nearly all tags have one letter.
    if nameEnd - nameStart == 1, toggleStyle(source[nameStart], isClosing: isClosing, tag) { return index + 1 }
    let name = String(decoding: source[nameStart..<nameEnd], as: UTF8.self).lowercased()
    switch name {
    case "em" where toggleStyle(UInt8(ascii: "i"), isClosing: isClosing, tag): break
    case "strong" where toggleStyle(UInt8(ascii: "b"), isClosing: isClosing, tag): break
    case "br": output.breakLine()
    case "font": parseFont(tag: tag, attributes: nameEnd..<index, isClosing: isClosing)
    case "s", "strike", "del":
      record(.inexpressibleStyle, "s") { "strikethrough is not supported: \($0.text(tag)) was dropped" }
    default:
      guard isClosing || CueMarkup.knownTags.contains(name) || closingTagNames().contains(name) else {
        record(.tagAsText) { "\($0.text(tag)), which is not a known tag, was kept as text" }
        return nil
      }
      record(.unknownTag, lost: tag) { "unknown tag \($0.text(tag)) was dropped, but its text was kept" }
    }
    return index + 1
  }

  /// The names of tags in HTML, WebVTT and TTML. A tag with another name is text if it is unclosed.
  private static let knownTags: Set<String> = [
    "a", "body", "c", "center", "div", "head", "html", "lang", "p", "q", "rt", "ruby", "small", "big", "span", "sub",
    "sup",
    "style", "tt", "v",
  ]

  /// Whether a lowercase name belongs to a known tag.
  static func isTag(_ name: String) -> Bool {
    knownTags.contains(name)
      || ["b", "i", "u", "em", "strong", "br", "font", "s", "strike", "del"].contains(name)
  }

  /// Applies a tag whose name is one letter. Returns `false` if the letter is not a style.
  mutating func toggleStyle(_ letter: UInt8, isClosing: Bool, _ tag: Range<Int>) -> Bool {
    let isClosed: Bool
    switch letter | 0x20 {
    case UInt8(ascii: "b"): isClosed = CueMarkup.countTag(&tags.bold, isClosing: isClosing)
    case UInt8(ascii: "i"): isClosed = CueMarkup.countTag(&tags.italic, isClosing: isClosing)
    case UInt8(ascii: "u"): isClosed = CueMarkup.countTag(&tags.underline, isClosing: isClosing)
    default: return false
    }
    if !isClosed { record(.strayTag) { "\($0.text(tag)), which closes no tag, was dropped" } }
    updateStyle()
    return true
  }

  /// Counts the open tags of one type. Returns `false` if a closing tag has no opening tag.
  private static func countTag(_ depth: inout Int, isClosing: Bool) -> Bool {
    guard !isClosing || depth > 0 else { return false }
    depth += isClosing ? -1 : 1
    return true
  }

  private mutating func parseFont(tag: Range<Int>, attributes: Range<Int>, isClosing: Bool) {
    if isClosing {
      if tags.colors.popLast() == nil { record(.strayTag) { "\($0.text(tag)), which closes no tag, was dropped" } }
    } else {
      var color = tags.colors.last ?? nil
      for (name, value) in MarkupAttributes(source[attributes]) {
        if name == "color" {
          if let known = StyledText.Color(markup: value) {
            color = known
          } else {
            record(.unknownColor) { _ in "the unknown color \(excerpt(value.utf8)) was dropped" }
          }
        } else {
          record(.inexpressibleStyle, name) { "the unsupported attribute \(name) of \($0.text(tag)) was dropped" }
        }
      }
      tags.colors.append(color)
    }
    updateStyle()
  }
}

/// The attributes of a tag, such as `color="#FFFF00" size=20`.
///
/// Names are in lowercase, and values have no quotation marks. Attributes without values are skipped.
struct MarkupAttributes: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  mutating func next() -> (name: String, value: String)? {
    while true {
      rest = rest.drop { !Ascii.isLetter($0) }
      guard !rest.isEmpty else { return nil }
      let name = rest.prefix { Ascii.isLetter($0) || $0 == UInt8(ascii: "-") }
      rest = rest.dropFirst(name.count).drop(while: Ascii.isBlank)
      guard rest.first == UInt8(ascii: "=") else { continue }
      rest = rest.dropFirst().drop(while: Ascii.isBlank)
      return (String(decoding: name, as: UTF8.self).lowercased(), String(decoding: readValue(), as: UTF8.self))
    }
  }

  private mutating func readValue() -> ArraySlice<UInt8> {
    guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      let value = rest.prefix { !Ascii.isBlank($0) }
      rest = rest.dropFirst(value.count)
      return value
    }
    let value = rest.dropFirst().prefix { $0 != quote }
    rest = rest.dropFirst(value.count + 2)
    return value
  }
}
