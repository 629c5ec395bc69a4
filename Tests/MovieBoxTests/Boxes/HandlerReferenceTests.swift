import MovieBox
import Testing

@Suite struct HandlerReferenceTests {
  private func handler(name: [UInt8]) -> HandlerReference {
    HandlerReference(componentType: "mhlr", handlerType: "sbtl", nameBytes: Bytes(name))
  }

  private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func readsAndWritesAllFields() throws {
    let bytes = fields(
      .u32(5), .code("mhlr"), .code("vide"), .code("appl"), .u32(0x1000_0001), .u32(0x2F), .u8(3), .text("abc"))
    let value = HandlerReference(
      flags: 5, componentType: "mhlr", handlerType: "vide", manufacturer: 0x6170_706C, componentFlags: 0x1000_0001,
      componentFlagsMask: 0x2F, nameBytes: Bytes([3] + text("abc")))
    try checkPayload(value, is: bytes, fixedByteCount: 12)
    checkVersions(HandlerReference.self, of: bytes, newestVersion: 0)
  }

  @Test func toleratesAnEndAfterTheHandlerType() throws {
    let short = try readBack(HandlerReference.self, fields(.u32(0), .u32(0), .code("mdta"), .u32(7), .u16(8)))
    #expect(short.handlerType == "mdta")
    #expect(short.manufacturer == 7)
    #expect(short.componentFlags == 8 << 16)
    #expect(short.missingByteCount == 6)
    #expect(short.name == "")
    #expect(try HandlerReference(payload: fields(.u32(0), .u32(0), .code("mdta"))).missingByteCount == 12)
  }

  @Test func completesAShortAtomByAName() throws {
    var value = try HandlerReference(payload: fields(.u32(0), .u32(0), .code("mdta")))
    value.nameBytes = Bytes([0])
    #expect(value.payloadBytes == fields(.u32(0), .u32(0), .code("mdta"), .zeros(12), .u8(0)).array)
  }

  @Test func readsPascalNames() {
    #expect(handler(name: [5] + text("Video")).name == "Video")
    #expect(handler(name: [0]).name == "")
    #expect(handler(name: [4, 0x63, 0x61, 0x66, 0x8E]).name == "café")
    #expect(handler(name: [5] + text("café")).name == "café")
    #expect(handler(name: [6] + text("Video") + [0]).name == "Video")
    #expect(handler(name: [5] + text("Video") + [0, 0, 0]).name == "Video")
  }

  @Test func readsCStrings() {
    #expect(handler(name: text("VideoHandler") + [0]).name == "VideoHandler")
    #expect(handler(name: text("VideoHandler")).name == "VideoHandler")
    #expect(handler(name: text("Überschrift") + [0] + text("junk")).name == "Überschrift")
    #expect(handler(name: [0, 0, 0]).name == "")
    #expect(handler(name: []).name == "")
  }

  @Test func distinguishesALongCStringFromAPascalName() {
    let name = "A" + String(repeating: "x", count: 60)  // "A" is 65.
    #expect(handler(name: text(name) + [0]).name == name)
  }
}
