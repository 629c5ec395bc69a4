/// When the chunks of a track are shown in the movie, asked for in the order of the file (``ChunksInFileOrder``).
package struct ChunkTimes {
  private let clock: TrackClock
  private var times: DecodeTimeCursor
  /// When the first sample of each chunk is decoded, and the last, where the file has them in another order than the
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

  /// When the first sample is decoded, in microseconds from the start of the movie.
  package mutating func start(of chunk: Chunk) -> UInt64 {
    clock.microseconds(ofMediaTime: timesByChunk?[chunk.index].first ?? times.decodeTime(of: chunk.firstSample))
  }

  /// The same of the last sample; asked for after the first.
  package mutating func lastSample(of chunk: Chunk) -> UInt64 {
    clock.microseconds(
      ofMediaTime: timesByChunk?[chunk.index].last
        ?? times.decodeTime(of: Swift.max(chunk.firstSample, chunk.samples.upperBound - 1)))
  }
}
