import MovieBox
import MovieWriter

/// `movtool help [COMMAND]`.
struct HelpCommand: Command {
  static let name = "help"

  static let manual = CommandManual(
    operands: "[COMMAND]",
    summary: "show a command's examples and options",
    examples: [
      .init(line: "movtool help add-subtitle", effect: "show examples and options of a command"),
      .init(line: "movtool help limits", effect: "list the limits and their defaults"),
      .init(line: "movtool help man", effect: "print the manual page"),
    ],
    options: [OptionSpec("json", "print the commands and their options as JSON")])

  /// The topic of help: a command, or a page such as the limits.
  private enum Subject {
    case all
    case command(any Command.Type)
    case limits
    case manualPage
  }

  private let subject: Subject
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    guard arguments.operands.count <= 1 else {
      throw UsageError(.unexpectedOperand, "specify one command, not \(arguments.operands.count)")
    }
    isJSON = arguments.contains("json")
    switch arguments.operands.first {
    case nil: subject = .all
    case "limits": subject = .limits
    case "man": subject = .manualPage
    case let name?: subject = .command(try CommandTable.command(named: name))
    }
    guard isJSON else { return }
    switch subject {
    case .all, .command: break
    case .limits, .manualPage:
      throw UsageError(.conflict, "help limits and help man have no JSON output; use --json with help or help COMMAND")
    }
  }

  func run(in context: Context) throws -> ExitCode {
    switch subject {
    case .all where isJSON: try Self.printJSON(CommandTable.all, in: context)
    case .all: try context.print(HelpText.overview())
    case .command(let command) where isJSON: try Self.printJSON([command], in: context)
    case .command(let command): try context.print(HelpText.manual(of: command))
    case .limits: try context.print(HelpText.limits())
    case .manualPage: try context.print(ManualPage.lines())
    }
    return .done
  }
}

// MARK: - JSON

extension HelpCommand {
  private static func printJSON(_ commands: [any Command.Type], in context: Context) throws {
    try context.printJSON { json in
      json.member("version", movtoolVersion)
      json.objects("commands", of: commands) { $0.write(to: &$1) }
    }
  }
}

extension Command {
  /// Writes the members of the command.
  fileprivate static func write(to json: inout JSONWriter) {
    json.member("name", name)
    json.member("operands", manual.operands)
    json.member("summary", manual.summary)
    json.objects("examples", of: manual.examples) { example, json in
      json.member("line", example.line)
      json.member("effect", example.effect)
    }
    json.objects("options", of: manual.options + OptionSpec.commonOptions) { $0.write(to: &$1) }
  }
}

extension OptionSpec {
  /// Writes the members of the option.
  fileprivate func write(to json: inout JSONWriter) {
    json.member("spelling", spelling)
    json.member("help", help)
    json.member("value", value?.name)
    if case .words(let words) = value?.kind { json.member("words", words) } else { json.memberNull("words") }
    json.member("flags", flags.map { "--" + $0 })
    json.member("isRepeatable", isRepeatable)
    json.member("isOfOperand", scope == .operand)
  }
}

/// The text of `help` and `--help`, generated from the tables that parsing uses.
enum HelpText {
  /// Returns the list of commands, with one line for each command.
  static func overview() -> [String] {
    var lines = [
      "movtool edits QuickTime and MP4 movies without changing their video and audio.", "", "Examples:",
    ]
    let ofMovies = CommandTable.all.filter { $0 != CompletionsCommand.self && $0 != HelpCommand.self }
    lines += ofMovies.compactMap { $0.manual.examples.first }.map { "  " + $0.line }
    lines += ["", "Commands:"]
    lines += columns(CommandTable.all.map { ("\($0.name) \($0.manual.operands)", $0.manual.summary) })
    lines += ["", "Help:"]
    lines += columns([
      ("movtool help COMMAND", "show examples and options; also movtool COMMAND --help"),
      ("movtool help limits", "list the limits and their defaults"),
      ("movtool help man", "print the manual page"), ("movtool --version", "print the version"),
    ])
    return lines
  }

  /// Returns the examples, the usage and the options of a command.
  static func manual(of command: any Command.Type) -> [String] {
    let manual = command.manual
    var lines = ["Examples:"]
    for example in manual.examples { lines += ["  " + example.line, "      " + example.effect] }
    lines += ["", "movtool \(command.name) \(manual.operands)", "  " + manual.summary]
    let ofInputs = manual.options.filter { $0.scope == .operand }
    let ofCommand = options("Options", manual.options.filter { $0.scope == .command } + OptionSpec.commonOptions)
    if manual.options.contains(where: \.isInput) {
      lines += ofCommand
      lines += options("Options of a file, after --audio FILE or --subtitle SUB", ofInputs)
    } else {
      lines += options("Options of subtitles: after a SUB, or before the first SUB for all files", ofInputs)
      lines += ofCommand
    }
    if !manual.notes.isEmpty { lines += [""] + manual.notes }
    return lines
  }

