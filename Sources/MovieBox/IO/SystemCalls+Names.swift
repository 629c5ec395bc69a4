#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// System calls for file names and locks.
extension SystemCalls {
  /// Returns the absolute path without symbolic links. The file must exist.
  package static func resolve(_ path: String) throws(SystemError) -> String {
    // SAFETY: if the caller passes no buffer, the call returns a new buffer or null. The buffer is freed after its text
    // is copied.
    guard let resolved = unsafe realpath(path, nil) else { throw SystemError("find", .init(rawValue: errno)) }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Renames a file. If a file with the new name exists, it is replaced.
  package static func rename(_ path: String, replacing target: String) throws(SystemError) {
    // SAFETY: the C strings are valid during the call.
    try checked("rename") { unsafe Self.rawRename(path, target) }
  }

  @unsafe
  private static func rawRename(_ path: String, _ target: String) -> Int32 {
    #if canImport(Glibc)
      unsafe Glibc.rename(path, target)
    #elseif canImport(Musl)
      unsafe Musl.rename(path, target)
    #else
      unsafe Darwin.rename(path, target)
    #endif
  }

  /// Renames a file unless the new name already exists. The operation is atomic if the file system supports this.
  ///
  /// Some file systems, such as network drives, support neither hard links nor exclusive renames. On these file
  /// systems, the function checks that the name is unused and then renames the file.
  package static func rename(_ path: String, toUnused target: String) throws(SystemError) {
    do {
      // SAFETY: the C strings are valid during the call.
      try checked("rename") { unsafe Self.exclusiveRename(path, target) }
      return
    } catch {
      if !error.meansUnsupported { throw error }
    }
    do {
      // SAFETY: the C strings are valid during the call.
      try checked("link") { unsafe linkat(AT_FDCWD, path, AT_FDCWD, target, 0) }
    } catch {
      guard error.meansUnsupported || error.code == .notPermitted || error.code == .tooManyLinks else { throw error }
      guard try status(at: target, followingLinks: false) == nil else { throw SystemError("rename", .exists) }
      try rename(path, replacing: target)
      return
    }
    do {
      try remove(path)
    } catch {
      try remove(target)
      throw error
    }
  }

  /// Exchanges two files or folders in one step. Returns `false` if the file system does not support this.
  package static func exchange(_ path: String, _ other: String) throws(SystemError) -> Bool {
    do {
      // SAFETY: the C strings are valid during the call.
      try checked("exchange") { unsafe Self.rawExchange(path, other) }
      return true
    } catch {
      if error.meansUnsupported { return false }
      throw error
    }
  }

  @unsafe
  private static func rawExchange(_ path: String, _ other: String) -> Int32 {
    #if canImport(Glibc)
      let exchange: UInt32 = 2  // RENAME_EXCHANGE of <linux/fs.h>
      return unsafe renameat2(AT_FDCWD, path, AT_FDCWD, other, exchange)
    #elseif canImport(Darwin)
      return unsafe renamex_np(path, other, UInt32(RENAME_SWAP))
    #else
      errno = ENOSYS
      return -1
    #endif
  }

  @unsafe
  private static func exclusiveRename(_ path: String, _ target: String) -> Int32 {
    #if canImport(Glibc)
      let noReplace: UInt32 = 1  // RENAME_NOREPLACE of <linux/fs.h>
      return unsafe renameat2(AT_FDCWD, path, AT_FDCWD, target, noReplace)
    #elseif canImport(Darwin)
      return unsafe renamex_np(path, target, UInt32(RENAME_EXCL))
    #else
      errno = ENOSYS
      return -1
    #endif
  }

  /// Links a file that was created without a name to `path`. Throws if the path already exists.
  ///
  /// The link is created through `/proc`, because creating it from a descriptor requires privileges.
  package static func link(_ file: FileDescriptor, to path: String) throws(SystemError) {
    #if os(Linux)
      // SAFETY: the C strings are valid during the call.
      try checked("link") {
        unsafe linkat(AT_FDCWD, "/proc/self/fd/\(file.rawValue)", AT_FDCWD, path, AT_SYMLINK_FOLLOW)
      }
    #else
      throw SystemError("link", .unsupported)
    #endif
  }

  /// Whether `/proc` lists the open file. ``link(_:to:)`` requires this.
  package static func hasLinkName(_ file: FileDescriptor) -> Bool {
    #if os(Linux)
      // SAFETY: the C string is valid during the call.
      return unsafe access("/proc/self/fd/\(file.rawValue)", F_OK) == 0
    #else
      return false
    #endif
  }

  /// Returns the names in a folder that begin with `prefix` and end with `suffix`, without `.` and `..`.
  package static func names(
    in folder: String, prefix: String = "", suffix: String = ""
  ) throws(SystemError) -> [String] {
    // SAFETY: the C string is valid during the call. The stream is closed below and not shared.
    guard let stream = unsafe opendir(folder) else { throw SystemError("list the folder", .init(rawValue: errno)) }
    defer { unsafe _ = closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      // SAFETY: the name is terminated, and valid until the next call.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe String(cString: $0) }
      }
      if name != ".", name != "..", name.hasPrefix(prefix), name.hasSuffix(suffix) { names.append(name) }
    }
    return names
  }

  /// Creates a folder. Throws ``SystemError`` `.exists` if the name already exists.
  package static func makeFolder(_ path: String) throws(SystemError) {
    // SAFETY: the C string is valid during the call.
    try checked("make the folder") { unsafe mkdir(path, 0o777) }
  }

  /// Removes an empty folder.
  package static func removeFolder(_ path: String) throws(SystemError) {
    // SAFETY: the C string is valid during the call.
    try checked("remove the folder") { unsafe rmdir(path) }
  }

  package static func remove(_ path: String) throws(SystemError) {
    // SAFETY: the C string is valid during the call.
    try checked("remove") { unsafe unlink(path) }
  }

  /// Acquires the advisory lock of a file without waiting. The lock lasts until the file is closed.
  package static func lock(_ file: FileDescriptor) throws(SystemError) -> LockOutcome {
    do {
      // `flock` is used instead of `fcntl`, because a process loses a lock of `fcntl` when it closes any descriptor of
      // the file.
      try checked("lock") { flock(file.rawValue, LOCK_EX | LOCK_NB) }
      return .taken
    } catch {
      if error.code == .wouldBlock { return .heldByAnother }
      // On some network drives, `flock` requires write access. It reports EBADF for a file that is open only for
      // reading.
      if error.meansUnsupported || error.code == .noLocks || error.code == .badDescriptor { return .unavailable }
      throw error
    }
  }

  /// Releases the advisory lock for all descriptors of the open file. Does nothing if there is no lock.
  package static func unlock(_ file: FileDescriptor) {
    _ = flock(file.rawValue, LOCK_UN)  // If this call fails, closing the last descriptor releases the lock.
  }
}

/// The result of a lock request.
package enum LockOutcome: Hashable, Sendable {
  case taken
  case heldByAnother
  /// The file system does not support locks.
  case unavailable
}

#if canImport(Glibc)
  // glibc has this function since version 2.28 (2018), but Swift's module of glibc declares it only with _GNU_SOURCE.
  @_extern(c, "renameat2")
  private func renameat2(
    _ oldFolder: Int32, _ old: UnsafePointer<CChar>, _ newFolder: Int32, _ new: UnsafePointer<CChar>, _ flags: UInt32
  ) -> Int32
#endif
