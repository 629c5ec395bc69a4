/// The outcome of editing one of several movies. A summary counts the outcomes.
enum EditOutcome: String, CaseIterable, Sendable {
  case edited
  case unchanged
  /// No subtitle file belongs to the movie.
  case withoutSubtitles = "no-subtitles"
  case failed
  /// The command was stopped before the movie was edited.
  case interrupted
}

/// The outcome of editing one of several movies, and the files used. The command that edits the movie fills it in.
final class EditRecord {
  /// The outcome, or `nil` if no edit was completed.
  var outcome: EditOutcome?
  /// The subtitle files that belong to the movie.
  var subtitleFiles: [String] = []
}
