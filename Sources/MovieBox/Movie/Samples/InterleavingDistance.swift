/// How far from one another a file has what is played at the same time.
///
/// Two chunks are out of order when the one that lies earlier in the file holds a sample that is decoded after the
/// first sample of the other. A sequential reader then has to keep the one in memory until the other
/// comes, or has to jump. Chunks of a second in turn are about one chunk and one second apart; all pictures before all
/// sound is as far as a file can be. Whole chunks set the lower bound, so ``byteCount`` is seldom 0.
///
/// What a player may play is looked at, whether it is enabled or a viewer has to choose it: video, audio, subtitles,
/// text and captions. Chapters, time code and metadata are not: they are read ahead of playing.
///
///     let distance = movie.interleavingDistance()
///     print(distance.byteCount, "bytes,", distance.microseconds / 1000, "ms")
public struct InterleavingDistance: Hashable, Sendable {
  /// The most bytes from the start of a chunk to the start of one that is out of order with it; 0 where none is.
  public let byteCount: UInt64
  /// The most time by which the earlier chunk of such a pair is ahead of the later one, in microseconds of the movie:
  /// how long samples are to be kept.
  public let microseconds: UInt64
  /// The tracks of the pair that is the most bytes apart, the one that lies earlier in the file first; empty where no
  /// chunks are out of order.
  public let trackIDs: [UInt32]
}

extension Movie {
  /// How far from one another the file has what is played at the same time.
  ///
  /// Of the samples that the movie atom lists; those in fragments are not looked at. Costs the chunks of all tracks,
  /// and a sort; reads nothing.
  public func interleavingDistance() -> InterleavingDistance {
    let playable = tracks.filter { track in
      let type = track.mediaType
      return (type == .video || type == .audio || type.isLegible) && !chapterTrackIDs.contains(track.id)
    }
    let chunks = playable.flatMap { $0.timedChunks(movieTimeScale: header.timeScale) }
    return InterleavingDistance(chunks.sorted { ($0.offset, $0.start) < ($1.offset, $1.start) })
  }
}

/// A chunk, and when its first and last samples are decoded, in microseconds of the movie.
private struct TimedChunk {
  let offset: UInt64
  let start: UInt64
  let last: UInt64
  let trackID: UInt32
}

extension InterleavingDistance {
  /// That of chunks in the order of the file.
  fileprivate init(_ chunks: [TimedChunk]) {
    var byteCount: UInt64 = 0
    var microseconds: UInt64 = 0
    var trackIDs: [UInt32] = []
    /// The latest sample among the chunks up to each one: it never falls.
    var latest: [UInt64] = []
    latest.reserveCapacity(chunks.count)
    for chunk in chunks {
      if let ahead = latest.last, ahead > chunk.start {
        microseconds = Swift.max(microseconds, ahead - chunk.start)
        // The first chunk that is ahead of this one is the farthest.
        let farthest = chunks[latest.partitioningIndex { $0 > chunk.start }]  // There is one: `ahead`.
        let distance = chunk.offset - farthest.offset  // They are in the order of the file.
        if distance > byteCount {
          byteCount = distance
          trackIDs = [farthest.trackID, chunk.trackID]
        }
      }
      latest.append(Swift.max(latest.last ?? 0, chunk.last))
    }
    self.byteCount = byteCount
    self.microseconds = microseconds
    self.trackIDs = trackIDs
  }
}

extension Track {
  fileprivate func timedChunks(movieTimeScale: UInt32) -> [TimedChunk] {
    let locator = ChunkLocator(self)
    let clock = clock(movieTimeScale: movieTimeScale)
    var times = DecodeTimeCursor(samples.timeToSample)
    var chunks: [TimedChunk] = []
    for chunk in samples.chunks {
      let start = clock.microseconds(ofDecodeTime: times.decodeTime(of: chunk.firstSample))
      guard let lastSample = chunk.samples.last, chunk.byteCount > 0, !locator.isExternal(chunk) else { continue }
      let last = clock.microseconds(ofDecodeTime: times.decodeTime(of: lastSample))
      chunks.append(TimedChunk(offset: chunk.offset, start: start, last: last, trackID: id))
    }
    return chunks
  }
}
