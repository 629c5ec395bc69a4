import Dispatch
import Synchronization

/// Work that goes on beside that of this thread, where the process has a thread to spare.
package enum SecondThread {
  private enum State: UInt8, AtomicRepresentable {
    case waiting, running, abandoned
  }

  /// Whether the other work has begun, and its end.
  private final class Handoff: Sendable {
    let state = Atomic<State>(.waiting)
    let end = DispatchSemaphore(value: 0)

    /// Leaves one state; `false` where it is another.
    func leaveWaiting(for next: State) -> Bool {
      state.compareExchange(expected: .waiting, desired: next, ordering: .acquiringAndReleasing).exchanged
    }
  }

  /// Does `own` on this thread while `other` is done on another, and returns when both are.
  ///
  /// A pool whose threads are all taken, perhaps by those who wait here, never stops this one: `other` is left out
  /// where it has not begun when `own` has ended. So `own` must be able to do it all.
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

  /// Pieces of a whole, in their order. Two threads take from them until none is left.
  package final class Pieces: Sendable {
    private let count: Int
    private let pieceSize: Int
    private let taken = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)

    fileprivate init(_ count: Int, by pieceSize: Int) {
      self.count = count
      self.pieceSize = pieceSize
    }

    /// Prevents further pieces from being taken.
    fileprivate func stop() { isStopped.store(true, ordering: .relaxed) }

    /// The next piece, which is the caller's alone; `nil` when there is no more.
    package func next() -> Range<Int>? {
      guard !isStopped.load(ordering: .relaxed) else { return nil }
      let number = taken.add(1, ordering: .relaxed).oldValue
      let (start, isPast) = number.multipliedReportingOverflow(by: pieceSize)
      guard !isPast, start < count else { return nil }
      return start..<start + Swift.min(pieceSize, count - start)
    }
  }

  /// The result of the work of another thread.
  private final class Outcome<Failure: Error>: Sendable {
    let result = Mutex<Result<Bool, Failure>>(.success(true))
  }

  /// Does work on so many things in pieces, on this thread and on another.
  ///
  /// `work` takes pieces until there are no more, and says whether all is well. Once one of the two says no or throws,
  /// no piece is left for the other. Gives whether both say so; throws what one of them throws.
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

/// Work that waits for disks, off the threads that tasks share.
package enum BlockingWork {
  /// Whether the task that waits was cancelled.
  package final class Cancellation: Sendable {
    private let isAsked = Atomic<Bool>(false)

    fileprivate func ask() { isAsked.store(true, ordering: .relaxed) }

    /// Throws where it was.
    package func check() throws {
      if isAsked.load(ordering: .relaxed) { throw CancellationError() }
    }
  }

  /// Does the work on a thread of its own and gives what it gives.
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
      cancellation.ask()
    }
  }
}
