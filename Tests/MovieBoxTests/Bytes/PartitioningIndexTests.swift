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

  @Test func findsThePartitioningIndexFromAnyHint() {
    for count in 0...9 {
      for border in 0...count {
        for hint in -1...count + 1 {
          #expect(Array(0..<count).partitioningIndex(near: hint) { $0 >= border } == border)
        }
      }
    }
  }

  @Test(arguments: [0, 1, 4_999, 9_999, 10_000])
  func evaluatesThePredicateSeldomNearTheHint(border: Int) {
    let elements = Array(0..<10_000)
    func askedCount(hint: Int) -> Int {
      var asked = 0
      let found = elements.partitioningIndex(near: hint) { index in
        asked += 1
        return index >= border
      }
      #expect(found == border)
      return asked
    }
    for distance in -2...2 { #expect(askedCount(hint: border + distance) <= 4) }
    for hint in [0, 5_000, 10_000] { #expect(askedCount(hint: hint) <= 30) }
  }
}
