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
