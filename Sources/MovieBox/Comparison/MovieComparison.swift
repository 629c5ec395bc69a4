/// In what two movies differ: atoms, tracks, what tables say of samples, samples' bytes.
///
/// Samples are compared by track, wherever they lie and whether tables or fragments list them; that they lie
/// elsewhere, and free space, is not a difference. Tracks are the same where ID and kind are.
///
///     let comparison = try MovieComparison(FileSource(path: "film.mov"), FileSource(path: "edited.mov"))
///     for difference in comparison.differences { print(difference.kind, difference.topic, difference.description) }
///
/// Costs memory in proportion to the movie atoms and `moof` atoms, and one pass over the media of both files, in blocks
/// of 1 MiB.
public struct MovieComparison: Sendable {
  /// Whether the two files are the same byte for byte.
  public let isSameBytes: Bool
  /// In what the movies differ, in the order of the old file, track by track.
  public let differences: [MovieDifference]
  /// Whether there are more than ``differenceLimit``, which are not listed.
  public let hasFurtherDifferences: Bool
  /// In what the files differ though the movies do not.
  public let remarks: [MovieComparison.Remark]

  /// No more differences are listed.
  public static let differenceLimit = 1000

  /// Compares two movies; `step` is called before each block of bytes, and what it throws ends the work.
  ///
  /// Throws what the sources throw, and ``MovieError`` for what is not a movie or cannot be read as one; `.limit` where
  /// tracks name the same bytes again and again. The error of the new movie is thrown as ``NewMovieError``.
  public init<Old: RandomAccessSource, New: RandomAccessSource>(
    _ old: Old, _ new: New, limits: MovieLimits = MovieLimits(), step: () throws -> Void = {}
  ) throws {
    let before = try MovieSide(old, limits: limits)
    let after = try MovieComparison.NewMovieError.wrapping { try MovieSide(new, limits: limits) }
    self = try withoutActuallyEscaping(step) { step in
      try MovieComparison(before, after, MediaComparison(old: old, new: new, step: step))
    }
  }

  private init<Old, New>(
    _ old: MovieSide<Old>, _ new: MovieSide<New>, _ media: MediaComparison<Old, New>
  ) throws {
    let sizes = (old: old.movie.layout.identity.byteCount, new: new.movie.layout.identity.byteCount)
    let commonStart = sizes.old == sizes.new ? try media.commonStart(upTo: sizes.old) : 0
    isSameBytes = sizes.old == sizes.new && commonStart == sizes.old
    guard !isSameBytes else {
      (differences, hasFurtherDifferences, remarks) = ([], false, [])
      return
    }
    var work = ComparisonWork(old, new, media, commonStart: commonStart)
    try work.run()
    hasFurtherDifferences = work.differences.count >= Self.differenceLimit
    differences = Array(work.differences.prefix(Self.differenceLimit))
    remarks = work.remarks
  }
}

extension MovieComparison {
  /// What is wrong with the second of two movies that are compared.
  public struct NewMovieError: Error, Hashable, Sendable {
    /// What is wrong.
    public let error: MovieError

    /// Throws a movie's error as that of the new movie.
    static func wrapping<Result>(_ body: () throws -> Result) throws -> Result {
      do {
        return try body()
      } catch let error as MovieError {
        throw MovieComparison.NewMovieError(error: error)
      }
    }
  }
}
