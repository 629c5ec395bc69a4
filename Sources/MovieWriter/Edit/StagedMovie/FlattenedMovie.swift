import MovieBox

/// A fragmented movie without its fragments: the tables of `moov` list all samples, at their offsets in the old file.
///
/// The planner treats the flattened movie like any other movie. Auxiliary information is usually inside `moof`, so its
/// bytes are kept separately until the planner assigns their offsets.
struct FlattenedMovie: Sendable {
  /// The movie as it was read.
  let original: Movie
  let fragments: MovieFragments
  /// The time on the recording's clock that is tick 0 of ``movie``, or `nil` if both clocks begin at 0.
  var start: MediaTime?
  /// The movie without fragments.
  let movie: Movie
  /// The auxiliary information of each track of ``movie``.
  let auxiliary: [[AuxiliaryTable]]
  /// The notices about flattening.
  let notices: [EditNotice]
  /// The notices about samples. They are also in ``notices``.
  let sampleNotices: [EditNotice]
  /// Whether the fragments can be kept, and the reason if they cannot.
  let retention: FragmentRetention

  /// The movie as it was read, with the times of ``movie``.
  var presented: Movie { PresentedMovie(original, fragments, from: start).movie }

  /// A track before and after flattening.
  struct TrackPair {
    let original: Track
    let fragmented: FragmentedTrack
    let plain: Track
  }

  /// Returns the tracks in the order of the movie, each with its counterpart in the movie without fragments.
  func pairs(_ plain: Movie) -> [TrackPair] {
    zip(zip(original.tracks, fragments.tracks), plain.tracks).map {
      TrackPair(original: $0.0, fragmented: $0.1, plain: $1)
    }
  }
}

/// A movie whose file is cut off, reduced to the samples that the file contains.
///
/// The movie atom of such a file is complete because it precedes the media, but it lists samples whose bytes are
/// missing. Each track keeps the samples before its first missing sample. Keeping samples after a gap would require
/// extending the sample before the gap, and most of the pictures could not be decoded.
struct SalvagedMovie: Sendable {
  /// The movie as it was read.
  let original: Movie
  /// The samples that the file lacks, with one value for each affected track.
  let missingSamples: [MissingSamples]
}

extension EditNotice {
  /// Warnings about samples that a file lacks.
  static func notices(of missing: [MissingSamples]) -> [EditNotice] {
    missing.map { EditNotice(.cutOff, trackID: $0.trackID, isWarning: true, $0.description) }
  }
}
