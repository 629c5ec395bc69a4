import MovieBox
import Testing

struct SyncSampleTableTests {
  @Test func readsSampleNumbersAsStored() throws {
    #expect(Array(try syncSamples([1, 25, .max])) == [1, 25, .max])
    #expect(try syncSamples([]).isEmpty)
  }
}
