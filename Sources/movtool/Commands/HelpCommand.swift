/// `movtool help [COMMAND]`.
struct HelpCommand: Command {
  static let manual = CommandManual(
    name: "help",
    operands: "[COMMAND]",
    summary: "shows what a command does and its options",
    examples: [
      .init(line: "movtool help", effect: "lists the commands"),
      .init(line: "movtool help add-subtitle", effect: "shows all about one of them"),
    ],
    options: [])

  private let subject: (any Command.Type)?

  init(_ arguments: Arguments) throws(UsageError) {
    guard arguments.operands.count <= 1 else {
      throw UsageError(.unexpectedOperand, "one command at a time, \(arguments.operands.count) are named")
    }
    if let name = arguments.operands.first {
      subject = try CommandTable.command(named: name)
    } else {
      subject = nil
    }
  }

  func run(in context: Context) throws -> ExitCode {
    try context.print(subject.map { HelpText.manual(of: $0.manual) } ?? HelpText.overview())
    return .done
  }
}

/// What `help` and `--help` show, made from the tables that parsing uses.
enum HelpText {
  /// All commands in a line each.
  static func overview() -> [String] {
    var lines = ["movtool reads and edits QuickTime and MP4 movies without touching their media.", "", "Examples:"]
    lines += CommandTable.all.compactMap { $0.manual.examples.first }.dropLast().map { "  " + $0.line }
    lines += ["", "Commands:"]
    lines += columns(CommandTable.all.map { ("\($0.manual.name) \($0.manual.operands)", $0.manual.summary) })
    lines += ["", "movtool help COMMAND shows examples and options; movtool --version the version."]
    return lines
  }

  /// Examples, use and options of one command.
  static func manual(of manual: CommandManual) -> [String] {
    var lines = ["Examples:"]
    for example in manual.examples { lines += ["  " + example.line, "      " + example.effect] }
    lines += ["", "movtool \(manual.name) \(manual.operands)", "  " + manual.summary]
    lines += options(
      "Options of subtitles: before the first SUB for all, after a SUB for that one",
      manual.options.filter { $0.scope == .input })
    lines += options("Options", manual.options.filter { $0.scope == .command } + [.help])
    if !manual.notes.isEmpty { lines += [""] + manual.notes }
    return lines
  }

  private static func options(_ title: String, _ specs: [OptionSpec]) -> [String] {
    let shown = specs.filter { $0.refusal == nil }
    return shown.isEmpty ? [] : ["", title + ":"] + columns(shown.map { ($0.usage, $0.help) })
  }

  private static func columns(_ rows: [(String, String)]) -> [String] {
    var table = TextTable([.init(""), .init("")])
    for row in rows { table.add([row.0, row.1]) }
    return table.lines.dropFirst().map { "  " + $0 }
  }
}

extension OptionSpec {
  fileprivate static let help = OptionSpec("help", "show this, also -h")
}
