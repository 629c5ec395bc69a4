/// The distance in the file between media that is played at the same time.
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
package struct InterleavingDistance: Hashable, Sendable {
  /// The most bytes from the start of a chunk to the start of one that is out of order with it; 0 where none is.
  package let byteCount: UInt64
  /// The most time by which the earlier chunk of such a pair is ahead of the later one, in microseconds of the movie:
  /// how long samples are to be kept.
  package let microseconds: UInt64
  /// The tracks of the pair that is the most bytes apart, the one that lies earlier in the file first; empty where no
  /// chunks are out of order.
  package let trackIDs: [UInt32]
}

extension Movie {
  /// Returns the distance in the file between media that is played at the same time.
  ///
  /// Of the samples that the movie atom lists; those in fragments are not looked at. Costs the chunks of all tracks,
  /// and a sort where the file has those of a track in another order than its table; reads nothing.
  package func interleavingDistance() -> InterleavingDistance {
    let playable = tracks.filter { track in
      let type = track.mediaType
      return (type == .video || type == .audio || type.isLegible) && !chapterTrackIDs.contains(track.id)
    }
    let chunks = ChunksInFileOrder(playable)
    let startTimes = playable.map { ChunkTimes($0, movieTimeScale: header.timeScale) }
    // Where all are in order there is nothing to keep: a cell for each of a million chunks costs more than they do.
    if !chunks.needsSort {
      var times = startTimes
      var latest: UInt64 = 0
      let areInOrder = chunks.allSatisfy { element in
        defer { latest = Swift.max(latest, times[element.track].lastSample(of: element.chunk)) }
        return latest <= times[element.track].start(of: element.chunk)
      }
      if areInOrder { return InterleavingDistance(byteCount: 0, microseconds: 0, trackIDs: []) }
    }
    var times = startTimes
    var distance = DistanceMeter()
    for element in chunks {
      let start = times[element.track].start(of: element.chunk)
      let last = times[element.track].lastSample(of: element.chunk)
      distance.add(element.range.offset, track: element.track, from: start, to: last)
    }
    return InterleavingDistance(
      byteCount: distance.byteCount, microseconds: distance.microseconds,
      trackIDs: distance.tracks.map { playable[$0].id })
  }

  /// The distance in a movie that was made from `other`, where that was `known`: it is the same where all media was
  /// moved as one, and measured where it was not.
  package func interleavingDistance(afterEditing other: Movie, with known: InterleavingDistance) -> InterleavingDistance
  {
    hasMediaArranged(as: other) ? known : interleavingDistance()
  }

  /// Whether all chunks lie as far from one another as in another movie, and are shown when they are there.
  private func hasMediaArranged(as other: Movie) -> Bool {
    let (here, there) = (tracks, other.tracks)
    guard here.count == there.count, chapterTrackIDs == other.chapterTrackIDs else { return false }
    var distance: UInt64?
    return zip(here, there).allSatisfy { track, old in
      let (offsets, oldOffsets) = (track.samples.chunkOffsets, old.samples.chunkOffsets)
      guard track.id == old.id, track.hasSameSamples(as: old),
        track.clock(movieTimeScale: header.timeScale) == old.clock(movieTimeScale: other.header.timeScale)
      else { return false }
      guard let first = offsets.first, let oldFirst = oldOffsets.first else { return true }
      let moved = distance ?? first &- oldFirst
      distance = moved
      return offsets.firstChunk(from: 0, notAt: moved, from: oldOffsets, in: 0...UInt64.max) == offsets.count
    }
  }
}

/// Measures chunks one after the other, in the order of the file.
private struct DistanceMeter {
  private(set) var byteCount: UInt64 = 0
  private(set) var microseconds: UInt64 = 0
  /// The places of the two tracks that are farthest apart.
  private(set) var tracks: [Int] = []
  /// The chunks that hold a later sample than all before them: when that is, in order; where they lie; their tracks.
  private var latest: [UInt64] = []
  private var offsets: [UInt64] = []
  private var places: [Int32] = []

  mutating func add(_ offset: UInt64, track: Int, from start: UInt64, to last: UInt64) {
    if let ahead = latest.last, ahead > start {
      microseconds = Swift.max(microseconds, ahead - start)
      // The first chunk that is ahead of this one is the farthest.
      let farthest = latest.partitioningIndex { $0 > start }  // There is one: `ahead`.
      let distance = offset - offsets[farthest]  // They are in the order of the file.
      if distance > byteCount {
        byteCount = distance
        tracks = [Int(places[farthest]), track]
      }
    }
    guard latest.last.map({ last > $0 }) ?? true else { return }
    latest.append(last)
    offsets.append(offset)
    places.append(Int32(clamping: track))
  }
}
