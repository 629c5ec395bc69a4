/// Lines of SubRip as they would stand in ASCII: files in Arabic and Hebrew have marks of direction before numbers and
/// times, and East Asian ones full-width digits and colons.
enum PlainLine {
  /// The text with plain timing lines; the other lines, and the text as a whole where there is nothing to do, stay.
  static func withPlainTimes(_ text: [UInt8]) -> [UInt8] {
    var plain: [UInt8]?
    var copied = 0
    var start = 0
    let scan = ByteScan(text)
    while start < text.count {
      let end = lineEnd(from: start, text, scan)
      let line = text[start..<end]
      if mayBeTiming(line) {
        let ascii = bytes(of: line)
        if SubRipTiming(ascii, ascii.indices) != nil {
          plain = (plain ?? []) + text[copied..<start] + ascii
          copied = end
        }
      }
      start = end + 1
    }
    guard let plain else { return text }
    return plain + text[copied...]
  }

  private static func lineEnd(from start: Int, _ text: [UInt8], _ scan: ByteScan) -> Int {
    var end = scan.endOfLine(from: start)
    while end < text.count, text[end] != Ascii.lineFeed, text[end] != Ascii.carriageReturn { end += 1 }
    return end
  }

  /// A line with an arrow of any width, four digits of any kind and something that is not ASCII. Longer ones are text.
  private static func mayBeTiming(_ line: ArraySlice<UInt8>) -> Bool {
    guard (12...300).contains(line.count), line.contains(where: { $0 >= 0x80 }) else { return false }
    var (arrows, digits, previous) = (0, 0, UInt8(0))
    for byte in line {
      // The last bytes of `→` (E2 86 92), `＞` (EF BC 9E), `０` (EF BC 90 to 99), `٠` (D9 A0 to A9) and `۰` (DB B0 to B9).
      if byte == UInt8(ascii: ">") || byte == 0x92 && previous == 0x86 || byte == 0x9E && previous == 0xBC {
        arrows += 1
      }
      let isWide = previous == 0xBC && (0x90...0x99).contains(byte)
      let isArabic =
        previous == 0xD9 && (0xA0...0xA9).contains(byte) || previous == 0xDB && (0xB0...0xB9).contains(byte)
      if Ascii.isDigit(byte) || isWide || isArabic { digits += 1 }
      previous = byte
    }
    return arrows > 0 && digits >= 4
  }

  /// The bytes of a line in ASCII, as far as it has counterparts there; marks that steer direction, and others that
  /// take no room, are left out.
  static func bytes(of line: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
      switch scalar.value {
      case 0x200B...0x200F, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF, 0x061C: break
      case 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: bytes.append(Ascii.space)
      case 0xFF01...0xFF5E: bytes.append(UInt8(truncatingIfNeeded: scalar.value - 0xFEE0))
      case 0x0660...0x0669: bytes.append(UInt8(truncatingIfNeeded: scalar.value - 0x0660) + 0x30)
      case 0x06F0...0x06F9: bytes.append(UInt8(truncatingIfNeeded: scalar.value - 0x06F0) + 0x30)
      case 0x060C, 0x066B: bytes.append(UInt8(ascii: ","))
      case 0x2010...0x2012, 0x2212: bytes.append(UInt8(ascii: "-"))
      case 0x3A, 0x2236, 0xFE55: bytes.append(UInt8(ascii: ":"))
      default: bytes += Array(String(scalar).utf8)
      }
    }
    return bytes
  }

  /// Whether a line has nothing but marks that take no room.
  static func isInvisible(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = line.first, first >= 0xC2, line.count <= 30 else { return false }
    return bytes(of: line).isEmpty
  }
}
