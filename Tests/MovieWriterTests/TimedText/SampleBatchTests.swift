import Subtitles
import TestSupport
import Testing

@testable import MovieBox

struct SampleBatchTests {
  private let bytes = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

  @Test func readsNearbyRangesTogether() throws {
    let near = SampleBatch.maximumGapByteCount
    let ranges = [
      ByteRange(5_000..<5_010), ByteRange(100..<110), ByteRange(110..<120), ByteRange(120 + near..<130 + near),
      ByteRange(105..<115), ByteRange(9_000..<9_000), ByteRange(131 + 2 * near..<140 + 2 * near),
    ]
    let source = CountingSource(bytes)
    let contents = try SampleBatch(ranges).read(from: source)
    #expect(contents.map(\.array) == ranges.map { Array(bytes[Int($0.offset)..<Int($0.end)]) })
    #expect(
      source.reads == [
        ByteRange(100..<130 + near), ByteRange(131 + 2 * near..<140 + 2 * near), ByteRange(5_000..<5_010),
      ])
  }

  @Test func readsNothingWithoutRanges() throws {
    let source = CountingSource(bytes)
    #expect(try SampleBatch([]).read(from: source).isEmpty && source.reads.isEmpty)
  }
}
