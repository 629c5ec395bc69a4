package import MovieBox
import MovieWriter

/// The advisory lock of a presentation's folder, held until this object is released.
///
/// A process that extends or replaces a presentation holds the lock, so that no other process changes the playlist at
/// the same time.
final class FolderLock: Sendable {
  /// Adding subtitles takes less than ten seconds. A process that holds the lock longer is writing a film.
  private static let lockTimeoutMilliseconds = 10_000
  private static let pauseMilliseconds: Int32 = 10

  private let disk: any FileSystem
  private let descriptor: FileDescriptor
  /// Whether this process holds the lock. Always `false` if the file system does not support locks.
  let isHeld: Bool

  /// Acquires the lock. Waits up to ten seconds for another process to release it. Does nothing if the file system does
  /// not support locks.
  init(_ folder: String, on disk: any FileSystem) throws(FileError) {
    let descriptor = try FileError.withFileErrors(.noInput, folder) { () throws(SystemError) in
      try disk.open(folder, .folder)
    }
    do throws(FileError) {
      isHeld = try Self.lock(descriptor, of: folder, on: disk)
    } catch {
      disk.closeWithoutLoss(descriptor)
      throw error
    }
    self.descriptor = descriptor
    self.disk = disk
  }

  deinit { disk.closeWithoutLoss(descriptor) }

  /// Acquires the lock. Returns `false` if the file system does not support locks.
  private static func lock(
    _ descriptor: FileDescriptor, of folder: String, on disk: any FileSystem
  ) throws(FileError) -> Bool {
    let start = SystemCalls.monotonicNanoseconds()
    let timeout = UInt64(lockTimeoutMilliseconds) * 1_000_000
    while true {
      let outcome = try FileError.withFileErrors(.inputOutput, folder) { () throws(SystemError) in
        try disk.lock(descriptor)
      }
      guard outcome == .heldByAnother else { return outcome == .taken }
      guard SystemCalls.monotonicNanoseconds() - start < timeout else {
        throw FileError(
          .locked, folder, "another program is writing to the folder; try again when that program has finished")
      }
      try FileError.withFileErrors(.inputOutput, folder) { () throws(SystemError) in
        _ = try SystemCalls.wait(for: [], milliseconds: pauseMilliseconds)
      }
    }
  }
}

/// Undoes changes after a failure, and records the first change that could not be undone.
struct Cleanup {
  private let disk: any FileSystem
  private var leftoverPath: String?

  init(on disk: any FileSystem) {
    self.disk = disk
  }

  /// Removes a file. Ignores a missing file.
  mutating func removeFile(_ path: String) {
    let disk = disk
    tryUndoing(path) { () throws(SystemError) in try disk.remove(path) }
  }

  /// Removes a folder if it is empty.
  ///
  /// - Parameter keepsContents: whether to ignore a folder with contents. Otherwise, the folder is recorded as a
  ///   leftover.
  mutating func removeFolder(_ path: String, keepingContents keepsContents: Bool = false) {
    let disk = disk
    tryUndoing(path) { () throws(SystemError) in
      do throws(SystemError) {
        try disk.removeFolder(path)
      } catch {
        guard keepsContents, error.code == .notEmpty else { throw error }
      }
    }
  }

  /// Renames a file or a folder back to its old name.
  mutating func renameBack(_ path: String, to name: String) {
    let disk = disk
    tryUndoing(path) { () throws(SystemError) in try disk.rename(path, toUnused: name) }
  }

  private mutating func tryUndoing(_ path: String, _ undo: () throws(SystemError) -> Void) {
    do throws(SystemError) {
      try undo()
    } catch {
      if error.code != .notFound, leftoverPath == nil { leftoverPath = path }
    }
  }

  /// Returns the failure. If a change could not be undone, the message also names the remaining file.
  func error(after failure: any Error) -> any Error {
    guard let leftoverPath, let error = failure as? FileError else { return failure }
    return FileError(error.code, error.path, error.reason + "; part of the incomplete output remains: \(leftoverPath)")
  }
}

/// Helpers for output folders whose paths a user typed.
package enum OutputFolder {
  static func withoutTrailingSlash(_ path: String) -> String {
    path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Creates a folder. Its parent folder must exist.
  static func make(_ path: String, on disk: any FileSystem) throws(FileError) {
    do throws(SystemError) {
      try disk.makeFolder(path)
    } catch {
      throw creationError(error, of: path, on: disk)
    }
  }

  /// Creates a folder and returns whether it was missing. Another program may create it at the same time.
  static func createIfMissing(_ path: String, on disk: any FileSystem) throws(FileError) -> Bool {
    do throws(SystemError) {
      try disk.makeFolder(path)
      return true
    } catch {
      guard error.code == .exists else { throw creationError(error, of: path, on: disk) }
      return false
    }
  }

  /// Returns whether the folder exists. Throws if the path leads to a file that is not a folder.
  static func exists(_ path: String, on disk: any FileSystem) throws(FileError) -> Bool {
    let status = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.status(at: path, followingLinks: true)
    }
    guard let status else { return false }
    guard status.kind == .folder else {
      throw FileError(.cannotCreate, path, "is \(status.kind.rawValue); specify a folder")
    }
    return true
  }

  /// Creates a folder at a path that a user typed, unless the folder exists. Returns the path without a trailing slash,
  /// and the names in the folder, or `nil` if the folder is new.
  package static func create(_ path: String) throws(FileError) -> (path: String, names: [String]?) {
    let (path, disk) = (withoutTrailingSlash(path), LocalFileSystem())
    guard try !createIfMissing(path, on: disk) else { return (path, nil) }
    guard try exists(path, on: disk) else { throw danglingLinkError(of: path) }
    let names = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in try disk.names(in: path) }
    return (path, names)
  }

  /// Removes files after a failure, and then their folder unless `folder` is `nil`. Ignores errors, because the failure
  /// matters more.
  package static func remove(_ files: [String], folder: String?) {
    for file in files { try? LocalFileSystem().remove(file) }
    if let folder { try? LocalFileSystem().removeFolder(folder) }
  }

  /// Returns the error for a folder that cannot be created.
  private static func creationError(_ error: SystemError, of path: String, on disk: any FileSystem) -> FileError {
    let parent = FilePath(path).folder
    // In file systems such as /proc, no folder can be created, although the parent folder exists.
    guard error.code == .notFound, (try? disk.status(at: parent, followingLinks: true)) == nil else {
      return FileError(.cannotCreate, path, error)
    }
    return missingParentError(parent, of: path)
  }

  /// Returns the error for a symbolic link to a folder that does not exist.
  static func danglingLinkError(of path: String) -> FileError {
    FileError(.cannotCreate, path, "the path is a dangling symbolic link; specify a folder")
  }

  /// Returns the error for a folder whose parent folder does not exist.
  static func missingParentError(_ parent: String, of path: String) -> FileError {
    FileError(.cannotCreate, path, "the folder \(parent) does not exist")
  }
}
