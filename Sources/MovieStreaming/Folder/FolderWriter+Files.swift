import MovieBox
import MovieWriter
import Synchronization

// A film has thousands of small files, and the kernel needs as much time to create a small file as to write it. So two
// threads write the files.
extension FolderWriter {
  /// The state that the two writing threads share.
  private final class WritingState: Sendable {
    private let nextIndex = Atomic<Int>(0)
    private let writtenByteCount = Atomic<UInt64>(0)
    private let paths = Mutex<[String]>([])
    private let failure = Mutex<(any Error)?>(nil)

    /// Claims one of `count` files for the caller. Returns `false` if all files are claimed.
    func claimFile(of count: Int) -> Bool { nextIndex.add(1, ordering: .relaxed).oldValue < count }
    func addWrittenBytes(_ byteCount: UInt64) -> UInt64 { writtenByteCount.add(byteCount, ordering: .relaxed).newValue }
    func recordStarted(_ path: String) { paths.withLock { $0.append(path) } }
    var startedPaths: [String] { paths.withLock { $0 } }
    func fail(with error: any Error) { failure.withLock { if $0 == nil { $0 = error } } }
    var error: (any Error)? { failure.withLock { $0 } }
  }

  /// Writes files into their staged folders, on two threads.
  ///
  /// Threads that create files in the same folder wait for each other. So one thread starts with the first file, and
  /// the other thread starts with the last file.
  ///
  /// - Parameter progress: called on this thread with the number of written bytes.
  mutating func writeAll<Source: RandomAccessSource>(
    _ files: [StreamPlan.File], from source: Source, progress: (UInt64) throws -> Void
  ) throws {
    let state = WritingState()
    let writing = self
    // The closure does not escape: neither thread uses it after this call.
    withoutActuallyEscaping(progress) { progress in
      let own = { writing.work(state, files, from: source, progress: progress) }
      guard disk.concurrent != nil else { return own() }
      SecondThread.run(concurrently: { writing.work(state, files.reversed(), from: source) { _ in } }, own)
    }
    writtenFiles += state.startedPaths
    if let error = state.error { throw error }
  }

  private func work<Source: RandomAccessSource>(
    _ shared: WritingState, _ files: some Collection<StreamPlan.File>, from source: Source,
    progress: @escaping (UInt64) throws -> Void
  ) {
    do {
      for file in files {
        guard shared.error == nil, shared.claimFile(of: files.count) else { return }
        try write(file, from: source, didMake: shared.recordStarted) { byteCount in
          if let error = shared.error { throw error }
          try progress(shared.addWrittenBytes(byteCount))
        }
      }
    } catch {
      shared.fail(with: error)
    }
  }

  /// Writes a file into its staged folder.
  ///
  /// - Parameters:
  ///   - didMake: called with the path after the file is created.
  ///   - progress: called with the number of bytes written since the last call. An error that it throws ends the work.
  private func write(
    _ file: StreamPlan.File, from source: some RandomAccessSource, didMake: (String) -> Void,
    progress: @escaping (UInt64) throws -> Void
  ) throws {
    let path = currentPath(of: file.path)
    let target = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.open(path, .creating(mode: 0o666))
    }
    didMake(file.path)
    do {
      var reportedByteCount: UInt64 = 0
      var writer = StagedWriter(
        disk, to: .file(target, path: path), from: 0, byteCount: file.byteCount, skipsZeros: false
      ) { position in
        defer { reportedByteCount = position }
        try progress(position - reportedByteCount)
      }
      try ConcatenatedExtents(file.contents).forEach(of: source) { bytes, part in
        try writer.append(bytes, in: part)
      } other: { content in
        try writer.append(content, of: source)
      }
      try writer.flush()
      if synchronizes {
        try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in try disk.synchronizeAll(target) }
      }
    } catch {
      disk.closeWithoutLoss(target)
      throw error
    }
    // The file was never locked, so it is closed without the system call that releases a lock.
    try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in try disk.closeUnlocked(target) }
  }
}
