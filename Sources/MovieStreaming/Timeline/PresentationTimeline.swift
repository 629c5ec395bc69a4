import MovieBox

/// When the segments of a programme begin and the last of them ends: the same for picture, sound and text.
struct PresentationTimeline: Sendable {
  /// Ticks a second.
  let timeScale: UInt32
  /// The start of each segment and the end of the last, in ticks of the movie's time.
  let boundaries: [Int64]

  /// When players begin, in microseconds from the start of the first segment; `nil` for with it.
  var startInMicroseconds: UInt64?

  /// How many segments.
  var segmentCount: Int { boundaries.count - 1 }

  /// A track that ends earlier before the programme than so many microseconds is said to.
  static let longestSilence: UInt64 = 500_000

  /// A programme of at least one segment; `nil` for times that go back.
  init?(timeScale: UInt32, boundaries: [Int64]) {
    guard timeScale > 0, boundaries.count > 1, zip(boundaries, boundaries.dropFirst()).allSatisfy({ $0 <= $1 }) else {
      return nil
    }
    self.timeScale = timeScale
    self.boundaries = boundaries
  }

  /// A boundary as ticks of another scale, rounded down.
  func ticks(_ boundary: Int64, of scale: UInt32) -> Int64 {
    let (quotient, rest) = (Int128(boundary) * Int128(scale)).quotientAndRemainder(dividingBy: Int128(timeScale))
    return Int64(clamping: rest < 0 ? quotient - 1 : quotient)
  }

  /// The starts of all segments but the first, as ticks of another scale.
  func ticksInside(of scale: UInt32) -> [Int64] {
    boundaries.dropFirst().dropLast().map { ticks($0, of: scale) }
  }

  /// The same programme in segments that last at least so long, but the last.
  func thinned(toMilliseconds wanted: Int) -> PresentationTimeline {
    let interval = Int64(wanted) * Int64(timeScale) / 1_000
    var kept = [boundaries[0]]
    for boundary in boundaries.dropFirst().dropLast() where boundary - (kept.last ?? 0) >= interval {
      kept.append(boundary)
    }
    return PresentationTimeline(timeScale: timeScale, boundaries: kept + boundaries.suffix(1)) ?? self
  }

  /// A boundary in milliseconds.
  func milliseconds(_ boundary: Int64) -> (roundedDown: Int64, roundedUp: Int64) {
    let down = ticks(boundary, of: 1_000)
    let isExact = Int128(down) * Int128(timeScale) == Int128(boundary) * 1_000
    return (down, isExact ? down : down.addingClamped(1))
  }

  /// A time in microseconds from the start of the programme, to the nearest; 0 before it.
  func microseconds(_ time: Int64, scale: UInt32) -> UInt64 {
    let start = boundaries.first ?? 0
    let distance = Int128(time) * Int128(timeScale) - Int128(start) * Int128(scale)
    let divisor = Int128(scale) * Int128(timeScale)
    return UInt64(clamping: (distance * 2_000_000 + divisor) / (2 * divisor))
  }

  /// The same of one of the boundaries.
  func microseconds(ofBoundary index: Int) -> UInt64 {
    boundaries.indices.contains(index) ? microseconds(boundaries[index], scale: timeScale) : 0
  }
}

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
