import Dispatch
import Synchronization

/// Parallel work on the current thread and one other.
///
/// A movie is read and written mostly by one thread. Large tasks use a second thread if one is free, but never wait
/// for one: the current thread can always do all the work itself.
package enum SecondThread {
  private enum State: UInt8, AtomicRepresentable {
    case waiting, running, abandoned
  }

  /// The state of the other thread's work, and a signal for its end.
  private final class Handoff: Sendable {
    let state = Atomic<State>(.waiting)
    let end = DispatchSemaphore(value: 0)

    /// Leaves the waiting state, or returns `false` if another thread left it first.
    func leaveWaiting(for next: State) -> Bool {
      state.compareExchange(expected: .waiting, desired: next, ordering: .acquiringAndReleasing).exchanged
    }
  }

  /// Runs `own` on this thread and `other` on another one, and returns when both are done.
  ///
  /// `own` must be able to do all the work: if no other thread was free, `other` is skipped when `own` ends. This
  /// thread therefore never blocks on an exhausted pool, whose threads may all be waiting here.
  package static func run<Failure: Error>(
    beside other: @escaping @Sendable () -> Void, _ own: () throws(Failure) -> Void
  ) throws(Failure) {
    let handoff = Handoff()
    DispatchQueue.global().async {
      guard handoff.leaveWaiting(for: .running) else { return }
      other()
      handoff.end.signal()
    }
    defer { if !handoff.leaveWaiting(for: .abandoned) { handoff.end.wait() } }
    try own()
  }

  /// The pieces of a task, in order. Two threads take pieces until none is left.
  package final class Pieces: Sendable {
    private let count: Int
    private let pieceSize: Int
    private let taken = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)

    fileprivate init(_ count: Int, by pieceSize: Int) {
      self.count = count
      self.pieceSize = pieceSize
    }

    /// Prevents threads from taking further pieces.
    fileprivate func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Takes the next piece, or returns `nil` if none is left. Each piece is returned once.
    package func next() -> Range<Int>? {
      guard !isStopped.load(ordering: .relaxed) else { return nil }
      let number = taken.add(1, ordering: .relaxed).oldValue
      let (start, isPast) = number.multipliedReportingOverflow(by: pieceSize)
      guard !isPast, start < count else { return nil }
      return start..<start + Swift.min(pieceSize, count - start)
    }
  }

  /// The result of the other thread's work.
  private final class Outcome<Failure: Error>: Sendable {
    let result = Mutex<Result<Bool, Failure>>(.success(true))
  }

  /// Works on `count` elements in pieces, on this thread and another one.
  ///
  /// `work` takes pieces until none is left, and returns whether it succeeded. If it returns `false` or throws on one
  /// thread, the other gets no more pieces. Returns whether both succeeded, or throws the error of one.
  package static func share<Failure: Error>(
    _ count: Int, by pieceSize: Int, _ work: @escaping @Sendable (Pieces) throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    let pieces = Pieces(count, by: pieceSize)
    let other = Outcome<Failure>()
    @Sendable func outcome() -> Result<Bool, Failure> {
      let result = Result { () throws(Failure) in try work(pieces) }
      if case .success(true) = result { return result }
      pieces.stop()
      return result
    }
    var own = Result<Bool, Failure>.success(true)
    run(
      beside: {
        let result = outcome()
        other.result.withLock { $0 = result }
      },
      { own = outcome() })
    let isWell = try own.get()
    return try other.result.withLock { $0 }.get() && isWell
  }
}

/// Blocking work outside the threads that tasks share.
package enum BlockingWork {
  /// The cancellation state of the waiting task.
  package final class Cancellation: Sendable {
    private let isCancelled = Atomic<Bool>(false)

    fileprivate func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Throws if the task was cancelled.
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
