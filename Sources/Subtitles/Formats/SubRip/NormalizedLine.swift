/// Conversion of SubRip timing lines to ASCII. Arabic and Hebrew files contain directional marks before numbers. East
/// Asian files contain full-width digits and colons.
enum NormalizedLine {
  /// Returns the text with timing lines in ASCII. Other lines are unchanged.
  static func withPlainTimes(_ text: [UInt8]) -> [UInt8] {
    var plainBytes: [UInt8] = []
    var copiedEnd = 0
    var start = 0
    let scan = ByteScan(text)
    while start < text.count {
      let end = lineEnd(from: start, text, scan)
      if mayBeTiming(text[start..<end]), !isPlainTiming(text, start..<end) {
        let ascii = timing(of: text[start..<end])
        if SubRipTiming(ascii, ascii.indices) != nil || SubRipTiming.looksLikeTiming(ascii, ascii.indices) {
          plainBytes.append(contentsOf: text[copiedEnd..<start])
          plainBytes.append(contentsOf: ascii)
          copiedEnd = end
        }
      }
      start = end + 1
    }
    guard copiedEnd > 0 else { return text }
    plainBytes.append(contentsOf: text[copiedEnd...])
    return plainBytes
  }

  /// Whether a line is already a timing line in ASCII. Only directional marks may follow the times.
  private static func isPlainTiming(_ text: [UInt8], _ line: Range<Int>) -> Bool {
    guard let timing = SubRipTiming(text, line) else { return false }
    return timing.text.map { !isInvisible(text[$0]) } ?? true
  }

  private static func lineEnd(from start: Int, _ text: [UInt8], _ scan: ByteScan) -> Int {
    var end = scan.endOfLine(from: start)
    while end < text.count, text[end] != Ascii.lineFeed, text[end] != Ascii.carriageReturn { end += 1 }
    return end
  }

  /// Whether a line contains a narrow or full-width arrow, and a character outside ASCII. A line of more than 300 bytes
  /// is text.
  private static func mayBeTiming(_ line: ArraySlice<UInt8>) -> Bool {
    guard (9...300).contains(line.count), line.contains(where: { $0 >= 0x80 }) else { return false }
    var previousByte = UInt8(0)
    for byte in line {
      // Detects `->`, `=>`, and the last bytes of `→` (E2 86 92) and `＞` (EF BC 9E).
      let isHead = byte == UInt8(ascii: ">") && (previousByte == UInt8(ascii: "-") || previousByte == UInt8(ascii: "="))
      if isHead || byte == UInt8(ascii: ">") && previousByte >= 0x80 { return true }
      if byte == 0x92 && previousByte == 0x86 || byte == 0x9E && previousByte == 0xBC { return true }
      previousByte = byte
    }
    return false
  }

  /// Returns a timing line with its times in ASCII. The text after the times is unchanged.
  private static func timing(of line: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var hasArrow = false
    let scalars = String(decoding: line, as: UTF8.self).unicodeScalars
    for index in scalars.indices {
      let ascii = Self.ascii(scalars[index])
      if hasArrow, let first = ascii.first, !"0123456789:,.; -".utf8.contains(first) {
        return bytes + Array(String(scalars[index...]).utf8)
      }
      hasArrow = hasArrow || ascii == [UInt8(ascii: ">")] || scalars[index] == "→"
      bytes += ascii
    }
    return bytes
  }

  /// Returns a line with each character replaced by the corresponding ASCII character, if there is one. Directional
  /// marks and other invisible characters are removed.
  static func bytes(of line: ArraySlice<UInt8>) -> [UInt8] {
    String(decoding: line, as: UTF8.self).unicodeScalars.flatMap(ascii)
  }

  private static func ascii(_ scalar: Unicode.Scalar) -> [UInt8] {
    switch scalar.value {
    case 0x200B...0x200F, 0x202A...0x202E, 0x2060, 0x2066...0x2069, 0xFEFF, 0x061C: []
    case 0xA0, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: [Ascii.space]
    case 0xFF01...0xFF5E: [UInt8(truncatingIfNeeded: scalar.value - 0xFEE0)]
    case 0x060C, 0x066B: [UInt8(ascii: ",")]
    case 0x2010...0x2012, 0x2212: [UInt8(ascii: "-")]
    case 0x2236, 0xFE55: [UInt8(ascii: ":")]
    case 0x3002, 0xFF61: [UInt8(ascii: ".")]
    case 0x3001, 0xFE50, 0xFF64: [UInt8(ascii: ",")]
    case 0x80...: digit(scalar).map { [$0] } ?? Array(String(scalar).utf8)
    default: Array(String(scalar).utf8)
    }
  }

  /// Returns the ASCII digit for a decimal digit of any script.
  private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
    guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
    return UInt8(exactly: value).map { $0 + 0x30 }
  }

  /// Whether a line consists only of invisible marks.
  static func isInvisible(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = line.first, first >= 0xC2, line.count <= 30 else { return false }
    return bytes(of: line).isEmpty
  }
}
