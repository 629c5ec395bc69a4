import MovieBox
import MovieWriter

// Notices about layout options that have no effect on the written file.
extension EditExecution {
  /// Returns a warning if `--append` is specified but not possible, or `nil` otherwise.
  func unusedAppendWarning(_ strategy: MovieFileWriter.VerifiedPlan) -> Warning? {
    guard options.appends, case .newFile(let reason?) = strategy else { return nil }
    return Warning(
      code: "not-appended", file: movie,
      message: "--append is not possible, because \(reason); the movie is rewritten")
  }

  /// Returns a note if `--pad` is specified but has no effect, or `nil` otherwise.
  func ineffectivePaddingNote(_ writer: MovieFileWriter) -> EditNotice? {
    guard options.padding ?? 0 > 0 else { return nil }
    let reason: String
    if MovieReport.movieAtomPlace(in: writer.plannedMovie.layout) == .last {
      reason = "the movie atom is at the end of the file"
    } else if case .inPlace = writer.verifiedPlan {
      reason = "the movie is edited in place"
    } else {
      return nil
    }
    return EditNotice(.nothingToDo, "--pad has no effect: \(reason)")
  }

  /// Returns a note if the edit moves the movie atom after the media, so the movie is no longer fast-start.
  /// Returns `nil` otherwise.
  func lostFastStartNote(
    _ movie: Movie, _ strategy: MovieFileWriter.VerifiedPlan
  ) -> EditNotice? {
    guard case .inPlace(let plan) = strategy, plan.form == .appendedAfterMedia,
      MovieReport.movieAtomPlace(in: movie.layout) == .first
    else { return nil }
    return EditNotice(
      .fastStartLost,
      "the movie atom now follows the media, so the movie is not fast-start; movtool remux --fast-start restores this"
    )
  }
}
