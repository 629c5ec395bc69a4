// Escaping of bytes and characters: hexadecimal digits, percent-encoding, and control characters of terminals.

import Subtitles

/// Conversion between bytes and hexadecimal digits.
package enum Hexadecimal {
  /// Returns the hexadecimal digits of a number, padded with zeros to at least `count` digits.
  package static func digits(_ value: some BinaryInteger, atLeast count: Int, uppercase: Bool = false) -> String {
    String(value, radix: 16, uppercase: uppercase).padded(to: count)
  }

  /// Returns the hexadecimal digits of bytes, with two digits for each byte.
  @inlinable package static func digits(of bytes: some Sequence<UInt8>) -> String {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.underestimatedCount)
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes that pairs of hexadecimal digits represent, or `nil` if the text contains other characters or an
  /// odd number of digits.
  package static func bytes(_ digits: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var highDigit: UInt8?
    for digit in digits {
      guard let value = Self.value(of: digit) else { return nil }
      if let first = highDigit { bytes.append(first << 4 | value) }
      highDigit = highDigit == nil ? value : nil
    }
    return highDigit == nil ? bytes : nil
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// Percent-encoding in URIs (RFC 3986, 2.1).
package enum PercentEncoding {
  /// Decodes a percent-encoded text. If `isStrict` is `true`, returns `nil` if a `%` is not followed by two hexadecimal
  /// digits. If `isStrict` is `false`, keeps this `%`.
  package static func decoded(_ text: some Sequence<UInt8>, isStrict: Bool = true) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = Hexadecimal.bytes(rest.prefix(2))?.first else {
        if isStrict { return nil }
        bytes.append(byte)
        continue
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// Returns bytes as text. Bytes for which `isPlain` returns `false` are percent-encoded.
  package static func encoded(_ bytes: some Sequence<UInt8>, where isPlain: (UInt8) -> Bool) -> String {
    var text = ""
    for byte in bytes {
      if isPlain(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + Hexadecimal.digits(byte, atLeast: 2, uppercase: true)
      }
    }
    return text
  }

  /// Whether the character needs no escape anywhere in a URI (RFC 3986, 2.3).
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    Ascii.isLetter(byte) || Ascii.isDigit(byte) || "-._~".utf8.contains(byte)
  }
}

extension Unicode.Scalar {
  /// Whether the character could control a terminal or disguise text. This applies to control characters, line
  /// separators and marks of writing direction (Unicode TR 9).
  package var isTerminalControl: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension StringProtocol {
  /// The text without surrounding whitespace.
  var trimmed: String {
    let start = drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
