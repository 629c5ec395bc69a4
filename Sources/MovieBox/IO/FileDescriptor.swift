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
