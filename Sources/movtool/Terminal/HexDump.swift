import MovieBox

/// Bytes as hexadecimal numbers and ASCII, 16 a line, as `hexdump -C` shows them.
enum HexDump {
  /// Bytes in a line.
  static let lineByteCount = 16

  /// The lines of `bytes`, the first of which stands at `offset`.
  static func lines(_ bytes: Bytes, at offset: UInt64) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count / lineByteCount + 1) * 79)
    var position = 0
    while position < bytes.count {
      let end = min(bytes.count, position + lineByteCount)
      append(offset &+ UInt64(position), to: &text)
      for index in position..<position + lineByteCount {
        if (index - position).isMultiple(of: 8) { text.append(blank) }
        text.append(blank)
        if index < end {
          text.append(digit(bytes[index] >> 4))
          text.append(digit(bytes[index] & 0xF))
        } else {
          text += [blank, blank]
        }
      }
      text += [blank, blank, bar]
      for index in position..<end { text.append((0x20...0x7E).contains(bytes[index]) ? bytes[index] : dot) }
      text += [bar, lineFeed]
      position = end
    }
    return text
  }

  private static let blank = UInt8(ascii: " ")
  private static let bar = UInt8(ascii: "|")
  private static let dot = UInt8(ascii: ".")
  private static let lineFeed = UInt8(ascii: "\n")

  /// Eight digits, more where the number has them.
  private static func append(_ offset: UInt64, to text: inout [UInt8]) {
    let digits = String(offset, radix: 16).utf8
    text += repeatElement(UInt8(ascii: "0"), count: max(0, 8 - digits.count))
    text += digits
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
