import Foundation
package import MovieBox
package import MovieWriter

/// A disk that refuses one call, optionally transfers little at a time, and records its calls.
///
/// Two threads may use it if it declares so. A lock guards the record; everything else is then constant.
package final class FaultyFileSystem: FileSystem, @unchecked Sendable {
  /// The part of a refused write that takes effect.
  package enum Refusal: CaseIterable {
    case nothingDone
    case halfDone
    case allDone
  }

  private let base: any FileSystem
  /// The number of the call to refuse, from 1, or 0 for none.
  private let refused: Int
  private let refusal: Refusal
  /// Whether a call transfers at most three bytes.
  private let isSlow: Bool
  /// Whether syncs have no effect, as on a drive that ignores them.
  private let ignoresSyncs: Bool
  /// The name of a call that is always refused.
  private let refusedName: String
  private let code: SystemError.Code
  /// Whether all calls after the refused one are refused too.
  private let isGone: Bool
  /// A closure that changes the status of files named by path.
  private let atPath: (inout FileStatus) -> Void
  /// A closure that is called before each call.
  package var beforeCall: (String) -> Void = { _ in }
  /// The calls so far.
  package private(set) var calls: [String] = []
  private let guarding = NSLock()
  private let servesTwoThreads: Bool
  /// Whether files can be created without a name.
  private let hasUnnamedFiles: Bool
  /// Whether the file system supports locks.
  private let locks: Bool

  package init(
    _ base: any FileSystem, refusing call: Int = 0, _ refusal: Refusal = .nothingDone, always name: String = "",
    with code: SystemError.Code = .inputOutput, isGone: Bool = false, isSlow: Bool = false, ignoresSyncs: Bool = false,
    servesTwoThreads: Bool = false, locks: Bool = true,
    hasUnnamedFiles: Bool = true, atPath: @escaping (inout FileStatus) -> Void = { _ in }
  ) {
    self.code = code
    self.isGone = isGone
    self.atPath = atPath
    self.servesTwoThreads = servesTwoThreads
    self.locks = locks
    self.hasUnnamedFiles = hasUnnamedFiles
    self.base = base
    refused = call
    self.refusal = refusal
    refusedName = name
    self.isSlow = isSlow
    self.ignoresSyncs = ignoresSyncs
  }

  /// Whether the call has been refused.
  package var hasRefused: Bool { refused > 0 && calls.count >= refused }

  /// The name of the refused call.
  package var refusedCall: String { hasRefused ? calls[refused - 1] : "" }

  package var concurrent: (any FileSystem & Sendable)? { servesTwoThreads ? self : nil }

  private func isRefused(_ call: String) -> Bool {
    guarding.withLock {
      beforeCall(call)
      calls.append(call)
      return calls.count == refused || call == refusedName || isGone && hasRefused
    }
  }

  private func enter(_ call: String) throws(SystemError) {
    if isRefused(call) { throw SystemError(call, call == refusedName ? code : .inputOutput) }
  }

  package func open(_ path: String, _ access: FileAccess) throws(SystemError) -> FileDescriptor {
    try enter("open \(access)")
    return try base.open(path, access)
  }

  package func close(_ file: FileDescriptor) throws(SystemError) {
    let isRefused = isRefused("close")
    try base.close(file)  // A refused close releases the file nevertheless.
    if isRefused { throw SystemError("close", .inputOutput) }
  }

  package func status(of file: FileDescriptor) throws(SystemError) -> FileStatus {
    try enter("status of file")
    return try base.status(of: file)
  }

  package func status(at path: String, followingLinks: Bool) throws(SystemError) -> FileStatus? {
    try enter("status at path")
    guard var status = try base.status(at: path, followingLinks: followingLinks) else { return nil }
    atPath(&status)
    return status
  }

  package func volume(of path: String) throws(SystemError) -> VolumeStatus {
    try enter("volume")
    return try base.volume(of: path)
  }

  package func resolve(_ path: String) throws(SystemError) -> String {
    try enter("resolve")
    return try base.resolve(path)
  }

  package func read(
    _ file: FileDescriptor, at offset: UInt64, into buffer: inout [UInt8], _ ranges: [Range<Int>]
  ) throws(SystemError) -> Int {
    try enter("read")
    return try base.read(file, at: offset, into: &buffer, isSlow ? ranges.prefix(1).map { $0.prefix(3) } : ranges)
  }

  package func write(
    _ file: FileDescriptor, at offset: UInt64, from buffer: [UInt8], _ range: Range<Int>
  ) throws(SystemError) -> Int {
    if isRefused("write") {
      switch refusal {
      case .nothingDone: break
      case .halfDone: _ = try base.write(file, at: offset, from: buffer, range.prefix(range.count / 2))
      case .allDone: _ = try base.write(file, at: offset, from: buffer, range)
      }
      throw SystemError("write", .noSpace)
    }
    return try base.write(file, at: offset, from: buffer, isSlow ? range.prefix(3) : range)
  }

  package func append(_ file: FileDescriptor, _ bytes: [UInt8]) throws(SystemError) -> Int {
    if isRefused("append") {
      switch refusal {
      case .nothingDone: break
      case .halfDone: _ = try base.append(file, Array(bytes.prefix(bytes.count / 2)))
      case .allDone: _ = try base.append(file, bytes)
      }
      throw SystemError("write", .noSpace)
    }
    return try base.append(file, isSlow ? Array(bytes.prefix(3)) : bytes)
  }

  package func truncate(_ file: FileDescriptor, to byteCount: UInt64) throws(SystemError) {
    try enter("truncate")
    try base.truncate(file, to: byteCount)
  }

  package func reserve(_ file: FileDescriptor, byteCount: UInt64) throws(SystemError) {
    try enter("reserve")
    try base.reserve(file, byteCount: byteCount)
  }

  package func clone(_ source: FileDescriptor, _ range: ByteRange, to target: FileDescriptor, at offset: UInt64) -> Bool
  {
    isRefused("clone") ? false : base.clone(source, range, to: target, at: offset)
  }

  package func synchronize(_ file: FileDescriptor) throws(SystemError) {
    try enter("sync")
    if !ignoresSyncs { try base.synchronize(file) }
  }

  package func synchronizeFolder(_ folder: FileDescriptor) throws(SystemError) {
    try enter("sync folder")
    try base.synchronizeFolder(folder)
  }

  package func lock(_ file: FileDescriptor) throws(SystemError) -> LockOutcome {
    try enter("lock")
    return locks ? try base.lock(file) : .unavailable
  }

  package func canLink(_ file: FileDescriptor) -> Bool { hasUnnamedFiles && base.canLink(file) }

  package func link(_ file: FileDescriptor, to path: String) throws(SystemError) {
    try enter("link")
    try base.link(file, to: path)
  }

  package func names(in folder: String, prefix: String, suffix: String) throws(SystemError) -> [String] {
    try enter("names")
    return try base.names(in: folder, prefix: prefix, suffix: suffix)
  }

  package func rename(_ path: String, replacing target: String) throws(SystemError) {
    try enter("rename")
    try base.rename(path, replacing: target)
  }

  package func makeFolder(_ path: String) throws(SystemError) {
    try enter("make folder")
    try base.makeFolder(path)
  }

  package func removeFolder(_ path: String) throws(SystemError) {
    try enter("remove folder")
    try base.removeFolder(path)
  }

  package func rename(_ path: String, toUnused target: String) throws(SystemError) {
    try enter("rename to unused")
    try base.rename(path, toUnused: target)
  }

  package func exchange(_ path: String, _ other: String) throws(SystemError) -> Bool {
    try enter("exchange")
    return try base.exchange(path, other)
  }

  package func remove(_ path: String) throws(SystemError) {
    try enter("remove")
    try base.remove(path)
  }

  package func setOwner(_ file: FileDescriptor, owner: UInt32?, group: UInt32) throws(SystemError) {
    try enter("set owner")
    try base.setOwner(file, owner: owner, group: group)
  }

  package func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(SystemError) {
    try enter("set mode")
    try base.setMode(file, mode)
  }

  package func attributeNames(of file: FileDescriptor) throws(SystemError) -> [[UInt8]] {
    try enter("list attributes")
    return try base.attributeNames(of: file)
  }

  package func attribute(_ name: [UInt8], of file: FileDescriptor) throws(SystemError) -> [UInt8] {
    try enter("attribute")
    return try base.attribute(name, of: file)
  }

  package func setAttribute(_ name: [UInt8], of file: FileDescriptor, to value: [UInt8]) throws(SystemError) {
    try enter("set attribute")
    try base.setAttribute(name, of: file, to: value)
  }
}
