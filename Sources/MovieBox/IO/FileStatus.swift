// Values of the file system: the status of a file, its identity, open descriptors and the parts of paths.

/// The status of a file.
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
  package var owner: UInt32 = 0
  package var group: UInt32 = 0
  /// The number of names of the file.
  package var linkCount: UInt64 = 1
  package var device: UInt64 = 0
  package var inode: UInt64
  /// The time of the last change in seconds and nanoseconds.
  package var modificationSeconds: Int64
  package var modificationNanoseconds: Int64
  /// The time of the last change of anything about the file, which no program can set.
  package var changeSeconds: Int64 = 0
  package var changeNanoseconds: Int64 = 0

  /// The identity that distinguishes the file from others, and from itself after a change.
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

/// The status of a file system.
package struct VolumeStatus: Hashable, Sendable {
  /// The number of bytes that this user may still write; `nil` if the file system does not report it.
  package var freeByteCount: UInt64?
  /// The unit in which blocks can be shared, a power of two on all systems known.
  package var blockSize: UInt64

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

/// The way in which a file is opened.
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

  /// The extension after the last point of the name. A hidden file such as `.mov` has none.
  package var fileExtension: Substring? { point.map { name[$0...].dropFirst() } }

  /// The path without its extension.
  package var withoutExtension: Substring { point.map { text[..<$0] } ?? text[...] }

  private var point: String.Index? { name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil } }
}
