import MovieBox
import Synchronization

/// Carries out a large plan on two threads, stripe by stripe.
///
/// A file system lets one write to a file at a time, but the other can read meanwhile: that is a third of the work. The
/// stripes are taken in their order, so that a disk sees two neighbouring runs at any moment.
struct StripedCopy<Source: RandomAccessSource>: Sendable {
  /// Plans of fewer bytes are carried out before a second thread is of use.
  static var smallestPlan: UInt64 { 16 << 20 }
  /// Some buffers long, so that each is filled; a multiple of the page, so that no two write to one page.
  static var stripeByteCount: UInt64 { 1 << 20 }

  /// What the two threads share.
  private final class CopyState: Sendable {
    private let nextStripe = Atomic<UInt64>(0)
    private let done = Atomic<UInt64>(0)
    private let written = Atomic<UInt64>(0)
    private let failure = Mutex<(any Error)?>(nil)
    private let isStopped = Atomic<Bool>(false)

    /// The number of the next stripe that nobody has taken.
    func take() -> UInt64 { nextStripe.add(1, ordering: .relaxed).oldValue }

    /// Takes down what is done; gives the sum.
    func add(_ byteCount: UInt64) -> UInt64 { done.add(byteCount, ordering: .relaxed).newValue }
    func addWritten(_ byteCount: UInt64) { written.add(byteCount, ordering: .releasing) }
    var bytesWritten: UInt64 { written.load(ordering: .acquiring) }

    /// Ends the work of both; of two errors the first counts.
    func stop(_ error: any Error) {
      failure.withLock { if $0 == nil { $0 = error } }
      isStopped.store(true, ordering: .releasing)
    }

    var isRunning: Bool { !isStopped.load(ordering: .acquiring) }

    func check() throws {
      if let error = failure.withLock({ $0 }) { throw error }
    }
  }

  let plan: OutputPlan
  let source: Source
  let disk: any FileSystem & Sendable
  let file: FileDescriptor
  /// The output's name, for errors.
  let path: String

  /// Writes all; gives how many bytes were written. `progress` gets how many are done, on this thread.
  func carryOut(progress: (UInt64) throws -> Void) throws -> UInt64 {
    let state = CopyState()
    let copy = self
    SecondThread.run(beside: { copy.work(state) { _ in } }) { work(state, progress: progress) }
    try state.check()
    return state.bytesWritten
  }

  /// Carries out stripes until none is left or one of the two threads has failed.
  private func work(_ state: CopyState, progress: (UInt64) throws -> Void) {
    do {
      try withoutActuallyEscaping(progress) { progress in
        var position: UInt64 = 0
        var writer = StagedWriter(
          disk, to: .file(file, path: path), from: 0, byteCount: plan.byteCount, skipsZeros: true
        ) { now in
          let done = state.add(now - position)
          position = now
          try progress(done)
        }
        while state.isRunning {
          let start = state.take() * Self.stripeByteCount
          guard start < plan.byteCount else { break }
          position = start
          try writer.move(to: start)
          for extent in plan.extents(in: ByteRange(start..<start.addingClamped(Self.stripeByteCount))) {
            try writer.append(extent.content, of: source)
          }
          try writer.flush()
        }
        state.addWritten(writer.bytesWritten)
      }
    } catch {
      state.stop(error)
    }
  }
}
