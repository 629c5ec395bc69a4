import MovieBox

/// The positions at which the chunks of new tracks are inserted into the media of a file.
///
/// The guide is the track with the most bytes. Each new chunk is inserted before the first guide chunk that is shown at
/// the same time or later. If there is no such guide chunk, the new chunk is inserted after the last guide chunk. An
/// insertion never separates bytes to which samples refer. It is made at the start of a guide chunk that no other chunk
/// overlaps, in media data whose end no chunk crosses.
struct InsertionPoints {
  /// The file offsets of the insertions, each with the indices of the new chunks inserted there.
  private(set) var points: [(offset: UInt64, chunks: Range<Int>)] = []
  /// Whether all new chunks have positions. It is `false` if the movie contains no media into which they can be
  /// inserted.
  private(set) var isComplete = false
  /// Whether all chunks of the file are in media data that can be divided.
  private(set) var coversAllChunks = true

  /// The track whose chunks determine the insertion points.
  private struct GuideTrack {
    let place: Int
    var times: ChunkTimes

    /// Returns the next chunk that contains bytes and starts at `microseconds` or later, or `nil` if there is none.
    mutating func nextChunk(from microseconds: UInt64, _ chunks: inout ChunkSequence.Finder) -> Chunk? {
      guard let sample = times.firstSample(from: microseconds) else { return nil }
      while let chunk = chunks.chunk(startingAtOrAfter: sample) {
        if chunk.byteCount > 0 { return chunk }
      }
      return nil
    }
  }

  /// The input of a search for insertion points.
  private struct Search {
    let newChunks: [NewChunk]
    /// The tracks whose chunks are already in the file.
    let tracks: [Track]
    let origins: [ChunkOrigins]
    let guide: GuideTrack
    /// The media data atoms that the file contains completely.
    let media: [ByteRange]
    /// The bytes to which something other than a chunk refers.
    let referenced: ByteRangeSet
  }

  /// Finds the insertion points.
  ///
  /// - Parameters:
  ///   - newChunks: the new chunks in time order.
  ///   - others: the bytes to which something other than a chunk refers. Insertions do not separate these bytes either.
  ///
  /// Takes time linear in the number of chunks of all tracks, and no memory for them (``ChunksInFileOrder``).
  init(for newChunks: [NewChunk], _ resolved: ResolvedEdit, new: Movie, others: [ByteRange]) {
    let tracks = new.tracks.filter { track in
      !resolved.tracks.new.contains(track.id) && !resolved.added.importedTracks.contains { $0.id == track.id }
    }
    let sizes = tracks.map(\.mediaByteCount)
    guard let largestSize = sizes.max(), let index = sizes.firstIndex(of: largestSize), largestSize > 0 else { return }
    let search = Search(
      newChunks: newChunks, tracks: tracks,
      origins: tracks.map { ChunkOrigins($0, resolved.added.externalMedia[$0.id]) },
      guide: GuideTrack(place: index, times: ChunkTimes(tracks[index], movieTimeScale: new.header.timeScale)),
      media: resolved.movie.layout.atoms.filter { $0.type == "mdat" && !$0.isTruncated }.map(\.payloadRange),
      referenced: ByteRangeSet(others))
    if resolved.added.externalMedia.isEmpty, insertWithoutWalk(search) { return }
    var indivisibleAtoms: Set<Int> = []
    // The search is repeated if it found media data that cannot be divided.
    for _ in 0..<2 {
      let before = indivisibleAtoms
      insertInFileOrder(search, &indivisibleAtoms)
      if indivisibleAtoms == before { return }
    }
  }

  /// Finds the points in a movie with the usual structure: the chunks of each track are in order and in one atom, and
  /// no chunk of another track covers the start of a guide chunk. Returns `false` for any other movie.
  ///
  /// Takes a few steps for each chunk of the guide. Searches every other track once for each point.
  private mutating func insertWithoutWalk(_ search: Search) -> Bool {
    let (newChunks, tracks, media, referenced) = (search.newChunks, search.tracks, search.media, search.referenced)
    let bounds = tracks.map { track in
      let locator = ChunkLocator(track)
      return locator.hasNoLegacyAudioPackets && !locator.hasExternalChunks
        && track.samples.chunkOffsets.areOffsetsInOrder
        ? track.samples.maximumChunkByteCount : nil
    }
    func isInside(_ track: Track, _ bound: UInt64?, in atom: ByteRange) -> Bool {
      let offsets = track.samples.chunkOffsets
      guard let first = offsets.first, let last = offsets.last else { return true }
      guard let bound, first >= atom.offset, last < atom.end else { return false }
      var finder = ChunkSequence.Finder(track.samples.chunks)
      // Only a chunk near the end of the atom can extend beyond it, because no chunk is larger than `bound`.
      let near = offsets.partitioningIndex { $0 > atom.end - Swift.min(bound, atom.end) }
      return (near..<offsets.count).allSatisfy { index in
        finder.chunk(at: index).map { $0.byteRange.map(atom.contains) ?? false } ?? true
      }
    }
    guard
      let atom = media.first(where: { atom in zip(tracks, bounds).allSatisfy { isInside($0, $1, in: atom) } })
    else { return false }
    var guide = search.guide
    var insertions: [(offset: UInt64, chunks: Range<Int>)] = []
    var remainingChunks = newChunks.indices
    guard !tracks[guide.place].samples.chunkOffsets.isEmpty else { return false }
    var guideChunks = ChunkSequence.Finder(tracks[guide.place].samples.chunks)
    while let first = remainingChunks.first,
      let chunk = guide.nextChunk(from: newChunks[first].time.microseconds, &guideChunks)
    {
      let time = guide.times.start(of: chunk)
      guard !referenced.divides(at: chunk.offset) else { return false }
      let end = newChunks[first...].partitioningIndex { $0.time.microseconds > time }
      insertions.append((chunk.offset, first..<end))
      remainingChunks = end..<remainingChunks.upperBound
    }
    for (track, bound) in zip(tracks, bounds) {
      var finder = ChunkSequence.Finder(track.samples.chunks)
      let offsets = track.samples.chunkOffsets
      var next = 0
      for point in insertions {
        // No chunk is larger than `bound`, so chunks that start before `farthestEnd` end before the point.
        let farthestEnd = bound.map { $0 < point.offset ? point.offset - $0 : 0 } ?? 0
        next = Swift.max(next, offsets.partitioningIndex { $0 > farthestEnd })
        while next < offsets.count, offsets[next] < point.offset {
          guard let chunk = finder.chunk(at: next), let range = chunk.byteRange else { break }
          guard range.end <= point.offset else { return false }
          next += 1
        }
      }
    }
    if !remainingChunks.isEmpty { insertions.append((atom.end, remainingChunks)) }
    (points, isComplete) = (insertions, true)
    return true
  }

