package import MovieBox

/// The file system of this machine.
package final class LocalFileSystem: FileSystem {
  package init() {}

  package var concurrent: (any FileSystem & Sendable)? { self }

  package func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileDescriptor {
    try SystemCalls.open(path, access)
  }

  /// Releases the file's lock, if held, and closes the file. Closing alone may keep the lock: after a fork, the file
  /// remains open in the child until the child executes its program.
  package func close(_ file: FileDescriptor) throws(SystemError) {
    SystemCalls.unlock(file)
    try SystemCalls.close(file)
  }

  package func closeUnlocked(_ file: FileDescriptor) throws(SystemError) {
    try SystemCalls.close(file)
  }

  package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
    try SystemCalls.status(of: file)
  }

  package func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus? {
    try SystemCalls.status(at: path, followingLinks: followingLinks)
  }

  package func volume(of path: String) throws(SystemError) -> VolumeStatus {
    try SystemCalls.volume(of: path)
  }

  package func resolve(_ path: String) throws(SystemError) -> String {
    try SystemCalls.resolve(path)
  }

  package func read(
    _ file: FileDescriptor, at offset: UInt64, into buffer: inout [UInt8], _ ranges: [Range<Int>]
  ) throws(SystemError) -> Int {
    // SAFETY: the call checks the ranges against the buffer, and writes only into them.
    try unsafe buffer.withUnsafeMutableBufferPointer { (whole) throws(SystemError) -> Int in
      try unsafe SystemCalls.read(file, at: offset, into: UnsafeMutableRawBufferPointer(whole), ranges)
    }
  }

  package func write(
    _ file: FileDescriptor, at offset: UInt64, from buffer: [UInt8], _ range: Range<Int>
  ) throws(SystemError) -> Int {
    // SAFETY: the slice is checked against the buffer, and the call only reads it.
    try unsafe buffer.withUnsafeBufferPointer { (whole) throws(SystemError) -> Int in
      let part = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: whole[range]))
      return try unsafe SystemCalls.write(file, at: offset, from: part)
    }
  }

  package func append(_ file: FileDescriptor, _ bytes: [UInt8]) throws(SystemError) -> Int {
    // SAFETY: the call only reads the buffer.
    try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(SystemError) -> Int in
      try unsafe SystemCalls.append(file, from: UnsafeRawBufferPointer(buffer))
    }
  }

  package func truncate(_ file: FileDescriptor, to byteCount: UInt64) throws(SystemError) {
    try SystemCalls.truncate(file, to: byteCount)
  }

  package func isHole(_ file: FileDescriptor, from offset: UInt64) -> Bool {
    SystemCalls.isHole(file, from: offset)
  }

  package func reserve(_ file: FileDescriptor, byteCount: UInt64) throws(SystemError) {
    try SystemCalls.reserve(file, byteCount: byteCount)
  }

  package func clone(
    _ source: FileDescriptor, _ range: ByteRange, to target: FileDescriptor, at offset: UInt64
  ) -> Bool {
    SystemCalls.clone(source, range, to: target, at: offset)
  }

  package func sharesBlocks(of source: FileDescriptor, blockSize: UInt64, in folder: String) -> Bool {
    do {
      let trial = try SystemCalls.open(folder, .unnamed(mode: 0o600))
      defer { closeWithoutLoss(trial) }
      return SystemCalls.clone(source, ByteRange(0..<blockSize), to: trial, at: 0)
    } catch {
      return false  // File systems that share blocks support unnamed files.
    }
  }

  package func synchronize(_ file: FileDescriptor) throws(SystemError) {
    try SystemCalls.synchronize(file)
  }

  package func synchronizeAll(_ file: FileDescriptor) throws(SystemError) {
    try SystemCalls.synchronizeAll(file)
  }

  package func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError) {
    try SystemCalls.synchronizeFolder(folder)
  }

  package func lock(_ file: FileDescriptor) throws(SystemError) -> LockOutcome {
    try SystemCalls.lock(file)
  }

  package func canLink(_ file: FileDescriptor) -> Bool {
    SystemCalls.hasLinkName(file)
  }

  package func link(_ file: FileDescriptor, to path: String) throws(SystemError) {
    try SystemCalls.link(file, to: path)
  }

  package func names(in folder: String, prefix: String, suffix: String) throws(SystemError) -> [String] {
    try SystemCalls.names(in: folder, prefix: prefix, suffix: suffix)
  }

  package func rename(_ path: String, replacing target: String) throws(SystemError) {
    try SystemCalls.rename(path, replacing: target)
  }

  package func rename(_ path: String, toUnused target: String) throws(SystemError) {
    try SystemCalls.rename(path, toUnused: target)
  }

  package func exchange(_ path: String, _ other: String) throws(SystemError) -> Bool {
    try SystemCalls.exchange(path, other)
  }

  package func remove(_ path: String) throws(SystemError) {
    try SystemCalls.remove(path)
  }

  package func makeFolder(_ path: String) throws(SystemError) {
    try SystemCalls.makeFolder(path)
  }

  package func removeFolder(_ path: String) throws(SystemError) {
    try SystemCalls.removeFolder(path)
  }

  package func setOwner(_ file: FileDescriptor, owner: UInt32?, group: UInt32) throws(SystemError) {
    try SystemCalls.setOwner(file, owner: owner, group: group)
  }

  package func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(SystemError) {
    try SystemCalls.setMode(file, mode)
  }

  package func attributeNames(of file: FileDescriptor) throws(SystemError) -> [[UInt8]] {
    try SystemCalls.attributeNames(of: file)
  }

  package func attribute(_ name: [UInt8], of file: FileDescriptor) throws(SystemError) -> [UInt8] {
    try SystemCalls.attribute(name, of: file)
  }

  package func setAttribute(_ name: [UInt8], of file: FileDescriptor, to value: [UInt8]) throws(SystemError) {
    try SystemCalls.setAttribute(name, of: file, to: value)
  }
}
