import Dispatch
import Synchronization
import Testing

@testable import MovieBox

struct SecondThreadTests {
  @Test func completesBothClosures() {
    let sum = Atomic<Int>(0)
    let begun = DispatchSemaphore(value: 0)
    SecondThread.run(concurrently: {
      begun.signal()
      sum.add(1, ordering: .relaxed)
    }) {
      begun.wait()
      sum.add(2, ordering: .relaxed)
    }
    let done = sum.load(ordering: .relaxed)
    #expect(done == 3)
  }

  @Test func rethrowsAnErrorAfterBothHaveEnded() {
    struct Failure: Error {}
    let begun = DispatchSemaphore(value: 0)
    let ended = Atomic<Bool>(false)
    #expect(throws: Failure.self) {
      try SecondThread.run(concurrently: {
        begun.signal()
        ended.store(true, ordering: .relaxed)
      }) { () throws(Failure) in
        begun.wait()
        throw Failure()
      }
    }
    let hasEnded = ended.load(ordering: .relaxed)
    #expect(hasEnded)
  }

  @Test func distributesEachRangeOnce() {
    let taken = Mutex<[Range<Int>]>([])
    let isWell = SecondThread.share(1001, by: 10) { pieces in
      while let piece = pieces.next() { taken.withLock { $0.append(piece) } }
      return true
    }
    #expect(isWell)
    let pieces = taken.withLock { $0.sorted { $0.lowerBound < $1.lowerBound } }
    #expect(pieces == stride(from: 0, to: 1001, by: 10).map { $0..<min(1001, $0 + 10) })
  }

  @Test func rethrowsAnErrorOfSharedWork() {
    struct Failure: Error {}
    let isWell = SecondThread.share(100, by: 1) { pieces in
      while let piece = pieces.next() {
        if piece.lowerBound == 70 { return false }
      }
      return true
    }
    #expect(!isWell)
    #expect(throws: Failure.self) {
      try SecondThread.share(100, by: 1) { pieces throws(Failure) in
        while let piece = pieces.next() {
          if piece.lowerBound == 70 { throw Failure() }
        }
        return true
      }
    }
  }

  @Test func proceedsWithoutPoolThreads() {
    // More tasks than the pool has threads, each waiting for all: the last one runs without another thread.
    let count = 200
    let group = DispatchGroup()
    let own = Atomic<Int>(0)
    for _ in 0..<count {
      DispatchQueue.global().async(group: group) {
        SecondThread.run(concurrently: {}) { own.add(1, ordering: .relaxed) }
      }
    }
    #expect(group.wait(timeout: .now() + 60) == .success)
    let doneCount = own.load(ordering: .relaxed)
    #expect(doneCount == count)
  }
}
