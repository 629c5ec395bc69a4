import Testing

@testable import MovieBox

@Suite struct SampleDescriptionsTests {
  @Test func readsAndWritesEntries() throws {
    var second = SampleEntry(format: "rtp ", dataReferenceIndex: 2, body: Bytes())
    second.reserved = Bytes([1, 2, 3, 4, 5, 6])
    let value = SampleDescriptions(
      flags: 1, entries: [SampleEntry(format: "tx3g", body: Bytes([9, 8, 7])), second])
    let bytes = fields(
      .u32(1), .u32(2), .u32(19), .code("tx3g"), .zeros(6), .u16(1), .bytes([9, 8, 7]), .u32(16), .code("rtp "),
      .bytes([1, 2, 3, 4, 5, 6]), .u16(2))
    try checkPayload(value, is: bytes, fixedByteCount: bytes.count)
  }

  @Test func knowsVersions0And1() throws {
    let bytes = fields(.u32(0x0100_0000), .u32(0))
    try checkPayload(SampleDescriptions(version: 1, entries: []), is: bytes, fixedByteCount: 8)
    checkVersions(SampleDescriptions.self, of: bytes, newestVersion: 1)
  }

  @Test func rejectsEntriesOfImpossibleSizes() {
    for size in [0, 1, 8, 15, 17, UInt32.max] {
      let bytes = fields(.u32(0), .u32(1), .u32(size), .code("tx3g"), .zeros(6), .u16(1))
      checkRefused(SampleDescriptions.self, bytes, .malformed)
    }
  }

  @Test func rejectsTooManyEntries() {
    let entry: [Field] = [.u32(16), .code("tx3g"), .zeros(6), .u16(1)]
    checkRefused(SampleDescriptions.self, fields(.u32(0), .u32(2), entry[0], entry[1], entry[2], entry[3]), .malformed)
    checkRefused(
      SampleDescriptions.self, fields(.u32(0), .u32(.max), entry[0], entry[1], entry[2], entry[3]), .malformed)
  }

  @Test func locatesTheEntryOfAnError() {
    let bytes = fields(.u32(0), .u32(2), .u32(16), .code("tx3g"), .zeros(8), .u32(99), .zeros(12))
    #expect(
      throws: MovieError(
        .malformed, at: 24, "entry 2 declares 99 bytes; valid sizes are 16 to 16")
    ) { try SampleDescriptions(payload: bytes) }
  }
}
