/// Bytes of ASCII that subtitle files are cut at.
package enum Ascii {
  package static let tab: UInt8 = 0x09
  package static let lineFeed: UInt8 = 0x0A
  /// What editors of DOS end a text with, sometimes up to a full record.
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
