import MovieWriter

/// The manual page, in the macros of `man`, made from the tables that parsing and help use.
enum ManualPage {
  static func lines() -> [String] {
    var lines = [
      ".TH MOVTOOL 1 \(Movtool.versionDate) \"movtool \(escaped(movtoolVersion))\"", ".SH NAME",
      "movtool \\- reads and edits QuickTime and MP4 movies without touching their media", ".SH SYNOPSIS",
    ]
    for command in CommandTable.all {
      lines += [".br", ".B movtool \(escaped(command.name))", ".RI \"\(escaped(command.manual.operands))\""]
    }
    lines.remove(at: 4)  // No line before the first.
    lines += [
      ".SH DESCRIPTION",
      "Adds subtitles and other tracks, changes what tracks say of themselves, checks and repairs movies. Media is never changed.",
      "An edit leaves the old movie or the new one, whatever happens.", ".SH COMMANDS",
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

  /// A text whose hyphens can be pasted, and whose backslashes, quotes and leading points are its own.
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
