// The parser of STYLE blocks. It supports the CSS selectors and properties that apply to subtitles of movies. Notices
// report other selectors and properties.
//
// Each declaration is parsed separately, so an unsupported declaration does not affect other declarations.

extension WebVTTStyleSheet {
  /// Adds the rules of a STYLE block. `line` is the line number of the block's first line.
  ///
  /// Requires linear time.
  mutating func add(_ css: [UInt8], line: Int, _ limits: SubtitleLimits, _ notices: inout NoticeList) {
    var rest = Self.withoutComments(css)[...]
    var current = line
    /// Returns the bytes before the next character that `ends` contains, and this character.
    func take(_ ends: [Unicode.Scalar]) -> (text: ArraySlice<UInt8>, end: UInt8?) {
      let text = rest.prefix { byte in !ends.contains { UInt8(ascii: $0) == byte } }
      current += text.count { $0 == Ascii.lineFeed }
      rest = rest.dropFirst(text.count)
      let end = rest.popFirst()
      return (text, end)
    }
    while true {
      let blank = rest.prefix(while: Self.isSpace)
      current += blank.count { $0 == Ascii.lineFeed }
      rest = rest.dropFirst(blank.count)
      guard !rest.isEmpty else { return }
      let start = current
      if rest.first == UInt8(ascii: "@") {
        let rule = take([";", "{"])
        if rule.end == UInt8(ascii: "{") { _ = take(["}"]) }
        notices.add(.ignoredStyleRule, line: start, "\(excerpt(rule.text)) of the style sheet was ignored")
        continue
      }
      let selectors = take(["{"])
      guard selectors.end != nil else {
        notices.add(
          .ignoredStyleRule, line: start,
          "selector \(excerpt(selectors.text)) of the style sheet, which has no rule, was ignored")
        return
      }
      let firstDeclaration = current
      let change = Self.change(take(["}"]).text, firstDeclaration, &notices)
      for selector in Self.selectors(selectors.text) {
        guard let known = Self.selector(selector) else {
          notices.add(
            .ignoredStyleRule, line: start,
            "selector \(excerpt(Self.trimmed(selector))) of the style sheet was "
              + "ignored")
          continue
        }
        if !add(change, to: known, limit: limits.styleRuleCount) {
          notices.add(
            .ignoredStyleRule, line: start,
            "the file has more than \(limits.styleRuleCount) style rules: \(excerpt(Self.trimmed(selector))) "
              + "was ignored")
        }
      }
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    Ascii.isBlank(byte) || byte == Ascii.lineFeed || byte == Ascii.formFeed
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes.drop(while: isSpace)
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return bytes
  }

  /// Replaces comments by blanks. Line breaks are kept, so line numbers do not change.
  private static func withoutComments(_ css: [UInt8]) -> [UInt8] {
    var text = css
    var isComment = false
    var index = 0
    while index < text.count {
      let next = index + 1 < text.count ? text[index + 1] : 0
      let isStart = !isComment && text[index] == UInt8(ascii: "/") && next == UInt8(ascii: "*")
      let isEnd = isComment && text[index] == UInt8(ascii: "*") && next == UInt8(ascii: "/")
      if isStart || isEnd {
        isComment = isStart
        text[index] = Ascii.space
        text[index + 1] = Ascii.space
        index += 2
        continue
      }
      if isComment, text[index] != Ascii.lineFeed { text[index] = Ascii.space }
      index += 1
    }
    return text
  }

  // MARK: - Selectors

  /// Splits selectors at commas. A comma within parentheses splits a selector too: `::cue(b, i)` consists of two
  /// selectors.
  private static func selectors(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var depth = 0
    var start = text.startIndex
    for index in text.indices {
      switch text[index] {
      case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        parts.append(text[start..<index])
        start = index + 1
      default: break
      }
    }
    parts.append(text[start...])
    return parts.flatMap { part -> [ArraySlice<UInt8>] in
      let whole = trimmed(part)
      // Only the prefixes `::cue(` and `video::cue(` are supported. The prefix is copied for each comma in the
      // parentheses, so it must be short.
      let prefixes = ["::cue(", "video::cue("]
      guard let open = whole.firstIndex(of: UInt8(ascii: "(")), whole.last == UInt8(ascii: ")"),
        prefixes.contains(where: { whole[...open].elementsEqual($0.utf8) })
      else { return [whole] }
      let inner = whole[open + 1..<whole.endIndex - 1].split(
        separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      return inner.count < 2 ? [whole] : inner.map { (whole[...open] + trimmed($0) + [UInt8(ascii: ")")])[...] }
    }
  }

  /// Parses `::cue` or `::cue(v.loud[voice="Ann"])`. Returns `nil` for other selectors.
  private static func selector(_ bytes: ArraySlice<UInt8>) -> Selector? {
    var text = trimmed(bytes)
    if text.starts(with: "video".utf8) { text = text.dropFirst(5) }
    guard text.starts(with: "::cue".utf8) else { return nil }
    text = text.dropFirst(5)
    if text.isEmpty { return Selector(isWholeCue: true) }
    guard text.first == UInt8(ascii: "("), text.last == UInt8(ascii: ")"), text.count >= 2 else { return nil }
    text = trimmed(text.dropFirst().dropLast())
    guard !text.isEmpty else { return nil }
    var selector = Selector()
    let tag = name(&text)
    if !tag.isEmpty { selector.tag = tag } else if text.first == UInt8(ascii: "*") { text = text.dropFirst() }
    while let mark = text.popFirst() {
      switch mark {
      case UInt8(ascii: "."):
        let name = name(&text)
        guard !name.isEmpty else { return nil }
        selector.classes.insert(name)
      case UInt8(ascii: "["):
        guard let close = text.firstIndex(of: UInt8(ascii: "]")), selector.voice == nil else { return nil }
        guard let voice = voice(text[..<close]) else { return nil }
        selector.voice = voice
        text = text[(close + 1)...]
      default: return nil
      }
    }
    return selector
  }

  private static func name(_ text: inout ArraySlice<UInt8>) -> String {
    let name = text.prefix {
      Ascii.isLetter($0) || Ascii.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 >= 0x80
    }
    text = text.dropFirst(name.count)
    return String(decoding: name, as: UTF8.self)
  }

  /// Parses `voice="Ann"`. The name may be in double or single quotation marks, or have none.
  private static func voice(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), trimmed(bytes[..<equals]).elementsEqual("voice".utf8)
    else { return nil }
    var value = trimmed(bytes[(equals + 1)...])
    if let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      guard value.count >= 2, value.last == quote else { return nil }
      value = value.dropFirst().dropLast()
    }
    return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
  }

