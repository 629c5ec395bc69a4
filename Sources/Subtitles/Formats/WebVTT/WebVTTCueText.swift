/// Converts the text and tags of a WebVTT cue to styled text (WebVTT, clause 6.4, "cue text parsing rules").
///
/// The parser deviates from the specification in one respect. If a `<` does not begin a tag, the parser keeps it as
/// text, but players drop the rest of the cue.
struct WebVTTCueText {
  private let source: [UInt8]
  private let styleSheet: WebVTTStyleSheet
  private var line: Int
  private var output = StyledTextBuilder()
  /// The open tags. Each element contains the style that was used before the tag.
  private var openTags: [(name: String, outside: StyledText.Style)] = []
  private var findings = CueNotices()
  /// Whether a tag declares a language.
  private(set) var namesLanguages = false
  /// Whether a tag has a class that does not affect its style.
  private(set) var hasClassesWithoutStyle = false
  /// Whether a search for `>` has already reached the end of the text.
  private var hasNoFurtherEnd = false

  /// Creates a parser for the text of a cue. `line` is the line number of its first line.
  init(_ source: [UInt8], styleSheet: WebVTTStyleSheet = WebVTTStyleSheet(), line: Int = 0) {
    self.source = source
    self.styleSheet = styleSheet
    self.line = line
    styleSheet.wholeCue.apply(to: &output.style)
  }

  /// Parses the whole text, and returns it without surrounding blanks and line breaks. The parser never fails:
  /// invalid tags are text, and open tags are closed at the end.
  @discardableResult
  mutating func parse(_ notices: inout NoticeList) -> StyledText {
    var index = 0
    while index < source.count {
      let start = index
      while index < source.count, source[index] != UInt8(ascii: "&"), source[index] != UInt8(ascii: "<") { index += 1 }
      appendText(source[start..<index])
      guard index < source.count else { break }
      if let next = source[index] == UInt8(ascii: "<") ? readTag(at: index) : readReference(at: index) {
        index = next
      } else {
        appendText(source[index...index])
        index += 1
      }
    }
    // A voice tag may remain open if it applies to the whole cue.
    let unclosedCount = openTags.count { $0.name != "v" && $0.name != "rt" && $0.name != "ruby" }
    if unclosedCount > 0 {
      findings.add(.unclosedTag, line: line) {
        "\(counted(unclosedCount, "tag")) \(unclosedCount == 1 ? "was" : "were") closed at the end of the cue"
      }
    }
    while let last = openTags.last { close(last.name) }
    findings.add(to: &notices)
    return output.finish()
  }

  // MARK: - Text

  private mutating func appendText(_ bytes: ArraySlice<UInt8>) {
    var bytes = bytes
    line += bytes.count { $0 == Ascii.lineFeed }
    if output.utf8.isEmpty { bytes = bytes.drop { Ascii.isBlank($0) || $0 == Ascii.lineFeed } }
    output.append(bytes)
  }

  private mutating func readReference(at start: Int) -> Int? {
    guard let reference = CharacterReference(source, at: start, end: source.count) else { return nil }
    appendText(Array(String(reference.scalar).utf8)[...])
    return start + reference.byteCount
  }

  // MARK: - Tags

  /// Parses a tag from `<` to `>`. Returns the end, or `nil` if the `<` is kept as text.
  private mutating func readTag(at start: Int) -> Int? {
    guard let end = endOfTag(from: start + 1) else {
      findings.add(.tagAsText, line: line) { "a \"<\" that begins no tag was kept as text" }
      return nil
    }
    let body = source[start + 1..<end]
    switch body.first {
    case let byte? where Ascii.isDigit(byte):
      findings.add(.inexpressibleStyle, "time", line: line) {
        "times within a cue are not supported: its text is shown as a whole"
      }
    case UInt8(ascii: "/"): readEnd(body)
    default: readStart(body)
    }
    line += body.count { $0 == Ascii.lineFeed }
    return end + 1
  }

