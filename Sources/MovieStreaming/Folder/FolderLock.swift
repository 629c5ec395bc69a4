import MovieBox
import MovieWriter

/// The advisory lock of a presentation's folder, until it goes away: who adds to a presentation, or takes its place,
/// reads and writes its list alone.
final class FolderLock: Sendable {
  /// Subtitles are added in less; what takes longer is a film that is being written.
  private static let patienceInMilliseconds = 10_000
  private static let pauseInMilliseconds: Int32 = 10

  private let disk: any FileSystem
  private let descriptor: FileDescriptor
  /// Whether nobody else writes to the folder; `false` where the file system has no locks.
  let isTaken: Bool

  /// Waits a while for another that has it. Where the file system has no locks there is none to be had.
  init(_ folder: String, on disk: any FileSystem) throws(FileError) {
    let descriptor = try FileError.withFileErrors(.noInput, folder) { () throws(SystemError) in
      try disk.open(folder, .folder)
    }
    do throws(FileError) {
      isTaken = try Self.lock(descriptor, of: folder, on: disk)
    } catch {
      disk.closeWithoutLoss(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.disk = disk
  }

  deinit { disk.closeWithoutLoss(descriptor) }

  /// Whether the lock was taken; `false` where the file system has none.
  private static func lock(
    _ descriptor: FileDescriptor, of folder: String, on disk: any FileSystem
  ) throws(FileError) -> Bool {
    let start = SystemCalls.monotonicNanoseconds()
    let patience = UInt64(patienceInMilliseconds) * 1_000_000
    while true {
      let outcome = try FileError.withFileErrors(.inputOutput, folder) { () throws(SystemError) in
        try disk.lock(descriptor)
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

/// Takes back what was made before something failed, and knows what could not be taken back.
struct Cleanup {
  private let disk: any FileSystem
  private var left: String?

  init(on disk: any FileSystem) {
    self.disk = disk
  }

  /// Removes a file; one that is not there was never made, or another has removed it.
  mutating func removeFile(_ path: String) {
    let disk = disk
    attempt(path) { () throws(SystemError) in try disk.remove(path) }
  }

  /// Removes an empty folder.
  ///
  /// - Parameter keepsContents: whether a folder with contents is another program's and stays, which is no failure.
  mutating func removeFolder(_ path: String, keepingContents keepsContents: Bool = false) {
    let disk = disk
    attempt(path) { () throws(SystemError) in
      do throws(SystemError) {
        try disk.removeFolder(path)
      } catch {
        guard keepsContents, error.code == .notEmpty else { throw error }
      }
    }
  }

  /// Gives a path the name that it had.
  mutating func rename(_ path: String, back name: String) {
    let disk = disk
    attempt(path) { () throws(SystemError) in try disk.rename(path, toUnused: name) }
  }

  private mutating func attempt(_ path: String, _ undo: () throws(SystemError) -> Void) {
    do throws(SystemError) {
      try undo()
    } catch {
      if error.code != .notFound, left == nil { left = path }
    }
  }

  /// The failure, with what is left.
  func error(after failure: any Error) -> any Error {
    guard let left, let error = failure as? FileError else { return failure }
    return FileError(error.code, error.path, error.reason + "; and what was written is left: \(left)")
  }
}

/// Folders that are written to, as a person names them.
enum OutputFolder {
  /// The path without a slash at its end.
  static func path(_ path: String) -> String {
    path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Makes a folder, in one that is there.
  static func make(_ path: String, on disk: any FileSystem) throws(FileError) {
    do throws(SystemError) {
      try disk.makeFolder(path)
    } catch {
      guard error.code == .notFound else { throw FileError(.cannotCreate, path, error) }
      throw missing(FilePath(path).folder, of: path)
    }
  }

  /// Makes the folder, and returns whether it was missing: another program may make it at the same moment.
  static func makeIfMissing(_ path: String, on disk: any FileSystem) throws(FileError) -> Bool {
    do throws(SystemError) {
      try disk.makeFolder(path)
      return true
    } catch {
      switch error.code {
      case .exists: return false
      case .notFound: throw missing(FilePath(path).folder, of: path)
      default: throw FileError(.cannotCreate, path, error)
      }
    }
  }

  /// An error for a folder whose own folder is not there.
  static func missing(_ parent: String, of path: String) -> FileError {
    FileError(.cannotCreate, path, "the folder \(parent) does not exist")
  }
}
