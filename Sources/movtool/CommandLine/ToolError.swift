import MovieBox

/// Why a command failed: the exit code, and what a person or a program is told.
struct ToolError: Error, Equatable, Sendable {
  /// The exit code.
  let exitCode: ExitCode
  /// The name that `--json` shows.
  let code: String
  /// The file that is wrong; `nil` for the command line.
  let file: String?
  /// The atoms that lead to the place, or an empty string.
  var path = ""
  /// The position in the file, in bytes.
  var offset: UInt64?
  /// One sentence.
  let message: String
  /// What to do, where that is known.
  var hint: String?
  /// Who speaks in the line where no file is to blame.
  private var speaker = "movtool"

  init(_ exitCode: ExitCode, code: String, file: String?, _ message: String, hint: String? = nil) {
    self.exitCode = exitCode
    self.code = code
    self.file = file
    self.message = message
    self.hint = hint
  }

  /// A mistake on the command line.
  init(_ error: UsageError) {
    self.init(.usage, code: error.code.rawValue, file: nil, error.message, hint: error.hint)
    if let command = error.command { speaker += " " + command }
  }

  /// Something wrong with the movie `file`.
  init(_ error: MovieError, in file: String) {
    let exitCode: ExitCode =
      switch error.code {
      case .planCheckFailed: .ownFault
      case .sourceChanged: .inputOutput
      default: .badData
      }
    self.init(exitCode, code: error.code.rawValue, file: file, error.reason)
    path = error.path
    offset = error.offset
  }

  /// Whatever a command threw; what nobody foresaw is our own fault.
  init(_ error: any Error) {
    switch error {
    case let error as ToolError: self = error
    case let error as UsageError: self.init(error)
    default: self.init(.ownFault, code: "internal", file: nil, "\(error)")
    }
  }

  /// The line for a person: file, place, sentence.
  var line: String {
    let place = [path, offset.map { "at byte \($0)" } ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
    return [(file ?? speaker) + (place.isEmpty ? "" : ": " + place), message].joined(separator: ": ")
  }

  /// Writes the members of the error's object.
  func write(to json: inout JSONWriter) {
    json.member("code", code)
    json.member("exitCode", exitCode.rawValue)
    json.member("file", file)
    json.member("path", path.isEmpty ? nil : path)
    json.member("offset", offset)
    json.member("message", message)
    json.member("hint", hint)
  }
}
