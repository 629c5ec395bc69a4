/// The text of a cue on its way into a SubRip file, so that nothing in it is read as markup.
///
/// Other players show character references as they stand, so that there is none but where readers would take the
/// character for something else.
struct SubRipEscaping {
  private let text: [UInt8]
  private var position = 0

  /// Fails for a text without a character that markup begins or ends with: it can be written as it is.
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

  /// Writes the next bytes of the text, which have one style.
  mutating func write(next byteCount: Int, to writer: inout SubtitleTextWriter) {
    let piece = position..<min(text.count, position + byteCount)
    for index in piece {
      if let reference = reference(at: index, in: piece) {
        writer.write(reference)
      } else {
        writer.write(text[index])
      }
    }
    position = piece.upperBound
  }

  private func reference(at index: Int, in piece: Range<Int>) -> String? {
    switch text[index] {
    case UInt8(ascii: "<"): beginsTag(at: index) ? "&lt;" : nil
    case UInt8(ascii: "{"): beginsOverride(at: index) ? "&#123;" : nil
    case UInt8(ascii: "&"): CharacterReference(text, at: index, end: text.count) == nil ? nil : "&amp;"
    case UInt8(ascii: "\\"): beginsEscape(at: index, in: piece) ? "&#92;" : nil
    case UInt8(ascii: ">"): index >= 2 && text[index - 1] == hyphen && text[index - 2] == hyphen ? "&gt;" : nil
    default: nil
    }
  }

  private var hyphen: UInt8 { UInt8(ascii: "-") }

  private func byte(_ index: Int) -> UInt8 { index < text.count ? text[index] : Ascii.lineFeed }

  /// Whether a tag that readers know begins here: any that closes, and those with a known name.
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

  /// Whether what other formats write in braces begins here: `{\an8}`, `{y:i}`, `{b}`.
  private func beginsOverride(at start: Int) -> Bool {
    guard byte(start + 1) != UInt8(ascii: "\\") else { return true }
    if byte(start + 2) == UInt8(ascii: ":") { return "yc".utf8.contains(byte(start + 1) | 0x20) }
    let letter = start + (byte(start + 1) == UInt8(ascii: "/") ? 2 : 1)
    return "biu".utf8.contains(byte(letter) | 0x20) && byte(letter + 1) == UInt8(ascii: "}")
  }

  private func beginsEscape(at start: Int, in piece: Range<Int>) -> Bool {
    guard "Nh".utf8.contains(byte(start + 1)) else { return false }
    // Tags may come between this piece and the others.
    return !CueMarkup.isPath(in: text, piece, around: start) || !CueMarkup.isPath(in: text, text.indices, around: start)
  }
}
