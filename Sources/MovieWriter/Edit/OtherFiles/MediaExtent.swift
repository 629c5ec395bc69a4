import MovieBox

/// A range of media bytes that players need at the same time, such as a chunk.
///
/// A new file stores the extents of several tracks interleaved by time.
struct MediaExtent: Hashable {
  /// The time and track of an extent. Interleaved extents are sorted by time, and then by track.
  struct Time: Comparable, Hashable {
    /// The time from the start of the movie.
    let microseconds: UInt64
    /// The index of the track in the new movie. 32 bits save memory, because a movie may have 100 000 chunks.
    let track: Int32

    static func < (left: Time, right: Time) -> Bool {
      (left.microseconds, left.track) < (right.microseconds, right.track)
    }
  }

  /// The contents of an extent.
  enum Use: Hashable {
    /// Samples of a kept track.
    case samples
    /// Samples of removed tracks only.
    case removedSamples
    /// Bytes to which no table refers.
    case unused
    /// Referenced bytes that are not samples, such as auxiliary information and items.
    case other
  }

  let range: ByteRange
  /// The time of the samples. An extent without samples has the time of the previous extent.
  let time: Time
  let use: Use
}

extension Track {
  /// Returns the extents of the track's non-empty chunks in one file of the source, by default the movie's own file.
  func mediaExtents(
    number: Int, movieTimeScale: UInt32, _ origins: ChunkOrigins? = nil, part: Int = 0
  ) -> [MediaExtent] {
    let locator = ChunkLocator(self)
    let origins = origins ?? ChunkOrigins(self, nil)
    var times = DecodeTimeCursor(samples.timeToSample)
    let clock = clock(movieTimeScale: movieTimeScale)
    var extents: [MediaExtent] = []
    for chunk in samples.chunks {
      let decodeTime = times.decodeTime(of: chunk.firstSample)
      guard chunk.byteCount > 0, origins.part(of: chunk) == part, let range = locator.byteRange(of: chunk) else {
        continue
      }
      let microseconds = clock.microseconds(ofMediaTime: decodeTime)
      let time = MediaExtent.Time(microseconds: microseconds, track: Int32(clamping: number))
      extents.append(MediaExtent(range: range, time: time, use: .samples))
    }
    return extents
  }
}

extension [MediaExtent] {
  /// Sorts the extents by their offsets and merges extents that overlap. Bytes that kept and removed samples share are
  /// kept.
  mutating func sortAndMerge() {
    sort { ($0.range.offset, $0.range.end) < ($1.range.offset, $1.range.end) }
    var mergedCount = 0
    for index in indices {  // A second array of 100 000 extents would dominate the cost.
      let extent = self[index]
      guard mergedCount > 0, extent.range.offset < self[mergedCount - 1].range.end else {
        self[mergedCount] = extent
        mergedCount += 1
        continue
      }
      let last = self[mergedCount - 1]
      let uses = [last.use, extent.use]
      self[mergedCount - 1] = MediaExtent(
        range: ByteRange(last.range.offset..<Swift.max(last.range.end, extent.range.end)),
        time: Swift.min(last.time, extent.time),
        use: last.use == extent.use ? extent.use : uses.contains(.samples) ? .samples : .other)
    }
    removeLast(count - mergedCount)
  }
}
