@testable import MovieBox
import Testing

@Suite struct TrackExtendsTests {
  @Test func readsAndWritesDefaultsOfATrack() throws {
    let value = TrackExtends(
      flags: 3, trackID: 7, sampleDescriptionIndex: 2, sampleDuration: 1024, sampleSize: 300,
      sampleFlags: SampleFlags(rawValue: 0x0101_0000))
    let bytes = fields(.u32(3), .u32(7), .u32(2), .u32(1024), .u32(300), .u32(0x0101_0000))
    try checkPayload(value, is: bytes, fixedByteCount: 24)
    checkVersions(TrackExtends.self, of: bytes, newestVersion: 0)
  }

  @Test func readsAndWritesTheDurationOfAFragmentedMovie() throws {
    let short = fields(.u32(0), .u32(6000))
    try checkPayload(MovieExtendsHeader(fragmentDuration: 6000), is: short, fixedByteCount: 8)
    let long = fields(.u32(0x0100_0000), .u64(1 << 32))
    try checkPayload(MovieExtendsHeader(fragmentDuration: 1 << 32), is: long, fixedByteCount: 12)
    checkVersions(MovieExtendsHeader.self, of: long, newestVersion: 1)
    #expect(MovieExtendsHeader(fragmentDuration: UInt64(UInt32.max)).version == 0)
  }

  @Test func readsAndWritesTheNumberOfAFragment() throws {
    let bytes = fields(.u32(1), .u32(.max))
    try checkPayload(MovieFragmentHeader(flags: 1, sequenceNumber: .max), is: bytes, fixedByteCount: 8)
    checkVersions(MovieFragmentHeader.self, of: bytes, newestVersion: 0)
  }

  @Test func decodesSampleFlags() {
    let flags = SampleFlags(rawValue: 0b0000_01_10_11_01_101_1_1000_0000_0000_0001)
    #expect(flags.dependencyByte == 0b01_10_11_01)
    #expect(flags.paddingBitCount == 5)
    #expect(flags.isNonSync && !flags.isSync)
    #expect(flags.degradationPriority == 0x8001)
    #expect(SampleFlags(rawValue: ~0x1_0000).isSync)
  }
}
