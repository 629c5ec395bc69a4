#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// System calls for file metadata.
extension SystemCalls {
  package static func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
    var status = stat()
    // SAFETY: the call fills the structure.
    try checked("examine") { unsafe fstat(file.rawValue, &status) }
    return FileStatus(status)
  }

  /// Returns the status of the file at `path`, or `nil` if it does not exist.
  package static func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus? {
    var status = stat()
    do {
      // SAFETY: the C string is valid during the call, which fills the structure.
      try checked("examine") { unsafe followingLinks ? stat(path, &status) : lstat(path, &status) }
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
    return FileStatus(status)
  }

  /// Whether this process may write to the file.
  package static func mayWrite(_ path: String) -> Bool {
    // SAFETY: the C string is valid during the call.
    unsafe access(path, W_OK) == 0
  }

  /// Returns the status of the file system that contains `path`.
  package static func volume(of path: String) throws(SystemError) -> VolumeStatus {
    var status = statvfs()
    // SAFETY: the C string is valid during the call, which fills the structure.
    try checked("examine the file system") { unsafe statvfs(path, &status) }
    let (free, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    // Some user-space file systems do not report a size and return 0.
    let isCounted = status.f_blocks > 0 && !overflow
    return VolumeStatus(freeByteCount: isCounted ? free : nil, blockSize: UInt64(status.f_bsize))
  }

  /// Sets the permissions.
  package static func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(SystemError) {
    try checked("set the mode") { fchmod(file.rawValue, mode_t(truncatingIfNeeded: mode)) }
  }

  /// Sets the group and the owner. If `owner` is `nil`, the owner does not change.
  package static func setOwner(_ file: FileDescriptor, owner: UInt32?, group: UInt32) throws(SystemError) {
    // An owner ID whose bits are all set leaves the owner unchanged.
    try checked("set the owner") { fchown(file.rawValue, owner ?? UInt32.max, group) }
  }

  // MARK: - Extended attributes

  /// Returns the names of the extended attributes as bytes. The array is empty if the file system does not support
  /// attributes.
  package static func attributeNames(of file: FileDescriptor) throws(SystemError) -> [[UInt8]] {
    do {
      // SAFETY: the call writes at most `count` bytes.
      let list = try unsafe readBuffer("list the attributes") { buffer, count in
        unsafe rawListAttributes(file.rawValue, buffer, count)
      }
      return list.split(separator: 0).map(Array.init)
    } catch {
      if error.meansUnsupported { return [] }
      throw error
    }
  }

  package static func attribute(_ name: [UInt8], of file: FileDescriptor) throws(SystemError) -> [UInt8] {
    let name = name.map { CChar(bitPattern: $0) } + [0]
    // SAFETY: the name is terminated, and the call writes at most `count` bytes.
    return try unsafe readBuffer("read an attribute") { buffer, count in
      unsafe rawGetAttribute(file.rawValue, name, buffer, count)
    }
  }

  package static func setAttribute(
    _ name: [UInt8], of file: FileDescriptor, to value: [UInt8]
  ) throws(SystemError) {
    let name = name.map { CChar(bitPattern: $0) } + [0]
    // SAFETY: the name is terminated, and the call reads only the bytes of the value.
    try checked("set an attribute") { unsafe rawSetAttribute(file.rawValue, name, value, value.count) }
  }

  /// Requests the size of a value and then the value. Repeats both calls if the value has grown between them.
  private static func readBuffer(
    _ operation: String, _ call: (UnsafeMutableRawPointer?, Int) -> Int
  ) throws(SystemError) -> [UInt8] {
    for _ in 0..<10 {
      let wanted = try checked(operation) { call(nil, 0) }
      if wanted == 0 { return [] }
      var buffer = [UInt8](repeating: 0, count: wanted)
      do {
        // SAFETY: the call writes at most `wanted` bytes.
        let count = try checked(operation) { unsafe call(&buffer, wanted) }
        return Array(buffer.prefix(count))
      } catch {
        if error.code.rawValue != ERANGE { throw error }
      }
    }
    throw SystemError(operation, .init(rawValue: ERANGE))
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .ordinary
      case S_IFDIR: .folder
      case S_IFLNK: .symbolicLink
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      default: .device
      }
    #if canImport(Darwin)
      let (time, change) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (time, change) = (status.st_mtim, status.st_ctim)
    #endif
    self.init(
      kind: kind, byteCount: UInt64(clamping: status.st_size), mode: UInt32(status.st_mode) & 0o7777,
      owner: status.st_uid, group: status.st_gid, linkCount: UInt64(status.st_nlink),
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino),
      modificationSeconds: Int64(time.tv_sec), modificationNanoseconds: Int64(time.tv_nsec),
      changeSeconds: Int64(change.tv_sec), changeNanoseconds: Int64(change.tv_nsec))
  }
}

#if canImport(Darwin)
  @unsafe
  private func rawListAttributes(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe flistxattr(file, buffer?.assumingMemoryBound(to: CChar.self), count, 0)
  }

  @unsafe
  private func rawGetAttribute(
    _ file: Int32, _ name: UnsafePointer<CChar>, _ buffer: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int {
    unsafe fgetxattr(file, name, buffer, count, 0, 0)
  }

  @unsafe
  private func rawSetAttribute(
    _ file: Int32, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer?, _ count: Int
  ) -> Int32 {
    unsafe fsetxattr(file, name, value, count, 0, 0)
  }
#else
  // Declarations of <sys/xattr.h>, which Swift's module of the C library does not contain.
  @_extern(c, "flistxattr")
  private func rawListAttributes(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int

  @_extern(c, "fgetxattr")
  private func rawGetAttribute(
    _ file: Int32, _ name: UnsafePointer<CChar>, _ buffer: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int

  @_extern(c, "fsetxattr")
  private func rawSetAttribute(
    _ file: Int32, _ name: UnsafePointer<CChar>, _ value: UnsafeRawPointer?, _ count: Int, _ flags: Int32 = 0
  ) -> Int32
#endif
