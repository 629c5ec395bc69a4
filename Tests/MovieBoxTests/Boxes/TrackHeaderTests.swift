@testable import MovieBox
import Testing

@Suite struct TrackHeaderTests {
  private func bytes(version: UInt8) -> Bytes {
    func long(_ value: UInt32) -> Field { version == 0 ? .u32(value) : .u64(UInt64(value)) }
    return fields(
      .u8(version), .bytes([0, 0, 3]), long(10), long(11), .u32(2), .zeros(4), long(12), .zeros(8), .u16(0xFFFF),
      .u16(4), .u16(0x100), .zeros(2), .matrix([1, 2, 3, 4, 5, 6, 7, 8, 9]), .u32(640 << 16), .u32(360 << 16))
  }

  private func value(version: UInt8) -> TrackHeader {
    TrackHeader(
      version: version, flags: 3, creationTime: 10, modificationTime: 11, trackID: 2, duration: 12, layer: -1,
      alternateGroup: 4, volume: 0x100, matrix: Matrix(a: 1, b: 2, u: 3, c: 4, d: 5, v: 6, x: 7, y: 8, w: 9),
      width: 640 << 16, height: 360 << 16)
  }

  @Test func readsAndWritesVersion0() throws {
    try checkPayload(value(version: 0), is: bytes(version: 0), fixedByteCount: 84)
  }

  @Test func readsAndWritesVersion1() throws {
    try checkPayload(value(version: 1), is: bytes(version: 1), fixedByteCount: 96)
  }

  @Test func rejectsUnknownVersions() {
    checkVersions(TrackHeader.self, of: bytes(version: 1), newestVersion: 1)
  }

  @Test func keepsReservedFields() throws {
    let header = try readBack(TrackHeader.self, Bytes((0..<UInt8(90)).map { $0 }))
    #expect(header.reserved1 == 0x1011_1213)
    #expect(header.reserved2 == 0x1819_1A1B_1C1D_1E1F)
    #expect(header.reserved3 == 0x2627)
    #expect(header.tail.count == 6)
  }

  @Test func changesFlagsIndividually() {
    var header = value(version: 0)
    header.flags = 0x8
    header.isEnabled = true
    #expect(header.flags == 0x9)
    header.isInMovie = true
    #expect(header.flags == 0xB)
    header.isInPreview = true
    #expect(header.flags == 0xF)
    header.isEnabled = false
    #expect(header.flags == 0xE)
    #expect(!header.isEnabled && header.isInMovie && header.isInPreview)
  }

  @Test func choosesTheVersionByTheValues() {
    let limit = UInt64(UInt32.max)
    #expect(TrackHeader(flags: 0, trackID: 1, duration: limit).version == 0)
    #expect(TrackHeader(flags: 0, trackID: 1, duration: limit + 1).version == 1)
  }

  @Test func readsAllOnesAsAnUnknownDuration() {
    var header = value(version: 0)
    #expect(!header.isDurationUnknown)
    header.duration = UInt64(UInt32.max)
    #expect(header.isDurationUnknown)
    header.version = 1
    #expect(!header.isDurationUnknown)
  }
}
