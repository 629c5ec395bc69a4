public import MovieBox
public import Subtitles

extension StreamPlan {
  /// Plans the presentation of a movie.
  ///
  /// Reads text samples and the headers of fragments. Rethrows errors of the source. Throws ``/MovieBox/MovieError`` if
  /// no track plays in HLS, for encrypted media, for edit lists that HLS cannot express, and if a limit is exceeded.
  public init(
    of movie: Movie, from source: some RandomAccessSource, _ options: StreamOptions = StreamOptions(),
    limits: SubtitleLimits = SubtitleLimits()
  ) throws {
    try self.init(of: [(movie, source)], options, limits: limits)
  }

  /// Plans the presentation of several movies that are variants of each other.
  ///
  /// The presentation contains the video of all movies, and the audio and text of the first movie that has such tracks.
  /// The segments of all movies must begin at the same times.
  public init(
    of movies: [(movie: Movie, source: any RandomAccessSource)], _ options: StreamOptions = StreamOptions(),
    limits: SubtitleLimits = SubtitleLimits()
  ) throws {
    try self.init(of: movies, options, limits: limits) { error, _ in
      (error as? StreamRefusal)?.error ?? error
    }
  }

  /// Plans the presentation of a movie whose page has read `contents`.
  init(
    of movie: Movie, from source: any RandomAccessSource, _ options: StreamOptions, limits: SubtitleLimits,
    contents: MovieContents
  ) throws {
    var planner = try StreamPlanner(
      [(movie, source)], options: options, limits: limits, contents: contents
    ) { error, _ in (error as? StreamRefusal)?.error ?? error }
    self = try planner.plan()
  }

  /// Plans the presentation of several movies, for a command.
  ///
  /// - Parameters:
  ///   - recordings: the recordings from which movies were made, by the indices of the movies. Timed events are read
  ///     from the recordings, because their times are relative to fragments, and a movie made from a recording has no
  ///     fragments.
  ///   - explain: converts an error in the movie at an index before it is thrown. The error is a ``StreamRefusal`` if a
  ///     track causes it or an option avoids it.
  package init(
    of movies: [(movie: Movie, source: any RandomAccessSource)], _ options: StreamOptions, limits: SubtitleLimits,
    recordings: [Int: (movie: Movie, source: any RandomAccessSource)] = [:],
    explain: @escaping @Sendable (any Error, Int) -> any Error
  ) throws {
    var planner = try StreamPlanner(
      movies, options: options, limits: limits, recordings: recordings, explain: explain)
    self = try planner.plan()
  }

  /// Returns the index of the first movie whose audio plays in HLS, or `nil` if there is none. The presentation
  /// contains the audio of this movie.
  ///
  /// Reads the fragments of the movies up to that movie. Throws the same errors as planning.
  package static func audioMovieIndex(
    in movies: [(movie: Movie, source: any RandomAccessSource)],
    explain: @escaping @Sendable (any Error, Int) -> any Error
  ) throws -> Int? {
    for (index, (movie, source)) in movies.enumerated() {
      do {
        let fragments = try movie.readFragments(of: source)
        let streamed = StreamedMovie(
          index: index, movie: movie, source: source, sourceOffset: 0, fragments: fragments, prerolls: [:])
        if try streamed.hasPlayableSound { return index }
      } catch {
        throw explain(error, index)
      }
    }
    return nil
  }
}
