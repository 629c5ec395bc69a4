// The ways in which a command ends: exit codes, and the errors of a wrong command line and of a closed stream.

import MovieBox

/// The exit codes of the process; those above 63 are from BSD's sysexits.h.
enum ExitCode: Int32, CaseIterable, Sendable {
  /// Done, warnings or not.
  case done = 0
  /// The answer is "no"; under `--strict`, there were warnings, and nothing was written.
  case no = 1
  /// The command line is wrong.
  case usage = 64
  /// A movie or subtitle file that cannot be used.
  case badData = 65
  /// No such input, or one that may not be read.
  case noInput = 66
  /// A fault of movtool itself.
  case internalError = 70
  /// The output cannot be created.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Interrupted; 128 and the number of SIGINT.
  case interrupted = 130

  /// What it means to a person; `Docs/limits.md` and the manual page have these words.
  var meaning: String {
    switch self {
    case .done: "done; there may be warnings"
    case .no:
      "check failed, or differences found: validate found errors or warnings, diff differences, extract no text, "
        + "chapters --export no chapters, metadata --artwork -o no picture (validate --fix ends with 0, whatever is left to decide); or --strict and warnings: nothing was written"
    case .usage: "the command line is wrong"
    case .badData: "a movie or subtitle file that cannot be used"
    case .noInput: "no such input"
    case .internalError: "internal error"
    case .cannotCreate: "the output cannot be created"
    case .inputOutput: "reading or writing failed"
    case .interrupted: "interrupted"
    }
  }
}

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

/// The error of a stream of the process, as opposed to a file that the command works on.
struct StreamError: Error {
  /// `standard output` or `standard error`.
  let stream: String
  /// The error of the system.
  let answer: SystemError

  /// Whether whoever read the stream has gone, as `head` does when it has seen enough.
  var isClosedPipe: Bool { answer.code == .brokenPipe }
}
