import MovieBox

extension Warning {
  /// That the end of a file is cut off, for each track that lost samples.
  static func missingSamples(of movie: Movie, _ source: any RandomAccessSource, _ file: String) throws -> [Warning] {
    try movie.missingSamples(readingFragmentsOf: source).map { missing in
      Warning(code: "cut-off", file: file, trackID: missing.trackID, message: missing.description)
    }
  }
}

extension Context {
  /// Reads a movie and, for a person, warns about what its file lacks. Returns the movie and these warnings.
  func movie(at file: String, of source: any RandomAccessSource, asJSON: Bool) throws -> (
    movie: Movie, warnings: [Warning]
  ) {
    let movie = try Movie(of: source, limits: limits.movie)
    let warnings = try Warning.missingSamples(of: movie, source, file)
    if !asJSON { for warning in warnings { try warn(warning) } }
    return (movie, warnings)
  }
}
