import Testing

import MovieBox

struct PartitioningIndexTests {
  @Test func findsThePartitioningIndex() {
    for count in 0...9 {
      for border in 0...count {
        let elements = Array(100..<100 + count)[...]
        #expect(elements.partitioningIndex { $0 >= 100 + border } == border)
      }
    }
    #expect([0, 1, 2, 3][2...].partitioningIndex { _ in true } == 2)
  }

  @Test func evaluatesThePredicateOncePerHalving() {
    for border in [0, 1, 4_999, 9_999, 10_000] {
      var asked = 0
      let found = (0..<10_000).partitioningIndex { index in
        asked += 1
        return index >= border
      }
      #expect(found == border && asked <= 14)
    }
  }
}
