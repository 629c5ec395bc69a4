public import MovieBox

/// A fragmented movie as it is without fragments: all samples in the tables of `moov`, at their places in the old file.
///
/// To whoever plans an edit it is a movie like any other. What lay in `moof` is in `moov` now; the bytes of auxiliary
/// information, which are mostly a part of `moof`, are kept apart until the edit knows where they come to lie.
struct FlattenedMovie: Sendable {
  /// The movie as it was read.
  let original: Movie
  /// Its fragments.
  let fragments: MovieFragments
  /// The time on the recording's clock that is tick 0 of ``movie``; `nil` where that is 0 on both.
  var start: MediaTime?
  /// The movie without them.
  let movie: Movie
  /// Auxiliary information by `trak` atom of ``movie``, counted from 0 among its tracks.
  let auxiliary: [[AuxiliaryTable]]
  /// What a person should know.
  let notes: [EditNotice]
  /// Those of them that are about samples.
  let sampleNotes: [EditNotice]
  /// Why the fragments cannot stay.
  let retention: FragmentRetention

  /// The movie as it was read, with the times that ``movie`` has.
  var presented: Movie { PresentedMovie(original, fragments, from: start).movie }

  /// A track before and after.
  struct TrackPair {
    let original: Track
    let fragmented: FragmentedTrack
    let plain: Track
  }

  /// The tracks, in the order of the movie, with those of the movie without fragments.
  func pairs(_ plain: Movie) -> [TrackPair] {
    zip(zip(original.tracks, fragments.tracks), plain.tracks).map {
      TrackPair(original: $0.0, fragmented: $0.1, plain: $1)
    }
  }
}

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

  /// The tracks that lost all samples.
  var emptyTracks: Set<UInt32> {
    Set(missingSamples.lazy.map(\.trackID).filter { self.movie.track($0)?.samples.sampleCount == 0 })
  }

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
