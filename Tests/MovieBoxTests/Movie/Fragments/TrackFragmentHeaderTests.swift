import MovieBox
import Testing

@Suite struct TrackFragmentHeaderTests {
  @Test func readsAndWritesEveryOptionalField() throws {
    let bytes = fields(
      .u32(0x03_003B), .u32(4), .u64(1 << 40), .u32(2), .u32(1001), .u32(99), .u32(0x0200_0000))
    let value = TrackFragmentHeader(
      trackID: 4, baseDataOffset: 1 << 40, sampleDescriptionIndex: 2, sampleDuration: 1001, sampleSize: 99,
      sampleFlags: SampleFlags(rawValue: 0x0200_0000), isDurationEmpty: true, isBaseMovieFragment: true)
    try checkPayload(value, is: bytes, fixedByteCount: 32)
    #expect(value.flags == 0x03_003B)
    checkVersions(TrackFragmentHeader.self, of: bytes, newestVersion: 0)
  }

  @Test(arguments: [(0, 0), (0x1, 8), (0x2, 4), (0x8, 4), (0x10, 4), (0x20, 4), (0x3B, 24)] as [(UInt32, Int)])
  func readsFieldsByFlags(flags: UInt32, byteCount: Int) throws {
    let bytes = fields(.u32(flags), .u32(1), .bytes([UInt8](repeating: 7, count: byteCount)))
    let value = try readBack(TrackFragmentHeader.self, bytes)
    #expect(value.flags == flags)
    #expect(value.tail.isEmpty)
    #expect((value.baseDataOffset != nil) == (flags & 0x1 != 0))
    #expect((value.sampleDescriptionIndex != nil) == (flags & 0x2 != 0))
    #expect((value.sampleDuration != nil) == (flags & 0x8 != 0))
    #expect((value.sampleSize != nil) == (flags & 0x10 != 0))
    #expect((value.sampleFlags != nil) == (flags & 0x20 != 0))
    #expect(!value.isDurationEmpty && !value.isBaseMovieFragment)
    try checkTruncations(TrackFragmentHeader.self, of: bytes, fixedByteCount: 8 + byteCount)
  }

  @Test func keepsUnknownFlags() throws {
    let value = try readBack(TrackFragmentHeader.self, fields(.u32(0xFC_FFC4), .u32(1)))
    #expect(value.flags == 0xFC_FFC4)
  }

  @Test func readsAndWritesDecodeTimes() throws {
    let short = fields(.u32(0), .u32(.max))
    try checkPayload(
      TrackFragmentDecodeTime(baseMediaDecodeTime: UInt64(UInt32.max)), is: short, fixedByteCount: 8)
    let long = fields(.u32(0x0100_0000), .u64(.max))
    try checkPayload(TrackFragmentDecodeTime(baseMediaDecodeTime: .max), is: long, fixedByteCount: 12)
    checkVersions(TrackFragmentDecodeTime.self, of: long, newestVersion: 1)
  }
}
