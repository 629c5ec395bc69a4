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
    try self.init(of: movies, from: sources, options, limits: limits) { error, _ in error }
  }

  /// The same; `explain` gives what is thrown in the place of an error in one of the movies. It gets the place of that
  /// movie.
  package init(
    of movies: [Movie], from sources: [any RandomAccessSource], _ options: StreamOptions, limits: SubtitleLimits,
    explain: @escaping @Sendable (any Error, Int) -> any Error
  ) throws {
    var planner = try StreamPlanner(movies, from: sources, options: options, limits: limits, explain: explain)
    self = try planner.plan()
  }
}
