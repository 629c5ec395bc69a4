// Types for files: the status of files and volumes, file descriptors, access modes and paths.

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
  /// The low twelve bits of the mode. They contain the permissions and the set-ID and sticky bits.
  package var mode: UInt32
  package var owner: UInt32 = 0
  package var group: UInt32 = 0
  /// The number of hard links.
  package var linkCount: UInt64 = 1
  package var device: UInt64 = 0
  package var inode: UInt64
  /// The modification time in seconds and nanoseconds.
  package var modificationSeconds: Int64
  package var modificationNanoseconds: Int64
  /// The time of the last status change. No program can set this time.
  package var changeSeconds: Int64 = 0
  package var changeNanoseconds: Int64 = 0

  /// The identity of the file's current contents. It changes with every modification.
  package var identity: SourceIdentity {
    SourceIdentity(
      byteCount: byteCount,
      tag: "\(device)-\(inode)-\(modificationSeconds).\(modificationNanoseconds)-\(changeSeconds).\(changeNanoseconds)",
      modificationSeconds: modificationSeconds)
  }

  /// Whether both values describe the same file. The file may have been modified between them.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode
  }
}

extension FileStatus {
  /// Creates the status of an imaginary file, for tests.
  package init(kind: Kind, byteCount: UInt64, mode: UInt32, inode: UInt64, modificationSeconds: Int64) {
    self.init(
      kind: kind, byteCount: byteCount, mode: mode, inode: inode, modificationSeconds: modificationSeconds,
      modificationNanoseconds: 0)
  }
}

/// The status of a file system.
package struct VolumeStatus: Hashable, Sendable {
  /// The free space for this user in bytes, or `nil` if the file system does not report it.
  package var freeByteCount: UInt64?
  /// The block size for sharing blocks between files. It is a power of two on all known systems.
  package var blockSize: UInt64

  package init(freeByteCount: UInt64?, blockSize: UInt64) {
    self.freeByteCount = freeByteCount
    self.blockSize = blockSize
  }

  /// Throws if the file system at `path` has fewer than `byteCount` free bytes.
  package func requireRoom(for byteCount: UInt64, at path: String) throws(FileError) {
    guard let free = freeByteCount, byteCount > free else { return }
    var error = FileError(.cannotCreate, path, "needs \(byteCount) bytes, but only \(free) are free")
    error.isOutOfSpace = true
    throw error
  }
}

/// The descriptor of an open file. A descriptor does not close its file: the caller that opened the file must close it.
package struct FileDescriptor: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  package static let standardInput = FileDescriptor(rawValue: 0)
  /// The stream for results.
  package static let standardOutput = FileDescriptor(rawValue: 1)
  /// The stream for notes, warnings and progress.
  package static let standardError = FileDescriptor(rawValue: 2)
}

/// The mode in which a file is opened.
package enum FileAccess: Hashable, Sendable {
  /// For reading. Opening a pipe that has no writer does not block.
  case reading
  /// For reading. Opening a pipe blocks until the pipe has a writer, and reading blocks until data arrives.
  case waiting
  /// For reading and writing an existing file.
  case updating
  /// For reading and writing a new file. The umask applies to the mode.
  case creating(mode: UInt32)
  /// For reading and writing a new file without a name in its folder. If no link to the file is created, the file
  /// disappears when it is closed. The umask applies to the mode.
  case unnamed(mode: UInt32)
  /// For synchronizing a folder.
  case folder
}

/// A path, and the name and extension of its file.
package struct FilePath {
  package let text: String
  package let folder: String
  /// Whether the last component can be a file name: it is not empty, `.` or `..`.
  package let isFile: Bool

  package init(_ text: String) {
    self.text = text
    let slash = text.utf8.lastIndex(of: UInt8(ascii: "/"))
    let last = slash.map { text[text.utf8.index(after: $0)...] } ?? text[...]
    folder = slash.map { $0 == text.startIndex ? "/" : String(text[..<$0]) } ?? "."
    isFile = !last.isEmpty && last != "." && last != ".." && !text.utf8.contains(0)
  }

  /// The last component, without trailing slashes.
  package var name: Substring { text.utf8.split(separator: UInt8(ascii: "/")).last.map { Substring($0) } ?? "" }

  package var stem: Substring { point.map { name[..<$0] } ?? name }

  /// The extension after the last period of the name, or `nil` if there is no extension. A hidden file such as `.mov`
  /// has no extension.
  package var fileExtension: Substring? { point.map { name[$0...].dropFirst() } }

  package var withoutExtension: Substring { point.map { text[..<$0] } ?? text[...] }

  private var point: String.Index? { name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil } }
}
