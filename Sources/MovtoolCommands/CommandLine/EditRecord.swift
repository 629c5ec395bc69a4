/// The outcome of an edit of one of many movies, as the summary counts it.
enum EditOutcome: String, CaseIterable, Sendable {
  case edited
  case unchanged
  /// No subtitle file belongs to the movie.
  case withoutSubtitles = "no-subtitles"
  case failed
  /// The command was stopped before the movie was edited.
  case interrupted
}

/// The record of an edit of one of many movies. The command that edits the movie fills it in.
final class EditRecord {
  /// The outcome, or `nil` if no edit was completed.
  var outcome: EditOutcome?
  /// The subtitle files that belong to the movie.
  var subtitleFiles: [String] = []
}
