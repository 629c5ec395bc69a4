/// The distance in the file between media that is played at the same time.
///
/// Two chunks are out of order if the earlier chunk in the file contains a sample that is decoded after the first
/// sample of the later chunk. A sequential reader must buffer the earlier chunk until it reaches the later chunk, or
/// must seek. If chunks of one second are interleaved, the distance is about one chunk and one second. The distance is
/// largest if all video precedes all audio. Media is stored in whole chunks, so ``byteCount`` is rarely 0.
///
/// The distance includes all tracks that a player may present, whether they are enabled or not: video, audio,
/// subtitles, text and captions. It excludes chapters, time code and metadata, because players read them in advance.
///
///     let distance = movie.interleavingDistance()
///     print(distance.byteCount, "bytes,", distance.microseconds / 1000, "ms")
package struct InterleavingDistance: Hashable, Sendable {
  /// The largest distance in bytes between the starts of two chunks that are out of order, or 0 if there are none.
  package let byteCount: UInt64
  /// The longest time, in microseconds, by which a chunk is ahead of a later chunk in the file. A reader must buffer
  /// samples for this time.
  package let microseconds: UInt64
  /// The IDs of the tracks of the pair with the largest ``byteCount``, beginning with the track of the earlier chunk.
  /// The array is empty if no chunks are out of order.
  package let trackIDs: [UInt32]
}

extension Movie {
  /// Returns the distance in the file between media that is played at the same time.
  ///
  /// Samples in fragments are ignored. Makes a pass over the chunks of all tracks, and sorts them if the chunks of a
  /// track are not in file order. Reads nothing.
  package func interleavingDistance() -> InterleavingDistance {
    let playableTracks = tracks.filter { track in
      let type = track.mediaType
      return (type == .video || type == .audio || type.isLegible) && !chapterTrackIDs.contains(track.id)
    }
    let chunks = ChunksInFileOrder(playableTracks)
    let startTimes = playableTracks.map { ChunkTimes($0, movieTimeScale: header.timeScale) }
    // A faster pass handles the common case: if all chunks are in order, nothing must be measured or stored.
    if !chunks.needsSort {
      var times = startTimes
      var latestTimes: UInt64 = 0
      let areInOrder = chunks.allSatisfy { element in
        let (start, last) = times[element.track].bounds(of: element.chunk)
        defer { latestTimes = Swift.max(latestTimes, last) }
        return latestTimes <= start
      }
      if areInOrder { return InterleavingDistance(byteCount: 0, microseconds: 0, trackIDs: []) }
    }
    var times = startTimes
    var distance = DistanceMeter()
    for element in chunks {
      let (start, last) = times[element.track].bounds(of: element.chunk)
      distance.add(element.range.offset, track: element.track, from: start, to: last)
    }
    return InterleavingDistance(
      byteCount: distance.byteCount, microseconds: distance.microseconds,
      trackIDs: distance.tracks.map { playableTracks[$0].id })
  }

  /// Returns the distance in this movie, the result of an edit of `other`. If the edit did not rearrange the media,
  /// returns `known`, the distance in `other`.
  package func interleavingDistance(afterEditing other: Movie, with known: InterleavingDistance) -> InterleavingDistance
  {
    hasSameMediaArrangement(as: other) ? known : interleavingDistance()
  }

  /// Whether all chunks have the same times as in another movie, and are at the same distances from each other.
  private func hasSameMediaArrangement(as other: Movie) -> Bool {
    let (newTracks, oldTracks) = (tracks, other.tracks)
    guard newTracks.count == oldTracks.count, chapterTrackIDs == other.chapterTrackIDs else { return false }
    var distance: UInt64?
    return zip(newTracks, oldTracks).allSatisfy { track, old in
      let (offsets, oldOffsets) = (track.samples.chunkOffsets, old.samples.chunkOffsets)
      guard track.id == old.id, track.hasSameSamples(as: old),
        track.clock(movieTimeScale: header.timeScale) == old.clock(movieTimeScale: other.header.timeScale)
      else { return false }
      guard let first = offsets.first, let oldFirst = oldOffsets.first else { return true }
      let moved = distance ?? first &- oldFirst
      distance = moved
      return offsets.firstChunk(from: 0, notMovedBy: moved, relativeTo: oldOffsets, inside: 0...UInt64.max)
        == offsets.count
    }
  }
}

/// Measures how far apart the file stores media that plays at the same time. Chunks are added in file order.
private struct DistanceMeter {
  private(set) var byteCount: UInt64 = 0
  private(set) var microseconds: UInt64 = 0
  /// The indices of the tracks whose chunks are farthest apart.
  private(set) var tracks: [Int] = []
  /// The times of chunks that end later than all earlier chunks, in ascending order. `offsets` and `trackIndices`
  /// contain the offsets and tracks of these chunks.
  private var latestTimes: [UInt64] = []
  private var offsets: [UInt64] = []
  private var trackIndices: [Int32] = []

  mutating func add(_ offset: UInt64, track: Int, from start: UInt64, to last: UInt64) {
    if let latestTime = latestTimes.last, latestTime > start {
      microseconds = Swift.max(microseconds, latestTime - start)
      // Earlier elements are chunks at lower offsets. So of all chunks that end after the start of this chunk, the
      // first is the farthest away.
      let farthest = latestTimes.partitioningIndex { $0 > start }  // It exists, because `latestTime` > `start`.
      // The subtraction cannot underflow, because chunks are added in file order.
      let distance = offset - offsets[farthest]
      if distance > byteCount {
        byteCount = distance
        tracks = [Int(trackIndices[farthest]), track]
      }
    }
    guard latestTimes.last.map({ last > $0 }) ?? true else { return }
    latestTimes.append(last)
    offsets.append(offset)
    trackIndices.append(Int32(clamping: track))
  }
}
