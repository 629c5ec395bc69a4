import MovieBox
import Testing

struct TimeToSampleTableTests {
  @Test func readsEntries() throws {
    let table = try timeToSample([(3, 100), (1, 0), (0, 7), (2, .max)])
    #expect(table.map(\.sampleCount) == [3, 1, 0, 2])
    #expect(table.map(\.duration) == [100, 0, 7, .max])
    #expect(table.sampleCount == 6)
    #expect(table.totalDuration == 300 + 2 * UInt64(UInt32.max))
  }

  @Test func returnsNoDurationForAnEmptyTable() throws {
    let table = try timeToSample([])
    #expect(table.isEmpty)
    #expect(table.totalDuration == 0)
  }

  @Test func returnsNoDurationBeyond64Bits() throws {
    // Twice (2³² − 1)² is 2⁶⁵ − 2³⁴ + 2. Together with 2³³ − 2 and 1, the low 64 bits are full.
    let run: (UInt32, UInt32) = (.max, .max)
    #expect(try timeToSample([run]).totalDuration == 0xFFFF_FFFE_0000_0001)
    #expect(try timeToSample([run, (2, .max)]).totalDuration == .max)
    #expect(try timeToSample([run, (2, .max), (1, 1)]).totalDuration == nil)
    #expect(try timeToSample([run, run]).totalDuration == nil)
  }
}
