import Dispatch
import Synchronization

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
