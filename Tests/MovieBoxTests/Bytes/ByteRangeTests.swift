import MovieBox
import Testing

struct ByteRangeTests {
  @Test func theEndFitsIn64Bits() {
    #expect(ByteRange(offset: .max, count: 0)?.end == .max)
    #expect(ByteRange(offset: .max - 1, count: 1)?.end == .max)
    #expect(ByteRange(offset: .max, count: 1) == nil)
    #expect(ByteRange(offset: 1, count: .max) == nil)
    #expect(ByteRange(0..<UInt64.max).count == .max)
  }

  @Test func containsAndOverlapsMeetAtTheEdges() {
    let range = ByteRange(10..<20)
    #expect(range.contains(range) && range.contains(ByteRange(10..<10)) && range.contains(ByteRange(20..<20)))
    #expect(!range.contains(ByteRange(9..<20)) && !range.contains(ByteRange(10..<21)))
    #expect(range.overlaps(ByteRange(19..<30)) && range.overlaps(ByteRange(0..<11)))
    #expect(!range.overlaps(ByteRange(20..<30)) && !range.overlaps(ByteRange(0..<10)))
  }
}
