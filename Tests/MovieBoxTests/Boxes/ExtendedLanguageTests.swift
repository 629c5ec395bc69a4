import MovieBox
import Testing

@Suite struct ExtendedLanguageTests {
  @Test func readsAndWritesATag() throws {
    let bytes = fields(.u32(0), .text("zh-Hant"), .u8(0))
    try checkPayload(ExtendedLanguage(tag: "zh-Hant"), is: bytes, fixedByteCount: 0)
  }

  @Test func rejectsUnknownVersions() {
    for version in UInt8(1)...0x40 {  // From 0x41 on, the byte is the first letter of a tag.
      checkRefused(ExtendedLanguage.self, fields(.u8(version), .zeros(3), .text("en"), .u8(0)), .unsupported)
    }
  }

  @Test func readsATagWithoutVersionAndFlags() throws {
    #expect(try readBack(ExtendedLanguage.self, fields(.text("en"), .u8(0))).tag == "en")
    #expect(try readBack(ExtendedLanguage.self, fields(.text("en-US"), .u8(0))).tag == "en-US")
    #expect(try readBack(ExtendedLanguage.self, fields(.text("pt-BR"))).tag == "pt-BR")
    #expect(try readBack(ExtendedLanguage.self, fields(.text("en-US"), .u8(0))).header == nil)
  }

  @Test func readsATagWithoutItsNUL() throws {
    let value = try readBack(ExtendedLanguage.self, fields(.u32(0), .text("en")))
    #expect(value.tag == "en")
    #expect(!value.storedTag.isTerminated)
  }

  @Test func keepsBytesAfterTheNUL() throws {
    let value = try readBack(ExtendedLanguage.self, fields(.u32(0), .text("en"), .u8(0), .text("junk"), .u8(0)))
    #expect(value.tag == "en")
    #expect(value.tail == fields(.text("junk"), .u8(0)))
  }

  @Test func rejectsTagsBeyondASCII() throws {
    #expect(try readBack(ExtendedLanguage.self, fields(.u32(0), .bytes([0x65, 0xE9]), .u8(0))).tag == "")
    #expect(try readBack(ExtendedLanguage.self, Bytes()).tag == "")
  }

  @Test func endsANewTagWithANUL() throws {
    var value = try ExtendedLanguage(payload: fields(.u32(0), .text("en")))
    value.tag = "fr-CA"
    #expect(value.payloadBytes == fields(.u32(0), .text("fr-CA"), .u8(0)).array)
  }
}
