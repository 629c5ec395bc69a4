import MovieBox

/// The intermediate movies of an edit: the movie after each stage.
///
/// All stages run before the edit changes tracks, labels and metadata. The first stage flattens the fragments, or drops
/// samples that are missing from a truncated file. The second stage converts the movie to another type, and the third
/// splits long chunks. The checker compares the movies of successive stages, so each stage keeps its result.
struct MovieStages: Sendable {
  /// The movie that the edit changes: the result of all stages.
  var current: Movie
  /// The movie without its fragments, or `nil` if it was not fragmented or keeps its fragments.
  var flattened: FlattenedMovie?
  /// Whether the movie is flattened even if its fragments could be kept.
  var mustFlatten = false
  /// Whether a flattened movie keeps the clock of the recording.
  var keepsStart = false
  /// The fragments that the movie keeps, or `nil` if the movie is written without fragments.
  var keptFragments: MovieFragments?
  /// The movie without the samples that its file lacks, or `nil` if no sample is missing.
  var salvaged: SalvagedMovie?
  /// The movie after its conversion to another type, or `nil` if it keeps its type.
  var converted: ConvertedMovie?
  /// The movie before long chunks were split, or `nil` if no chunk was split.
  var unsplit: Movie?

  /// Creates the stages of a movie to which no stage applies.
  init(_ movie: Movie) {
    current = movie
  }

  /// Creates the stages of a movie that is flattened.
  init(_ flattened: FlattenedMovie) {
    current = flattened.movie
    self.flattened = flattened
  }

  /// The movie as it was read.
  var original: Movie { flattened?.original ?? salvaged?.original ?? plain }

  /// The movie before its conversion, without fragments and without the samples that its file lacks.
  var plain: Movie { converted?.original ?? whole }

  /// The movie before long chunks were split.
  var whole: Movie { unsplit ?? current }

  /// The movie as players present it. A fragmented movie has the duration of its fragments.
  var presented: Movie { flattened?.presented ?? plain }

  /// The samples that the file lacks because its end is cut off, with one value for each affected track.
  var missingSamples: [MissingSamples] {
    flattened?.fragments.missingSamples ?? salvaged?.missingSamples ?? []
  }

  /// Returns the stages of the movie with its fragments unchanged, or `nil` if the movie is not fragmented.
  func keepingFragments() -> MovieStages? {
    guard let flattened else { return nil }
    var stages = MovieStages(flattened.original)
    stages.keepsStart = keepsStart
    stages.keptFragments = flattened.fragments
    return stages
  }
}
