extension CueMarkup {
  /// Reads `<name …>` or `</name>`; gives the position after it, or `nil` when the `<` is a character like others.
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
    // Nearly all tags are of one letter.
    if nameEnd - nameStart == 1, toggle(source[nameStart], isClosing, tag) { return index + 1 }
    let name = String(decoding: source[nameStart..<nameEnd], as: UTF8.self).lowercased()
    switch name {
    case "em" where toggle(UInt8(ascii: "i"), isClosing, tag): break
    case "strong" where toggle(UInt8(ascii: "b"), isClosing, tag): break
    case "br": output.breakLine()
    case "font": parseFont(isClosing, attributes: nameEnd..<index, tag)
    case "s", "strike", "del":
      record(.inexpressibleStyle, "s") { "struck-out text cannot be expressed, \($0.text(tag)) dropped" }
    default:
      guard isClosing || CueMarkup.knownTags.contains(name) || closingNames().contains(name) else {
        record(.tagAsText) { "\($0.text(tag)) is not a known tag, kept as text" }
        return nil
      }
      record(.unknownTag, lost: tag) { "unknown tag \($0.text(tag)) dropped, its text kept" }
    }
    return index + 1
  }

  /// Tags of HTML, WebVTT and TTML, which are not text even where they are not closed.
  private static let knownTags: Set<String> = [
    "a", "body", "c", "center", "div", "head", "html", "lang", "p", "q", "rt", "ruby", "small", "big", "span", "sub",
    "sup",
    "style", "tt", "v",
  ]

  /// Whether a name in small letters is that of a tag that is known, closed or not.
  static func isTag(_ name: String) -> Bool {
    knownTags.contains(name)
      || ["b", "i", "u", "em", "strong", "br", "font", "s", "strike", "del"].contains(name)
  }

  /// A tag of one letter that switches a style; `false` for other letters.
  mutating func toggle(_ letter: UInt8, _ isClosing: Bool, _ tag: Range<Int>) -> Bool {
    let isClosed: Bool
    switch letter | 0x20 {
    case UInt8(ascii: "b"): isClosed = CueMarkup.count(&tags.bold, isClosing)
    case UInt8(ascii: "i"): isClosed = CueMarkup.count(&tags.italic, isClosing)
    case UInt8(ascii: "u"): isClosed = CueMarkup.count(&tags.underline, isClosing)
    default: return false
    }
    if !isClosed { record(.strayTag) { "\($0.text(tag)) closes nothing, dropped" } }
    updateStyle()
    return true
  }

  /// Counts open tags of a kind; `false` where there is none to close.
  private static func count(_ depth: inout Int, _ isClosing: Bool) -> Bool {
    guard !isClosing || depth > 0 else { return false }
    depth += isClosing ? -1 : 1
    return true
  }

  private mutating func parseFont(_ isClosing: Bool, attributes: Range<Int>, _ tag: Range<Int>) {
    if isClosing {
      if tags.colors.popLast() == nil { record(.strayTag) { "\($0.text(tag)) closes nothing, dropped" } }
    } else {
      var color = tags.colors.last ?? nil
      for (name, value) in MarkupAttributes(source[attributes]) {
        if name == "color" {
          if let known = TextColor(markup: value) {
            color = known
          } else {
            record(.unknownColor) { _ in "colour \(excerpt(value.utf8)) not understood, dropped" }
          }
        } else {
          record(.inexpressibleStyle, name) { "\(name) of \($0.text(tag)) cannot be expressed, dropped" }
        }
      }
      tags.colors.append(color)
    }
    updateStyle()
  }
}
