import MovieBox

/// The file that a new file replaces.
///
/// A new file that is renamed over an old file has the owner, mode and attributes of a new file. Therefore, the owner,
/// mode and attributes of the old file are transferred to the new file first.
struct ReplacedFile {
  /// The path without symbolic links. If the name is a link, its target is replaced instead of the link.
  let path: String
  /// The status of the file when it was found.
  let status: FileStatus
  /// The open file, or `nil` if the file is not readable.
  private let file: FileDescriptor?
  private let disk: any FileSystem

  /// Finds the file at `path`, through symbolic links, and opens it.
  init(_ path: String, on disk: any FileSystem) throws(FileError) {
    self.disk = disk
    (self.path, status) = try Self.find(path, on: disk)
    do {
      file = try disk.open(self.path, .reading)
    } catch {
      guard error.code == .accessDenied || error.code == .notPermitted else {
        throw FileError(.cannotCreate, path, error)
      }
      file = nil
    }
  }

  /// Returns the path without symbolic links, and the status of the file. Throws if no new file can replace it.
  static func find(_ path: String, on disk: any FileSystem) throws(FileError) -> (path: String, status: FileStatus) {
    let resolved: String
    do {
      resolved = try disk.resolve(path)
    } catch {
      guard error.code == .notFound else { throw FileError(.cannotCreate, path, error) }
      let status = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
        try disk.status(at: path, followingLinks: false)
      }
      throw status?.kind == .symbolicLink
        ? FileError(.cannotCreate, path, "is a dangling symbolic link, not a file that could be replaced")
        : FileError(.cannotCreate, path, error)
    }
    let status = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.status(at: resolved, followingLinks: false)
    }
    guard let status else { throw FileError(.changed, path, "was removed in the meantime") }
    guard status.kind == .ordinary else {
      throw FileError(.cannotCreate, path, "is \(status.kind.rawValue), not an ordinary file that could be replaced")
    }
    return (resolved, status)
  }

  func close() {
    if let file { disk.closeWithoutLoss(file) }
  }

  /// Acquires the file's advisory lock, so that no in-place edit between reading and renaming is lost.
  func lock(namedBy path: String) throws(FileError) {
    guard let file else { return }
    let outcome = try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in try disk.lock(file) }
    if outcome == .heldByAnother { throw FileError.lockedError(path) }
  }

  /// Throws if the path no longer refers to the movie that was read.
  func check(against identity: SourceIdentity, namedBy path: String) throws(FileError) {
    let currentStatus = try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
      try disk.status(at: self.path, followingLinks: false)
    }
    guard currentStatus?.identity == identity else { throw FileError.changedError(path) }
  }

  /// Copies the owner, mode and extended attributes of this file to the new file, and records the properties that could
  /// not be transferred.
  func carryOver(to target: FileDescriptor, _ report: inout SinkReport) throws(SystemError) {
    report.otherHardLinks = status.linkCount > 1 ? status.linkCount - 1 : 0
    var mode = status.mode
    let created = try disk.status(of: target)
    if created.owner != status.owner || created.group != status.group {
      // Changing the owner requires privileges, and changing the group requires membership in the new group.
      if try !attempt({ () throws(SystemError) in
        try disk.setOwner(target, owner: status.owner, group: status.group)
      }) {
        if created.owner != status.owner { report.lostAttributes.append("owner") }
        mode &= 0o777  // A set-user-ID bit would grant another owner's rights.
        if created.group != status.group,
          try !attempt({ () throws(SystemError) in try disk.setOwner(target, owner: nil, group: status.group) })
        {
          report.lostAttributes.append("group")
          mode = mode & 0o707 | (mode & 0o007) << 3  // Another group does not get the old group's rights.
        }
      }
    }
    try disk.setMode(target, mode)
    guard let file else {
      report.lostAttributes.append("extended attributes")
      return
    }
    // Set attributes after the mode, because an access list is an attribute that setting the mode would change.
    for name in try disk.attributeNames(of: file) {
      if Self.describesContents(name) {
        report.lostAttributes.append(String(decoding: name, as: UTF8.self))
        continue
      }
      if try !attempt({ () throws(SystemError) in
        try disk.setAttribute(name, of: target, to: try disk.attribute(name, of: file))
      }) {
        report.lostAttributes.append(String(decoding: name, as: UTF8.self))
      }
    }
  }

  /// Whether an attribute describes the bytes of the file. It would be wrong for the new file. Examples are checksums
  /// of shatag, cshatag and chkbit, signatures, and attributes of the kernel's integrity subsystem.
  private static func describesContents(_ name: [UInt8]) -> Bool {
    let name = String(decoding: name, as: UTF8.self).lowercased()
    return ["security.ima", "security.evm"].contains(name)
      || [
        "shatag", "checksum", "chksum", "sha1", "sha256", "sha512", "md5", "crc32", "blake", "xxh", "hash", "signature",
      ]
      .contains { name.contains($0) }
  }

  /// Calls a closure, and returns `false` if the user or the file system does not permit the operation.
  private func attempt(_ call: () throws(SystemError) -> Void) throws(SystemError) -> Bool {
    do {
      try call()
      return true
    } catch {
      guard error.meansUnsupported || error.code == .notPermitted || error.code == .accessDenied else { throw error }
      return false
    }
  }
}

extension FileError {
  static func lockedError(_ path: String) -> FileError {
    FileError(
      .locked, path, "another program is editing the file and has locked it; try again when that program is done")
  }

  static func changedError(_ path: String) -> FileError {
    FileError(.changed, path, "the file has changed since it was read; nothing was done")
  }
}
