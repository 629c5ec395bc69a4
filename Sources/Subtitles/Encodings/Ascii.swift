/// ASCII bytes that occur in the syntax of subtitle files.
///
/// Parsers in other modules compare every byte with them, so their values are inlined.
package enum Ascii {
  @inlinable package static var tab: UInt8 { 0x09 }
  @inlinable package static var lineFeed: UInt8 { 0x0A }
  /// The byte that DOS editors write at the end of a text. Some editors repeat the byte to fill the last record.
  @inlinable package static var dosEndOfFile: UInt8 { 0x1A }
  @inlinable package static var formFeed: UInt8 { 0x0C }
  @inlinable package static var carriageReturn: UInt8 { 0x0D }
  @inlinable package static var space: UInt8 { 0x20 }

  /// Whether the byte is a space or a tab.
  @inlinable package static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }
  @inlinable package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  /// Whether the byte is a letter, a digit or a punctuation mark.
  @inlinable package static func isVisible(_ byte: UInt8) -> Bool { byte &- 0x21 < 0x5E }
  @inlinable package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
}

extension FixedWidthInteger {
  /// Parses ASCII digits without a sign or blanks. Returns `nil` if the text is empty or contains other characters, or
  /// if the number is too large.
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
  /// Returns the text, padded at the start with zeros or another character.
  package func padded(to count: Int, with character: Character = "0") -> String {
    String(repeating: character, count: Swift.max(0, count - self.count)) + self
  }
}

/// Skips bytes that a parser does not examine individually, eight at a time.
struct ByteScan {
  private let bytes: [UInt8]

  /// Creates a scan of `bytes` without copying them.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Skips ASCII bytes, eight at a time. Returns the position of the first eight bytes that are not all ASCII, or a
  /// position less than eight bytes before the end.
  func endOfASCII(from start: Int) -> Int { end(from: start) { $0 & ByteScan.highBits != 0 } }

  /// Skips ASCII bytes other than NUL, eight at a time. Returns the position at which it stopped.
  func endOfText(from start: Int) -> Int {
    end(from: start) { ($0 &- ByteScan.ones | $0) & ByteScan.highBits != 0 }
  }

  /// Skips bytes other than control characters, eight at a time. Returns the position at which it stopped.
  func endOfLine(from start: Int) -> Int {
    // Subtracting 0x20 from a control character sets the highest bit of the byte. `~$0` excludes bytes from 0x80.
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
