import MovieBox
import Testing

struct ByteRangeTests {
  @Test func limitsTheEndTo64Bits() {
    #expect(ByteRange(offset: .max, count: 0)?.end == .max)
    #expect(ByteRange(offset: .max - 1, count: 1)?.end == .max)
    #expect(ByteRange(offset: .max, count: 1) == nil)
    #expect(ByteRange(offset: 1, count: .max) == nil)
    #expect(ByteRange(0..<UInt64.max).count == .max)
  }

  @Test func distinguishesContainmentAndOverlapAtEdges() {
    let range = ByteRange(10..<20)
    #expect(range.contains(range) && range.contains(ByteRange(10..<10)) && range.contains(ByteRange(20..<20)))
    #expect(!range.contains(ByteRange(9..<20)) && !range.contains(ByteRange(10..<21)))
    #expect(range.overlaps(ByteRange(19..<30)) && range.overlaps(ByteRange(0..<11)))
    #expect(!range.overlaps(ByteRange(20..<30)) && !range.overlaps(ByteRange(0..<10)))
  }

  @Test func joinsAdjacentAndNearbyRanges() {
    let range = ByteRange(10..<20)
    #expect(range.joined(with: ByteRange(20..<30)) == ByteRange(10..<30))
    #expect(range.joined(with: ByteRange(12..<14)) == range)
    #expect(range.joined(with: ByteRange(21..<30)) == nil && range.joined(with: ByteRange(9..<30)) == nil)
    #expect(range.joined(with: ByteRange(25..<30), maximumGap: 5) == ByteRange(10..<30))
    #expect(range.joined(with: ByteRange(26..<30), maximumGap: 5) == nil)
    #expect(range.joined(with: ByteRange(20..<30), maximumByteCount: 20) == ByteRange(10..<30))
    #expect(range.joined(with: ByteRange(20..<31), maximumByteCount: 20) == nil)
    #expect(ByteRange(0..<UInt64.max).joined(with: ByteRange(5..<6), maximumGap: .max) == ByteRange(0..<UInt64.max))
    #expect(
      range.joined(withAdjacent: ByteRange(20..<20)) == range && range.joined(withAdjacent: ByteRange(19..<30)) == nil)
  }

  @Test func normalizesSetsToFewestRanges() {
    let ranges = [ByteRange(30..<40), ByteRange(0..<10), ByteRange(10..<12), ByteRange(35..<36), ByteRange(39..<50)]
    let set = ByteRangeSet(ranges)
    #expect(set.ranges == [ByteRange(0..<12), ByteRange(30..<50)] && set.byteCount == 32)
    #expect(ByteRangeSet(inOrder: ranges.sorted { $0.offset < $1.offset }) == set)
    #expect(Array(set.ranges(within: ByteRange(11..<31))) == [ByteRange(11..<12), ByteRange(30..<31)])
  }
}
