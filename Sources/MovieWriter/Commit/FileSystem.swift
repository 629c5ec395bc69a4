package import MovieBox

/// The calls of the operating system that sinks need.
///
/// ``LocalFileSystem`` passes them on. Tests bring disks that lose writes, tear them and fail.
package protocol FileSystem: AnyObject, Sendable {
  func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileDescriptor
  func close(_ file: FileDescriptor) throws(SystemError)
  /// Closes a file whose lock was never taken. Saves the call that releases the lock.
  func closeUnlocked(_ file: FileDescriptor) throws(SystemError)
  func status(of file: FileDescriptor) throws(SystemError) -> FileStatus
  /// `nil` when the name stands for nothing.
  func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus?
  func volume(of path: String) throws(SystemError) -> VolumeStatus
  /// The name without symbolic links.
  func resolve(_ path: String) throws(SystemError) -> String

  /// Reads one run of a file into ranges of the buffer, in their order; gives how many bytes, possibly fewer than
  /// asked, 0 at the file's end.
  func read(
    _ file: FileDescriptor, at offset: UInt64, into buffer: inout [UInt8], _ ranges: [Range<Int>]
  ) throws(SystemError) -> Int
  /// Writes a range of the buffer; gives how many bytes, possibly fewer than asked.
  func write(
    _ file: FileDescriptor, at offset: UInt64, from buffer: [UInt8], _ range: Range<Int>
  ) throws(SystemError) -> Int
  /// Writes bytes at the end of the file, wherever that is by then; gives how many, fewer than asked when it likes.
  func append(_ file: FileDescriptor, _ bytes: [UInt8]) throws(SystemError) -> Int
  /// Whether nothing was ever written to the file from `offset` to its end; `false` too where nobody knows.
  func isHole(_ file: FileDescriptor, from offset: UInt64) -> Bool
  func truncate(_ file: FileDescriptor, to byteCount: UInt64) throws(SystemError)
  /// Sets blocks aside; does nothing where the file system cannot.
  func reserve(_ file: FileDescriptor, byteCount: UInt64) throws(SystemError)
  /// Shares blocks between files; `false` where that cannot be done.
  func clone(_ source: FileDescriptor, _ range: ByteRange, to target: FileDescriptor, at offset: UInt64) -> Bool
  /// Whether a new file in the folder could share the first block of `source`; leaves nothing there.
  func sharesBlocks(of source: FileDescriptor, blockSize: UInt64, in folder: String) -> Bool
  func synchronize(_ file: FileDescriptor) throws(SystemError)
  /// Synchronizes the data and the metadata of the file: its mode, owner and attributes.
  func synchronizeAll(_ file: FileDescriptor) throws(SystemError)
  func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError)

  func lock(_ file: FileDescriptor) throws(SystemError) -> LockOutcome
  /// Whether a file that was opened without a name can get one.
  func mayLink(_ file: FileDescriptor) -> Bool
  /// Gives a file that was opened without a name one; fails with `exists` when the name is taken.
  func link(_ file: FileDescriptor, to path: String) throws(SystemError)
  /// The names in a folder that begin and end like this.
  func names(in folder: String, prefix: String, suffix: String) throws(SystemError) -> [String]
  func rename(_ path: String, replacing target: String) throws(SystemError)
  /// Fails with `exists` when the name is taken.
  func rename(_ path: String, toUnused target: String) throws(SystemError)
  /// Exchanges two files or folders in one step, and returns whether the file system can.
  func exchange(_ path: String, _ other: String) throws(SystemError) -> Bool
  func remove(_ path: String) throws(SystemError)
  /// Creates a folder; throws ``SystemError`` `.exists` if the name is taken.
  func makeFolder(_ path: String) throws(SystemError)
  /// Removes a folder that is empty.
  func removeFolder(_ path: String) throws(SystemError)

  /// The same disk for two threads at once; `nil` where calls must come one after the other.
  var concurrent: (any FileSystem & Sendable)? { get }

  func setOwner(_ file: FileDescriptor, owner: UInt32?, group: UInt32) throws(SystemError)
  func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(SystemError)
  func attributeNames(of file: FileDescriptor) throws(SystemError) -> [[UInt8]]
  func attribute(_ name: [UInt8], of file: FileDescriptor) throws(SystemError) -> [UInt8]
  func setAttribute(_ name: [UInt8], of file: FileDescriptor, to value: [UInt8]) throws(SystemError)
}

