import Subtitles
import Testing

struct UTF16Tests {
  @Test func convertsEveryScalarBoundary() {
    for value in [0, 0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF] {
      guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
      let units = Array(Character(scalar).utf16)
      let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      let expected = Array(String(scalar).utf8)
      #expect(DecodedText(utf16: big[...], .bigEndian).utf8 == expected)
      #expect(DecodedText(utf16: little[...], .littleEndian).utf8 == expected)
      #expect(DecodedText(utf16: little[...], .littleEndian).replacementCount == 0)
    }
  }

  @Test func replacesAndCountsInvalidUnits() {
    let bytes: [UInt8] = [0, 0x41, 0xD8, 0x3D, 0, 0x42, 0xDE, 0, 0xD8, 0x3D, 0x43]
    let result = DecodedText(utf16: bytes[...], .bigEndian)
    #expect(String(decoding: result.utf8, as: UTF8.self) == "A\u{FFFD}B\u{FFFD}\u{FFFD}\u{FFFD}")
    #expect(result.replacementCount == 4)
    #expect(result.firstReplacement == 1)
  }

  @Test func readsTheByteOrderFromTheMark() {
    #expect(UTF16ByteOrder(markOf: [0xFE, 0xFF]) == .bigEndian)
    #expect(UTF16ByteOrder(markOf: [0xFF, 0xFE]) == .littleEndian)
    #expect(UTF16ByteOrder(markOf: [0xFF]) == nil)
    #expect(UTF16ByteOrder(markOf: [0xEF, 0xBB, 0xBF]) == nil)
  }
}
