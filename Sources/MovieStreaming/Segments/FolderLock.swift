import MovieBox
import MovieWriter

/// The advisory lock of a presentation's folder, until it goes away: who adds to a presentation, or takes its place,
/// reads and writes its list alone.
final class FolderLock: Sendable {
  /// Subtitles are added in less; what takes longer is a film that is being written.
  private static let patienceInMilliseconds = 10_000
  private static let pauseInMilliseconds: Int32 = 10

  private let descriptor: FileDescriptor
  /// Whether nobody else writes to the folder; `false` where the file system has no locks.
  let isTaken: Bool

  /// Waits a while for another that has it. Where the file system has no locks there is none to be had.
  init(_ folder: String) throws(FileError) {
    let descriptor = try FileError.withFileErrors(.noInput, folder) { () throws(SystemError) in
      try SystemCalls.open(folder, .folder)
    }
    do throws(FileError) {
      isTaken = try Self.lock(descriptor, of: folder)
    } catch {
      LocalFileSystem().closeWithoutLoss(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { LocalFileSystem().closeWithoutLoss(descriptor) }

  /// Whether the lock was taken; `false` where the file system has none.
  private static func lock(_ descriptor: FileDescriptor, of folder: String) throws(FileError) -> Bool {
    let start = SystemCalls.monotonicNanoseconds()
    let patience = UInt64(patienceInMilliseconds) * 1_000_000
    while true {
      let outcome = try FileError.withFileErrors(.inputOutput, folder) { () throws(SystemError) in
        try SystemCalls.lock(descriptor)
      }
      guard outcome == .heldByAnother else { return outcome == .taken }
      guard SystemCalls.monotonicNanoseconds() - start < patience else {
        throw FileError(.locked, folder, "another program is writing to the folder; try again when it is done")
      }
      try FileError.withFileErrors(.inputOutput, folder) { () throws(SystemError) in
        _ = try SystemCalls.wait(for: [], milliseconds: pauseInMilliseconds)
      }
    }
  }
}