  /// Returns the list of limits that `--limits` sets, with their defaults.
  static func limits() -> [String] {
    let defaults = ReadingLimits()
    var lines = [
      "Examples:", "  movtool add-subtitle film.mov en.srt --limits cues=500000,sample-bytes=256M",
      "      raise limits for a file that was refused",
      "  movtool inspect upload.mp4 --limits movie-bytes=32M", "      lower limits for files that are not trusted", "",
      "--limits NAME=NUMBER,… works with every command; K, M and G are KiB, MiB and GiB.", "", "Limits:",
    ]
    lines += columns(ReadingLimits.all.map { ("\($0.name)=\($0.value(defaults))", $0.meaning) })
    lines += ["", "Limits of chapters, which cannot be changed:"]
    lines += columns([
      (String(ChapterLimits.count), "chapters of a movie or a list"),
      (String(ChapterLimits.languageCount), "languages of chapter titles"),
      (String(ChapterLimits.sampleCount), "total number of titles, pictures and links"),
      (String(ChapterLimits.textByteCount), "bytes of all titles of a movie"),
      (String(ChapterLimits.imageByteCount), "bytes of all pictures of a movie or a list"),
      (String(ChapterPictures.largestByteCount), "bytes of one picture file"),
    ])
    lines += ["", "Limits of files for add-track --metadata, which cannot be changed:"]
    lines += columns([
      (String(GPXRoute.byteCountLimit), "bytes of a GPX or JSON file"),
      (String(GPXRoute.elementCountLimit), "elements of a GPX file"),
      (String(GPXRoute.depthLimit), "elements inside elements of a GPX file"),
      (String(GPXRoute.groupCountLimit), "groups of a route"),
      (String(JSONValue.depthLimit), "values inside values of a JSON file"),
    ])
    return lines
  }

  private static func options(_ title: String, _ specs: [OptionSpec]) -> [String] {
    specs.isEmpty ? [] : ["", title + ":"] + columns(specs.map { ($0.usage, $0.help) })
  }

  private static func columns(_ rows: [(String, String)]) -> [String] {
    var table = TextTable([.init(""), .init("")])
    for row in rows { table.add([row.0, row.1]) }
    return table.lines.dropFirst().map { "  " + $0 }
  }
}

/// The manual page in the format of `man`. It is generated from the same tables as the help text.
enum ManualPage {
  static func lines() -> [String] {
    var lines = [
      ".TH MOVTOOL 1 \(Movtool.versionDate) \"movtool \(escaped(movtoolVersion))\"", ".SH NAME",
      "movtool \\- edits QuickTime and MP4 movies without changing their video and audio", ".SH SYNOPSIS",
    ]
    for command in CommandTable.all {
      lines += [".br", ".B movtool \(escaped(command.name))", ".RI \"\(escaped(command.manual.operands))\""]
    }
    lines.remove(at: 4)  // This is the line break before the first command.
    lines += [
      ".SH DESCRIPTION",
      "Adds subtitles and other tracks, edits metadata and chapters, converts, checks and streams movies.",
      "Video and audio never change. If an edit fails, the old movie remains.",
      ".SH COMMANDS",
    ]
    for command in CommandTable.all { lines += section(command) }
    lines += [".SH EXIT STATUS"]
    for code in ExitCode.allCases { lines += [".TP", ".B \(code.rawValue)", escaped(code.meaning)] }
    lines += [".SH LIMITS"]
    for line in HelpText.limits().drop(while: { $0 != "Limits:" }).dropFirst() {
      lines += [".TP", "\\fB\(escaped(String(trimmed(line).prefix { $0 != " " })))\\fR"]
      lines.append(escaped(trimmed(String(trimmed(line).drop { $0 != " " }))))
    }
    return lines
  }

  private static func section(_ command: any Command.Type) -> [String] {
    let manual = command.manual
    var lines = [".SS \"\(escaped(command.name)) \(escaped(manual.operands))\"", escaped(manual.summary) + "."]
    for example in manual.examples {
      lines += [
        ".PP", ".nf", ".RS", "\\fB\(escaped(example.line))\\fR", ".RE", ".fi", ".RS 8", escaped(example.effect), ".RE",
      ]
    }
    for option in manual.options + [.limits] {
      let value = option.value.map { " \\fI\(escaped($0.name))\\fR" } ?? ""
      lines += [".TP", "\\fB\(escaped(option.spelling))\\fR\(value)", escaped(option.help)]
    }
    if !manual.notes.isEmpty { lines += [".PP"] + manual.notes.filter { !$0.isEmpty }.map { escaped(trimmed($0)) } }
    return lines
  }

  private static func trimmed(_ line: String) -> String { String(line.drop { $0 == " " }) }

  /// Escapes the characters that are special in a manual page: hyphens, backslashes, quotation marks and leading
  /// periods.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "\"": result += "\\(dq"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "~": result += "\\(ti"
      case "^": result += "\\(ha"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return text.hasPrefix(".") ? "\\&" + result : result
  }
}
