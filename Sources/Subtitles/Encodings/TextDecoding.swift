// Decodes text of every encoding to UTF-8. The number of characters that could not be decoded is counted.

package struct DecodedText: Sendable {
  /// The text in valid UTF-8.
  package internal(set) var utf8: [UInt8] = []
  /// The number of invalid bytes or UTF-16 units that were replaced by U+FFFD.
  package private(set) var replacementCount = 0
  /// The position of the first replacement in `utf8`, or `nil` if nothing was replaced.
  package private(set) var firstReplacement: Int?

  /// Appends U+FFFD for an invalid character.
  mutating func appendReplacement() {
    if firstReplacement == nil { firstReplacement = utf8.count }
    replacementCount += 1
    utf8 += [0xEF, 0xBF, 0xBD]
  }
}

extension TextEncoding {
  /// Decodes bytes without a byte order mark, or returns `nil` if iconv does not support the encoding.
  package func decode(_ bytes: ArraySlice<UInt8>) -> DecodedText? {
    switch self {
    case .utf8: TextEncoding.repaired(Array(bytes))
    case .utf16: DecodedText(utf16: bytes, UTF16ByteOrder(zerosOf: bytes) ?? .bigEndian)
    case .utf16BigEndian: DecodedText(utf16: bytes, .bigEndian)
    case .utf16LittleEndian: DecodedText(utf16: bytes, .littleEndian)
    default:
      if let upperHalf {
        TextEncoding.decode(bytes, upperHalf)
      } else {
        TextConverter.convertToUTF8(Array(bytes), from: converterNames)
      }
    }
  }

  /// Decodes a single-byte encoding. `upperHalf` contains the characters of the bytes from 0x80. Each is at most
  /// U+FFFF.
  private static func decode(_ bytes: ArraySlice<UInt8>, _ upperHalf: [UInt16]) -> DecodedText {
    var text = DecodedText()
    text.utf8.reserveCapacity(bytes.count + bytes.count / 2)
    for byte in bytes {
      guard byte >= 0x80 else {
        text.utf8.append(byte)
        continue
      }
      let unit = upperHalf[Int(byte & 0x7F)]
      if unit == 0xFFFD {
        text.appendReplacement()
        continue
      }
      if unit < 0x800 {
        text.utf8.append(UInt8(truncatingIfNeeded: 0xC0 | unit >> 6))
      } else {
        text.utf8.append(UInt8(truncatingIfNeeded: 0xE0 | unit >> 12))
        text.utf8.append(UInt8(truncatingIfNeeded: 0x80 | unit >> 6 & 0x3F))
      }
      text.utf8.append(UInt8(truncatingIfNeeded: 0x80 | unit & 0x3F))
    }
    return text
  }

  /// Decodes UTF-8, and replaces each byte that is not part of a character by U+FFFD.
  private static func repaired(_ bytes: [UInt8]) -> DecodedText {
    var text = DecodedText()
    var start = 0
    while let bad = ValidUTF8.firstInvalidByte(in: bytes, from: start) {
      text.utf8 += bytes[start..<bad]
      text.appendReplacement()
      start = bad + 1
    }
    text.utf8 += bytes[start...]
    return text
  }
}

extension UTF16ByteOrder {
  /// Detects the byte order of a text without a byte order mark from the positions of zeros. Returns `nil` if there are
  /// too few zeros.
  ///
  /// Subtitle files contain many digits, blanks and line breaks. In UTF-16, the high byte of each of these characters
  /// is zero.
  init?(zerosOf bytes: ArraySlice<UInt8>) {
    var zeros = (even: 0, odd: 0)
    let unitCount = min(bytes.count, 4_096) / 2
    for unit in 0..<unitCount {
      let first = bytes.startIndex + 2 * unit
      if bytes[first] == 0 { zeros.even += 1 }
      if bytes[first + 1] == 0 { zeros.odd += 1 }
    }
    // Stray NULs are few, or occur at even and odd positions. So require many zeros, nearly all at even or nearly all
    // at odd positions.
    if zeros.odd * 4 > unitCount, zeros.odd > 8 * zeros.even {
      self = .littleEndian
    } else if zeros.even * 4 > unitCount, zeros.even > 8 * zeros.odd {
      self = .bigEndian
    } else {
      return nil
    }
  }
}

/// The rules of valid UTF-8 (Unicode, table 3-7).
enum ValidUTF8 {
  /// Returns the position of the first invalid byte at or after `start`, or `nil` if all bytes are valid.
  static func firstInvalidByte(in bytes: [UInt8], from start: Int = 0) -> Int? {
    let scan = ByteScan(bytes)
    var index = scan.endOfASCII(from: start)
    while index < bytes.count {
      if bytes[index] < 0x80 {
        index += 1
        continue
      }
      let length = length(at: index, in: bytes)
      if length == 0 { return index }
      index = scan.endOfASCII(from: index + length)
    }
    return nil
  }

  /// Returns the number of complete characters that are not ASCII, and the number of bytes that do not belong to a
  /// character.
  static func counts(in bytes: [UInt8]) -> (whole: Int, broken: Int) {
    var counts = (whole: 0, broken: 0)
    var index = 0
    while index < bytes.count {
      if bytes[index] < 0x80 {
        index += 1
        continue
      }
      let length = length(at: index, in: bytes)
      if length == 0 { counts.broken += 1 } else { counts.whole += 1 }
      index += max(1, length)
    }
    return counts
  }

  /// Returns the length of the character that begins at `index`, or 0 if none does. ASCII characters are not counted.
  private static func length(at index: Int, in bytes: [UInt8]) -> Int {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch bytes[index] {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    case 0xF1...0xF3: length = 4
    default: return 0
    }
    guard bytes.count - index >= length, second.contains(bytes[index + 1]) else { return 0 }
    for follower in 2..<max(2, length) where bytes[index + follower] & 0xC0 != 0x80 { return 0 }
    return length
  }
}

/// The encoding of Western languages on classic Mac OS.
///
///     print(MacRoman.decode([0x63, 0x61, 0x66, 0x8E]))  // café
package enum MacRoman {
  /// Decodes bytes. Every byte is a valid character.
  package static func decode(_ bytes: some Sequence<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes {
      text.append(byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80])
    }
    return String(text)
  }

  /// The characters of the bytes from 0x80, 16 per line.
  ///
  /// In Mac OS 8.5, 0xDB became the euro sign. 0xCA is the no-break space, and 0xF0 is the Apple logo in Unicode's
  /// private use area.
  private static let upperHalf = Array(
    ("ÄÅÇÉÑÖÜáàâäãåçéè"
      + "êëíìîïñóòôöõúùûü"
      + "†°¢£§•¶ß®©™´¨≠ÆØ"
      + "∞±≤≥¥µ∂∑∏π∫ªºΩæø"
      + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ"
      + "–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ"
      + "‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ"
      + "\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ").unicodeScalars)
}
