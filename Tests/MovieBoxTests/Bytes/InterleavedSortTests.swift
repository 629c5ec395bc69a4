import Testing

import MovieBox

struct InterleavedSortTests {
  /// Returns the sorted numbers, and the number of comparisons.
  private func sort(_ numbers: [Int]) -> (sorted: [Int], comparisonCount: Int) {
    var (sorted, count) = (numbers, 0)
    sorted.sortInterleaved { left, right in
      count += 1
      return left < right
    }
    return (sorted, count)
  }

  /// Returns ascending sequences of 1000 numbers, of which each takes its turn.
  private func interleaved(sequenceCount: Int) -> [Int] {
    (0..<1_000).flatMap { step in (0..<sequenceCount).map { sequence in (sequenceCount - sequence) * 10_000 + step } }
  }

  @Test(arguments: [1, 2, 3, 5, 16, 17, 40])
  func sortsInterleavedSequences(sequenceCount: Int) {
    let numbers = interleaved(sequenceCount: sequenceCount)
    #expect(sort(numbers).sorted == numbers.sorted())
  }

  @Test func sortsAnyNumbers() {
    let shuffled = (0..<500).map { $0 * 7919 % 503 }
    for numbers in [[], [1], [2, 1], [1, 1], [3, 1, 3, 1, 2], Array((0..<100).reversed()), shuffled] {
      #expect(sort(numbers).sorted == numbers.sorted())
    }
  }

  @Test func comparesEachNumberOnceIfNumbersAreSorted() {
    #expect(sort(Array(0..<1_000)).comparisonCount == 999)
  }

  @Test func sortsTwoSequencesInLinearTime() {
    // One comparison finds that the numbers are not sorted. At most two find a number's sequence, and one merges it.
    #expect(sort(interleaved(sequenceCount: 2)).comparisonCount <= 1 + 3 * 2_000)
  }
}
