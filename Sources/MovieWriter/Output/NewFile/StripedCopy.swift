import MovieBox
import Synchronization

/// Writes a large plan on two threads, stripe by stripe.
///
/// A file system permits one write to a file at a time, but the other thread can read in the meantime. Reading takes a
/// third of the time of a copy. The threads process the stripes in order, so that the disk accesses two adjacent runs
/// at any time.
struct StripedCopy<Source: RandomAccessSource>: Sendable {
  /// The size of the smallest plan that is copied on two threads. A smaller plan would be finished before the second
  /// thread helps.
  static var smallestPlan: UInt64 { 16 << 20 }
  /// The size of a stripe. It is several buffers long, so that each buffer is filled. It is a multiple of the page
  /// size, so that the threads do not write to one page.
  static var stripeByteCount: UInt64 { 1 << 20 }

  /// The state that the two threads share.
  private final class CopyState: Sendable {
    private let nextStripe = Atomic<UInt64>(0)
    private let doneByteCount = Atomic<UInt64>(0)
    private let writtenByteCount = Atomic<UInt64>(0)
    private let failure = Mutex<(any Error)?>(nil)
    private let isStopped = Atomic<Bool>(false)

    /// Returns the number of the next stripe, and marks it as claimed.
    func claimStripe() -> UInt64 { nextStripe.add(1, ordering: .relaxed).oldValue }

    /// Adds to the number of copied bytes, and returns the sum.
    func add(_ byteCount: UInt64) -> UInt64 { doneByteCount.add(byteCount, ordering: .relaxed).newValue }
    func addWritten(_ byteCount: UInt64) { writtenByteCount.add(byteCount, ordering: .releasing) }
    var bytesWritten: UInt64 { writtenByteCount.load(ordering: .acquiring) }

    /// Stops both threads. Keeps only the first error.
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
  /// The name of the output, for errors.
  let path: String

  /// Writes the whole plan, and returns the number of written bytes. Calls `progress` on this thread with the number of
  /// copied bytes.
  func carryOut(progress: (UInt64) throws -> Void) throws -> UInt64 {
    let state = CopyState()
    let copy = self
    SecondThread.run(concurrently: { copy.copyStripes(state) { _ in } }) { copyStripes(state, progress: progress) }
    try state.check()
    return state.bytesWritten
  }

  /// Writes stripes until no stripe remains or one of the threads has failed.
  private func copyStripes(_ state: CopyState, progress: (UInt64) throws -> Void) {
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
          let start = state.claimStripe() * Self.stripeByteCount
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
