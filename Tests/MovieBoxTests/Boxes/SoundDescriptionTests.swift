import MovieBox
import Testing

@Suite struct SoundDescriptionTests {
  private let esds = fields(.u32(12), .code("esds"), .u32(0))

  private func common(_ version: UInt16) -> [UInt8] {
    fields(
      .u16(version), .u16(1), .code("vend"), .u16(2), .u16(16), .u16(0xFFFE), .u16(3), .u32(44_100 << 16)
    ).array
  }

  private func value(_ version: UInt16, _ extra: SoundDescription.VersionFields, tail: Bytes = Bytes())
    -> SoundDescription
  {
    SoundDescription(
      version: version, revision: 1, vendor: "vend", storedChannelCount: 2, storedSampleSize: 16, compressionID: -2,
      packetSize: 3, storedSampleRate: 44_100 << 16, extra: extra, tail: tail)
  }

  @Test func readsAndWritesVersion0() throws {
    let sound = value(0, .none)
    try checkPayload(sound, is: Bytes(common(0)), fixedByteCount: 20)
    #expect(sound.channelCount == 2 && sound.sampleSize == 16 && sound.sampleRate == 44_100)
    #expect(try SoundDescription(body: Bytes(common(0))) == sound)
  }

  @Test func readsAndWritesVersion1() throws {
    let packets = SoundDescription.PacketFields(
      samplesPerPacket: 1024, bytesPerPacket: 1, bytesPerFrame: 2, bytesPerSample: 4)
    let extra = fields(.u32(1024), .u32(1), .u32(2), .u32(4))
    try checkPayload(value(1, .packets(packets)), is: Bytes(common(1) + extra.array), fixedByteCount: 20)
    let withAtom = value(1, .packets(packets), tail: esds)
    try checkPayload(withAtom, is: Bytes(common(1) + extra.array + esds.array), fixedByteCount: 20)
  }

  @Test func ignoresPacketsInVersion1OfISOFiles() throws {
    let atoms = Bytes(fields(.u32(16), .code("srat"), .u32(0), .u32(96_000)).array + esds.array)
    let sound = try readBack(SoundDescription.self, Bytes(common(1) + atoms.array))
    #expect(sound == value(1, .none, tail: atoms))
    #expect(try readBack(SoundDescription.self, Bytes(common(1))).extra == .none)
  }

  @Test func readsAndWritesVersion2() throws {
    let extra = fields(
      .u32(72), .u64((192_000.5).bitPattern), .u32(6), .u32(0x7F00_0000), .u32(24), .u32(0xC), .u32(18), .u32(1))
    let sound = value(
      2,
      .highResolution(
        SoundDescription.HighResolutionFields(
          sampleRateBits: (192_000.5).bitPattern, channelCount: 6, bitsPerChannel: 24, formatFlags: 0xC,
          bytesPerPacket: 18, framesPerPacket: 1)))
    #expect(extra.count == 36)
    try checkPayload(sound, is: Bytes(common(2) + extra.array), fixedByteCount: 56)
    #expect(sound.channelCount == 6 && sound.sampleSize == 24 && sound.sampleRate == 192_000)
  }

  @Test func readsInvalidRatesAsZero() throws {
    for rate in [Double.nan, .infinity, -.infinity, -1, 4_294_967_296, 1e300] {
      let bytes = Bytes(common(2) + fields(.u32(72), .u64(rate.bitPattern), .zeros(24)).array)
      #expect(try SoundDescription(body: bytes).sampleRate == 0)
    }
    let largest = Bytes(common(2) + fields(.u32(72), .u64((4_294_967_295.9).bitPattern), .zeros(24)).array)
    #expect(try SoundDescription(body: largest).sampleRate == .max)
  }

  @Test func rejectsUnknownVersions() {
    checkRefused(SoundDescription.self, Bytes(common(3)), .unsupported)
    checkRefused(SoundDescription.self, Bytes(common(.max)), .unsupported)
  }
}
