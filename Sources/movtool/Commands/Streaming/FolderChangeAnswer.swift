import MovieBox

/// The answer to a change of a presentation's subtitles.
struct FolderChangeAnswer {
  let folder: String
  /// Whether the folder was changed.
  let isWritten: Bool
  /// Whether warnings kept the folder from being changed.
  let isRefused: Bool
  let warnings: [Warning]

  /// Prints the answer: `line` for a person, `members` as JSON. Returns the exit code.
  func show(
    asJSON: Bool, in context: Context, line: () -> String, members: (inout JSONWriter) -> Void
  ) throws -> ExitCode {
    if asJSON {
      try context.printJSON { json in
        json.member("folder", folder)
        json.member("isWritten", isWritten)
        members(&json)
        json.warnings(warnings)
      }
    } else if isRefused {
      try context.sayRefused(warnings)
    } else {
      try context.print(["\(folder): \(line())"])
    }
    return isRefused ? .no : .done
  }
}
