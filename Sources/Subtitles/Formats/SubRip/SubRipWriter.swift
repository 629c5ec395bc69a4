/// Writes cues as SubRip (`.srt`) in UTF-8.
///
///     let bytes = SubRipWriter.write([Cue(startMilliseconds: 0, endMilliseconds: 900, text:
///   StyledText("Hello"))]).bytes
///
/// Styles become tags, placements become overrides such as `{\an8}`, and `!!!` follows the times of forced cues.
/// Characters that would be read as markup become character references. SubRip does not support voices, background
/// colors and font sizes, so notices report their loss.
package enum SubRipWriter {
  /// Writes the cues. Takes linear time.
  package static func write(_ cues: [Cue]) -> SubtitleFile.Written {
    var writer = SubtitleTextWriter()
    var notices = NoticeList(SubtitleLimits())
    for (index, cue) in cues.enumerated() {
      if index > 0 { writer.write("\n") }
      writer.write(number: UInt64(index) + 1)
      writer.write("\n")
      writer.write(time: cue.startMilliseconds, fractionMark: ",")
      writer.write(" --> ")
      writer.write(time: cue.endMilliseconds, fractionMark: ",")
      writer.write(cue.isForced ? " !!!\n" : "\n")
      if let digit = cue.placement.nearestKeypadDigit, digit != 2 { writer.write("{\\an\(digit)}") }
      write(cue.text, to: &writer)
      writer.write("\n")
      addLosses(of: cue, to: &notices)
    }
    return SubtitleFile.Written(bytes: writer.bytes, notices: notices.finished)
  }

  private static func write(_ text: StyledText, to writer: inout SubtitleTextWriter) {
    var escaping = SubRipEscaping(of: text.text)
    // Write plain texts without escapes in one step, because most texts are plain.
    if escaping == nil, text.runs.isEmpty { return writer.write(text.text) }
    for segment in text.styledSegments {
      let isPlain = segment.style == .plain
      if !isPlain { writer.write(segment.style.subRipStart) }
      if escaping == nil { writer.write(segment.text) }
      escaping?.write(next: segment.text.utf8.count, to: &writer)
      if !isPlain { writer.write(segment.style.subRipEnd) }
    }
  }

  private static func addLosses(of cue: Cue, to notices: inout NoticeList) {
    if !cue.text.runs.isEmpty { addLossesOfStyle(of: cue, to: &notices) }
    if cue.placement.isApproximatedByKeypad {
      notices.add(
        .approximatedPlacement, line: cue.line,
        "\(cue.text.excerpt) has a placement that SubRip does not support: the nearest is used")
    }
  }

  private static func addLossesOfStyle(of cue: Cue, to notices: inout NoticeList) {
    var lostFeatures: [String] = []
    if cue.text.runs.contains(where: { $0.style.backgroundColor != nil }) { lostFeatures.append("a background color") }
    if cue.text.runs.contains(where: { ($0.style.color?.alpha ?? 255) < 255 }) {
      lostFeatures.append("translucent text")
    }
    if cue.text.runs.contains(where: { $0.style.voice != nil }) { lostFeatures.append("the name of a speaker") }
    if cue.text.runs.contains(where: { $0.style.sizeInPercent != nil }) { lostFeatures.append("font sizes") }
    guard !lostFeatures.isEmpty else { return }
    let list = lostFeatures.joined(separator: ", ")
    notices.add(
      .inexpressibleStyle, list, line: cue.line,
      "\(cue.text.excerpt) has \(list), which SubRip does "
        + "not support")
  }
}

extension Cue.Placement {
  /// The key of a numeric keypad that represents the nearest placement.
  fileprivate var nearestKeypadDigit: Int? {
    let row =
      switch vertical {
      case .bottom: 0
      case .middle: 1
      case .top: 2
      case .fromTop(let depth): depth < 3_000 ? 2 : depth < 6_500 ? 1 : 0
      }
    let column =
      switch horizontal {
      case .left: 1
      case .center: 2
      case .right: 3
      case .indented(let distance): distance < 3_000 ? 1 : distance < 6_500 ? 2 : 3
      case .centeredAt(let distance), .endingAt(let distance): distance < 3_400 ? 1 : distance <= 6_600 ? 2 : 3
      }
    return 3 * row + column
  }

  /// Whether no key of a numeric keypad represents the placement exactly.
  fileprivate var isApproximatedByKeypad: Bool {
    if case .fromTop = vertical { return true }
    return switch horizontal {
    case .left, .center, .right: false
    case .indented, .centeredAt, .endingAt: true
    }
  }
}

