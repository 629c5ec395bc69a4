import MovieBox
import Testing

struct HexadecimalTests {
  @Test func padsDigits() {
    #expect(Hexadecimal.digits(UInt8(5), atLeast: 2) == "05")
    #expect(Hexadecimal.digits(UInt64.max, atLeast: 2, uppercase: true) == "FFFFFFFFFFFFFFFF")
    #expect(Hexadecimal.digits(UInt32(0), atLeast: 1) == "0")
  }

  @Test func requiresTwoDigitsPerByte() {
    #expect(Hexadecimal.bytes("00aFf7".utf8) == [0x00, 0xAF, 0xF7])
    #expect(Hexadecimal.bytes("".utf8) == [])
    // A sign is valid in numbers, but not in bytes.
    for text in ["a", "abc", "+5", "-1", "g0", "0x", "１２"] { #expect(Hexadecimal.bytes(text.utf8) == nil, "\(text)") }
  }
}
