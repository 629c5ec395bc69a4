import MovieBox

/// Bytes of the media of a file that are wanted at one time, such as those of a chunk.
struct MediaExtent: Hashable {
  /// When and for which track an extent is wanted; the order in which extents are put between one another.
  struct Time: Comparable, Hashable {
    /// From the start of the movie.
    let microseconds: UInt64
    /// The number of the track in the new movie. Half a word: there is an extent for each of a hundred thousand chunks.
    let track: Int32

    static func < (left: Time, right: Time) -> Bool {
      (left.microseconds, left.track) < (right.microseconds, right.track)
    }
  }

  /// What the bytes of an extent are.
  enum Use: Hashable {
    /// Samples of a track that stays.
    case samples
    /// Samples of tracks that are taken out.
    case removedSamples
    /// What no table refers to.
    case unused
    /// What is referred to otherwise than as samples that stay, such as auxiliary information and items.
    case other
  }

  let range: ByteRange
  /// That of the samples; for other extents that of the extent before.
  let time: Time
  let use: Use
}

extension Track {
  /// The chunks of the track, but empty ones; without `origins` those in the movie's own file, else those in `part`.
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
  /// Puts the extents in the order of the file, those that share bytes as one; of what stays and what goes, it stays.
  mutating func sortAndMerge() {
    sort { ($0.range.offset, $0.range.end) < ($1.range.offset, $1.range.end) }
    var mergedCount = 0
    for index in indices {  // In place: another hundred thousand extents cost more than all else here.
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
