#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The calls of the operating system as functions that throw ``SystemError``.
///
/// The functions translate arguments, results and errors, and repeat interrupted calls. This file contains the calls
/// for the contents of files. Other calls are in `SystemCalls+Metadata.swift`, `SystemCalls+Names.swift` (names and
/// locks), `SystemCalls+Process.swift` (terminal, signals and clock) and `SystemCalls+Sockets.swift`.
package enum SystemCalls {
  /// Makes a call, and repeats it if a signal interrupts it. A negative result is converted to an error.
  @discardableResult
  static func checked<Result: SignedInteger>(_ operation: String, _ call: () -> Result) throws(SystemError) -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw SystemError(operation, .init(rawValue: code)) }
    }
  }

  /// Returns an offset in the signed type of the system calls.
  static func position(_ operation: String, _ offset: UInt64) throws(SystemError) -> off_t {
    guard let position = off_t(exactly: offset) else { throw SystemError(operation, .invalid) }
    return position
  }

  // MARK: - Opening

  package static func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileDescriptor {
    let number: Int32
    switch access {
    case .reading: number = try checked("open") { unsafe Self.rawOpen(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) }
    case .waiting: number = try checked("open") { unsafe Self.rawOpen(path, O_RDONLY | O_CLOEXEC, 0) }
    case .updating: number = try checked("open") { unsafe Self.rawOpen(path, O_RDWR | O_CLOEXEC | O_NONBLOCK, 0) }
    case .creating(let mode):
      let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
      number = try checked("create") { unsafe Self.rawOpen(path, flags, mode_t(truncatingIfNeeded: mode)) }
    case .unnamed(let mode):
      #if os(Linux)
        // Swift does not import the macro O_TMPFILE of <fcntl.h>. The macro consists of O_DIRECTORY and another bit on
        // all architectures.
        let flags = O_RDWR | O_CLOEXEC | O_DIRECTORY | 0o20_000_000
        number = try checked("create") { unsafe Self.rawOpen(path, flags, mode_t(truncatingIfNeeded: mode)) }
      #else
        throw SystemError("create", .unsupported)
      #endif
    case .folder: number = try checked("open") { unsafe Self.rawOpen(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY, 0) }
    }
    return FileDescriptor(rawValue: number)
  }

  // SAFETY: the C string is valid during the call.
  @unsafe
  private static func rawOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    #if canImport(Glibc)
      unsafe Glibc.open(path, flags, mode)
    #elseif canImport(Musl)
      unsafe Musl.open(path, flags, mode)
    #else
      unsafe Darwin.open(path, flags, mode)
    #endif
  }

  /// Closes the file. An interrupted call is not repeated, because the descriptor may already belong to another file.
  package static func close(_ file: FileDescriptor) throws(SystemError) {
    #if canImport(Glibc)
      let result = Glibc.close(file.rawValue)
    #elseif canImport(Musl)
      let result = Musl.close(file.rawValue)
    #else
      let result = Darwin.close(file.rawValue)
    #endif
    let code = errno
    if result < 0, code != EINTR { throw SystemError("close", .init(rawValue: code)) }
  }

  // MARK: - Bytes

  /// Reads into the buffer and returns the number of bytes, or 0 at the end of the file.
  @unsafe
  package static func read(
    _ file: FileDescriptor, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    let position = try position("read", offset)
    // SAFETY: the call writes at most the size of the buffer.
    return try checked("read") { unsafe pread(file.rawValue, buffer.baseAddress, buffer.count, position) }
  }

  /// Reads at most `count` bytes of a stream. Returns an empty array at the end of the stream.
  package static func readNext(_ file: FileDescriptor, atMost count: Int) throws(SystemError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let read = try checked("read") {
      // SAFETY: the call writes at most the size of the buffer.
      unsafe buffer.withUnsafeMutableBytes { unsafe rawRead(file.rawValue, $0.baseAddress, $0.count) }
    }
    return Array(buffer.prefix(read))
  }

  @unsafe
  private static func rawRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.read(file, buffer, count)
    #elseif canImport(Musl)
      unsafe Musl.read(file, buffer, count)
    #elseif canImport(Darwin)
      unsafe Darwin.read(file, buffer, count)
    #endif
  }

  /// Reads consecutive bytes of a file into several ranges of the buffer, in order. Returns the number of bytes, or 0
  /// at the end of the file. At most the first 1024 ranges are filled, because the system call permits no more.
  @unsafe
  package static func read(
    _ file: FileDescriptor, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer, _ ranges: [Range<Int>]
  ) throws(SystemError) -> Int {
    let position = try position("read", offset)
    // SAFETY: rebasing checks each range against the buffer.
    let parts = unsafe ranges.prefix(1024).map { range in
      let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[range])
      return unsafe iovec(iov_base: part.baseAddress, iov_len: part.count)
    }
    // SAFETY: the call writes at most the sizes of the parts.
    return try checked("read") { unsafe preadv(file.rawValue, parts, Int32(parts.count), position) }
  }

  /// Writes the buffer and returns the number of written bytes.
  @unsafe
  package static func write(
    _ file: FileDescriptor, at offset: UInt64, from buffer: UnsafeRawBufferPointer
  ) throws(SystemError) -> Int {
    let position = try position("write", offset)
    // SAFETY: the call reads at most the size of the buffer.
    return try checked("write") { unsafe pwrite(file.rawValue, buffer.baseAddress, buffer.count, position) }
  }

  /// Writes the buffer at the end of the file, even if another program has appended bytes. Returns the number of
  /// written bytes.
  @unsafe
  package static func append(
    _ file: FileDescriptor, from buffer: UnsafeRawBufferPointer
  ) throws(SystemError) -> Int {
    let flags = try checked("write") { fcntl(file.rawValue, F_GETFL) }
    try checked("write") { fcntl(file.rawValue, F_SETFL, flags | O_APPEND) }
    defer { _ = fcntl(file.rawValue, F_SETFL, flags) }  // The flags were valid before.
    // SAFETY: the call reads at most the size of the buffer.
    return try checked("write") { unsafe rawWrite(file.rawValue, buffer.baseAddress, buffer.count) }
  }

  package static func truncate(_ file: FileDescriptor, to byteCount: UInt64) throws(SystemError) {
    let position = try position("resize", byteCount)
    try checked("resize") { ftruncate(file.rawValue, position) }
  }

  /// Whether the file contains no data from `offset` to its end. In this case, the bytes are read as zeros. Returns
  /// `false` if the file system does not support the query.
  package static func isHole(_ file: FileDescriptor, from offset: UInt64) -> Bool {
    guard let position = Int64(exactly: offset) else { return false }
    // SEEK_DATA is a macro of <unistd.h> that Swift does not import on every system. The call changes the file's
    // current offset. No other call uses the current offset.
    #if canImport(Darwin)
      let seekData: CInt = 4
    #else
      let seekData: CInt = 3
    #endif
    return lseek(file.rawValue, off_t(position), seekData) == -1 && errno == ENXIO
  }

  /// Waits until the file's contents and size are on the disk.
  package static func synchronize(_ file: FileDescriptor) throws(SystemError) {
    #if canImport(Darwin)
      // fsync leaves data in the drive's cache. F_FULLFSYNC flushes the cache if the file system supports it.
      if fcntl(file.rawValue, F_FULLFSYNC) == 0 { return }
      try checked("synchronize") { fsync(file.rawValue) }
    #else
      try checked("synchronize") { fdatasync(file.rawValue) }
    #endif
  }

  /// Waits until the file's contents and metadata are on the disk.
  package static func synchronizeAll(_ file: FileDescriptor) throws(SystemError) {
    #if canImport(Darwin)
      try synchronize(file)
    #else
      try checked("synchronize") { fsync(file.rawValue) }
    #endif
  }

  /// Waits until the names in the folder are on the disk. Does nothing if the file system does not support this.
  package static func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError) {
    do {
      try checked("synchronize the folder") { fsync(folder.rawValue) }
    } catch {
      if !error.meansUnsupported { throw error }
    }
  }

  // MARK: - Space

  /// Reserves disk blocks for the first `byteCount` bytes without changing the size of the file. Does nothing if the
  /// file system does not support this.
  ///
  /// `posix_fallocate` is not used, because it writes to every block if the file system does not support reservations.
  package static func reserve(_ file: FileDescriptor, byteCount: UInt64) throws(SystemError) {
    #if canImport(Darwin)
      guard let count = off_t(exactly: byteCount) else { throw SystemError("reserve space", .invalid) }
      var request = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: count,
        fst_bytesalloc: 0)
      // SAFETY: F_PREALLOCATE requires this structure, which is valid during the call.
      let call = { unsafe fcntl(file.rawValue, F_PREALLOCATE, &request) }
    #elseif arch(x86_64) || arch(arm64)
      guard let count = Int64(exactly: byteCount) else { throw SystemError("reserve space", .invalid) }
      var request = SpaceReservation(length: count)
      // SAFETY: the structure has the layout that the request requires, and is valid during the call.
      let call = { unsafe ioctl(file.rawValue, SpaceReservation.request, &request) }
    #else
      let call = { Int32(0) }
    #endif
    do {
      try checked("reserve space", call)
    } catch {
      if !error.meansUnsupported { throw error }
    }
  }

  /// Shares the blocks of a range of `source` with `target`, or returns `false` if this is impossible.
  ///
  /// The offsets and the size must be multiples of the block size. The function throws no errors, because the caller
  /// copies the range if the result is `false`. If an error persists, the copy reports it.
  package static func clone(
    _ source: FileDescriptor, _ range: ByteRange, to target: FileDescriptor, at offset: UInt64
  ) -> Bool {
    #if os(Linux) && (arch(x86_64) || arch(arm64))
      var request = CloneRange(
        source: Int64(source.rawValue), sourceOffset: range.offset, count: range.count, targetOffset: offset)
      do throws(SystemError) {
        // SAFETY: the structure has the layout that the request requires, and is valid during the call.
        _ = try checked("clone") { unsafe ioctl(target.rawValue, CloneRange.request, &request) }
        return true
      } catch {
        return false
      }
    #else
      return false
    #endif
  }
}

#if !canImport(Darwin)
  /// `struct space_resv` of <linux/falloc.h>.
  private struct SpaceReservation {
    /// `FS_IOC_RESVSP`, `_IOW('X', 40, struct space_resv)`, as x86-64 and arm64 encode it.
    #if canImport(Glibc)
      static let request: UInt = 0x4030_5828
    #else
      static let request: Int32 = 0x4030_5828
    #endif
    var kind: Int16 = 0
    var whence = Int16(SEEK_SET)
    /// Explicit padding for a gap in the C structure. Without it, the bytes of the gap would be undefined.
    var gap: Int32 = 0
    var start: Int64 = 0
    var length: Int64
    var system: Int32 = 0
    var process: UInt32 = 0
    var padding: (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
  }

  /// `struct file_clone_range` of <linux/fs.h>.
  private struct CloneRange {
    /// `FICLONERANGE`, `_IOW(0x94, 13, struct file_clone_range)`, as x86-64 and arm64 encode it.
    #if canImport(Glibc)
      static let request: UInt = 0x4020_940D
    #else
      static let request: Int32 = 0x4020_940D
    #endif
    var source: Int64
    var sourceOffset: UInt64
    var count: UInt64
    var targetOffset: UInt64
  }
#endif
