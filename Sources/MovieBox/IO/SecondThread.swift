import Dispatch
import Synchronization

/// Parallel execution on the current thread and one other thread.
///
/// Movies are mostly read and written by one thread. Large tasks use a second thread if a thread is free. A task never
/// waits for a free thread, because the current thread can do all the work itself.
package enum SecondThread {
  private enum State: UInt8, AtomicRepresentable {
    case waiting, running, abandoned
  }

  /// The state of the other thread, and a semaphore that is signaled when the work of that thread ends.
  private final class Handoff: Sendable {
    let state = Atomic<State>(.waiting)
    let end = DispatchSemaphore(value: 0)

    /// Leaves the waiting state. Returns `false` if another thread has already left it.
    func leaveWaiting(for next: State) -> Bool {
      state.compareExchange(expected: .waiting, desired: next, ordering: .acquiringAndReleasing).exchanged
    }
  }

  /// Runs `work` on this thread and `other` on another thread, and returns when `work` and `other` have finished.
  ///
  /// If no other thread is free before `work` ends, `other` does not run. `work` must therefore be able to complete the
  /// task without `other`. Waiting for a free thread could cause a deadlock, because all threads of the pool may be
  /// executing this function.
  package static func run<Failure: Error>(
    concurrently other: @escaping @Sendable () -> Void, _ work: () throws(Failure) -> Void
  ) throws(Failure) {
    let handoff = Handoff()
    DispatchQueue.global().async {
      guard handoff.leaveWaiting(for: .running) else { return }
      other()
      handoff.end.signal()
    }
    defer { if !handoff.leaveWaiting(for: .abandoned) { handoff.end.wait() } }
    try work()
  }

  /// The ranges of a task's elements, in order. Two threads request ranges until none remains.
  package final class WorkRanges: Sendable {
    private let count: Int
    private let rangeSize: Int
    private let takenCount = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)

    fileprivate init(_ count: Int, by rangeSize: Int) {
      self.count = count
      self.rangeSize = rangeSize
    }

    /// Prevents threads from receiving further ranges.
    fileprivate func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Returns the next range of elements, or `nil` if none remains. Each range is returned only once.
    package func next() -> Range<Int>? {
      guard !isStopped.load(ordering: .relaxed) else { return nil }
      let number = takenCount.add(1, ordering: .relaxed).oldValue
      let (start, isPast) = number.multipliedReportingOverflow(by: rangeSize)
      guard !isPast, start < count else { return nil }
      return start..<start + Swift.min(rangeSize, count - start)
    }
  }

  /// The result of the other thread's work.
  private final class Outcome<Failure: Error>: Sendable {
    let result = Mutex<Result<Bool, Failure>>(.success(true))
  }

  /// Processes `count` elements on this thread and another thread.
  ///
  /// `work` requests ranges of elements until none remains, and returns whether it succeeded. If `work` returns `false`
  /// or throws on one thread, the other thread receives no more ranges. Returns whether both threads succeeded. Throws
  /// if a thread threw an error.
  package static func share<Failure: Error>(
    _ count: Int, by rangeSize: Int, _ work: @escaping @Sendable (WorkRanges) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    let ranges = WorkRanges(count, by: rangeSize)
    let otherOutcome = Outcome<Failure>()
    @Sendable func outcome() -> Result<Bool, Failure> {
      let result = Result { () throws(Failure) in try work(ranges) }
      if case .success(true) = result { return result }
      ranges.stop()
      return result
    }
    var ownResult = Result<Bool, Failure>.success(true)
    run(
      concurrently: {
        let result = outcome()
        otherOutcome.result.withLock { $0 = result }
      },
      { ownResult = outcome() })
    let hasSucceeded = try ownResult.get()
    return try otherOutcome.result.withLock { $0 }.get() && hasSucceeded
  }
}

/// Runs blocking work on a thread that tasks do not use.
package enum BlockingWork {
  /// The cancellation state of the waiting task.
  package final class Cancellation: Sendable {
    private let isCancelled = Atomic<Bool>(false)

    fileprivate func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Throws if the task was canceled.
    package func check() throws {
      if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    }
  }

  /// Runs `body` on another thread and returns its result.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable (Cancellation) throws -> Value
  ) async throws -> Value {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(
            with: Result {
              try cancellation.check()
              return try body(cancellation)
            })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}