extension FileSystem {
  package func isHole(_ file: FileDescriptor, from offset: UInt64) -> Bool { false }

  /// A disk that cannot.
  package func exchange(_ path: String, _ other: String) throws(SystemError) -> Bool { false }

  /// A disk that shares none.
  package func sharesBlocks(of source: FileDescriptor, blockSize: UInt64, in folder: String) -> Bool { false }

  package func closeUnlocked(_ file: FileDescriptor) throws(SystemError) { try close(file) }

  /// The names in a folder; not `.` and `..`, which each folder has.
  package func names(in folder: String) throws(SystemError) -> [String] {
    try names(in: folder, prefix: "", suffix: "")
  }

  package func synchronizeAll(_ file: FileDescriptor) throws(SystemError) { try synchronize(file) }

  /// A disk for one thread.
  package var concurrent: (any FileSystem & Sendable)? { nil }

  /// Writes a whole range of the buffer, in as many calls as it takes.
  func writeAll(
    _ file: FileDescriptor, at offset: UInt64, from buffer: [UInt8], _ range: Range<Int>
  ) throws(SystemError) {
    var written = 0
    while written < range.count {
      let rest = range.lowerBound + written..<range.upperBound
      let count = try write(file, at: offset + UInt64(written), from: buffer, rest)
      // A call that does nothing and says so would be made again for ever.
      guard count > 0 else { throw SystemError("write", .inputOutput) }
      written += count
    }
  }

  /// Reads until the ranges of the buffer are full or the file ends; gives how many bytes.
  func readAll(
    _ file: FileDescriptor, at offset: UInt64, into buffer: inout [UInt8], _ ranges: [Range<Int>]
  ) throws(SystemError) -> Int {
    var rest = ranges[...]
    var filled = 0
    while !rest.isEmpty {
      var count = try read(file, at: offset + UInt64(filled), into: &buffer, Array(rest))
      if count == 0 { break }
      filled += count
      while let first = rest.first, count >= first.count {
        count -= first.count
        rest.removeFirst()
      }
      if count > 0, let first = rest.popFirst() {
        rest = ([first.dropFirst(count)] + rest)[...]
      }
    }
    return filled
  }

  /// The bytes of a whole file.
  ///
  /// Throws ``FileError`` as ``/MovieBox/FileSource`` does, and ``MovieError`` `.limit` for a larger file.
  package func contents(of path: String, limitInBytes limit: UInt64) throws -> Bytes {
    let file = try FileError.withFileErrors(.noInput, path) { () throws(SystemError) in try self.open(path, .reading) }
    defer { closeWithoutLoss(file) }
    let status = try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in try self.status(of: file)
    }
    guard status.kind == .ordinary else {
      throw FileError(.noInput, path, "is \(status.kind.rawValue), not an ordinary file")
    }
    guard status.byteCount <= limit, let byteCount = Int(exactly: status.byteCount) else {
      throw MovieError(.limit, "\(path) has \(status.byteCount) bytes, the limit is \(limit >> 20) MiB")
    }
    var buffer = [UInt8](repeating: 0, count: byteCount)
    let count = try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
      try readAll(file, at: 0, into: &buffer, [0..<byteCount])
    }
    guard count == byteCount else { throw FileError(.changed, path, "became shorter while it was read; try again") }
    return Bytes(buffer)
  }

  /// Closes a file that nothing was written through, or whose bytes are on the disk already.
  package func closeWithoutLoss(_ file: FileDescriptor) {
    do {
      try close(file)
    } catch {
      // The system can only complain of bytes that it still held back; there are none.
    }
  }
}
