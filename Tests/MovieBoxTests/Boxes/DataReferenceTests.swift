@testable import MovieBox
import Testing

@Suite struct DataReferenceTests {
  @Test func writesASelfContainedListOf28Bytes() throws {
    let bytes = fields(.u32(0), .u32(1), .u32(12), .code("url "), .u32(1))
    #expect(bytes.count + 8 == 28)
    try checkPayload(DataReference.selfContained, is: bytes, fixedByteCount: 20)
    checkVersions(DataReference.self, of: bytes, newestVersion: 0)
  }

  @Test func readsAndWritesEntriesOfAllKinds() throws {
    let url: [UInt8] = Array("file:///a".utf8) + [0]
    let bytes = fields(
      .u32(2), .u32(2), .u32(22), .code("url "), .u32(0), .bytes(url), .u32(15), .code("alis"), .u32(0x0300_0001),
      .bytes([1, 2, 3]))
    let value = DataReference(
      flags: 2,
      entries: [
        DataReference.Entry(type: "url ", flags: 0, data: Bytes(url)),
        DataReference.Entry(type: "alis", version: 3, flags: 1, data: Bytes([1, 2, 3])),
      ])
    try checkPayload(value, is: bytes, fixedByteCount: bytes.count)
    #expect(value.entries.map(\.isSelfContained) == [false, true])
  }

  @Test func rejectsEntriesOfImpossibleSizes() {
    for size in [0, 1, 8, 11, 13, UInt32.max] {
      checkRefused(DataReference.self, fields(.u32(0), .u32(1), .u32(size), .code("url "), .u32(1)), .malformed)
    }
    let second = fields(.u32(0), .u32(2), .u32(20), .code("alis"), .zeros(12), .u32(12))
    checkRefused(DataReference.self, second, .malformed)
    let none = fields(.u32(0), .u32(2), .u32(24), .code("alis"), .zeros(16))
    checkRefused(DataReference.self, none, .truncated)
  }

  @Test func rejectsTooManyEntries() {
    let bytes = fields(.u32(0), .u32(.max), .u32(12), .code("url "), .u32(1))
    checkRefused(DataReference.self, bytes, .malformed)
  }
}
