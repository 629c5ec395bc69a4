@testable import MovieBox
import MovieWriter

/// A disk that leaves holes instead of zeros, so that large files take no space.
final class SparseDisk: FileSystem, @unchecked Sendable {
  private let base: any FileSystem = LocalFileSystem()

  func reserve(_ file: FileDescriptor, byteCount: UInt64) throws(SystemError) {
    try base.truncate(file, to: byteCount)
  }

  func write(
    _ file: FileDescriptor, at offset: UInt64, from buffer: [UInt8], _ range: Range<Int>
  ) throws(SystemError) -> Int {
    var first = range.lowerBound
    while first < range.upperBound, buffer[first] == 0 { first += 1 }
    if first < range.upperBound { return try base.write(file, at: offset, from: buffer, range) }
    let end = offset + UInt64(range.count)
    if try base.status(of: file).byteCount < end { try base.truncate(file, to: end) }
    return range.count
  }

  func clone(_ source: FileDescriptor, _ range: ByteRange, to target: FileDescriptor, at offset: UInt64) -> Bool {
    false
  }

  func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileDescriptor { try base.open(path, access) }
  func close(_ file: FileDescriptor) throws(SystemError) { try base.close(file) }
  func status(of file: FileDescriptor) throws(SystemError) -> FileStatus { try base.status(of: file) }
  func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus? {
    try base.status(at: path, followingLinks: followingLinks)
  }
  func volume(of path: String) throws(SystemError) -> VolumeStatus {
    VolumeStatus(freeByteCount: .max, blockSize: try base.volume(of: path).blockSize)
  }
  func resolve(_ path: String) throws(SystemError) -> String { try base.resolve(path) }
  func read(
    _ file: FileDescriptor, at offset: UInt64, into buffer: inout [UInt8], _ ranges: [Range<Int>]
  ) throws(SystemError) -> Int {
    try base.read(file, at: offset, into: &buffer, ranges)
  }
  func truncate(_ file: FileDescriptor, to byteCount: UInt64) throws(SystemError) {
    try base.truncate(file, to: byteCount)
  }
  func synchronize(_ file: FileDescriptor) throws(SystemError) { try base.synchronize(file) }
  func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError) { try base.synchronizeFolder(folder) }
  func lock(_ file: FileDescriptor) throws(SystemError) -> LockOutcome { try base.lock(file) }
  func append(_ file: FileDescriptor, _ bytes: [UInt8]) throws(SystemError) -> Int {
    try base.append(file, bytes)
  }
  func canLink(_ file: FileDescriptor) -> Bool { base.canLink(file) }
  func link(_ file: FileDescriptor, to path: String) throws(SystemError) { try base.link(file, to: path) }
  func names(in folder: String, prefix: String, suffix: String) throws(SystemError) -> [String] {
    try base.names(in: folder, prefix: prefix, suffix: suffix)
  }
  func rename(_ path: String, replacing target: String) throws(SystemError) {
    try base.rename(path, replacing: target)
  }
  func rename(_ path: String, toUnused target: String) throws(SystemError) {
    try base.rename(path, toUnused: target)
  }
  func makeFolder(_ path: String) throws(SystemError) { throw SystemError("make the folder", .unsupported) }
  func removeFolder(_ path: String) throws(SystemError) { throw SystemError("remove the folder", .unsupported) }
  func remove(_ path: String) throws(SystemError) { try base.remove(path) }
  func setOwner(_ file: FileDescriptor, owner: UInt32?, group: UInt32) throws(SystemError) {
    try base.setOwner(file, owner: owner, group: group)
  }
  func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(SystemError) { try base.setMode(file, mode) }
  func attributeNames(of file: FileDescriptor) throws(SystemError) -> [[UInt8]] { try base.attributeNames(of: file) }
  func attribute(_ name: [UInt8], of file: FileDescriptor) throws(SystemError) -> [UInt8] {
    try base.attribute(name, of: file)
  }
  func setAttribute(_ name: [UInt8], of file: FileDescriptor, to value: [UInt8]) throws(SystemError) {
    try base.setAttribute(name, of: file, to: value)
  }
}
