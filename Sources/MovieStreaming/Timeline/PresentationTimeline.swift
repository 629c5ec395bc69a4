import MovieBox

/// The start times of the segments of a presentation, and the end of the last segment, for video, audio and text.
///
/// The boundaries are exact times of one track. They are converted to other time scales only when needed, so that
/// rounding errors do not accumulate.
struct PresentationTimeline: Sendable {
  /// The number of ticks per second.
  let timeScale: UInt32
  /// The start of each segment and the end of the last, in ticks on the movie's clock.
  let boundaries: [Int64]

  /// The time at which players start, in microseconds from the start of the first segment, or `nil` to start with the
  /// first segment.
  var startInMicroseconds: UInt64?

  /// The number of segments.
  var segmentCount: Int { boundaries.count - 1 }

  /// The largest difference between the ends of two tracks, in microseconds, for which both tracks count as ending
  /// together.
  static let endToleranceInMicroseconds: UInt64 = 500_000

  /// Creates a timeline of at least one segment, or returns `nil` if the boundaries are not in order.
  init?(timeScale: UInt32, boundaries: [Int64]) {
    guard timeScale > 0, boundaries.count > 1, zip(boundaries, boundaries.dropFirst()).allSatisfy({ $0 <= $1 }) else {
      return nil
    }
    self.timeScale = timeScale
    self.boundaries = boundaries
  }

  /// Returns a boundary in ticks of another scale, rounded down.
  func ticks(_ boundary: Int64, of scale: UInt32) -> Int64 {
    let (quotient, rest) = (Int128(boundary) * Int128(scale)).quotientAndRemainder(dividingBy: Int128(timeScale))
    return Int64(clamping: rest < 0 ? quotient - 1 : quotient)
  }

  /// Returns the start times of all segments except the first segment, in ticks of another scale.
  func innerBoundaries(of scale: UInt32) -> [Int64] {
    boundaries.dropFirst().dropLast().map { ticks($0, of: scale) }
  }

  /// Returns the timeline with longer segments. Every segment except the last has at least this duration.
  func thinned(toMilliseconds milliseconds: Int) -> PresentationTimeline {
    let interval = Int64(milliseconds) * Int64(timeScale) / 1_000
    var keptBoundaries = [boundaries[0]]
    for boundary in boundaries.dropFirst().dropLast() where boundary - (keptBoundaries.last ?? 0) >= interval {
      keptBoundaries.append(boundary)
    }
    return PresentationTimeline(timeScale: timeScale, boundaries: keptBoundaries + boundaries.suffix(1)) ?? self
  }

  func milliseconds(_ boundary: Int64) -> (roundedDown: Int64, roundedUp: Int64) {
    let down = ticks(boundary, of: 1_000)
    let isExact = Int128(down) * Int128(timeScale) == Int128(boundary) * 1_000
    return (down, isExact ? down : down.addingClamped(1))
  }

  /// Returns a time in microseconds from the start of the presentation, rounded to the nearest microsecond. Returns 0
  /// for a time before the start.
  func microseconds(_ time: Int64, scale: UInt32) -> UInt64 {
    let start = boundaries.first ?? 0
    let distance = Int128(time) * Int128(timeScale) - Int128(start) * Int128(scale)
    let divisor = Int128(scale) * Int128(timeScale)
    return UInt64(clamping: (distance * 2_000_000 + divisor) / (2 * divisor))
  }

  /// Returns the time of a boundary in microseconds from the start of the presentation.
  func microseconds(ofBoundary index: Int) -> UInt64 {
    boundaries.indices.contains(index) ? microseconds(boundaries[index], scale: timeScale) : 0
  }
}

/// The time that is subtracted from the times of each movie, so that the presentation starts at 0.
///
/// Variants usually come from one stream and share its clock. The same time is then subtracted from all movies, so that
/// the audio of one movie stays in sync with the video of another movie.
struct PresentationStarts {
  /// The time that is subtracted from the times of each movie, or `nil` if nothing is subtracted.
  let starts: [MediaTime?]

  /// The largest start that can be kept (17 years). With this limit, sums of times do not overflow.
  private static let largestKeptStartInSeconds: Int64 = 1 << 29

  /// Computes the starts. Throws `.unsupported` if the clocks are kept and one of them starts too far from 0.
  init(_ movies: [Movie], _ fragments: [MovieFragments], areKept: Bool) throws(StreamRefusal) {
    let allStarts = zip(movies, fragments).map { $1.start(in: $0) }
    let farthestStart = allStarts.compactMap(\.self).first {
      !$0.isWithin(seconds: Self.largestKeptStartInSeconds, of: .zero)
    }
    if areKept, let farthestStart {
      throw StreamRefusal(
        MovieError(
          .unsupported, "the recording's clock starts at \(farthestStart.text), later than HLS segments can express"),
        remedy: .subtractedStart)
    }
    guard !areKept else {
      starts = allStarts.map { _ in nil }
      return
    }
    // The movies are sorted by start. A movie shares the clock of the previous movie unless there is a gap between
    // them.
    let ownStarts = allStarts.map { $0 ?? .zero }
    var sharedStarts = ownStarts.map { Optional($0) }
    var (previous, first): (MediaTime?, MediaTime) = (nil, .zero)
    for index in ownStarts.indices.sorted(by: { ownStarts[$0].isBefore(ownStarts[$1]) }) {
      let start = ownStarts[index]
      if !(previous.map { start.sharesClock(with: $0) } ?? false) { first = start }
      sharedStarts[index] = first.ticks > 0 ? first : nil
      previous = start
    }
    starts = sharedStarts
  }

  /// Returns a notice about each movie whose clock changes.
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