  // MARK: - Declarations

  private static func change(_ text: ArraySlice<UInt8>, _ firstLine: Int, _ notices: inout NoticeList) -> Change {
    var change = Change()
    var line = firstLine
    for declaration in text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      let start = line + declaration.prefix(while: isSpace).count { $0 == Ascii.lineFeed }
      line += declaration.count { $0 == Ascii.lineFeed }
      let whole = trimmed(declaration)
      guard !whole.isEmpty else { continue }
      let halves = whole.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      let property = String(decoding: trimmed(halves[0]), as: UTF8.self).lowercased()
      let value = halves.count < 2 ? "" : String(decoding: trimmed(halves[1]), as: UTF8.self).lowercased()
      let plain = value.hasSuffix("!important") ? trimmed(Array(value.utf8.dropLast(10))[...]) : Array(value.utf8)[...]
      if !change.set(property, to: String(decoding: plain, as: UTF8.self)) {
        notices.add(.ignoredStyleRule, line: start, "\(excerpt(whole)) of the style sheet was ignored")
      }
    }
    return change
  }
}

extension WebVTTStyleSheet.Change {
  /// Adds a declaration. Returns `false` if the declaration is unknown or not supported.
  fileprivate mutating func set(_ property: String, to value: String) -> Bool {
    switch (property, value) {
    case ("color", _):
      guard let color = StyledText.Color(css: value) else { return false }
      self.color = color
    case ("background-color", _), ("background", _):
      guard let color = StyledText.Color(css: value) else { return false }
      backgroundColor = color
    case ("font-style", "italic"), ("font-style", "oblique"): isItalic = true
    case ("font-style", "normal"): isItalic = false
    case ("font-weight", "bold"), ("font-weight", "bolder"): isBold = true
    case ("font-weight", "normal"), ("font-weight", "lighter"): isBold = false
    case ("font-weight", _):
      guard let weight = Int(value), (1...1_000).contains(weight) else { return false }
      isBold = weight >= 600
    case ("font-size", _):
      guard value.hasSuffix("%"), let percent = Int(value.dropLast()), (1...1_000).contains(percent) else {
        return false
      }
      sizeInPercent = percent
    case ("text-decoration", "underline"), ("text-decoration-line", "underline"): isUnderlined = true
    case ("text-decoration", "none"), ("text-decoration-line", "none"): isUnderlined = false
    default: return false
    }
    return true
  }
}
