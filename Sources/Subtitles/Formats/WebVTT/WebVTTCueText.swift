/// Turns the text of a WebVTT cue with its tags into styled text (WebVTT, clause 6.4, "cue text parsing rules").
struct WebVTTCueText {
  private let source: [UInt8]
  private let styleSheet: WebVTTStyleSheet
  private var line: Int
  private var output = StyledTextBuilder()
  /// The tags that are open, with the style outside of them.
  private var open: [(name: String, outside: TextStyle)] = []
  private var findings = CueNotices()
  /// Whether a tag names a language.
  private(set) var namesLanguages = false
  /// Whether a tag has a class by which no letter looks otherwise.
  private(set) var hasClassesWithoutStyle = false
  /// Whether a `>` is known to be missing in the rest.
  private var hasNoFurtherEnd = false

  /// A parser of a cue's text, which begins in this line of the file.
  init(_ source: [UInt8], styleSheet: WebVTTStyleSheet = WebVTTStyleSheet(), line: Int = 0) {
    self.source = source
    self.styleSheet = styleSheet
    self.line = line
    styleSheet.wholeCue.apply(to: &output.style)
  }

  /// Reads all of the text; without blanks and line breaks at its ends. Never fails: what is not a tag is text, and tags
  /// are closed with the cue.
  @discardableResult
  mutating func parse(_ notices: inout NoticeList) -> StyledText {
    var index = 0
    while index < source.count {
      let start = index
      while index < source.count, source[index] != UInt8(ascii: "&"), source[index] != UInt8(ascii: "<") { index += 1 }
      emit(source[start..<index])
      guard index < source.count else { break }
      if let next = source[index] == UInt8(ascii: "<") ? readTag(at: index) : readReference(at: index) {
        index = next
      } else {
        emit(source[index...index])
        index += 1
      }
    }
    // The end tag of a voice is left out where it speaks the whole cue.
    let unclosed = open.count { $0.name != "v" && $0.name != "rt" && $0.name != "ruby" }
    if unclosed > 0 {
      findings.add(.unclosedTag, line: line) { "\(counted(unclosed, "tag")) closed at the end of the cue" }
    }
    while let last = open.last { close(last.name) }
    findings.add(to: &notices)
    return output.finish()
  }

  // MARK: - Text

  private mutating func emit(_ bytes: ArraySlice<UInt8>) {
    var bytes = bytes
    line += bytes.count { $0 == Ascii.lineFeed }
    if output.utf8.isEmpty { bytes = bytes.drop { Ascii.isBlank($0) || $0 == Ascii.lineFeed } }
    output.append(bytes)
  }

  private mutating func readReference(at start: Int) -> Int? {
    guard let reference = CharacterReference(source, at: start, end: source.count) else { return nil }
    emit(Array(String(reference.scalar).utf8)[...])
    return start + reference.byteCount
  }

  // MARK: - Tags

  /// Reads `<…>`; gives the position after it, or `nil` where the `<` is kept as text though players would drop what
  /// follows it.
  private mutating func readTag(at start: Int) -> Int? {
    guard let end = endOfTag(from: start + 1) else {
      findings.add(.tagAsText, line: line) { "\"<\" begins no tag, kept as text" }
      return nil
    }
    let body = source[start + 1..<end]
    switch body.first {
    case let byte? where Ascii.isDigit(byte):
      findings.add(.inexpressibleStyle, "time", line: line) {
        "times inside of a cue cannot be expressed, its text is shown whole"
      }
    case UInt8(ascii: "/"): readEnd(body)
    default: readStart(body)
    }
    line += body.count { $0 == Ascii.lineFeed }
    return end + 1
  }

  /// The position of the `>`; `nil` where what begins here is no tag: nothing ends it, or it is no name, class or time.
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
    let isKnown = name == "rt" ? open.last?.name == "ruby" : Self.names.contains(name)
    guard isKnown else {
      findings.add(.unknownTag, line: line, lost: source[body.startIndex - 1...body.endIndex]) {
        "unknown tag \(Self.excerpt(of: body)) dropped, its text kept"
      }
      return
    }
    let words = Self.words(of: annotation)
    if !words.isEmpty, name != "v", name != "lang" {
      findings.add(.unknownTag, "annotation", line: line, lost: Array(words.utf8)[...]) {
        "\(Self.excerpt(of: body)): text inside of the tag dropped"
      }
    }
    if name == "rt" {
      findings.add(.inexpressibleStyle, "ruby", line: line) {
        "text above the line (ruby) is shown after it, in parentheses"
      }
    }
    open.append((name, output.style))
    let tag = WebVTTStyleSheet.Tag(
      name: name, classes: parts.dropFirst().map { String(decoding: $0, as: UTF8.self) },
      voice: name == "v" && !words.isEmpty ? words : nil)
    if name == "lang", !words.isEmpty { namesLanguages = true }
    if tag.classes.contains(where: { !styleSheet.hasStyle(ofClass: $0) }) { hasClassesWithoutStyle = true }
    output.style = styleSheet.style(of: tag, in: output.style)
    if name == "rt" { emit([UInt8(ascii: "(")]) }
  }

  private mutating func readEnd(_ body: ArraySlice<UInt8>) {
    let name = Self.words(of: body.dropFirst())
    // An end of `ruby` closes the `rt` in it too; any other end without its start is dropped.
    if name == "ruby", open.last?.name == "rt" { close("rt") }
    guard open.last?.name == name else {
      findings.add(.strayTag, line: line) { "\(Self.excerpt(of: body)) does not close the tag before it, dropped" }
      return
    }
    close(name)
  }

  private mutating func close(_ name: String) {
    guard let last = open.popLast() else { return }
    if name == "rt" { emit([UInt8(ascii: ")")]) }
    output.style = last.outside
  }

  private static let names: Set<String> = ["c", "i", "b", "u", "v", "ruby", "lang"]

  private static func excerpt(of tag: ArraySlice<UInt8>) -> String {
    let shown = String(decoding: tag.prefix(40), as: UTF8.self)
    return "<" + (tag.count > 40 ? shown + "…" : shown + ">")
  }

  /// The words of an annotation with a blank between them; character references in it are read.
  private static func words(of annotation: ArraySlice<UInt8>) -> String {
    let bytes = Array(annotation)
    var kept: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "&"), let reference = CharacterReference(bytes, at: index, end: bytes.count) {
        kept += String(reference.scalar).utf8
        index += reference.byteCount
      } else {
        kept.append(bytes[index])
        index += 1
      }
    }
    let words = kept.split { Ascii.isBlank($0) || $0 == Ascii.lineFeed || $0 == Ascii.formFeed }
    return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }
}
