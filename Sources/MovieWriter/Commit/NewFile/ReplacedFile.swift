import MovieBox

/// The file that a new one takes the place of.
struct ReplacedFile {
  /// Its name without symbolic links: what a link points to is replaced, not the link.
  let path: String
  /// What it looked like when it was found.
  let status: FileStatus
  /// The open file; `nil` when it may not be read.
  private let file: FileDescriptor?
  private let disk: any FileSystem

  /// Finds the file that `path` names, through symbolic links, and opens it.
  init(_ path: String, on disk: any FileSystem) throws(FileError) {
    self.disk = disk
    let resolved = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in try disk.resolve(path)
    }
    let status = try FileError.withFileErrors(.cannotCreate, path) { () throws(SystemError) in
      try disk.status(at: resolved, followingLinks: false)
    }
    guard let status else { throw FileError(.changed, path, "was removed a moment ago") }
    guard status.kind == .ordinary else {
      throw FileError(.cannotCreate, path, "is \(status.kind.rawValue), not an ordinary file that could be replaced")
    }
    self.path = resolved
    self.status = status
    do {
      file = try disk.open(resolved, .reading)
    } catch {
      guard error.code == .accessDenied || error.code == .notPermitted else {
        throw FileError(.cannotCreate, path, error)
      }
      file = nil
    }
  }

  func close() {
    if let file { disk.closeWithoutLoss(file) }
  }

  /// Takes the file's advisory lock, so that no edit in place gets lost between our reading and the renaming.
  func lock(namedBy path: String) throws(FileError) {
    guard let file else { return }
    let outcome = try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in try disk.lock(file) }
    if outcome == .heldByAnother { throw FileError.locked(path) }
  }

  /// Throws when the name no longer stands for the movie that was read.
  func check(against identity: SourceIdentity, namedBy path: String) throws(FileError) {
    let now = try FileError.withFileErrors(.inputOutput, path) { () throws(SystemError) in
      try disk.status(at: self.path, followingLinks: false)
    }
    guard now?.identity == identity else { throw FileError.changed(path) }
  }

  /// Gives the new file the owner, mode and extended attributes of this one; notes what could not be given.
  func carryOver(to target: FileDescriptor, _ report: inout SinkReport) throws(SystemError) {
    report.otherHardLinks = status.linkCount > 1 ? status.linkCount - 1 : 0
    var mode = status.mode
    let created = try disk.status(of: target)
    if created.owner != status.owner || created.group != status.group {
      // Changing the owner takes privileges; changing the group takes membership.
      if try !attempt({ () throws(SystemError) in
        try disk.setOwner(target, owner: status.owner, group: status.group)
      }) {
        if created.owner != status.owner { report.lostAttributes.append("owner") }
        mode &= 0o777  // The set-user-ID bit under another owner would lend the wrong rights.
        if created.group != status.group,
          try !attempt({ () throws(SystemError) in try disk.setOwner(target, owner: nil, group: status.group) })
        {
          report.lostAttributes.append("group")
          mode = mode & 0o707 | (mode & 0o007) << 3  // What the old group might do, another one may not.
        }
      }
    }
    try disk.setMode(target, mode)
    guard let file else {
      report.lostAttributes.append("extended attributes")
      return
    }
    // After the mode: an access list is an extended attribute, and setting the mode would change it.
    for name in try disk.attributeNames(of: file) {
      if Self.isAboutContents(name) {
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

  /// Whether an attribute vouches for the bytes of the old file, and would be wrong about those of the new one:
  /// checksums that shatag, cshatag, chkbit and others keep, signatures, and those of the kernel's integrity subsystem.
  private static func isAboutContents(_ name: [UInt8]) -> Bool {
    let name = String(decoding: name, as: UTF8.self).lowercased()
    return ["security.ima", "security.evm"].contains(name)
      || [
        "shatag", "checksum", "chksum", "sha1", "sha256", "sha512", "md5", "crc32", "blake", "xxh", "hash", "signature",
      ]
      .contains { name.contains($0) }
  }

  /// Makes a call; `false` when this user or file system may not.
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
  static func locked(_ path: String) -> FileError {
    FileError(.locked, path, "another program is editing the file and holds its lock; try again when it is done")
  }

  static func changed(_ path: String) -> FileError {
    FileError(.changed, path, "the file has changed since it was read; nothing was done")
  }
}
