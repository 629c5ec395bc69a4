import MovieBox

/// Turns the lines of one cue with their tags into styled text.
///
/// Tags may be nested, crossed, and left open: each kind is counted for itself, and colours form a stack, so that
/// closing one brings back the colour before it.
struct CueMarkup {
  private let source: [UInt8]
  private var output: [UInt8] = []
  private var scalarCount = 0
  private var runs: [StyledText.Run] = []
  private var style = TextStyle.plain
  private var runStart = 0
  private var boldDepth = 0
  private var italicDepth = 0
  private var underlineDepth = 0
  private var colors: [TextColor?] = []
  private var line = 0
  private var findings: [Finding] = []

  /// One kind of notice in this cue: told once, counted.
  private struct Finding {
    var kind: SubtitleNotice.Kind
    var line: Int
    var message: String
    var count = 1
  }

  /// A parser of lines of `source`.
  init(_ source: [UInt8]) {
    self.source = source
  }

  /// Parses one line of the cue.
  mutating func append(line range: Range<Int>, number: Int) {
    line = number
    breakLine()
    var index = range.lowerBound
    while index < range.upperBound {
      let next: Int?
      switch source[index] {
      case UInt8(ascii: "<"): next = parseTag(at: index, end: range.upperBound)
      case UInt8(ascii: "{"): next = parseBrace(at: index, end: range.upperBound)
      case UInt8(ascii: "&"): next = parseEntity(at: index, end: range.upperBound)
      default: next = nil
      }
      if let next {
        index = next
        continue
      }
      let start = index
      repeat { index += 1 } while index < range.upperBound && !CueMarkup.beginsMarkup(source[index])
      emit(source[start..<index])
    }
  }

  /// Closes what is open and gives the text, without blanks and line breaks at its end.
  mutating func finish(_ notices: inout NoticeList) -> StyledText {
    let open = boldDepth + italicDepth + underlineDepth + colors.count
    if open > 0 { find(.unclosedTag) { _ in "\(open) tags closed at the end of the cue" } }
    closeRun()
    while let last = output.last, Ascii.isBlank(last) || last == Ascii.lineFeed {
      output.removeLast()
      scalarCount -= 1
    }
    while let last = runs.last, last.range.upperBound > scalarCount {
      runs.removeLast()
      guard last.range.lowerBound < scalarCount else { continue }
      runs.append(StyledText.Run(last.range.lowerBound..<scalarCount, last.style))
    }
    for finding in findings {
      let more = finding.count > 1 ? " (and \(finding.count - 1) more in this cue)" : ""
      notices.add(finding.kind, line: finding.line, finding.message + more)
    }
    return StyledText(normalizing: String(decoding: output, as: UTF8.self), runs: runs)
  }

  // MARK: - Text

  private mutating func emit(_ bytes: ArraySlice<UInt8>) {
    output.append(contentsOf: bytes)
    for byte in bytes where byte & 0xC0 != 0x80 { scalarCount += 1 }
  }

