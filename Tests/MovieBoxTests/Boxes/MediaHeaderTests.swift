import MovieBox
import Testing

@Suite struct MediaHeaderTests {
  private func bytes(version: UInt8) -> Bytes {
    func long(_ value: UInt32) -> Field { version == 0 ? .u32(value) : .u64(UInt64(value)) }
    return fields(
      .u8(version), .bytes([0, 0, 9]), long(10), long(11), .u32(48_000), long(12), .u16(0x15C7), .u16(7))
  }

  private func value(version: UInt8) -> MediaHeader {
    MediaHeader(
      version: version, flags: 9, creationTime: 10, modificationTime: 11, timeScale: 48_000, duration: 12,
      languageCode: 0x15C7, quality: 7)
  }

  @Test func readsAndWritesVersion0() throws {
    try checkPayload(value(version: 0), is: bytes(version: 0), fixedByteCount: 24)
  }

  @Test func readsAndWritesVersion1() throws {
    try checkPayload(value(version: 1), is: bytes(version: 1), fixedByteCount: 36)
  }

  @Test func rejectsUnknownVersions() {
    checkVersions(MediaHeader.self, of: bytes(version: 1), newestVersion: 1)
  }

  @Test func choosesTheVersionByTheValues() {
    let limit = UInt64(UInt32.max)
    #expect(MediaHeader(timeScale: 1, duration: limit, languageCode: 0).version == 0)
    #expect(MediaHeader(modificationTime: limit + 1, timeScale: 1, duration: 0, languageCode: 0).version == 1)
  }

  @Test func readsAllOnesAsAnUnknownDuration() {
    var header = value(version: 1)
    header.duration = UInt64(UInt32.max)
    #expect(!header.isDurationUnknown)
    header.duration = .max
    #expect(header.isDurationUnknown)
  }
}
