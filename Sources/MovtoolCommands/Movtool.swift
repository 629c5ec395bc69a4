import MovieBox
import MovieWriter

/// The command-line tool: runs one command and returns its exit code.
///
/// ``run(_:in:)`` accesses the process only through a ``Context``, so tests run complete command lines in memory. The
/// answer of a command may be a movie, and messages must not be written to the same stream. So the streams are selected
/// before the command line is parsed.
package enum Movtool {
  /// The release date of this version, for the manual page.
  static let versionDate = "2026-11-23"

  /// Runs a command line. Reports the error if the command fails, and returns the exit code.
  package static func run(_ words: [String], in context: Context) -> ExitCode {
    let context = prepared(context, for: words)
    do {
      return try runCommand(words, in: context)
    } catch {
      // A reader such as `head` may close the pipe before it has read the whole answer. This is reported as an error
      // only if the answer is a movie, because a part of a movie is useless.
      if let stream = error as? StreamError, stream.isClosedPipe, !context.streamsMovie { return .inputOutput }
      return report(error, of: words, in: context)
    }
  }

  /// Returns the context with the properties that depend on the command line.
  private static func prepared(_ context: Context, for words: [String]) -> Context {
    var context = context
    context.words = words
    context.streamsMovie = CommandTable.streamsMovie(words)
    context.printsJSONLines = context.printsJSONLines || CommandTable.answersInLines(words)
    context.command = words.first.flatMap { name in CommandTable.all.contains { $0.name == name } ? name : nil }
    return context
  }

  /// Rejects a command line without running it. Returns the exit code.
  static func reject(_ words: [String], with error: UsageError, in context: Context) -> ExitCode {
    var context = prepared(context, for: words)
    context.streamsMovie = false
    var error = error
    error.command = context.command
    return report(error, of: words, in: context)
  }

  /// Reports the error of a command line, as JSON with `--json`, and returns its exit code.
  private static func report(_ error: any Error, of words: [String], in context: Context) -> ExitCode {
    // If writing to standard output failed, the error is written to standard error as text.
    let canPrintError = context.streamsMovie || !(error is StreamError)
    let isJSON = context.reportsErrorsAsJSON || words.prefix { $0 != "--" }.contains("--json")
    let asJSON = canPrintError && isJSON
    return printError(error, asJSON: asJSON, in: context)
  }

  /// Reports the error and returns its exit code.
  private static func printError(_ failure: any Error, asJSON: Bool, in context: Context) -> ExitCode {
    let answer = ToolError(failure)
    do {
      try context.report(answer, asJSON: asJSON)
      return answer.exitCode
    } catch {
      // If the error cannot be written as JSON to standard output, write it to standard error, which may still work.
      if asJSON { _ = printError(failure, asJSON: false, in: context) }
      return .inputOutput
    }
  }

  private static func runCommand(_ words: [String], in context: Context) throws -> ExitCode {
    guard let name = words.first else {
      for line in HelpText.overview() { try context.printMessage(line) }
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
    return try command.run(rest, in: context)
  }

  private static func unknownOption(_ word: String) -> String {
    let options = ["version", "help"]
    return "unknown option \(word)"
      + Suggestion.clause(
        for: String(word.drop { $0 == "-" }), among: options, otherwise: "; the first word must be a command"
      ) { "--" + $0 }
  }
}

extension Command {
  /// Runs the command with the words after its name. If the words name several movies, runs the command for each movie.
  static func run(_ words: [String], in context: Context) throws -> ExitCode {
    var parsed: Arguments?
    do {
      let arguments = try arguments(words)
      parsed = arguments
      var context = context
      context.limits = try ReadingLimits(arguments)
      guard runsForEachMovie(arguments) else { return try Self(arguments).run(in: context) }
      if try ManyMovies.areNamed(by: arguments.operands, in: context) {
        return try ManyMovies.run(Self.self, arguments, in: context)
      }
      return try Self(ManyMovies.fillingOutputTemplate(of: arguments)).run(in: context)
    } catch let error as UsageError {
      throw addingCommandName(to: error, parsed)
    }
  }
}

/// The commands in the order of help, and properties of a command line that must be known before it is parsed.
enum CommandTable {
  static let all: [any Command.Type] = [
    InspectCommand.self, MetadataCommand.self, TimedCommand.self, ChaptersCommand.self, AddSubtitleCommand.self,
    AddCaptionsCommand.self,
    ExtractCommand.self, AddTrackCommand.self, RemoveCommand.self, SetCommand.self, RetimeCommand.self,
    LinkCommand.self, RemuxCommand.self, SelectCommand.self, ValidateCommand.self,
    DiffCommand.self, HLSCommand.self, HTMLCommand.self, ServeCommand.self, BatchCommand.self,
    CompletionsCommand.self, HelpCommand.self,
  ]

  /// Commands that only scripts call.
  static let hiddenCommands: [any Command.Type] = [CompleteCommand.self]

  static func command(named name: String) throws(UsageError) -> any Command.Type {
    for command in all + hiddenCommands where command.name == name { return command }
    let names = all.map { $0.name } + ["--version"]
    if Suggestion.synonym(of: name, among: names) == nil, let guidance = Guidance.guidance(for: name) {
      throw UsageError(.unknownCommand, "unknown command \(name)\(guidance.clause)", guidance: guidance.hint)
    }
    let question = Suggestion.clause(for: name, among: names)
    throw UsageError(.unknownCommand, "unknown command \(name)\(question)")
  }

  /// Whether the command prints several answers, each as one line of JSON.
  static func answersInLines(_ words: [String]) -> Bool {
    (words.first == AddSubtitleCommand.name || words.first == AddCaptionsCommand.name)
      && words.prefix { $0 != "--" }.contains("--pair")
  }

  /// Whether the command writes a movie to standard output. This is the case for `-o -` without `--dry-run`, if the
  /// command has `-o`.
  ///
  /// Accepts invalid command lines, because their error messages must not be written into the movie.
  static func streamsMovie(_ words: [String]) -> Bool {
    outputPath(words) == "-" && !words.prefix { $0 != "--" }.contains("--dry-run")
  }

  /// Returns the value of `-o`, or `nil` if the option is missing or the command does not have it. The command line
  /// need not be valid.
  static func outputPath(_ words: [String]) -> String? {
    let options = words.dropFirst().prefix { $0 != "--" }
    let joined = options.first { $0.hasPrefix("-o=") }.map { String($0.dropFirst(3)) }
    guard let path = joined ?? zip(options, options.dropFirst()).first(where: { $0.0 == "-o" })?.1 else { return nil }
    let hasOption = all.contains { $0.name == words.first && $0.manual.options.contains { $0.name == "o" } }
    return hasOption ? path : nil
  }
}
