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
}
