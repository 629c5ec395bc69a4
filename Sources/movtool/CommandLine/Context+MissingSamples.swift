import MovieBox

extension Warning {
  /// That the end of a file is cut off, for each track that lost samples, or that its fragments are damaged.
  ///
  /// A damaged fragment is no error here: the movie atom can be read without it.
  static func missingSamples(of movie: Movie, _ source: any RandomAccessSource, _ file: String) throws -> [Warning] {
    do {
      return try movie.missingSamples(readingFragmentsOf: source).map { missing in
        Warning(code: "cut-off", file: file, trackID: missing.trackID, message: missing.description)
      }
    } catch let error as MovieError where error.code == .malformed || error.code == .truncated {
      return [Warning(code: "cut-off", file: file, message: "the recording is cut off, and damaged: \(error)")]
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

  /// What can be read of a movie, the warnings about a whole one, and the failure of one that is broken or cut off.
  func readableMovie(at file: String, of source: any RandomAccessSource, asJSON: Bool) throws -> (
    movie: Movie, warnings: [Warning], failure: ToolError?
  ) {
    let readable = try ReadableMovie(of: source, limits: limits.movie)
    if let error = readable.error { return (readable.movie, [], ToolError(error, about: file)) }
    let warnings = try Warning.missingSamples(of: readable.movie, source, file)
    if !asJSON { for warning in warnings { try warn(warning) } }
    return (readable.movie, warnings, nil)
  }
}
