/// A four-character code, such as the name of an atom, brand, handler or format.
///
/// Any 32-bit value is valid. The types of metadata items may be indices, and `©nam` begins with the Mac Roman byte
/// 0xA9.
///
///     let type: FourCC = "moov"
///     print(type.rawValue == 0x6D6F_6F76)  // true
public struct FourCC: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// The code as a big-endian integer, as stored in the file.
  public let rawValue: UInt32

  /// Creates a code from its value.
  @inlinable
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Parses a code in user input. The input has four ASCII characters, or is `0x` followed by eight hexadecimal digits.
  /// `©` represents the byte 0xA9.
  ///
  /// Returns `nil` for other input.
  public init?(_ text: some StringProtocol) {
    let digits = text.dropFirst(2)
    if text.count == 10, text.hasPrefix("0x"), digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16) {
      self.init(rawValue: value)
      return
    }
    // Count Unicode scalars instead of characters, because CR LF is a single character.
    guard text.unicodeScalars.count == 4 else { return nil }
    var value: UInt32 = 0
    for scalar in text.unicodeScalars {
      guard scalar.isASCII || scalar == "\u{A9}" else { return nil }
      value = value << 8 | scalar.value
    }
    self.init(rawValue: value)
  }
}

extension FourCC: ExpressibleByStringLiteral {
  /// Creates the code for a literal of four ASCII characters, or of `©` and three ASCII characters.
  @inlinable
  public init(stringLiteral literal: StaticString) {
    var value: UInt32 = 0
    // SAFETY: indices are below the literal's length. "©" is 0xC2 0xA9 in UTF-8; the first byte is skipped.
    for index in 0..<literal.utf8CodeUnitCount {
      let byte = unsafe literal.utf8Start[index]
      if byte != 0xC2 { value = value << 8 | UInt32(byte) }
    }
    self.init(rawValue: value)
  }
}

extension FourCC: CustomStringConvertible {
  /// The four characters, with `©` for 0xA9. If the code contains other non-printable bytes, the text is `0x` and
  /// eight digits.
  public var description: String {
    var text = ""
    for shift in [24, 16, 8, 0] as [UInt32] {
      let byte = UInt8(truncatingIfNeeded: rawValue >> shift)
      switch byte {
      case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
      case 0xA9: text.unicodeScalars.append("\u{A9}")
      default:
        return "0x" + Hexadecimal.digits(rawValue, atLeast: 8, uppercase: true)
      }
    }
    return text
  }
}
