import MovieBox

/// A stream of the process that took no more: not a file that the command works on is to blame.
struct StreamError: Error {
  /// `standard output` or `standard error`.
  let stream: String
  /// What the system answered.
  let answer: SystemError

  /// Whether whoever read the stream has gone, as `head` does when it has seen enough.
  var isClosedPipe: Bool { answer.code == .brokenPipe }
}
