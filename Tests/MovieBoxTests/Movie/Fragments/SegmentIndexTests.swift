import MovieBox
import Testing

@Suite struct SegmentIndexTests {
  private let references = [
    SegmentIndex.Reference(byteCount: 5000, duration: 100, accessPoint: 0x9000_0003),
    SegmentIndex.Reference(isIndex: true, byteCount: 0x7FFF_FFFF, duration: 200),
  ]

  @Test func readsAndWritesVersion0() throws {
    let bytes = fields(
      .u32(0), .u32(1), .u32(600), .u32(50), .u32(16), .u16(0), .u16(2),
      .u32(5000), .u32(100), .u32(0x9000_0003), .u32(0xFFFF_FFFF), .u32(200), .u32(0))
    let value = SegmentIndex(
      referenceID: 1, timeScale: 600, earliestPresentationTime: 50, firstOffset: 16, references: references)
    try checkPayload(value, is: bytes, fixedByteCount: 48)
  }

  @Test func readsAndWritesVersion1() throws {
    let bytes = fields(
      .u32(0x0100_0000), .u32(1), .u32(600), .u64(1 << 32), .u64(16), .u16(0), .u16(1),
      .u32(5000), .u32(100), .u32(0x9000_0003))
    let value = SegmentIndex(
      referenceID: 1, timeScale: 600, earliestPresentationTime: 1 << 32, firstOffset: 16,
      references: [references[0]])
    try checkPayload(value, is: bytes, fixedByteCount: 44)
    checkVersions(SegmentIndex.self, of: bytes, newestVersion: 1)
  }

  @Test func rejectsTooManyReferences() {
    checkRefused(SegmentIndex.self, fields(.zeros(22), .u16(2), .zeros(23)), .malformed)
    checkRefused(SegmentIndex.self, fields(.zeros(22), .u16(.max), .zeros(24)), .malformed)
  }
}
