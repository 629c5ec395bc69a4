import MovieBox
import TestSupport
import Testing

/// The sizes of chunks of old QuickTime sound, whose samples have a declared size of 1 byte in `stsz`.
struct ChunkLocatorTests {
  /// Returns a track of packets, four in each chunk except the last.
  private func track(
    _ entry: [UInt8], samplesPerPacket: Int, packetByteCount: Int, packets: Int = 10
  ) -> TestTrack {
    TestTrack(.sound, id: 2).with {
      $0.sampleEntries = [entry]
      $0.samplesPerPacket = samplesPerPacket
      $0.samples = (0..<packets).map { _ in TestSample(packetByteCount, duration: samplesPerPacket) }
    }
  }

  private func expectChunks(
    _ entry: [UInt8], samplesPerPacket: Int, packetByteCount: Int, at location: SourceLocation = #_sourceLocation
  ) throws {
    let test = TestMovie(tracks: [
      track(entry, samplesPerPacket: samplesPerPacket, packetByteCount: packetByteCount)
    ])
    let movie = try Movie(of: MemorySource(Bytes(test.bytes())))
    let locator = ChunkLocator(movie.tracks[0])
    let counts = movie.tracks[0].samples.chunks.map { locator.byteRange(of: $0)?.count }
    #expect(counts == [4, 4, 2].map { UInt64($0 * packetByteCount) }, sourceLocation: location)
    // The chunks fill the media data exactly.
    #expect(MediaRanges(movie.tracks).byteCount == UInt64(10 * packetByteCount), sourceLocation: location)
    let last = test.with { $0.layout = .movieFirst }
    let after = try Movie(of: MemorySource(Bytes(last.bytes())))
    #expect(after.misplacedSamples().isEmpty, sourceLocation: location)
    // One byte less truncates the last chunk.
    let cut = try Movie(of: MemorySource(Bytes(last.bytes().dropLast())))
    #expect(cut.misplacedSamples().count == 1, sourceLocation: location)
  }

  @Test func computesChunkSizesOfVersion0ByFormat() throws {
    func entry(_ format: String, _ channels: Int, _ bits: Int = 16) -> [UInt8] {
      SampleEntry.sound(format, channels: channels, bits: bits, rate: 22050)
    }
    try expectChunks(entry("raw ", 1, 8), samplesPerPacket: 1, packetByteCount: 1)
    try expectChunks(entry("raw ", 2, 8), samplesPerPacket: 1, packetByteCount: 2)
    try expectChunks(entry("twos", 1), samplesPerPacket: 1, packetByteCount: 2)
    try expectChunks(entry("sowt", 2), samplesPerPacket: 1, packetByteCount: 4)
    try expectChunks(entry("in24", 2), samplesPerPacket: 1, packetByteCount: 6)
    try expectChunks(entry("fl64", 1), samplesPerPacket: 1, packetByteCount: 8)
    try expectChunks(entry("ulaw", 1), samplesPerPacket: 1, packetByteCount: 1)
    try expectChunks(entry("alaw", 2), samplesPerPacket: 1, packetByteCount: 2)
    try expectChunks(entry("MAC3", 1), samplesPerPacket: 6, packetByteCount: 2)
    try expectChunks(entry("MAC6", 2), samplesPerPacket: 6, packetByteCount: 2)
    try expectChunks(entry("ima4", 1), samplesPerPacket: 64, packetByteCount: 34)
    try expectChunks(entry("ima4", 2), samplesPerPacket: 64, packetByteCount: 68)
  }

  @Test func computesChunkSizesOfVersions1And2ByPackets() throws {
    try expectChunks(
      SampleEntry.soundVersion1("ima4", channels: 1, rate: 22050, packet: (64, 34, 34)), samplesPerPacket: 64,
      packetByteCount: 34)
    try expectChunks(
      SampleEntry.soundVersion1("QDM2", channels: 2, rate: 44100, packet: (4096, 0, 1486)), samplesPerPacket: 4096,
      packetByteCount: 1486)
    try expectChunks(
      SampleEntry.soundVersion2(packet: (6, 1)), samplesPerPacket: 1, packetByteCount: 6)
  }

  @Test func usesTheTableForPacketsOfAnySize() throws {
    let entry = SampleEntry.soundVersion1("mp4a", rate: 44100, packet: (1024, 0, 9), compressionID: -2)
    try expectChunks(entry, samplesPerPacket: 1, packetByteCount: 1)
    // A description without packets: `stsz` applies.
    try expectChunks(
      SampleEntry.soundVersion1("abcd", rate: 8000, packet: (0, 0, 0)), samplesPerPacket: 1, packetByteCount: 1)
    try expectChunks(SampleEntry.sound("abcd", rate: 8000), samplesPerPacket: 1, packetByteCount: 1)
  }

  @Test func returnsNoRangeForPacketsBeyond64Bits() throws {
    let entry = SampleEntry.soundVersion1("ima4", rate: 8000, packet: (1, 1, 0x7FFF_FFFF))
    var test = track(entry, samplesPerPacket: 1, packetByteCount: 1)
    test.usesLongOffsets = true
    test.externalOffsets = [UInt64.max - 100, 10, 20]
    let movie = try Movie(
      of: MemorySource(Bytes(TestMovie(tracks: [test]).with { $0.layout = [.movie(.ordinary)] }.bytes())))
    let locator = ChunkLocator(movie.tracks[0])
    let ranges = movie.tracks[0].samples.chunks.map { locator.byteRange(of: $0) }
    #expect(ranges[0] == nil && ranges[1]?.count == 4 * 0x7FFF_FFFF)
  }
}
