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
