import MovieBox

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
