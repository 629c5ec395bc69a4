import MovieBox

/// A new file that nobody sees before it is whole.
///
/// Where the system has files without names (`O_TMPFILE`), it is one of those: a process that is killed leaves nothing.
/// Elsewhere it has a name that nobody can guess, and holds its lock; what a killed process left there can be locked,
/// and is removed.
struct TemporaryFile {
  let file: FileDescriptor
  /// Its name; `nil` as long as it has none.
  private(set) var path: String?
  private var isClosed = false
  private let folder: String
  private let disk: any FileSystem

  private static let prefix = ".movtool-"
  private static let suffix = ".tmp"

  /// A file in a folder.
  ///
  /// One that replaces nothing is made with the mode that it keeps: the system knows the umask and the folder's access
  /// list. One that replaces a file is its owner's alone until it has the old one's mode.
  init(in folder: String, mode: UInt32, replaces: Bool, on disk: any FileSystem) throws(SystemError) {
    self.folder = folder
    self.disk = disk
    let unnamed = Self.unnamed(in: folder, mode, disk)
    // Not for a new file without a name: a folder of a hundred thousand names takes long to list, and only what
    // replaces a file has had a name for a moment.
    if replaces || unnamed == nil { Self.removeStale(in: folder, disk) }
    if let unnamed {
      file = unnamed
      return
    }
    (file, path) = try Self.named(in: folder, mode, disk)
  }

  private static func named(
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
        // Who clears stale files away may have come between.
        if try disk.lock(file) != .heldByAnother, try names(path, file, disk) { return (file, path) }
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

  private static func unnamed(in folder: String, _ mode: UInt32, _ disk: any FileSystem) -> FileDescriptor? {
    do {
      let file = try disk.open(folder, .unnamed(mode: mode))
      if disk.mayLink(file) { return file }
      disk.closeWithoutLoss(file)
      return nil
    } catch {
      return nil  // What is wrong with the folder, a file with a name meets too.
    }
  }

  private static func names(_ path: String, _ file: FileDescriptor, _ disk: any FileSystem) throws(SystemError) -> Bool
  {
    let status = try disk.status(of: file)
    return try disk.status(at: path, followingLinks: false)?.isSameFile(as: status) ?? false
  }

  private static func newPath(in folder: String) -> String {
    let number = String(UInt64.random(in: .min ... .max), radix: 16)
    return folder + (folder.hasSuffix("/") ? "" : "/") + prefix + number + suffix
  }

  /// Removes temporary files of processes that are no more: nobody holds their locks.
  private static func removeStale(in folder: String, _ disk: any FileSystem) {
    do {
      for name in try disk.names(in: folder, prefix: prefix, suffix: suffix) {
        let number = name.dropFirst(prefix.count).dropLast(suffix.count)
        guard (1...16).contains(number.count), number.allSatisfy(\.isHexDigit) else { continue }
        removeStale(folder + (folder.hasSuffix("/") ? "" : "/") + name, disk)
      }
    } catch {
      return  // A folder that cannot be listed can be written to all the same.
    }
  }

  private static func removeStale(_ path: String, _ disk: any FileSystem) {
    do {
      guard try disk.status(at: path, followingLinks: false)?.kind == .ordinary else { return }
      let file = try disk.open(path, .updating)
      defer { disk.closeWithoutLoss(file) }
      if try disk.lock(file) == .taken, try names(path, file, disk) { try disk.remove(path) }
    } catch {
      return  // It is not ours, or gone already: nothing is lost with what stays.
    }
  }

  private static func removeIfPossible(_ path: String, _ disk: any FileSystem) {
    do {
      try disk.remove(path)
    } catch {
      return  // What went wrong before is what counts; the next edit finds it.
    }
  }

  /// Makes the file the one that `target` names; `replaces` says whether another file may have that name, and
  /// `isSynced` that all bytes are on the disk.
  ///
  /// `check` runs just before. Throws `exists` for a name that is taken. Once a file was replaced there is no way back.
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

  /// Gives the file a name of its own, for renaming is what replaces a file in one step.
  private mutating func link() throws(SystemError) -> String {
    let name = Self.newPath(in: folder)
    _ = try disk.lock(file)  // So that nobody takes it for stale in the moment that it has this name.
    try disk.link(file, to: name)
    path = name
    return name
  }

  /// Network drives report at that last moment that bytes did not arrive.
  private mutating func close() throws(SystemError) {
    isClosed = true
    try disk.close(file)
  }

  /// Closes a file that is not wanted, and removes its name.
  mutating func discard() throws(SystemError) {
    if !isClosed { disk.closeWithoutLoss(file) }
    isClosed = true
    if let path { try disk.remove(path) }
  }
}
