import MovieBox

/// The movie of an edit in each stage that it passes before its tracks, labels and metadata change.
///
/// In this order, a movie loses its fragments or the samples that its file lacks, becomes a movie of another type, and
/// has long chunks split. The edit changes the result. The checker compares the movies of neighbouring stages, so each
/// stage keeps what it made.
struct MovieStages: Sendable {
  /// The movie that the edit changes: the result of all stages.
  var current: Movie
  /// The movie without its fragments, or `nil` if it has none or keeps them.
  var flattened: FlattenedMovie?
  /// Whether the movie loses its fragments even if they could stay.
  var mustFlatten = false
  /// Whether a movie that loses its fragments keeps the clock of the recording.
  var keepsStart = false
  /// The fragments that stay, or `nil` if the movie is written without any.
  var keptFragments: MovieFragments?
  /// The movie without the samples that its file lacks, or `nil` if none is missing.
  var salvaged: SalvagedMovie?
  /// The movie as one of another type, or `nil` if it keeps its type.
  var converted: ConvertedMovie?
  /// The movie before long chunks were split, or `nil` if none was.
  var unsplit: Movie?

  /// The stages of a movie that passes none of them.
  init(_ movie: Movie) {
    current = movie
  }

  /// The stages of a movie that loses its fragments.
  init(_ flattened: FlattenedMovie) {
    current = flattened.movie
    self.flattened = flattened
  }

  /// The movie as it was read.
  var original: Movie { flattened?.original ?? salvaged?.original ?? plain }

  /// The movie before its conversion, without fragments and missing samples.
  var plain: Movie { converted?.original ?? whole }

  /// The movie with its chunks as they were before long ones were split.
  var whole: Movie { unsplit ?? current }

  /// The movie as players present it: a fragmented one with the duration of its fragments.
  var presented: Movie { flattened?.presented ?? plain }

  /// The samples that the file lacks because its end is cut off, a value for each track that lost some.
  var missingSamples: [MissingSamples] {
    flattened?.fragments.missingSamples ?? salvaged?.missingSamples ?? []
  }

  /// The stages of the movie with its fragments where they are, or `nil` if it has none.
  func keepingFragments() -> MovieStages? {
    guard let flattened else { return nil }
    var stages = MovieStages(flattened.original)
    stages.keepsStart = keepsStart
    stages.keptFragments = flattened.fragments
    return stages
  }
}
