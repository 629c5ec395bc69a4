// The errors of files: what the operating system reported for a call, and what it means for the file of the user.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An error of a file as a whole: it is missing, in use or in the way, or the disk refused.
///
/// ``MovieError`` tells what is wrong inside. Equality serves tests. `description` is the line that a person reads,
/// the file's name included.
public struct FileError: Error, Hashable, Sendable {
  /// The kind of trouble. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The name that `--json` shows.
    public let rawValue: String

    /// A code with this name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The input is missing, unreadable or no ordinary file.
    public static let noInput = Code(rawValue: "no-input")
    /// The file to be edited in place may not be written.
    public static let notWritable = Code(rawValue: "not-writable")
    /// The output cannot be created where it was asked for, or there is too little room.
    public static let cannotCreate = Code(rawValue: "cannot-create")
    /// The output exists, and replacing it was not asked for.
    public static let exists = Code(rawValue: "exists")
    /// Another program holds the file's lock.
    public static let locked = Code(rawValue: "locked")
    /// The file is no longer what was read.
    public static let changed = Code(rawValue: "changed")
    /// Reading or writing failed.
    public static let inputOutput = Code(rawValue: "input-output")

    /// Whether the same may work a moment later, from opening the file on: another program was at it.
    public var isTransient: Bool { self == .locked || self == .changed }
  }

  /// The kind of trouble.
  public var code: Code
  /// The file's name as it was given.
  public var path: String
  /// One sentence with the names and numbers.
  public var reason: String
  /// Whether there is too little room on the disk, or under a quota: less to write may go there.
  package var isOutOfSpace = false

  /// An error with the file that `path` names.
  public init(_ code: Code, _ path: String, _ reason: String) {
    self.code = code
    self.path = path
    self.reason = reason
  }

  /// The system's error for the file at `path`.
  package init(_ code: Code, _ path: String, _ error: SystemError) {
    self.init(code, path, error.description)
    isOutOfSpace = [.noSpace, .quotaExceeded].contains(error.code)
  }
}

extension FileError: CustomStringConvertible {
  /// Name and reason: `film.mov: cannot write: No space left on device`.
  public var description: String { "\(path): \(reason)" }
}

/// The error of the operating system for a call that it refused.
package struct SystemError: Error, Hashable, Sendable {
  /// The kinds of refusal that callers distinguish; the number is the system's own.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    package static let notPermitted = Code(rawValue: EPERM)
    package static let notFound = Code(rawValue: ENOENT)
    package static let notEmpty = Code(rawValue: ENOTEMPTY)
    package static let inputOutput = Code(rawValue: EIO)
    package static let accessDenied = Code(rawValue: EACCES)
    package static let exists = Code(rawValue: EEXIST)
    package static let invalid = Code(rawValue: EINVAL)
    package static let notATerminal = Code(rawValue: ENOTTY)
    package static let noSpace = Code(rawValue: ENOSPC)
    package static let quotaExceeded = Code(rawValue: EDQUOT)
    package static let notImplemented = Code(rawValue: ENOSYS)
    package static let noLocks = Code(rawValue: ENOLCK)
    package static let badDescriptor = Code(rawValue: EBADF)
    package static let unsupported = Code(rawValue: EOPNOTSUPP)
    package static let unsupportedAttribute = Code(rawValue: ENOTSUP)
    package static let wouldBlock = Code(rawValue: EWOULDBLOCK)
    package static let brokenPipe = Code(rawValue: EPIPE)
    package static let tooManyLinks = Code(rawValue: EMLINK)
  }

  /// The call, in a verb that follows "cannot": `open`, `write`.
  package let operation: String
  /// The number that the system gave.
  package let code: Code

  package init(_ operation: String, _ code: Code) {
    self.operation = operation
    self.code = code
  }

  /// Whether the refusal means that the system or the file system lacks the call, rather than that it went wrong.
  package var meansUnsupported: Bool {
    switch code {
    case .unsupported, .unsupportedAttribute, .notImplemented, .notATerminal, .invalid: true
    default: false
    }
  }
}

extension SystemError: CustomStringConvertible {
  /// `cannot write: No space left on device`.
  package var description: String {
    var text = [CChar](repeating: 0, count: 256)
    // SAFETY: the call writes at most the array's count of bytes, a terminator included.
    let result = unsafe strerror_r(code.rawValue, &text, text.count)
    let message = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "cannot \(operation): \(result == 0 ? message : "error \(code.rawValue)")"
  }
}
