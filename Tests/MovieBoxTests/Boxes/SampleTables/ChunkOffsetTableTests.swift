import MovieBox
import Testing

struct ChunkOffsetTableTests {
  @Test func readsOffsetsOf32Bits() throws {
    let table = try chunkOffsets([0, 48, .max])
    #expect(Array(table) == [0, 48, UInt64(UInt32.max)])
    #expect(!table.isWide)
  }

  @Test func readsOffsetsOf64Bits() throws {
    let table = try wideChunkOffsets([0, 1 << 32, .max])
    #expect(Array(table) == [0, 1 << 32, .max])
    #expect(table.isWide)
  }

  @Test func keepsBytesAfterTheLastOffset() throws {
    let payload = tablePayload([1, 48, 0xAABB_CCDD])
    #expect(try ChunkOffsetTable(payload: payload, isWide: false).tail.array == [0xAA, 0xBB, 0xCC, 0xDD])
    #expect(try ChunkOffsetTable(payload: payload, isWide: true).tail.isEmpty)
  }
}
