import MovieBox

/// The times that are subtracted from those of the movies of a programme, so that it starts at 0.
///
/// Variants of one programme are mostly segments of one stream, and share its clock. One time is then subtracted from
/// all, so that sound of one movie stays with the picture of another.
struct ProgrammeStarts {
  /// The time of each movie; `nil` where nothing is subtracted.
  let starts: [MediaTime?]

  /// Clocks that start further from 0 leave no room for the sums of times: seventeen years.
  private static let largestKeptStartInSeconds: Int64 = 1 << 29

  /// Throws `.unsupported` for a clock that is to be kept and starts too far from 0.
  ///
  /// - Parameter areKept: whether nothing is to be subtracted.
  init(_ movies: [Movie], _ fragments: [MovieFragments], areKept: Bool) throws(StreamRefusal) {
    let all = zip(movies, fragments).map { $1.start(in: $0) }
    let farthest = all.compactMap(\.self).first { !$0.isWithin(seconds: Self.largestKeptStartInSeconds, of: .zero) }
    if areKept, let farthest {
      throw StreamRefusal(
        MovieError(
          .unsupported, "the recording's clock starts at \(farthest.text), later than HLS segments can express"),
        remedy: .subtractedStart)
    }
    guard !areKept else {
      starts = all.map { _ in nil }
      return
    }
    // In the order of their starts, a movie shares the clock of the one before unless a gap lies between them.
    let own = all.map { $0 ?? .zero }
    var found = own.map { Optional($0) }
    var (previous, first): (MediaTime?, MediaTime) = (nil, .zero)
    for index in own.indices.sorted(by: { own[$0].isBefore(own[$1]) }) {
      let start = own[index]
      if !(previous.map { start.sharesClock(with: $0) } ?? false) { first = start }
      found[index] = first.ticks > 0 ? first : nil
      previous = start
    }
    starts = found
  }

  /// A note on each movie whose clock changes.
  func notices(_ options: StreamOptions) -> [StreamPlan.Notice] {
    starts.enumerated().compactMap { index, start in
      start.map {
        StreamPlan.Notice(
          "start-subtracted", movieIndex: index, isWarning: false,
          (starts.count > 1 ? "\(options.name(ofMovie: index)): " : "") + $0.subtractionNote)
      }
    }
  }
}
