import MovieBox
import Testing

/// `vmhd`, `smhd`, `nmhd`, and `gmin` and `text` of `gmhd`.
@Suite struct MediaInformationHeaderTests {
  @Test func readsAndWritesTheVideoHeader() throws {
    let bytes = fields(.u32(1), .u16(0x40), .u16(1), .u16(2), .u16(3))
    var value = VideoMediaHeader()
    (value.graphicsMode, value.red, value.green, value.blue) = (0x40, 1, 2, 3)
    #expect(bytes.count + 8 == 20)
    try checkPayload(value, is: bytes, fixedByteCount: 12)
    checkVersions(VideoMediaHeader.self, of: bytes, newestVersion: 0)
  }

  @Test func readsAndWritesTheSoundHeader() throws {
    let bytes = fields(.u32(2), .u16(0xFF00), .u16(7))
    var value = SoundMediaHeader()
    (value.flags, value.balance, value.reserved) = (2, -0x100, 7)
    #expect(bytes.count + 8 == 16)
    try checkPayload(value, is: bytes, fixedByteCount: 8)
    checkVersions(SoundMediaHeader.self, of: bytes, newestVersion: 0)
  }

  @Test func readsAndWritesTheNullHeader() throws {
    try checkPayload(NullMediaHeader(), is: fields(.u32(0)), fixedByteCount: 4)
    checkVersions(NullMediaHeader.self, of: fields(.u32(0)), newestVersion: 0)
  }

  @Test func readsAndWritesBaseMediaInfo() throws {
    let bytes = fields(.u32(1), .u16(0x24), .u16(1), .u16(2), .u16(3), .u16(0xFFFF), .u16(5))
    var value = BaseMediaInfo()
    (value.flags, value.graphicsMode, value.balance, value.reserved) = (1, 0x24, -1, 5)
    (value.red, value.green, value.blue) = (1, 2, 3)
    #expect(bytes.count + 8 == 24)
    try checkPayload(value, is: bytes, fixedByteCount: 16)
    checkVersions(BaseMediaInfo.self, of: bytes, newestVersion: 0)
  }

  @Test func usesCommonDefaultsForBaseMediaInfo() {
    let bytes = fields(.u32(0), .u16(0x40), .u16(0x8000), .u16(0x8000), .u16(0x8000), .u16(0), .u16(0))
    #expect(BaseMediaInfo().payloadBytes == bytes.array)
  }

  @Test func readsAndWritesTextMediaInfo() throws {
    let bytes = fields(.matrix([0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]))
    #expect(bytes.count + 8 == 44)
    try checkPayload(TextMediaInfo(), is: bytes, fixedByteCount: 36)
  }
}
