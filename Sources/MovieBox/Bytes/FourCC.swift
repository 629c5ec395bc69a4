/// A four-character code, the name of an atom, a brand, a handler or a format.
///
/// Any 32-bit value is legal: metadata items are named by index, and `©nam` begins with the Macintosh byte 0xA9.
///
///     let type: FourCC = "moov"
///     print(type.rawValue == 0x6D6F_6F76)  // true
public struct FourCC: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// The code as the big-endian number that stands in the file.
  public let rawValue: UInt32

  /// The code with this value.
  @inlinable
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The code that a person wrote: four characters of ASCII, `©` for the byte 0xA9, or `0x` and eight digits.
  ///
  /// Fails when `text` is none of these.
  public init?(_ text: some StringProtocol) {
    let digits = text.dropFirst(2)
    if text.count == 10, text.hasPrefix("0x"), digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16) {
      self.init(rawValue: value)
      return
    }
    // Scalars, not characters: carriage return and line feed are one character.
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
  /// The code of a literal: four characters of ASCII, or `©` and three.
  @inlinable
  public init(stringLiteral literal: StaticString) {
    var value: UInt32 = 0
    // SAFETY: the indices stay below the literal's length. "©" takes two bytes of UTF-8, 0xC2 0xA9; the first goes.
    for index in 0..<literal.utf8CodeUnitCount {
      let byte = unsafe literal.utf8Start[index]
      if byte != 0xC2 { value = value << 8 | UInt32(byte) }
    }
    self.init(rawValue: value)
  }
}

extension FourCC: CustomStringConvertible {
  /// The four characters, `©` for 0xA9; a code with other bytes than printable ASCII as `0x` and eight digits.
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
