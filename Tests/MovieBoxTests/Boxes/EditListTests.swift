import MovieBox
import Testing

@Suite struct EditListTests {
  private let entries = [
    EditList.Entry(segmentDuration: 500, mediaTime: -1),
    EditList.Entry(segmentDuration: 6000, mediaTime: 1024, mediaRate: 0x8000),
  ]

  @Test func readsAndWritesVersion0() throws {
    let bytes = fields(
      .u32(0), .u32(2), .u32(500), .u32(0xFFFF_FFFF), .u32(0x1_0000), .u32(6000), .u32(1024), .u32(0x8000))
    try checkPayload(EditList(entries: entries), is: bytes, fixedByteCount: 32)
  }

  @Test func readsAndWritesVersion1() throws {
    let bytes = fields(
      .u32(0x0100_0002), .u32(2), .u64(500), .u64(.max), .u32(0x1_0000), .u64(6000), .u64(1024), .u32(0x8000))
    try checkPayload(EditList(version: 1, flags: 2, entries: entries), is: bytes, fixedByteCount: 48)
    checkVersions(EditList.self, of: bytes, newestVersion: 1)
  }

  @Test func acceptsAnEmptyList() throws {
    try checkPayload(EditList(entries: []), is: fields(.u32(0), .u32(0)), fixedByteCount: 8)
  }

  @Test func rejectsTooManyEntries() {
    checkRefused(EditList.self, fields(.u32(0), .u32(2), .zeros(23)), .malformed)
    checkRefused(EditList.self, fields(.u32(0), .u32(.max), .zeros(24)), .malformed)
    checkRefused(EditList.self, fields(.u32(0x0100_0000), .u32(1), .zeros(19)), .malformed)
    checkRefused(EditList.self, fields(.u32(0x0100_0000), .u32(0x8000_0000), .zeros(20)), .malformed)
  }

  @Test func treatsOnlyMediaTimeMinusOneAsEmpty() {
    #expect(entries[0].isEmptyEdit)
    #expect(!entries[1].isEmptyEdit)
    #expect(!EditList.Entry(segmentDuration: 1, mediaTime: -2).isEmptyEdit)
  }

  @Test func choosesTheVersionByTheValues() {
    func version(_ duration: UInt64, _ time: Int64) -> UInt8 {
      EditList(entries: [EditList.Entry(segmentDuration: duration, mediaTime: time)]).version
    }
    #expect(version(UInt64(UInt32.max), Int64(Int32.max)) == 0)
    #expect(version(UInt64(UInt32.max) + 1, 0) == 1)
    #expect(version(0, Int64(Int32.max) + 1) == 1)
    #expect(version(0, Int64(Int32.min)) == 0)
    #expect(version(0, Int64(Int32.min) - 1) == 1)
  }
}
