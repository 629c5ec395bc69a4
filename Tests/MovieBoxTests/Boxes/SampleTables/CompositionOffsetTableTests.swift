import MovieBox
import Testing

struct CompositionOffsetTableTests {
  @Test(arguments: [0, 1] as [UInt8])
  func readsOffsetsAsSigned(version: UInt8) throws {
    let table = try compositionOffsets(version: version, [(1, 0), (2, 2002), (3, -1001), (4, .min), (5, .max)])
    #expect(table.map(\.offset) == [0, 2002, -1001, .min, .max])
    #expect(table.map(\.sampleCount) == [1, 2, 3, 4, 5])
    #expect(table.sampleCount == 15)
  }
}
