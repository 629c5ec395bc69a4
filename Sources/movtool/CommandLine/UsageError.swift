/// What is wrong with a command line.
struct UsageError: Error, Equatable, Sendable {
  /// The kind of mistake.
  enum Code: String, Sendable {
    case unknownCommand = "unknown-command"
    case unknownOption = "unknown-option"
    case missingValue = "missing-value"
    case unexpectedValue = "unexpected-value"
    case invalidValue = "invalid-value"
    case repeatedOption = "repeated-option"
    case conflict = "conflicting-options"
    case missingOperand = "missing-operand"
    case unexpectedOperand = "unexpected-operand"
    /// The tracks of the movie do not allow what is asked for.
    case invalidEdit = "invalid-edit"
    case notSupported = "not-supported"
    /// A selector that matches no track, or a path that leads to no atom.
    case noMatch = "no-match"
    /// A selector that matches several tracks.
    case ambiguous = "ambiguous"
  }

  /// The kind of mistake.
  let code: Code
  /// One sentence, without the command's name.
  let message: String
  /// The command whose help says more; `nil` when none was named.
  var command: String?

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Where help is.
  var hint: String {
    if code == .unknownCommand { return "movtool help lists the commands" }
    return "see movtool help" + (command.map { " " + $0 } ?? "")
  }
}
