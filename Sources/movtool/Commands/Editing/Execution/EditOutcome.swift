/// What became of one of many movies. The raw value is the name that `--json` shows.
enum EditOutcome: String, CaseIterable, Sendable {
  case edited
  case unchanged
  /// No subtitle file is named after it.
  case withoutSubtitles = "no-subtitles"
  case failed

  /// The outcome of an edit; one that `--strict` refuses has failed.
  init(_ report: EditReport, isRefused: Bool) {
    self = isRefused ? .failed : report.isIdle ? .unchanged : .edited
  }
}
