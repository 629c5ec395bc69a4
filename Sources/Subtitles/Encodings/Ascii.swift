/// Bytes of ASCII that subtitle files are cut at.
package enum Ascii {
  package static let tab: UInt8 = 0x09
  package static let lineFeed: UInt8 = 0x0A
  /// The byte that DOS editors write at the end of a text, sometimes up to a full record.
  package static let endOfDOSFile: UInt8 = 0x1A
  package static let formFeed: UInt8 = 0x0C
  package static let carriageReturn: UInt8 = 0x0D
  package static let space: UInt8 = 0x20

  /// Whether the byte is a space or a tab.
  package static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }
  /// Whether the byte is a digit.
  package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
  /// Whether the byte is a letter, a digit or a sign.
  package static func isVisible(_ byte: UInt8) -> Bool { byte &- 0x21 < 0x5E }
  /// Whether the byte is a letter.
  package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
}

extension FixedWidthInteger {
  /// The number that digits of ASCII spell, and nothing else: no sign, no blank. `nil` for other text, for none, and for
  /// a number that is too large.
  package init?(digits: some StringProtocol, radix: Int = 10) {
    guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return nil }
    self.init(digits, radix: radix)
  }
}

extension BinaryInteger {
  /// The number in decimal digits, with zeros before it where they are fewer.
  package func padded(to digitCount: Int) -> String { String(self).padded(to: digitCount) }
}

extension String {
  /// The text with zeros before it, or other characters, where it has fewer characters.
  package func padded(to count: Int, with character: Character = "0") -> String {
    String(repeating: character, count: Swift.max(0, count - self.count)) + self
  }
}

/// Finds the rare bytes of a text, eight at a time.
struct ByteScan {
  private let bytes: [UInt8]

  /// A scan of `bytes`, which are not copied.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The first position from `start` on that may hold a byte from 0x80 on; what lies before is ASCII.
  func endOfASCII(from start: Int) -> Int { end(from: start) { $0 & ByteScan.highBits != 0 } }

  /// The first position from `start` on that may hold a NUL or a byte from 0x80 on.
  func endOfText(from start: Int) -> Int {
    end(from: start) { ($0 &- ByteScan.ones | $0) & ByteScan.highBits != 0 }
  }

  /// The first position from `start` on that may hold a control character.
  func endOfLine(from start: Int) -> Int {
    // A byte below 0x20 borrows from its highest bit; those from 0x80 on have it set, and are not control characters.
    end(from: start) { ($0 &- ByteScan.ones &* 0x20) & ~$0 & ByteScan.highBits != 0 }
  }

  private func end(from start: Int, _ isFound: (UInt64) -> Bool) -> Int {
    unsafe bytes.withUnsafeBytes { buffer in
      var index = start
      // SAFETY: eight bytes are loaded where at least eight are left; their order does not matter.
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
