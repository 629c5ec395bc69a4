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

extension Array {
  /// Returns the same index as ``partitioningIndex(where:)``, but searches outward from `hint`, an index that is
  /// probably close. Calls the predicate O(log d) times, where d is the distance of the result from the hint.
  @inlinable package func partitioningIndex(near hint: Int, where belongsInSecondPart: (Element) -> Bool) -> Int {
    let hint = Swift.min(Swift.max(0, hint), count)
    var (low, high, step) = (0, count, 1)
    if hint < count, !belongsInSecondPart(self[hint]) {
      low = hint + 1
      while step <= high - low {
        let probe = low + step - 1
        guard !belongsInSecondPart(self[probe]) else {
          high = probe
          break
        }
        (low, step) = (probe + 1, step * 2)
      }
    } else {
      high = hint
      while step <= high {
        let probe = high - step
        guard belongsInSecondPart(self[probe]) else {
          low = probe + 1
          break
        }
        (high, step) = (probe, step * 2)
      }
    }
    return low < high ? self[low..<high].partitioningIndex(where: belongsInSecondPart) : low
  }

  /// Sorts elements that consist of a few interleaved ascending sequences, such as the chunks of several tracks. The
  /// sort is not stable.
  ///
  /// Each element is added to the first sequence that it extends. The sequences are then merged in linear time.
  /// Elements that form more than 16 sequences are sorted by the standard library.
  @inlinable package mutating func sortInterleaved(by areInIncreasingOrder: (Element, Element) -> Bool) {
    guard zip(self, dropFirst()).contains(where: { areInIncreasingOrder($1, $0) }) else { return }
    var sequences: [[Element]] = []
    for index in indices {
      let element = self[index]
      let fit = sequences.firstIndex { sequence in
        sequence.last.map { !areInIncreasingOrder(element, $0) } ?? true
      }
      if let fit {
        sequences[fit].append(element)
      } else if sequences.count < 16 {
        sequences.append([element])
      } else {
        return sort(by: areInIncreasingOrder)
      }
    }
    self = []
    while sequences.count > 1 {
      sequences = stride(from: 0, to: sequences.count, by: 2).map { index in
        index + 1 < sequences.count
          ? sequences[index].merged(with: sequences[index + 1], by: areInIncreasingOrder) : sequences[index]
      }
    }
    self = sequences[0]
  }

  /// Returns the elements of two sorted arrays, sorted.
  @inlinable func merged(with other: [Element], by areInIncreasingOrder: (Element, Element) -> Bool) -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(count + other.count)
    var next = 0
    for element in self {
      while next < other.count, areInIncreasingOrder(other[next], element) {
        result.append(other[next])
        next += 1
      }
      result.append(element)
    }
    result += other[next...]
    return result
  }
}

extension Sequence where Element: Hashable {
  /// The elements without duplicates, in order of first occurrence.
  package var withoutRepetition: [Element] {
    var seenElements: Set<Element> = []
    return filter { seenElements.insert($0).inserted }
  }
}
