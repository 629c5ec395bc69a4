import MovieBox
import Testing

struct SampleToChunkTableTests {
  @Test func readsEntries() throws {
    let table = try sampleToChunk([(1, 25, 1), (7, 3, 2), (.max, .max, .max)])
    #expect(table.map(\.firstChunk) == [1, 7, .max])
    #expect(table.map(\.samplesPerChunk) == [25, 3, .max])
    #expect(table.map(\.sampleDescriptionIndex) == [1, 2, .max])
  }
}
