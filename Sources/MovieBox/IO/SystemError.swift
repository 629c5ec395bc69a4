#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the operating system answered when it refused a call.
package struct SystemError: Error, Hashable, Sendable {
  /// The kinds of refusal that callers distinguish; the number is the system's own.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    package static let notPermitted = Code(rawValue: EPERM)
    package static let notFound = Code(rawValue: ENOENT)
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
