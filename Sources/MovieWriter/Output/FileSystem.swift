package import MovieBox

/// The operating system calls that sinks need.
///
/// ``LocalFileSystem`` implements them for the local disk. Tests implement disks that lose, tear or reject writes.
package protocol FileSystem: AnyObject, Sendable {
  func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileDescriptor
  func close(_ file: FileDescriptor) throws(SystemError)
  /// Closes a file that was never locked, without a call that releases a lock.
  func closeUnlocked(_ file: FileDescriptor) throws(SystemError)
  func status(of file: FileDescriptor) throws(SystemError) -> FileStatus
  /// Returns the status of the file with this name, or `nil` if there is no such file.
  func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus?
  func volume(of path: String) throws(SystemError) -> VolumeStatus
  /// Returns the path without symbolic links.
  func resolve(_ path: String) throws(SystemError) -> String

  /// Reads consecutive bytes of a file into ranges of the buffer, in order. Returns the number of bytes read. It may be
  /// less than requested, and is 0 at the end of the file.
  func read(
    _ file: FileDescriptor, at offset: UInt64, into buffer: inout [UInt8], _ ranges: [Range<Int>]
  ) throws(SystemError) -> Int
  /// Writes a range of the buffer. Returns the number of bytes written. It may be less than requested.
  func write(
    _ file: FileDescriptor, at offset: UInt64, from buffer: [UInt8], _ range: Range<Int>
  ) throws(SystemError) -> Int
  /// Writes bytes at the current end of the file. Returns the number of bytes written. It may be less than requested.
  func append(_ file: FileDescriptor, _ bytes: [UInt8]) throws(SystemError) -> Int
  /// Whether nothing was ever written to the file from `offset` to its end, or `false` if that is unknown.
  func isHole(_ file: FileDescriptor, from offset: UInt64) -> Bool
  func truncate(_ file: FileDescriptor, to byteCount: UInt64) throws(SystemError)
  /// Reserves blocks. Does nothing if the file system does not support it.
  func reserve(_ file: FileDescriptor, byteCount: UInt64) throws(SystemError)
  /// Makes `target` share the blocks of a range of `source`. Returns `false` if that is impossible.
  func clone(_ source: FileDescriptor, _ range: ByteRange, to target: FileDescriptor, at offset: UInt64) -> Bool
  /// Returns whether a new file in the folder could share the first block of `source`. Leaves no file behind.
  func sharesBlocks(of source: FileDescriptor, blockSize: UInt64, in folder: String) -> Bool
  func synchronize(_ file: FileDescriptor) throws(SystemError)
  /// Synchronizes the data of the file and its mode, owner and attributes.
  func synchronizeAll(_ file: FileDescriptor) throws(SystemError)
  func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError)

  func lock(_ file: FileDescriptor) throws(SystemError) -> LockOutcome
  /// Returns whether a file that was opened without a name can be linked to a name.
  func canLink(_ file: FileDescriptor) -> Bool
  /// Links a file that was opened without a name to a name. Throws `exists` if a file has that name.
  func link(_ file: FileDescriptor, to path: String) throws(SystemError)
  /// Returns the names in a folder with this prefix and suffix.
  func names(in folder: String, prefix: String, suffix: String) throws(SystemError) -> [String]
  func rename(_ path: String, replacing target: String) throws(SystemError)
  /// Renames a file. Throws `exists` if another file has the new name.
  func rename(_ path: String, toUnused target: String) throws(SystemError)
  /// Exchanges two files or folders in one step. Returns whether the file system supports this.
  func exchange(_ path: String, _ other: String) throws(SystemError) -> Bool
  func remove(_ path: String) throws(SystemError)
  /// Creates a folder. Throws ``SystemError`` `.exists` if a file or folder has that name.
  func makeFolder(_ path: String) throws(SystemError)
  /// Removes a folder that is empty.
  func removeFolder(_ path: String) throws(SystemError)

  /// A view of this disk that two threads can use at the same time, or `nil` if only one thread may use the disk.
  var concurrent: (any FileSystem & Sendable)? { get }

  func setOwner(_ file: FileDescriptor, owner: UInt32?, group: UInt32) throws(SystemError)
  func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(SystemError)
  func attributeNames(of file: FileDescriptor) throws(SystemError) -> [[UInt8]]
  func attribute(_ name: [UInt8], of file: FileDescriptor) throws(SystemError) -> [UInt8]
  func setAttribute(_ name: [UInt8], of file: FileDescriptor, to value: [UInt8]) throws(SystemError)
}

extension FileSystem {
  package func isHole(_ file: FileDescriptor, from offset: UInt64) -> Bool { false }

  /// Returns `false`, because most disks cannot exchange names.
  package func exchange(_ path: String, _ other: String) throws(SystemError) -> Bool { false }

  /// Returns `false`, because most disks cannot share blocks.
  package func sharesBlocks(of source: FileDescriptor, blockSize: UInt64, in folder: String) -> Bool { false }

  package func closeUnlocked(_ file: FileDescriptor) throws(SystemError) { try close(file) }

  /// Returns the names in a folder, without the entries `.` and `..`.
  package func names(in folder: String) throws(SystemError) -> [String] {
    try names(in: folder, prefix: "", suffix: "")
  }

  package func synchronizeAll(_ file: FileDescriptor) throws(SystemError) { try synchronize(file) }

  /// Returns `nil`, because most disks must be used from one thread.
  package var concurrent: (any FileSystem & Sendable)? { nil }

  /// Writes a whole range of the buffer, with as many calls as needed.
  func writeAll(
    _ file: FileDescriptor, at offset: UInt64, from buffer: [UInt8], _ range: Range<Int>
  ) throws(SystemError) {
    var writtenByteCount = 0
    while writtenByteCount < range.count {
      let rest = range.lowerBound + writtenByteCount..<range.upperBound
      let count = try write(file, at: offset + UInt64(writtenByteCount), from: buffer, rest)
      // Throw if a call writes nothing but reports no error, because the loop would be endless.
      guard count > 0 else { throw SystemError("write", .inputOutput) }
      writtenByteCount += count
    }
  }

  /// Reads until the ranges of the buffer are full or the file ends. Returns the number of bytes read.
  func readAll(
    _ file: FileDescriptor, at offset: UInt64, into buffer: inout [UInt8], _ ranges: [Range<Int>]
  ) throws(SystemError) -> Int {
    var rest = ranges[...]
    var filledByteCount = 0
    while !rest.isEmpty {
      var count = try read(file, at: offset + UInt64(filledByteCount), into: &buffer, Array(rest))
      if count == 0 { break }
      filledByteCount += count
      while let first = rest.first, count >= first.count {
        count -= first.count
        rest.removeFirst()
      }
      if count > 0, let first = rest.popFirst() {
        rest = ([first.dropFirst(count)] + rest)[...]
      }
    }
    return filledByteCount
  }

  /// Returns the bytes of a whole file.
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
      throw MovieError(.limit, "\(path) has \(status.byteCount) bytes: the limit is \(limit >> 20) MiB")
    }
    var buffer = [UInt8](repeating: 0, count: byteCount)
    let count = try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
      try readAll(file, at: 0, into: &buffer, [0..<byteCount])
    }
    guard count == byteCount else { throw FileError(.changed, path, "became shorter while it was read; try again") }
    return Bytes(buffer)
  }

  /// Closes a file to which nothing was written, or whose bytes are already on the disk.
  package func closeWithoutLoss(_ file: FileDescriptor) {
    do {
      try close(file)
    } catch {
      // Ignore the error. Closing can fail only if bytes are still buffered, and none are.
    }
  }
}