  private mutating func insertInFileOrder(_ search: Search, _ indivisibleAtoms: inout Set<Int>) {
    let (newChunks, media, referenced) = (search.newChunks, search.media, search.referenced)
    var guide = search.guide
    var remainingChunks = newChunks.indices
    var atom = 0
    var last: Int?
    /// The index up to which media data has been marked as indivisible.
    var markedEnd = 0
    /// The start of the current chunk, and two ends: the greatest end of the chunks that start before it, and the
    /// greatest end of the chunks that start before it or together with it.
    var (farthestEnd, nextReach, start) = (UInt64(0), UInt64(0), UInt64(0))
    (points, isComplete, coversAllChunks) = ([], false, indivisibleAtoms.isEmpty)
    for element in ChunksInFileOrder(search.tracks)
    where search.origins[element.track].part(of: element.chunk) == 0 {
      let range = element.range
      if range.offset > start { (farthestEnd, start) = (Swift.max(farthestEnd, nextReach), range.offset) }
      nextReach = Swift.max(nextReach, range.end)
      while atom < media.count, media[atom].end <= range.offset { atom += 1 }
      guard atom < media.count, media[atom].contains(range) else {
        coversAllChunks = false
        // The chunk is not completely within one media data atom.
        markedEnd = Swift.max(markedEnd, atom)
        while markedEnd < media.count, media[markedEnd].offset < range.end {
          indivisibleAtoms.insert(markedEnd)
          markedEnd += 1
        }
        continue
      }
      guard element.track == guide.place, !indivisibleAtoms.contains(atom) else { continue }
      last = atom
      guard let first = remainingChunks.first else { continue }
      let time = guide.times.start(of: element.chunk)
      guard newChunks[first].time.microseconds <= time, range.offset >= farthestEnd,
        !referenced.divides(at: range.offset)
      else {
        continue
      }
      let end = newChunks[first...].partitioningIndex { $0.time.microseconds > time }
      points.append((range.offset, first..<end))
      remainingChunks = end..<remainingChunks.upperBound
    }
    guard let last else { return }
    if !remainingChunks.isEmpty { points.append((media[last].end, remainingChunks)) }
    points.sort { $0.offset < $1.offset }  // The end of media data may precede points in later atoms.
    isComplete = true
  }
}

/// A chunk of a new track.
struct NewChunk: Hashable {
  let piece: MediaArrangement.Piece
  let time: MediaExtent.Time

  /// Returns the chunks of all new tracks in time order.
  static func all(_ resolved: ResolvedEdit, new: Movie) -> [NewChunk] {
    var chunks = resolved.added.copiedMedia.map { NewChunk(piece: .source($0.range), time: $0.time) }
    let imported = Set(resolved.added.importedTracks.map(\.id))
    for (number, track) in new.tracks.enumerated()
    where resolved.tracks.new.contains(track.id) && !imported.contains(track.id) {
      let origins = ChunkOrigins(track, resolved.added.externalMedia[track.id])
      let extents = track.mediaExtents(number: number, movieTimeScale: new.header.timeScale, origins)
      chunks += extents.map { NewChunk(piece: .new($0.range), time: $0.time) }
    }
    if resolved.added.auxiliaryByteCount > 0 {  // Auxiliary information is first.
      let range = ByteRange(0..<UInt64(resolved.added.auxiliaryByteCount))
      chunks.append(NewChunk(piece: .new(range), time: MediaExtent.Time(microseconds: 0, track: 0)))
    }
    return chunks.sorted { $0.time < $1.time }
  }
}

extension ByteRangeSet {
  /// Whether an insertion before a byte would divide one of the ranges.
  fileprivate func divides(at offset: UInt64) -> Bool {
    let index = ranges.firstIndex(endingAfter: offset)
    return index < ranges.count && ranges[index].offset < offset
  }
}
