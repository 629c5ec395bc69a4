import MovieBox
import Testing

/// Text atoms in a track's user data: `tagc`, `name`, `tnam`, `titl` and `kind`.
@Suite struct TrackTextTests {
  private let tag = "public.easy-to-read"
  private let english: UInt16 = 0x15C7

  @Test func readsACharacteristicAsAPlainTag() throws {
    let value = TaggedCharacteristic(tag)
    #expect(value.payloadBytes.count + 8 == 27)
    try checkPayload(value, is: fields(.text(tag)), fixedByteCount: 0)
    #expect(value.value == tag)
    #expect(!value.hasTrailingNUL)
  }

  @Test func keepsTheNULOfACharacteristicUntilSet() throws {
    var value = try readBack(TaggedCharacteristic.self, fields(.text(tag), .zeros(2)))
    #expect(value.value == tag)
    #expect(value.hasTrailingNUL)
    value.value = tag
    #expect(!value.hasTrailingNUL)
    #expect(try !readBack(TaggedCharacteristic.self, Bytes()).hasTrailingNUL)
  }

  @Test func readsANameAsPlainText() throws {
    var value = TrackName("Kommentar für alle")
    try checkPayload(value, is: fields(.text("Kommentar für alle")), fixedByteCount: 0)
    #expect(try readBack(TrackName.self, fields(.text("Title"), .u8(0))).text == "Title")
    #expect(try readBack(TrackName.self, Bytes([0x8E])).text == "é")
    value.text = "neu"
    #expect(value.payloadBytes == Array("neu".utf8))
  }

  @Test func readsTheLanguageOfALocalizedName() throws {
    let bytes = fields(.u32(0), .u16(english), .text("Für alle"), .u8(0))
    var value = LocalizedTrackName("Für alle", languageCode: english)
    try checkPayload(value, is: bytes, fixedByteCount: 6)
    #expect(value.text == "Für alle")
    value.text = "x"
    #expect(value.payloadBytes == fields(.u32(0), .u16(english), .text("x"), .u8(0)).array)
  }

  @Test func readsALocalizedNameInUTF16() throws {
    let bytes = fields(.u32(9), .u16(english), .bytes([0xFE, 0xFF, 0, 0x41, 0x01, 0x42, 0, 0, 0, 0x42]))
    let value = try readBack(LocalizedTrackName.self, bytes)
    #expect(value.reserved == 9)
    #expect(value.text == "Ał")
  }

  @Test func readsTheLanguageOfATitle() throws {
    let bytes = fields(.u32(0), .u16(english), .text("Title"), .u8(0))
    var value = TrackTitle("Title", languageCode: english)
    try checkPayload(value, is: bytes, fixedByteCount: 6)
    checkVersions(TrackTitle.self, of: bytes, newestVersion: 0)
    #expect(value.text == "Title")
    value.text = "x"
    #expect(value.payloadBytes == fields(.u32(0), .u16(english), .text("x"), .u8(0)).array)
    #expect(try readBack(TrackTitle.self, fields(.u32(0), .u16(english), .text("bare"))).text == "bare")
    #expect(try readBack(TrackTitle.self, fields(.u32(0), .u16(english), .bytes([0xFF, 0xFE, 0x41, 0]))).text == "A")
  }

  @Test func readsSchemeAndValueOfAKind() throws {
    let scheme = "urn:mpeg:dash:role:2011"
    let bytes = fields(.u32(0), .text(scheme), .u8(0), .text("caption"), .u8(0))
    let value = TrackKind(schemeURI: scheme, value: "caption")
    try checkPayload(value, is: bytes, fixedByteCount: 4)
    checkVersions(TrackKind.self, of: bytes, newestVersion: 0)
    #expect(value.schemeURI == scheme)
    #expect(value.value == "caption")
  }

  @Test func readsAKindWithoutNULs() throws {
    let value = try readBack(TrackKind.self, fields(.u32(0), .text("a"), .u8(0), .text("b")))
    #expect(value.schemeURI == "a" && value.value == "b")
    var bare = try readBack(TrackKind.self, fields(.u32(0), .text("a")))
    #expect(bare.schemeURI == "a" && bare.value == "")
    bare.value = "c"
    #expect(bare.payloadBytes == fields(.u32(0), .text("a"), .u8(0), .text("c"), .u8(0)).array)
    bare.schemeURI = "d"
    #expect(bare.payloadBytes == fields(.u32(0), .text("d"), .u8(0), .text("c"), .u8(0)).array)
  }
}
