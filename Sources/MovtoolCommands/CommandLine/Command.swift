import MovieBox

/// A command of movtool, named by the first word of the command line.
///
/// The initializer parses words into typed values without reading files. ``run(in:)`` does all the work.
protocol Command: Sendable {
  /// The first word of a command line. It is separate from the manual, because creating the manual takes longer.
  static var name: String { get }

  /// The operands, options and examples of the command.
  static var manual: CommandManual { get }

  /// Parses the words into typed values without reading files. Throws if the words are invalid.
  init(_ arguments: Arguments) throws(UsageError)

  /// Whether the command line may name several movies and folders. The command then runs once for each movie.
  static func runsForEachMovie(_ arguments: Arguments) -> Bool

  /// Whether the command leaves the movies that it names unchanged.
  var isReadOnly: Bool { get }

  /// Runs the command and writes the result to the context's output.
  func run(in context: Context) throws -> ExitCode
}

/// The description of a command that parsing, help and completion share.
struct CommandManual: Sendable {
  /// A working command line and its effect.
  struct Example: Sendable {
    let line: String
    let effect: String
  }

  /// The operands as the help text shows them, such as `IN SUB…`.
  let operands: String
  /// The number of required operands, which precede the first optional or repeated operand.
  var operandCount: Int { operands.split(separator: " ").prefix { !$0.hasPrefix("[") && !$0.hasPrefix("-") }.count }

  /// The purpose of the command, in one line.
  let summary: String
  /// Two or three examples, with which the help text begins.
  let examples: [Example]
  /// The options, in the order of help.
  let options: [OptionSpec]
  /// The index of the first operand that options of scope `.operand` can follow.
  var firstInput = 0
  /// The options of similar commands that this command does not accept, each with the reason.
  var refusedOptions: [String: String] = [:]
  /// Paragraphs of help after the options.
  var notes: [String] = []
}

extension Command {
  static func runsForEachMovie(_ arguments: Arguments) -> Bool { false }

  var isReadOnly: Bool { false }

  /// Creates the command from the words after its name. Returns the command and the limits that `--limits` sets.
  static func parse(_ words: [String]) throws(UsageError) -> (command: Self, limits: ReadingLimits) {
    var parsed: Arguments?
    do throws(UsageError) {
      let arguments = try arguments(words)
      parsed = arguments
      return (try Self(arguments), try ReadingLimits(arguments))
    } catch {
      throw addingCommandName(to: error, parsed)
    }
  }

  /// Adds the name of the command, and advice, to an error in the command line.
  static func addingCommandName(to error: UsageError, _ arguments: Arguments?) -> UsageError {
    var error = error
    error.command = name
    if error.code == .unexpectedOperand, error.guidance == nil, let arguments {
      error.guidance = OperandAdvice.line(name, arguments, after: manual.operandCount)
    }
    return error
  }

  /// Sorts the words after the command's name into options and operands.
  static func arguments(_ words: [String]) throws(UsageError) -> Arguments {
    let options = manual.options + OptionSpec.commonOptions + [OptionSpec("h", "show this help")]
    return try Arguments(words, table: options, firstInput: manual.firstInput, refusing: manual.refusedOptions)
  }
}

extension ReadingLimits {
  /// Creates the limits that `--limits` sets, or the defaults.
  init(_ arguments: Arguments) throws(UsageError) {
    self = try arguments.value("limits").map { text throws(UsageError) in try ReadingLimits(text) } ?? ReadingLimits()
  }
}
