// File errors: the error of a system call, and the error that names the user's file.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An error that concerns a whole file. For example, the file is missing, locked or exists already, or the disk failed.
///
/// ``MovieError`` describes errors in the contents of the file. `description` is the message for the user and contains
/// the file name.
public struct FileError: Error, Hashable, Sendable {
  /// The kind of error. Later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code in `--json` output.
    public let rawValue: String

    /// Creates a code.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The input is missing, unreadable or not an ordinary file.
    public static let noInput = Code(rawValue: "no-input")
    /// The file to be edited in place is not writable.
    public static let notWritable = Code(rawValue: "not-writable")
    /// The output cannot be created at the requested path, or the disk is full.
    public static let cannotCreate = Code(rawValue: "cannot-create")
    /// The output exists, and the caller did not request its replacement.
    public static let exists = Code(rawValue: "exists")
    /// Another program has locked the file.
    public static let locked = Code(rawValue: "locked")
    /// The file has changed since it was read.
    public static let changed = Code(rawValue: "changed")
    /// Reading or writing failed.
    public static let inputOutput = Code(rawValue: "input-output")

    /// Whether another attempt may succeed after the file is reopened. This applies to errors that occur because
    /// another program uses the file.
    public var isTransient: Bool { self == .locked || self == .changed }
  }

  /// The kind of error.
  public var code: Code
  /// The file name as the caller wrote it.
  public var path: String
  /// The message, without the file name.
  public var reason: String
  /// Whether the disk or the quota is full. In this case, writing fewer bytes may succeed.
  package var isOutOfSpace = false

  /// Creates an error for the file at `path`.
  public init(_ code: Code, _ path: String, _ reason: String) {
    self.code = code
    self.path = path
    self.reason = reason
  }

  /// Creates an error from a system error for the file at `path`.
  package init(_ code: Code, _ path: String, _ error: SystemError) {
    self.init(code, path, error.description)
    isOutOfSpace = [.noSpace, .quotaExceeded].contains(error.code)
  }
}

extension FileError: CustomStringConvertible {
  /// The name and reason, such as `film.mov: cannot write: No space left on device`.
  public var description: String { "\(path): \(reason)" }
}

/// The error of a system call.
package struct SystemError: Error, Hashable, Sendable {
  /// The error codes that callers distinguish, with the values of the operating system.
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

  /// The operation that failed, as a verb phrase that follows "cannot", such as `open` or `write`.
  package let operation: String
  /// The error code of the operating system.
  package let code: Code

  package init(_ operation: String, _ code: Code) {
    self.operation = operation
    self.code = code
  }

  /// Whether the code means that the operating system or the file system does not support the call.
  package var meansUnsupported: Bool {
    switch code {
    case .unsupported, .unsupportedAttribute, .notImplemented, .notATerminal, .invalid: true
    default: false
    }
  }
}

extension SystemError: CustomStringConvertible {
  /// The operation and the message of the operating system, such as `cannot write: No space left on device`.
  package var description: String {
    var text = [CChar](repeating: 0, count: 256)
    // SAFETY: the call writes at most `text.count` bytes, including a terminator.
    let result = unsafe strerror_r(code.rawValue, &text, text.count)
    let message = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "cannot \(operation): \(result == 0 ? message : "error \(code.rawValue)")"
  }
}
