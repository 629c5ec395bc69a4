import MovieBox

/// A new file that is invisible until it is complete.
///
/// If the file system supports unnamed files (`O_TMPFILE`), the file is unnamed, and a killed process leaves no file.
/// Otherwise, it has a random name and is locked. A file left by a killed process is not locked, so later edits can
/// identify and remove it.
struct TemporaryFile {
  let file: FileDescriptor
  /// The path, or `nil` if the file is unnamed.
  private(set) var path: String?
  private var isClosed = false
  private let folder: String
  private let disk: any FileSystem

  private static let prefix = ".movtool-"
  private static let suffix = ".tmp"

  /// Creates a file in a folder.
  ///
  /// A file that replaces nothing is created with its final mode, so that the kernel applies the umask and the folder's
  /// access list. A file that replaces another file is accessible only to its owner until it gets the old file's mode.
  init(in folder: String, mode: UInt32, replaces: Bool, on disk: any FileSystem) throws(SystemError) {
    self.folder = folder
    self.disk = disk
    let unnamed = Self.createUnnamed(in: folder, mode, disk)
    // Listing a large folder takes long. An unnamed file that replaces nothing never gets a temporary name, so it needs
    // no search for stale files.
    if replaces || unnamed == nil { Self.removeStaleFiles(in: folder, disk) }
    if let unnamed {
      file = unnamed
      return
    }
    (file, path) = try Self.createNamed(in: folder, mode, disk)
  }

  private static func createNamed(
    in folder: String, _ mode: UInt32, _ disk: any FileSystem
  ) throws(SystemError) -> (FileDescriptor, String) {
    var attempts = 0
    while true {
      let path = newPath(in: folder)
      let file: FileDescriptor
      do {
        file = try disk.open(path, .creating(mode: mode))
      } catch {
        attempts += 1
        if error.code == .exists, attempts < 10 { continue }
        throw error
      }
      do {
        // Before this process locked the file, another process may have removed it as stale.
        if try disk.lock(file) != .heldByAnother, try isName(path, file, disk) { return (file, path) }
        disk.closeWithoutLoss(file)
      } catch {
        disk.closeWithoutLoss(file)
        removeIfPossible(path, disk)
        throw error
      }
      attempts += 1
      if attempts == 10 { throw SystemError("create", .exists) }
    }
  }

  private static func createUnnamed(in folder: String, _ mode: UInt32, _ disk: any FileSystem) -> FileDescriptor? {
    do {
      let file = try disk.open(folder, .unnamed(mode: mode))
      if disk.canLink(file) { return file }
      disk.closeWithoutLoss(file)
      return nil
    } catch {
      return nil  // Creating a named file reports the error of the folder.
    }
  }

  private static func isName(_ path: String, _ file: FileDescriptor, _ disk: any FileSystem) throws(SystemError) -> Bool
  {
    let status = try disk.status(of: file)
    return try disk.status(at: path, followingLinks: false)?.isSameFile(as: status) ?? false
  }

  private static func newPath(in folder: String) -> String {
    let number = String(UInt64.random(in: .min ... .max), radix: 16)
    return folder + (folder.hasSuffix("/") ? "" : "/") + prefix + number + suffix
  }

  /// Removes temporary files whose processes no longer exist. No process holds the locks of these files.
  private static func removeStaleFiles(in folder: String, _ disk: any FileSystem) {
    do {
      for name in try disk.names(in: folder, prefix: prefix, suffix: suffix) {
        let number = name.dropFirst(prefix.count).dropLast(suffix.count)
        guard (1...16).contains(number.count), number.allSatisfy(\.isHexDigit) else { continue }
        removeStaleFile(folder + (folder.hasSuffix("/") ? "" : "/") + name, disk)
      }
    } catch {
      return  // A folder that cannot be listed may still be writable.
    }
  }

  private static func removeStaleFile(_ path: String, _ disk: any FileSystem) {
    do {
      guard try disk.status(at: path, followingLinks: false)?.kind == .ordinary else { return }
      let file = try disk.open(path, .updating)
      defer { disk.closeWithoutLoss(file) }
      if try disk.lock(file) == .taken, try isName(path, file, disk) { try disk.remove(path) }
    } catch {
      return  // The file belongs to another user or no longer exists.
    }
  }

  private static func removeIfPossible(_ path: String, _ disk: any FileSystem) {
    do {
      try disk.remove(path)
    } catch {
      return  // The first error is reported, and the next edit removes the file.
    }
  }

  /// Links or renames the file to `target`.
  ///
  /// Calls `check` directly before the file is renamed into place. Throws `exists` if a file has that name and must not
  /// be replaced. A replaced file cannot be restored afterwards.
  ///
  /// - Parameters:
  ///   - replaces: whether an existing file may be replaced.
  ///   - isSynced: whether all bytes are already on the disk.
  mutating func publish(as target: String, replaces: Bool, isSynced: Bool, afterCheck check: () throws -> Void) throws {
    if path == nil, !replaces {
      try check()
      try disk.link(file, to: target)
      path = target
    } else {
      let name = try path ?? link()
      try check()
      if replaces {
        try disk.rename(name, replacing: target)
      } else {
        try disk.rename(name, toUnused: target)
      }
      path = replaces ? nil : target
    }
    if isSynced {
      isClosed = true
      disk.closeWithoutLoss(file)
    } else {
      try close()
    }
  }

  /// Links the file to a temporary name, because only renaming replaces a file in one step.
  private mutating func link() throws(SystemError) -> String {
    let name = Self.newPath(in: folder)
    _ = try disk.lock(file)  // Otherwise, another process would consider the file stale.
    try disk.link(file, to: name)
    path = name
    return name
  }

  /// Closes the file. Network drives report lost bytes only when a file is closed.
  private mutating func close() throws(SystemError) {
    isClosed = true
    try disk.close(file)
  }

  /// Closes the file without publishing it, and removes its name.
  mutating func discard() throws(SystemError) {
    if !isClosed { disk.closeWithoutLoss(file) }
    isClosed = true
    if let path { try disk.remove(path) }
  }
}