  /// Returns the position of the `>` that ends a tag. Returns `nil` if there is no `>`, or if the contents are not a
  /// name, class or time.
  private mutating func endOfTag(from start: Int) -> Int? {
    guard start < source.count, !hasNoFurtherEnd else { return nil }
    let first = source[start]
    let isName = Ascii.isLetter(first) || [UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: ">")].contains(first)
    guard isName || Ascii.isDigit(first) else { return nil }
    guard let end = source[start...].firstIndex(of: UInt8(ascii: ">")) else {
      hasNoFurtherEnd = true
      return nil
    }
    let isTime = source[start..<end].allSatisfy {
      Ascii.isDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
    }
    return isName || isTime ? end : nil
  }

  private mutating func readStart(_ body: ArraySlice<UInt8>) {
    let word = body.prefix { !Ascii.isBlank($0) && $0 != Ascii.lineFeed && $0 != Ascii.formFeed }
    let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let name = parts.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let annotation = body.dropFirst(word.count)
    let isKnown = name == "rt" ? openTags.last?.name == "ruby" : Self.tagNames.contains(name)
    guard isKnown else {
      findings.add(.unknownTag, line: line, lost: source[body.startIndex - 1...body.endIndex]) {
        "unknown tag \(Self.excerpt(of: body)) was dropped, but its text was kept"
      }
      return
    }
    let words = Self.words(of: annotation)
    if !words.isEmpty, name != "v", name != "lang" {
      findings.add(.unknownTag, "annotation", line: line, lost: Array(words.utf8)[...]) {
        "\(Self.excerpt(of: body)): text within the tag was dropped"
      }
    }
    if name == "rt" {
      findings.add(.inexpressibleStyle, "ruby", line: line) {
        "ruby text is shown in parentheses after its base text"
      }
    }
    openTags.append((name, output.style))
    let tag = WebVTTStyleSheet.Tag(
      name: name, classes: parts.dropFirst().map { String(decoding: $0, as: UTF8.self) },
      voice: name == "v" && !words.isEmpty ? words : nil)
    if name == "lang", !words.isEmpty { namesLanguages = true }
    if tag.classes.contains(where: { !styleSheet.hasStyle(ofClass: $0) }) { hasClassesWithoutStyle = true }
    output.style = styleSheet.style(of: tag, in: output.style)
    if name == "rt" { appendText([UInt8(ascii: "(")]) }
  }

  private mutating func readEnd(_ body: ArraySlice<UInt8>) {
    let name = Self.words(of: body.dropFirst())
    // An end tag of `ruby` also closes an open `rt`. Other end tags without a start tag are dropped.
    if name == "ruby", openTags.last?.name == "rt" { close("rt") }
    guard openTags.last?.name == name else {
      findings.add(.strayTag, line: line) {
        "\(Self.excerpt(of: body)), which does not close the last open tag, was dropped"
      }
      return
    }
    close(name)
  }

  private mutating func close(_ name: String) {
    guard let last = openTags.popLast() else { return }
    if name == "rt" { appendText([UInt8(ascii: ")")]) }
    output.style = last.outside
  }

  private static let tagNames: Set<String> = ["c", "i", "b", "u", "v", "ruby", "lang"]

  private static func excerpt(of tag: ArraySlice<UInt8>) -> String {
    let shownText = String(decoding: tag.prefix(40), as: UTF8.self)
    return "<" + (tag.count > 40 ? shownText + "…" : shownText + ">")
  }

  /// Returns the words of an annotation, separated by single blanks, with resolved character references.
  private static func words(of annotation: ArraySlice<UInt8>) -> String {
    let bytes = Array(annotation)
    var keptBytes: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "&"), let reference = CharacterReference(bytes, at: index, end: bytes.count) {
        keptBytes += String(reference.scalar).utf8
        index += reference.byteCount
      } else {
        keptBytes.append(bytes[index])
        index += 1
      }
    }
    let words = keptBytes.split { Ascii.isBlank($0) || $0 == Ascii.lineFeed || $0 == Ascii.formFeed }
    return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }
}