extension StyledText.Style {
  fileprivate var subRipStart: String {
    (color.map { "<font color=\"#\($0.hexadecimal(withAlpha: false))\">" } ?? "") + (isBold ? "<b>" : "")
      + (isItalic ? "<i>" : "") + (isUnderlined ? "<u>" : "")
  }

  fileprivate var subRipEnd: String {
    (isUnderlined ? "</u>" : "") + (isItalic ? "</i>" : "") + (isBold ? "</b>" : "") + (color == nil ? "" : "</font>")
  }
}

/// Escapes the characters in a cue's text that would be read as markup.
///
/// Some players show character references literally, so other characters are not escaped.
struct SubRipEscaping {
  private let text: [UInt8]
  private var position = 0

  /// Examines the text of a cue. Returns `nil` if the text contains no characters of markup and can be written
  /// unchanged.
  init?(of text: String) {
    guard text.utf8.contains(where: { Self.mayBeMarkup($0) }) else { return nil }
    self.text = Array(text.utf8)
  }

  private static func mayBeMarkup(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "{"), UInt8(ascii: "&"), UInt8(ascii: "\\"): true
    default: false
    }
  }

  /// Writes the next `byteCount` bytes of the text. They must have a single style.
  mutating func write(next byteCount: Int, to writer: inout SubtitleTextWriter) {
    let segment = position..<min(text.count, position + byteCount)
    for index in segment {
      if let reference = reference(at: index, in: segment) {
        writer.write(reference)
      } else {
        writer.write(text[index])
      }
    }
    position = segment.upperBound
  }

  private func reference(at index: Int, in segment: Range<Int>) -> String? {
    switch text[index] {
    case UInt8(ascii: "<"): beginsTag(at: index) ? "&lt;" : nil
    case UInt8(ascii: "{"): beginsOverride(at: index) ? "&#123;" : nil
    case UInt8(ascii: "&"): CharacterReference(text, at: index, end: text.count) == nil ? nil : "&amp;"
    case UInt8(ascii: "\\"): beginsEscape(at: index, in: segment) ? "&#92;" : nil
    case UInt8(ascii: ">"): index >= 2 && text[index - 1] == hyphen && text[index - 2] == hyphen ? "&gt;" : nil
    default: nil
    }
  }

  private var hyphen: UInt8 { UInt8(ascii: "-") }

  private func byte(_ index: Int) -> UInt8 { index < text.count ? text[index] : Ascii.lineFeed }

  /// Whether readers would read a tag at a position. Readers recognize all closing tags, and opening tags with a known
  /// name.
  private func beginsTag(at start: Int) -> Bool {
    let isClosing = byte(start + 1) == UInt8(ascii: "/")
    let name = text[(start + (isClosing ? 2 : 1))...].prefix { Ascii.isLetter($0) || Ascii.isDigit($0) }
    guard let first = name.first, Ascii.isLetter(first) else { return false }
    let rest = text[name.endIndex...]
    guard let end = rest.firstIndex(where: { "<>\n".utf8.contains($0) }), text[end] == UInt8(ascii: ">") else {
      return false
    }
    return isClosing || text[end - 1] == UInt8(ascii: "/")
      || CueMarkup.isTag(String(decoding: name, as: UTF8.self).lowercased())
  }

  /// Whether an override in braces begins at a position, such as `{\an8}`, `{y:i}` or `{b}`.
  private func beginsOverride(at start: Int) -> Bool {
    guard byte(start + 1) != UInt8(ascii: "\\") else { return true }
    if byte(start + 2) == UInt8(ascii: ":") { return "yc".utf8.contains(byte(start + 1) | 0x20) }
    let letter = start + (byte(start + 1) == UInt8(ascii: "/") ? 2 : 1)
    return "biu".utf8.contains(byte(letter) | 0x20) && byte(letter + 1) == UInt8(ascii: "}")
  }

  private func beginsEscape(at start: Int, in segment: Range<Int>) -> Bool {
    guard "Nh".utf8.contains(byte(start + 1)) else { return false }
    // Don't escape the backslash of a path. A tag at a change of style may split the path, so the text between two tags
    // must be a path too.
    return !CueMarkup.isPath(in: text, segment, around: start)
      || !CueMarkup.isPath(in: text, text.indices, around: start)
  }
}
