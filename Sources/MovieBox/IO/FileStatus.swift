/// What the system says about a file.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case ordinary = "an ordinary file"
    case folder = "a folder"
    case symbolicLink = "a symbolic link"
    case pipe = "a pipe"
    case socket = "a socket"
    case device = "a device"
  }

  package var kind: Kind
  package var byteCount: UInt64
  /// Who may do what: the low twelve bits.
  package var mode: UInt32
  package var owner: UInt32
  package var group: UInt32
  /// How many names the file has.
  package var linkCount: UInt64
  package var device: UInt64
  package var inode: UInt64
  /// The time of the last change in seconds and nanoseconds.
  package var modificationSeconds: Int64
  package var modificationNanoseconds: Int64
  /// The time of the last change of anything about the file, which no program can set.
  package var changeSeconds: Int64
  package var changeNanoseconds: Int64

  package init(
    kind: Kind, byteCount: UInt64, mode: UInt32, owner: UInt32 = 0, group: UInt32 = 0, linkCount: UInt64 = 1,
    device: UInt64 = 0, inode: UInt64, modificationSeconds: Int64, modificationNanoseconds: Int64,
    changeSeconds: Int64 = 0, changeNanoseconds: Int64 = 0
  ) {
    self.kind = kind
    self.byteCount = byteCount
    self.mode = mode
    self.owner = owner
    self.group = group
    self.linkCount = linkCount
    self.device = device
    self.inode = inode
    self.modificationSeconds = modificationSeconds
    self.modificationNanoseconds = modificationNanoseconds
    self.changeSeconds = changeSeconds
    self.changeNanoseconds = changeNanoseconds
  }

  /// How the file is distinguished from another, and from itself after a change.
  package var identity: SourceIdentity {
    SourceIdentity(
      byteCount: byteCount,
      tag: "\(device)-\(inode)-\(modificationSeconds).\(modificationNanoseconds)-\(changeSeconds).\(changeNanoseconds)",
      modificationSeconds: modificationSeconds)
  }

  /// Whether both are the same file, changed or not.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }
}

/// What a file system says about itself.
package struct VolumeStatus: Hashable, Sendable {
  /// How many bytes this user may still write; `nil` where the file system does not say.
  package var freeByteCount: UInt64?
  /// The unit in which blocks can be shared, a power of two on all systems known.
  package var blockSize: UInt64

  package init(freeByteCount: UInt64?, blockSize: UInt64) {
    self.freeByteCount = freeByteCount
    self.blockSize = blockSize
  }

  /// Throws where the file system has too little room for so many bytes of what is to be written at a path.
  package func requireRoom(for byteCount: UInt64, at path: String) throws(FileError) {
    guard let free = freeByteCount, byteCount > free else { return }
    var error = FileError(.cannotCreate, path, "needs \(byteCount) bytes, \(free) are free")
    error.isOutOfSpace = true
    throw error
  }
}
