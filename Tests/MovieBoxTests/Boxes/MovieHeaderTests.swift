@testable import MovieBox
import Testing

@Suite struct MovieHeaderTests {
  private let matrix = Matrix(a: 1, b: 2, u: 3, c: 4, d: 5, v: 6, x: 7, y: 8, w: 9)

  private func bytes(version: UInt8) -> Bytes {
    func long(_ value: UInt32) -> Field { version == 0 ? .u32(value) : .u64(UInt64(value)) }
    return fields(
      .u8(version), .bytes([0, 0, 5]), long(10), long(11), .u32(600), long(12), .u32(0x1_0000), .u16(0x100),
      .zeros(10), .matrix([1, 2, 3, 4, 5, 6, 7, 8, 9]), .zeros(24), .u32(13))
  }

  private func value(version: UInt8) -> MovieHeader {
    MovieHeader(
      version: version, flags: 5, creationTime: 10, modificationTime: 11, timeScale: 600, duration: 12,
      matrix: matrix, nextTrackID: 13)
  }

  @Test func readsAndWritesVersion0() throws {
    try checkPayload(value(version: 0), is: bytes(version: 0), fixedByteCount: 100)
  }

  @Test func readsAndWritesVersion1() throws {
    try checkPayload(value(version: 1), is: bytes(version: 1), fixedByteCount: 112)
  }

  @Test func rejectsUnknownVersions() {
    checkVersions(MovieHeader.self, of: bytes(version: 1), newestVersion: 1)
  }

  @Test func keepsReservedFieldsAndTail() throws {
    let bytes = Bytes((0..<UInt8(108)).map { $0 == 0 ? 0 : $0 })
    let header = try readBack(MovieHeader.self, bytes)
    #expect(header.reserved.first == 26)
    #expect(header.predefined.count == 24)
    #expect(header.tail == Bytes([100, 101, 102, 103, 104, 105, 106, 107]))
  }

  @Test func choosesTheVersionByTheValues() {
    let limit = UInt64(UInt32.max)
    #expect(MovieHeader(timeScale: 1, duration: limit, nextTrackID: 1).version == 0)
    #expect(MovieHeader(timeScale: 1, duration: limit + 1, nextTrackID: 1).version == 1)
    #expect(MovieHeader(creationTime: limit + 1, timeScale: 1, duration: 0, nextTrackID: 1).version == 1)
  }

  @Test func readsAllOnesAsAnUnknownDuration() {
    var header = value(version: 0)
    header.duration = UInt64(UInt32.max)
    #expect(header.isDurationUnknown)
    header.version = 1
    #expect(!header.isDurationUnknown)
    header.duration = .max
    #expect(header.isDurationUnknown)
  }
}
