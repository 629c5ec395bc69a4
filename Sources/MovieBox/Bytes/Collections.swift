extension RandomAccessCollection {
  /// Returns the index of the first element that satisfies `belongsInSecondPart`, or the end index if no element does.
  ///
  /// If an element satisfies the predicate, all elements after it must satisfy it too. Calls the predicate O(log n)
  /// times.
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
  /// The elements without duplicates, in order of first occurrence.
  package var withoutRepetition: [Element] {
    var seenElements: Set<Element> = []
    return filter { seenElements.insert($0).inserted }
  }
}
