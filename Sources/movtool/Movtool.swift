import MovieBox
import MovieWriter

@main
struct Movtool {
  /// When that version was made, for the manual page.
  static let versionDate = "2026-11-23"

  nonisolated static func main() {
    SystemCalls.catchStopSignals()
    SystemCalls.exit(run(Array(CommandLine.arguments.dropFirst()), in: .process()).rawValue)
  }

  /// Runs the command that `words` spell, and says why when it fails.
  static func run(_ words: [String], in context: Context) -> ExitCode {
    var context = context
    context.words = words
    context.streamsMovie = CommandTable.streamsMovie(words)
    context.printsJSONLines = CommandTable.answersInLines(words)
    context.command = words.first.flatMap { name in CommandTable.all.contains { $0.name == name } ? name : nil }
    do {
      return try runCommand(words, in: context)
    } catch {
      // Where standard output is what failed, the message goes to the other stream.
      let canAnswer = context.streamsMovie || !(error is StreamError)
      let asJSON = canAnswer && words.prefix { $0 != "--" }.contains("--json")
      // Whoever reads a list may have seen enough of it, as `head` has; a movie that was not taken whole is of no use.
      if let stream = error as? StreamError, stream.isClosedPipe, !context.streamsMovie { return .inputOutput }
      return tell(error, asJSON: asJSON, in: context)
    }
  }

  /// Says why the command failed; gives its exit code.
  private static func tell(_ failure: any Error, asJSON: Bool, in context: Context) -> ExitCode {
    let answer = ToolError(failure)
    do {
      try context.report(answer, asJSON: asJSON)
      return answer.exitCode
    } catch {
      // The stream that would take the message is gone; under `--json` a person can still read it.
      if asJSON { _ = tell(failure, asJSON: false, in: context) }
      return .inputOutput
    }
  }

  private static func runCommand(_ words: [String], in context: Context) throws -> ExitCode {
    guard let name = words.first else {
      for line in HelpText.overview() { try context.say(line) }
      return .usage
    }
    switch name {
    case "--version":
      if words.contains("--json") {
        try context.printJSON { $0.member("version", movtoolVersion) }
      } else {
        try context.print(["movtool \(movtoolVersion)"])
      }
      return .done
    case "-h", "--help":
      try context.print(HelpText.overview())
      return .done
    default: break
    }
    guard !name.hasPrefix("-") else { throw UsageError(.unknownOption, unknownOption(name)) }
    let command = try CommandTable.command(named: name)
    let rest = Array(words.dropFirst())
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "-h" || $0 == "--help" }) {
      try context.print(HelpText.manual(of: command))
      return .done
    }
    return try run(command, rest, in: context)
  }

  private static func run<Work: Command>(
    _ command: Work.Type, _ words: [String], in context: Context
  ) throws -> ExitCode {
    let (work, limits) = try command.parse(words)
    var context = context
    context.limits = limits
    do {
      return try work.run(in: context)
    } catch var error as UsageError {
      // What only the movie or a file shows to be wrong, such as a selector that matches no track.
      error.command = Work.name
      throw error
    }
  }

  private static func unknownOption(_ word: String) -> String {
    let known = ["version", "help"]
    return "unknown option \(word)"
      + Suggestion.clause(
        for: String(word.drop { $0 == "-" }), among: known, otherwise: "; the first word names a command"
      ) { "--" + $0 }
  }
}

/// All commands, in the order of help.
enum CommandTable {
  static let all: [any Command.Type] = [
    InspectCommand.self, MetadataCommand.self, ChaptersCommand.self, AddSubtitleCommand.self, ExtractCommand.self,
    AddTrackCommand.self,
    RemoveCommand.self,
    SetCommand.self, RetimeCommand.self, LinkCommand.self, RemuxCommand.self, SelectCommand.self, ValidateCommand.self,
    DiffCommand.self, HLSCommand.self, HTMLCommand.self, ServeCommand.self,
    CompletionsCommand.self, HelpCommand.self,
  ]

  /// What people do not type.
  static let hidden: [any Command.Type] = [CompleteCommand.self]

  /// The command of this name.
  static func command(named name: String) throws(UsageError) -> any Command.Type {
    for command in all + hidden where command.name == name { return command }
    let question = Suggestion.clause(for: name, among: all.map { $0.name } + ["--version"])
    throw UsageError(.unknownCommand, "unknown command \(name)\(question)")
  }

  /// Whether a command line asks for several answers, of which each is a line of JSON.
  static func answersInLines(_ words: [String]) -> Bool {
    words.first == AddSubtitleCommand.name && words.prefix { $0 != "--" }.contains("--pair")
  }

  /// Whether a command line asks for a movie on standard output. Known before it is understood, so that a message about
  /// its words does not get into that movie either; a plan is not a movie, and neither is what commands without `-o`
  /// give.
  static func streamsMovie(_ words: [String]) -> Bool {
    let options = words.dropFirst().prefix { $0 != "--" }
    let isAsked = options.contains("-o=-") || zip(options, options.dropFirst()).contains { $0 == ("-o", "-") }
    guard isAsked, !options.contains("--dry-run") else { return false }
    return all.contains { command in
      command.name == words.first && command.manual.options.contains { $0.name == "o" }
    }
  }
}
