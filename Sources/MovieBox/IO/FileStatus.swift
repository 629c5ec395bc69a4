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

/// An open file, by the number that the system knows it by. Whoever opened it closes it.
package struct FileDescriptor: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The stream that answers go to.
  package static let standardOutput = FileDescriptor(rawValue: 1)
  /// The stream that notes, warnings and progress go to.
  package static let standardError = FileDescriptor(rawValue: 2)
}

/// How a file is opened.
package enum FileAccess: Hashable, Sendable {
  /// To be read. A pipe without a writer does not hold the call up.
  case reading
  /// To be read, a pipe as soon as it has a writer, and then as it gets filled.
  case waiting
  /// To be read and written; it must exist.
  case updating
  /// To be read and written; it must not exist. The system takes the umask's bits away from the mode.
  case creating(mode: UInt32)
  /// A new file without a name in a folder, gone when it is closed unless it gets one. The system takes the umask's
  /// bits away from the mode.
  case unnamed(mode: UInt32)
  /// A folder, to be synchronised.
  case folder
}

/// A file's path and its parts.
package struct FilePath {
  package let text: String
  /// The folder that it lies in.
  package let folder: String
  /// Whether the last part could name a file.
  package let isFile: Bool

  /// The parts of a path.
  package init(_ text: String) {
    self.text = text
    let slash = text.utf8.lastIndex(of: UInt8(ascii: "/"))
    let last = slash.map { text[text.utf8.index(after: $0)...] } ?? text[...]
    folder = slash.map { $0 == text.startIndex ? "/" : String(text[..<$0]) } ?? "."
    isFile = !last.isEmpty && last != "." && last != ".." && !text.utf8.contains(0)
  }

  /// The last part, without slashes after it.
  package var name: Substring { text.utf8.split(separator: UInt8(ascii: "/")).last.map { Substring($0) } ?? "" }

  /// The name without its extension.
  package var stem: Substring { point.map { name[..<$0] } ?? name }

  /// What follows the last point of the name. A hidden file such as `.mov` has none by its first.
  package var fileExtension: Substring? { point.map { name[$0...].dropFirst() } }

  /// The path without its extension.
  package var withoutExtension: Substring { point.map { text[..<$0] } ?? text[...] }

  private var point: String.Index? { name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil } }
}
