import MovieBox

/// One thing that movtool does, named by the first word of the command line.
///
/// A command turns words into typed values when it is made and touches nothing until it runs.
protocol Command: Sendable {
  /// Its name: the first word of a command line. Apart from the manual, which takes longer to make.
  static var name: String { get }

  /// Its operands, options and examples.
  static var manual: CommandManual { get }

  /// Turns words into typed values; throws when they make no sense, without looking at any file.
  init(_ arguments: Arguments) throws(UsageError)

  /// Does the work, and writes the answer to the context's output.
  func run(in context: Context) throws -> ExitCode
}

/// What parsing and help know about a command.
struct CommandManual: Sendable {
  /// A command line that works, and what it does.
  struct Example: Sendable {
    let line: String
    let effect: String
  }

  /// The operands as help shows them, such as `IN SUB…`.
  let operands: String
  /// One line: what the command does.
  let summary: String
  /// Two or three; help begins with them.
  let examples: [Example]
  /// The options, in the order of help.
  let options: [OptionSpec]
  /// The index of the first operand that options of scope `.operand` can follow.
  var firstInput = 0
  /// What help says after the options.
  var notes: [String] = []
}

extension Command {
  /// Makes the command from the words after its name, and says how much of files it may take.
  static func parse(_ words: [String]) throws(UsageError) -> (command: Self, limits: ReadingLimits) {
    do throws(UsageError) {
      let options = manual.options + OptionSpec.ofEveryCommand + [OptionSpec("h", "show this help")]
      let arguments = try Arguments(words, table: options, firstInput: manual.firstInput)
      let limits = try arguments.value("limits").map { text throws(UsageError) in try ReadingLimits(text) }
      return (try Self(arguments), limits ?? ReadingLimits())
    } catch {
      var error = error
      error.command = name
      throw error
    }
  }
}
