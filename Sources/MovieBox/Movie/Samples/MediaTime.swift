// Exact times in any time scale, and the mapping from a track's media to the movie.

/// A time in ticks of a time scale. It may have no exact equivalent in other time scales.
package struct MediaTime: Hashable, Sendable {
  package let ticks: Int64
  /// The number of ticks per second. It is not 0.
  package let timeScale: UInt32

  package static let zero = MediaTime(second: 0)

  private init(second: Int64) {
    ticks = second
    timeScale = 1
  }

  /// Creates a time, or returns `nil` if the time scale is 0.
  package init?(ticks: Int64, timeScale: UInt32) {
    guard timeScale > 0 else { return nil }
    self.ticks = ticks
    self.timeScale = timeScale
  }

  /// Returns the time in ticks of another time scale. The result is rounded to the nearest tick, with halves up, and
  /// limited to 64 bits.
  package func ticks(of timeScale: UInt32) -> Int64 {
    let scale = Int128(self.timeScale)
    let doubledTicks = 2 * Int128(ticks) * Int128(timeScale) + scale  // The sum is at most 2⁹⁷.
    let (quotient, remainder) = doubledTicks.quotientAndRemainder(dividingBy: 2 * scale)
    return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
  }

  package func isBefore(_ other: MediaTime) -> Bool {
    Int128(ticks) * Int128(other.timeScale) < Int128(other.ticks) * Int128(timeScale)
  }

  /// Whether the times are less than `seconds` apart.
  package func isWithin(seconds: Int64, of other: MediaTime) -> Bool {
    let distance = Int128(ticks) * Int128(other.timeScale) - Int128(other.ticks) * Int128(timeScale)
    return distance.magnitude < (Int128(seconds) * Int128(timeScale) * Int128(other.timeScale)).magnitude
  }

  /// Whether recordings with these two start times are probably segments of one stream. The times of all segments of a
  /// stream count from one origin, and consecutive segments start less than ten seconds apart.
  package func sharesClock(with other: MediaTime) -> Bool { isWithin(seconds: 10, of: other) }

  /// The time for the user, such as `4:43:58.000`.
  package var text: String {
    ticks < 0
      ? "-" + Quantity.time(ticks.magnitude, timeScale: timeScale) : Quantity.time(UInt64(ticks), timeScale: timeScale)
  }

  /// The notice about a recording whose times start at this time. The start time is subtracted from all times.
  package var subtractionNote: String {
    "the times of the recording start at \(text); this start is subtracted from all times, unless you add --keep-start"
  }

  /// The time in milliseconds, rounded to the nearest.
  package var milliseconds: Int64 { ticks(of: 1_000) }
}

/// The mapping from a track's media to the movie, according to its first edits.
///
/// Edits after the first non-empty edit are ignored, so the mapping is suitable only for ordering media.
package struct TrackClock: Equatable {
  private let mediaTimeScale: UInt64
  private let firstMediaTime: UInt64
  /// The start of the media in the movie.
  private let startInMicroseconds: UInt64

  /// Returns the time in the movie for a decode or presentation time, in microseconds. Media before the first
  /// presented time is mapped to the start of the track.
  package func microseconds(ofMediaTime time: UInt64) -> UInt64 {
    let playedTime = time > firstMediaTime ? time - firstMediaTime : 0
    return startInMicroseconds.addingClamped(playedTime.scaled(by: 1_000_000, over: mediaTimeScale) ?? .max)
  }

  /// Returns the earliest media time that ``microseconds(ofMediaTime:)`` maps to `microseconds` or later, or `nil` if
  /// there is none.
  func mediaTime(ofMicroseconds microseconds: UInt64) -> UInt64? {
    var (low, high) = (UInt64(0), UInt64.max)
    while low < high {
      let middle = low + (high - low) / 2
      if self.microseconds(ofMediaTime: middle) >= microseconds { high = middle } else { low = middle + 1 }
    }
    return self.microseconds(ofMediaTime: low) >= microseconds ? low : nil
  }
}

extension Track {
  /// Returns the mapping of the track's media for a movie's time scale.
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

/// The decode times of a track's chunks, for a pass in file order (``ChunksInFileOrder``).
package struct ChunkTimes {
  private let clock: TrackClock
  private var times: DecodeTimeCursor
  /// The decode times of the first and last sample of each chunk, or `nil` if chunks are in file order.
  private var timesByChunk: [(first: UInt64, last: UInt64)]?

  package init(_ track: Track, movieTimeScale: UInt32) {
    clock = track.clock(movieTimeScale: movieTimeScale)
    times = DecodeTimeCursor(track.samples.timeToSample)
    guard !track.samples.chunkOffsets.areOffsetsInOrder else { return }
    var times = times
    timesByChunk = track.samples.chunks.map { chunk in
      let first = times.decodeTime(of: chunk.firstSample)
      return (first, chunk.sampleCount > 1 ? times.decodeTime(of: chunk.samples.upperBound - 1) : first)
    }
  }

  /// Returns the time of the chunk's first sample, in microseconds from the start of the movie.
  package mutating func start(of chunk: Chunk) -> UInt64 {
    clock.microseconds(ofMediaTime: timesByChunk?[chunk.index].first ?? times.decodeTime(of: chunk.firstSample))
  }

  /// Returns the index of the first sample that starts at `microseconds` or later, or `nil` if there is none. The
  /// chunks must be in file order.
  package mutating func firstSample(from microseconds: UInt64) -> Int? {
    clock.mediaTime(ofMicroseconds: microseconds).flatMap { times.firstSample(decodedFrom: $0) }
  }

  /// Returns the times of the chunk's first and last sample, in microseconds from the start of the movie.
  package mutating func bounds(of chunk: Chunk) -> (first: UInt64, last: UInt64) {
    let first = start(of: chunk)
    guard chunk.sampleCount > 1 else { return (first, first) }
    let last = timesByChunk?[chunk.index].last ?? times.decodeTime(of: chunk.samples.upperBound - 1)
    return (first, clock.microseconds(ofMediaTime: last))
  }
}
