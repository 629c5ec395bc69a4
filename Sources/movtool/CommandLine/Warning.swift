import MovieBox

/// Something that a person should know though the work can be done. Under `--strict` it stops the work.
struct Warning: Equatable, Sendable {
  /// The name that `--json` shows.
  let code: String
  /// The file that it is about; `nil` for the command line.
  let file: String?
  /// One sentence.
  let message: String

  /// The line for a person.
  var line: String { [file ?? "", message].filter { !$0.isEmpty }.joined(separator: ": ") }

  /// Writes the members of the warning's object.
  func write(to json: inout JSONWriter) {
    json.member("code", code)
    json.member("file", file)
    json.member("message", message)
  }
}
