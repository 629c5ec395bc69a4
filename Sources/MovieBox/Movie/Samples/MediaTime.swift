// Times and clocks: exact times in any scale, and the mapping from a track's media to the movie.

/// A time as a number of ticks of one scale, which another scale may be unable to express exactly.
package struct MediaTime: Hashable, Sendable {
  package let ticks: Int64
  /// The number of ticks per second; above 0.
  package let timeScale: UInt32

  /// The time 0.
  package static let zero = MediaTime(second: 0)

  private init(second: Int64) {
    ticks = second
    timeScale = 1
  }

  /// A time of these ticks, or `nil` if the time scale is 0.
  package init?(ticks: Int64, timeScale: UInt32) {
    guard timeScale > 0 else { return nil }
    self.ticks = ticks
    self.timeScale = timeScale
  }

  /// The time in ticks of another scale, to the nearest, halves up. A time beyond 64 bits stays at the largest.
  package func ticks(of timeScale: UInt32) -> Int64 {
    let scale = Int128(self.timeScale)
    let doubled = 2 * Int128(ticks) * Int128(timeScale) + scale  // At most 2⁹⁷.
    let (quotient, remainder) = doubled.quotientAndRemainder(dividingBy: 2 * scale)
    return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
  }

  /// Whether the time comes before another one, whatever their scales.
  package func isBefore(_ other: MediaTime) -> Bool {
    Int128(ticks) * Int128(other.timeScale) < Int128(other.ticks) * Int128(timeScale)
  }

  /// Whether less than so many seconds lie between the times.
  package func isWithin(seconds: Int64, of other: MediaTime) -> Bool {
    let distance = Int128(ticks) * Int128(other.timeScale) - Int128(other.ticks) * Int128(timeScale)
    return distance.magnitude < (Int128(seconds) * Int128(timeScale) * Int128(other.timeScale)).magnitude
  }

  /// Whether recordings that start at these times share a clock: segments of one stream begin at most ten seconds apart.
  package func sharesClock(with other: MediaTime) -> Bool { isWithin(seconds: 10, of: other) }

  /// The time as people read it: `4:43:58.000`.
  package var text: String {
    ticks < 0
      ? "-" + Quantity.time(ticks.magnitude, timeScale: timeScale) : Quantity.time(UInt64(ticks), timeScale: timeScale)
  }

  /// The note on a recording whose clock starts at this time, which is subtracted from all others.
  package var subtractionNote: String {
    "the recording's clock starts at \(text), which is subtracted from all times; --keep-start keeps its clock"
  }

  /// The time in milliseconds, to the nearest.
  package var milliseconds: Int64 { ticks(of: 1_000) }
}

/// The mapping from a track's media to the movie, by its first edits.
///
/// Good for putting media in an order: edits after the first that shows media are not followed.
package struct TrackClock: Equatable {
  private let mediaTimeScale: UInt64
  private let firstMediaTime: UInt64
  /// The start in the movie.
  private let startInMicroseconds: UInt64

  /// From the start of the movie, of a decoding or a presentation time; media before what is shown first counts as the
  /// movie's start.
  package func microseconds(ofMediaTime time: UInt64) -> UInt64 {
    let played = time > firstMediaTime ? time - firstMediaTime : 0
    return startInMicroseconds.addingClamped(played.scaled(by: 1_000_000, over: mediaTimeScale) ?? .max)
  }
}

extension Track {
  /// The clock of the track in a movie of this time scale.
  package func clock(movieTimeScale: UInt32) -> TrackClock {
    TrackClock(self, movieTimeScale: movieTimeScale)
  }
}

extension TrackClock {
  fileprivate init(_ track: Track, movieTimeScale: UInt32) {
    mediaTimeScale = UInt64(track.mediaHeader.timeScale)
    firstMediaTime = UInt64(Swift.max(0, track.presentationStartInMediaTicks))
    startInMicroseconds =
      track.presentationStartInMovieTicks.scaled(by: 1_000_000, over: UInt64(movieTimeScale)) ?? 0
  }
}

/// The presentation times of a track's chunks, in the order of the file (``ChunksInFileOrder``).
package struct ChunkTimes {
  private let clock: TrackClock
  private var times: DecodeTimeCursor
  /// The decode times of the first and last sample of each chunk, if the file has the chunks in another order than the
  /// table.
  private var timesByChunk: [(first: UInt64, last: UInt64)]?

  package init(_ track: Track, movieTimeScale: UInt32) {
    clock = track.clock(movieTimeScale: movieTimeScale)
    times = DecodeTimeCursor(track.samples.timeToSample)
    guard !track.samples.chunkOffsets.areInOrder else { return }
    var times = times
    timesByChunk = track.samples.chunks.map { chunk in
      let first = times.decodeTime(of: chunk.firstSample)
      return (first, chunk.sampleCount > 1 ? times.decodeTime(of: chunk.samples.upperBound - 1) : first)
    }
  }

  /// Returns the time of the first sample, in microseconds from the start of the movie.
  package mutating func start(of chunk: Chunk) -> UInt64 {
    clock.microseconds(ofMediaTime: timesByChunk?[chunk.index].first ?? times.decodeTime(of: chunk.firstSample))
  }

  /// Returns the time of the last sample. Call it after ``start(of:)``.
  package mutating func lastSample(of chunk: Chunk) -> UInt64 {
    clock.microseconds(
      ofMediaTime: timesByChunk?[chunk.index].last
        ?? times.decodeTime(of: Swift.max(chunk.firstSample, chunk.samples.upperBound - 1)))
  }
}