  private static func beginsMarkup(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "<") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "&")
  }

  /// A line break, unless nothing stands before it.
  private mutating func breakLine() {
    if !output.isEmpty { emit([Ascii.lineFeed]) }
  }

  private mutating func updateStyle() {
    let new = TextStyle(
      isBold: boldDepth > 0, isItalic: italicDepth > 0, isUnderlined: underlineDepth > 0, color: colors.last ?? nil)
    guard new != style else { return }
    closeRun()
    style = new
  }

  private mutating func closeRun() {
    defer { runStart = scalarCount }
    guard style != .plain, runStart < scalarCount else { return }
    if let last = runs.last, last.style == style, last.range.upperBound == runStart {
      runs[runs.count - 1].range = last.range.lowerBound..<scalarCount
    } else {
      runs.append(StyledText.Run(runStart..<scalarCount, style))
    }
  }

  private mutating func find(_ kind: SubtitleNotice.Kind, _ message: (CueMarkup) -> String) {
    if let index = findings.firstIndex(where: { $0.kind == kind }) {
      findings[index].count += 1
    } else {
      findings.append(Finding(kind: kind, line: line, message: message(self)))
    }
  }

  // MARK: - Tags

  /// Reads `<name …>` or `</name>`; gives the position after it, or `nil` when the `<` is a character like others.
  private mutating func parseTag(at start: Int, end: Int) -> Int? {
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
    let name = String(decoding: source[nameStart..<nameEnd], as: UTF8.self).lowercased()
    let tag = start..<index + 1
    switch name {
    case "b": count(\.boldDepth, isClosing, tag)
    case "i": count(\.italicDepth, isClosing, tag)
    case "u": count(\.underlineDepth, isClosing, tag)
    case "br": breakLine()
    case "font": parseFont(isClosing, attributes: nameEnd..<index, tag)
    case "s", "strike": find(.inexpressibleStyle) { "struck-out text cannot be expressed, \($0.text(tag)) dropped" }
    default: find(.unknownTag) { "unknown tag \($0.text(tag)) dropped, its text kept" }
    }
    return index + 1
  }

  private mutating func count(_ depth: WritableKeyPath<CueMarkup, Int>, _ isClosing: Bool, _ tag: Range<Int>) {
    if !isClosing {
      self[keyPath: depth] += 1
    } else if self[keyPath: depth] > 0 {
      self[keyPath: depth] -= 1
    } else {
      find(.strayTag) { "\($0.text(tag)) closes nothing, dropped" }
    }
    updateStyle()
  }

  private mutating func parseFont(_ isClosing: Bool, attributes: Range<Int>, _ tag: Range<Int>) {
    if isClosing {
      if colors.popLast() == nil { find(.strayTag) { "\($0.text(tag)) closes nothing, dropped" } }
    } else {
      var color = colors.last ?? nil
      for (name, value) in MarkupAttributes(source[attributes]) {
        if name == "color" {
          if let known = TextColor(markup: value) {
            color = known
          } else {
            find(.unknownColor) { _ in "colour \(excerpt(value.utf8)) not understood, dropped" }
          }
        } else {
          find(.inexpressibleStyle) { "\(name) of \($0.text(tag)) cannot be expressed, dropped" }
        }
      }
      colors.append(color)
    }
    updateStyle()
  }

  /// Reads `{\…}`, which is dropped, or `{b}`, `{/i}` and the like, which some write for tags.
  private mutating func parseBrace(at start: Int, end: Int) -> Int? {
    var index = start + 1
    if index < end, source[index] == UInt8(ascii: "\\") {
      while index < end, source[index] != UInt8(ascii: "}") {
        if source[index] == UInt8(ascii: "{") { return nil }
        index += 1
      }
      guard index < end else { return nil }
      find(.droppedOverride) { "override \($0.text(start..<index + 1)) dropped" }
      return index + 1
    }
    var isClosing = false
    if index < end, source[index] == UInt8(ascii: "/") {
      isClosing = true
      index += 1
    }
    guard end - index >= 2, source[index + 1] == UInt8(ascii: "}") else { return nil }
    let tag = start..<index + 2
    switch source[index] | 0x20 {
    case UInt8(ascii: "b"): count(\.boldDepth, isClosing, tag)
    case UInt8(ascii: "i"): count(\.italicDepth, isClosing, tag)
    case UInt8(ascii: "u"): count(\.underlineDepth, isClosing, tag)
    default: return nil
    }
    return tag.upperBound
  }

  /// Reads one of the four entities that subtitle files have; others are text.
  private mutating func parseEntity(at start: Int, end: Int) -> Int? {
    let rest = source[start..<min(end, start + 6)]
    for (entity, characters) in CueMarkup.entities where rest.starts(with: entity.utf8) {
      emit(ArraySlice(characters.utf8))
      return start + entity.utf8.count
    }
    return nil
  }

  private static let entities = [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&nbsp;", "\u{A0}")]

  /// A tag or override as it stands, cut when it is long.
  private func text(_ range: Range<Int>) -> String {
    let shown = String(decoding: source[range.prefix(40)], as: UTF8.self)
    return range.count > 40 ? shown + "…" : shown
  }
}
