import MovieBox
import Testing

@Suite struct UserDataTextTests {
  private let english: UInt16 = 0x15C7

  private func entry(_ language: UInt16, _ text: [UInt8]) -> UserDataText.Entry {
    UserDataText.Entry(language: language, text: Bytes(text))
  }

  @Test func readsAndWritesTexts() throws {
    let value = UserDataText(entries: [entry(english, Array("Title".utf8)), entry(0, [0x8E])])
    let bytes = fields(.u16(5), .u16(english), .text("Title"), .u16(1), .u16(0), .u8(0x8E))
    try checkPayload(value, is: bytes, fixedByteCount: 0)
    #expect(value.text() == "Title")
    #expect(value.text(at: 1) == "é")
    #expect(value.text(at: 2) == nil)
  }

  @Test func readsLengthsThatCountTheirHeader() throws {
    let bytes = fields(.u16(9), .u16(english), .text("Title"), .u16(8), .u16(0), .text("more"))
    let value = try readBack(UserDataText.self, bytes)
    #expect(value.lengthConvention == .textAndHeader)
    #expect(value.entries.map(\.string) == ["Title", "more"])
  }

  @Test func prefersLengthsThatExcludeTheHeader() throws {
    let value = try readBack(UserDataText.self, fields(.u16(4), .u16(english), .text("four")))
    #expect(value == UserDataText(entries: [entry(english, Array("four".utf8))]))
  }

  @Test func keepsBytesAfterTheLastText() throws {
    let odd = try readBack(UserDataText.self, fields(.u16(2), .u16(english), .text("ab"), .u8(0)))
    #expect(odd.tail == Bytes([0]))
    let junk = try readBack(UserDataText.self, fields(.u16(2), .u16(english), .text("ab"), .bytes([9, 9, 9, 9, 9])))
    #expect(junk.entries.count == 1)
    #expect(junk.tail.count == 5)
    #expect(try readBack(UserDataText.self, Bytes([1, 2, 3])).tail.count == 3)
  }

  @Test func rejectsATextLongerThanTheAtom() {
    checkRefused(UserDataText.self, fields(.u16(10), .u16(english), .text("Title")), .malformed)
    checkRefused(UserDataText.self, fields(.u16(.max), .u16(0), .text("Title")), .malformed)
  }

  @Test func decodesByLanguageCode() {
    #expect(entry(english, [0xC3, 0xA9]).string == "é")
    #expect(entry(english, [0xFE, 0xFF, 0x00, 0xE9, 0xD8, 0x3D, 0xDE, 0x00]).string == "é😀")
    #expect(entry(english, [0xFF, 0xFE, 0xE9, 0x00]).string == "é")
    #expect(entry(0, [0x63, 0x61, 0x66, 0x8E, 0]).string == "café")
    #expect(entry(0x7FFF, [0x8E]).string == "é")
    #expect(entry(0, [0xC3, 0xA9]).string == "é")
    #expect(entry(0x3FF, [0x8E]).string == "é")
    #expect(entry(0x400, [0x8E]).string == "\u{FFFD}")
  }
}
