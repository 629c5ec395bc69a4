public import MovieBox

/// A plain movie that was cut off, and is written with the samples that are still there.
///
/// The movie atom of such a file is whole, for it lies before the media: it lists samples whose bytes are missing. Each
/// track keeps those before its first missing one. Samples after a hole would be shown at the right time only if the one
/// before lasted longer, and most pictures among them could not be decoded.
struct SalvagedMovie: Sendable {
  /// The movie as it was read.
  let original: Movie
  /// What its tracks lack.
  let missingSamples: [MissingSamples]
}

extension MovieEdit {
  /// The samples that the movie's file lacks because its end is cut off, a value for each track that lost some.
  ///
  /// An edit of such a movie does not replace it: ``MovieFileWriter`` writes a new file only.
  public var missingSamples: [MissingSamples] { stages.missingSamples }

  /// Why the edited movie does not take the place of its file.
  var refusalToReplaceMovie: MovieError {
    MovieError(
      .invalidEdit,
      "the recording is cut off, and this may be its only copy: the edited movie has to be a new file; "
        + missingSamples.map(\.description).joined(separator: "; "))
  }
}

extension EditNotice {
  /// Warnings about samples that a file lacks.
  static func notices(of missing: [MissingSamples]) -> [EditNotice] {
    missing.map { EditNotice(.cutOff, trackID: $0.trackID, isWarning: true, $0.description) }
  }
}
