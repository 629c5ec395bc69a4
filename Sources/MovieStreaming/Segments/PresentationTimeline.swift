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

  /// How long each segment of a track lasts, in microseconds.
  ///
  /// A track may lack samples for some segments: those before it then last longer. It ends with the programme, unless
  /// it is over more than ``longestSilence`` before.
  func durations(of track: SegmentedTrack, _ timeline: TrackTimeline) -> [UInt64] {
    let ownEnd = microseconds(timeline.end, scale: timeline.timeScale)
    let end = microseconds(ofBoundary: segmentCount)
    let last = ownEnd.addingClamped(Self.longestSilence) < end ? ownEnd : end
    return track.segments.indices.map { index in
      let start = index == 0 ? 0 : microseconds(ofBoundary: track.segments[index].number)
      let isLast = index == track.segments.count - 1
      let stop = isLast ? last : microseconds(ofBoundary: track.segments[index + 1].number)
      return stop > start ? stop - start : 0
    }
  }
}
