/// ASCII bytes that occur in the syntax of subtitle files.
package enum Ascii {
  package static let tab: UInt8 = 0x09
  package static let lineFeed: UInt8 = 0x0A
  /// The byte with which DOS editors end a text. It is sometimes repeated to fill a record.
  package static let dosEndOfFile: UInt8 = 0x1A
  package static let formFeed: UInt8 = 0x0C
  package static let carriageReturn: UInt8 = 0x0D
  package static let space: UInt8 = 0x20

  /// Whether the byte is a space or a tab.
  package static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }
  package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  /// Whether the byte is a letter, a digit or a punctuation mark.
  package static func isVisible(_ byte: UInt8) -> Bool { byte &- 0x21 < 0x5E }
  package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
}

extension FixedWidthInteger {
  /// Parses ASCII digits without a sign or blanks. Returns `nil` for other texts, for an empty text, and if the
  /// number is too large.
  package init?(digits: some StringProtocol, radix: Int = 10) {
    guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return nil }
    self.init(digits, radix: radix)
  }
}

extension BinaryInteger {
  /// Returns the number in decimal digits, padded with leading zeros.
  package func padded(to digitCount: Int) -> String { String(self).padded(to: digitCount) }
}

extension String {
  /// Returns the text, padded with leading zeros or another character.
  package func padded(to count: Int, with character: Character = "0") -> String {
    String(repeating: character, count: Swift.max(0, count - self.count)) + self
  }
}

/// Skips bytes that require no special treatment, eight at a time.
struct ByteScan {
  private let bytes: [UInt8]

  /// Creates a scan of `bytes` without copying them.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns a position at or after `start`. All bytes before it are ASCII, and at least one of the next eight bytes
  /// may not be ASCII.
  func endOfASCII(from start: Int) -> Int { end(from: start) { $0 & ByteScan.highBits != 0 } }

  /// Returns a position at or after `start`. No byte between `start` and the position is NUL or at least 0x80.
  func endOfText(from start: Int) -> Int {
    end(from: start) { ($0 &- ByteScan.ones | $0) & ByteScan.highBits != 0 }
  }

  /// Returns a position at or after `start`. No byte between `start` and the position is a control character.
  func endOfLine(from start: Int) -> Int {
    // If 0x20 is subtracted from a smaller byte, the highest bit of the byte is set. Bytes from 0x80 are masked out.
    end(from: start) { ($0 &- ByteScan.ones &* 0x20) & ~$0 & ByteScan.highBits != 0 }
  }

  private func end(from start: Int, _ isFound: (UInt64) -> Bool) -> Int {
    unsafe bytes.withUnsafeBytes { buffer in
      var index = start
      // SAFETY: eight bytes are loaded only if at least eight are left. Their order does not matter.
      while index <= buffer.count - 8,
        !isFound(unsafe buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      {
        index += 8
      }
      return index
    }
  }

  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080
}
