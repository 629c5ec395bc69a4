import MovieBox

/// A subtitle file's text as UTF-8, whatever it was encoded in.
///
/// UTF-8 with and without a byte order mark, and UTF-16 with one. Anything else is refused.
struct SubtitleText {
  /// Valid UTF-8 without NULs and byte order marks.
  let utf8: [UInt8]

  /// Decodes a file. Costs two passes over the bytes, and a third when there is something to take out.
  init(_ bytes: Bytes, limits: SubtitleLimits, notices: inout NoticeList) throws(SubtitleError) {
    guard bytes.count <= limits.fileByteCount else {
      throw SubtitleError(.limit, "has \(bytes.count) bytes, the most that is read is \(limits.fileByteCount)")
    }
    try SubtitleText.refuseUnmarked(bytes)
    if let order = UTF16ByteOrder(markOf: bytes) {
      let text = bytes.dropFirst(2).transcodedFromUTF16(order)
      if let first = text.firstReplacement {
        notices.add(
          .replacedCharacters, line: SubtitleText.line(of: first, in: text.utf8),
          "\(text.replacementCount) halves of characters replaced by U+FFFD, the first here")
      }
      utf8 = SubtitleText.stripped(text.utf8, notices: &notices)
      return
    }
    let array = bytes.array
    if let offset = SubtitleText.firstInvalidByte(in: array) {
      throw SubtitleError(
        .encoding, line: SubtitleText.line(of: offset, in: array), at: UInt64(offset),
        "not UTF-8 (byte 0x\(String(array[offset], radix: 16, uppercase: true))); convert the file to UTF-8")
    }
    let hasMark = array.starts(with: SubtitleText.byteOrderMark)
    utf8 = SubtitleText.stripped(hasMark ? Array(array.dropFirst(3)) : array, notices: &notices)
  }

  /// Refuses UTF-32, and UTF-16 without a byte order mark: its Cyrillic, say, is valid UTF-8 and would be read as junk.
  private static func refuseUnmarked(_ bytes: Bytes) throws(SubtitleError) {
    switch bytes.load(at: 0, as: UInt32.self) {
    case 0xFFFE_0000, 0x0000_FEFF:
      throw SubtitleError(.encoding, line: 1, at: 0, "UTF-32; convert the file to UTF-8")
    case .some(let word) where word & 0xFF00_FF00 == 0 && word & 0xFF != 0 && word & 0xFF_0000 != 0,
      .some(let word) where word & 0x00FF_00FF == 0 && word & 0xFF00 != 0 && word & 0xFF00_0000 != 0:
      throw SubtitleError(
        .encoding, line: 1, at: 0, "UTF-16 without a byte order mark; convert the file to UTF-8")
    default: return
    }
  }

  /// Where the first byte lies that is no part of valid UTF-8 (Unicode, table 3-7).
  static func firstInvalidByte(in bytes: [UInt8]) -> Int? {
    var index = 0
    while index < bytes.count {
      let lead = bytes[index]
      if lead < 0x80 {
        index += 1
        continue
      }
      let length: Int
      var second: ClosedRange<UInt8> = 0x80...0xBF
      switch lead {
      case 0xC2...0xDF: length = 2
      case 0xE0: (length, second) = (3, 0xA0...0xBF)
      case 0xED: (length, second) = (3, 0x80...0x9F)
      case 0xE1...0xEF: length = 3
      case 0xF0: (length, second) = (4, 0x90...0xBF)
      case 0xF4: (length, second) = (4, 0x80...0x8F)
      case 0xF1...0xF3: length = 4
      default: return index
      }
      guard bytes.count - index >= length, second.contains(bytes[index + 1]) else { return index }
      for follower in 2..<max(2, length) where bytes[index + follower] & 0xC0 != 0x80 { return index }
      index += length
    }
    return nil
  }

  /// The line, from 1, of the byte at `offset`; CR LF ends one line.
  static func line(of offset: Int, in bytes: [UInt8]) -> Int {
    var line = 1
    for index in 0..<offset {
      let byte = bytes[index]
      if byte == Ascii.lineFeed || byte == Ascii.carriageReturn && bytes[index + 1] != Ascii.lineFeed { line += 1 }
    }
    return line
  }

  /// The text without NULs and byte order marks, which players show as boxes.
  private static func stripped(_ bytes: [UInt8], notices: inout NoticeList) -> [UInt8] {
    func junkLength(at index: Int) -> Int {
      if bytes[index] == 0 { return 1 }
      guard bytes[index] == byteOrderMark[0], bytes.count - index >= 3 else { return 0 }
      return bytes[index + 1] == byteOrderMark[1] && bytes[index + 2] == byteOrderMark[2] ? 3 : 0
    }
    guard let first = bytes.indices.first(where: { junkLength(at: $0) > 0 }) else { return bytes }
    var kept = Array(bytes[..<first])
    var index = first
    var count = 0
    while index < bytes.count {
      let length = junkLength(at: index)
      if length == 0 { kept.append(bytes[index]) } else { count += 1 }
      index += max(1, length)
    }
    notices.add(
      .strippedCharacters, line: line(of: first, in: bytes),
      "\(count) NULs or byte order marks inside the text taken out, the first here")
    return kept
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

/// Bytes of ASCII that subtitle files are cut at.
enum Ascii {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20

  /// Whether the byte is a space or a tab.
  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }
  /// Whether the byte is a digit.
  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  /// Whether the byte is a letter.
  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
}
