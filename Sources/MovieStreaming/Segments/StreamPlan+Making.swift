public import MovieBox
public import Subtitles

extension StreamPlan {
  /// The plan of a movie.
  ///
  /// Reads the samples of text and, where there are some, the headers of fragments. Throws what the source throws, and
  /// ``/MovieBox/MovieError`` where nothing of the movie plays in HLS, for encrypted media, edit lists that cannot be
  /// expressed, and beyond limits.
  public init(
    of movie: Movie, from source: some RandomAccessSource, _ options: StreamOptions = StreamOptions(),
    limits: SubtitleLimits = SubtitleLimits()
  ) throws {
    try self.init(of: [movie], from: [source], options, limits: limits)
  }

  /// The plan of several movies that are variants of one programme: the pictures of all, sound and text of the first
  /// that has them. Their segments must begin at the same times.
  public init(
    of movies: [Movie], from sources: [any RandomAccessSource], _ options: StreamOptions = StreamOptions(),
    limits: SubtitleLimits = SubtitleLimits()
  ) throws {
    try self.init(of: movies, from: sources, options, limits: limits) { error, _ in
      (error as? StreamRefusal)?.error ?? error
    }
  }

  /// The plan of a movie whose page was made of `contents`.
  init(
    of movie: Movie, from source: any RandomAccessSource, _ options: StreamOptions, limits: SubtitleLimits,
    contents: MovieContents
  ) throws {
    var planner = try StreamPlanner(
      [movie], from: [source], options: options, limits: limits, contents: contents
    ) { error, _ in (error as? StreamRefusal)?.error ?? error }
    self = try planner.plan()
  }

  /// The plan of several movies, for a command.
  ///
  /// - Parameters:
  ///   - recordings: the recordings that movies were made of, by the movies' indices. Their timed events are those of the
  ///     presentation, for a movie that is no longer fragmented has no segments from which the events' times count.
  ///   - explain: returns the error to throw in place of an error in the movie at an index. An error that a track causes
  ///     or that an option avoids is a ``StreamRefusal``.
  package init(
    of movies: [Movie], from sources: [any RandomAccessSource], _ options: StreamOptions, limits: SubtitleLimits,
    recordings: [Int: (movie: Movie, source: any RandomAccessSource)] = [:],
    explain: @escaping @Sendable (any Error, Int) -> any Error
  ) throws {
    var planner = try StreamPlanner(
      movies, from: sources, options: options, limits: limits, recordings: recordings, explain: explain)
    self = try planner.plan()
  }

  /// The index of the movie whose sound a presentation of the movies has: the first one with sound that plays in HLS, or
  /// `nil` if no movie has any.
  ///
  /// Costs the fragments of the movies up to that one. Throws as planning the presentation does.
  package static func indexOfSound(
    in movies: [Movie], from sources: [any RandomAccessSource],
    explain: @escaping @Sendable (any Error, Int) -> any Error
  ) throws -> Int? {
    for (index, (movie, source)) in zip(movies, sources).enumerated() {
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
