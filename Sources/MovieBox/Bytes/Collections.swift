extension RandomAccessCollection {
  /// The index of the first element that `belongsInSecondPart` holds for; the end where it holds for none.
  ///
  /// Where it holds for an element, it must hold for all after it. Costs O(log n) calls.
  @inlinable package func partitioningIndex(where belongsInSecondPart: (Element) -> Bool) -> Index {
    var start = startIndex
    var count = self.count
    while count > 0 {
      let middle = index(start, offsetBy: count / 2)
      if belongsInSecondPart(self[middle]) {
        count /= 2
      } else {
        start = index(after: middle)
        count -= count / 2 + 1
      }
    }
    return start
  }
}

extension Sequence where Element: Hashable {
  /// The elements in their order, each the first time alone.
  package var withoutRepetition: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
