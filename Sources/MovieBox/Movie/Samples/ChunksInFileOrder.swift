/// The non-empty chunks of several tracks in this file, in file order.
///
/// If the chunks of each track are in file order, as in nearly all files, an iteration merges the tracks in linear time
/// and constant memory. Otherwise, all chunks are sorted.
package struct ChunksInFileOrder: Sequence {
  /// A chunk of one of the tracks.
  package struct Element {
    /// The index of the track among the given tracks.
    package let track: Int
    package let chunk: Chunk
    /// The byte range of the chunk. The range is not empty, so its offset is below `UInt64.max`.
    package let range: ByteRange

    fileprivate static var none: Element {
      let chunk = Chunk(index: 0, offset: 0, byteCount: 0, firstSample: 0, sampleCount: 0, sampleDescriptionIndex: 0)
      return Element(track: 0, chunk: chunk, range: ByteRange(0..<0))
    }
  }

  private let tracks: [Track]
  /// The maximum number of tracks that are merged. Each step of a merge examines the next chunk of every track, so the
  /// chunks of more tracks are sorted instead.
  private static var maximumMergedTrackCount: Int { 16 }

  /// Whether an iteration must sort the chunks.
  package let needsSort: Bool

  package init(_ tracks: [Track]) {
    self.tracks = tracks
    needsSort =
      tracks.count > Self.maximumMergedTrackCount || !tracks.allSatisfy(\.samples.chunkOffsets.areOffsetsInOrder)
  }

  /// Whether a quick pass over offsets and sizes shows that no chunks overlap. If the value is `false`, chunks may
  /// overlap, and only an iteration finds the overlaps.
  ///
  /// Requires half the instructions of an iteration, because no ``Chunk`` is created.
  package var areChunksSeparate: Bool { !needsSort && ChunkBounds.areSeparate(tracks) }

  package func makeIterator() -> Iterator {
    guard !needsSort else {
      var all: [Element] = []
      for (index, track) in tracks.enumerated() { all += IteratorSequence(TrackIterator(track, index)) }
      // Sorting in place avoids a copy of up to a million chunks.
      all.sort {
        ($0.range.offset, $0.track, $0.chunk.index) < ($1.range.offset, $1.track, $1.chunk.index)
      }
      return Iterator(sorted: all)
    }
    return Iterator(merging: tracks.enumerated().map { TrackIterator($0.element, $0.offset) })
  }

  package struct Iterator: IteratorProtocol {
    /// The number of chunks of a track that are read at once.
    private static var blockCount: Int { 128 }

    private var tracks: [TrackIterator] = []
    /// A block of chunks for each track. For each track, `nextIndices` contains the index of the next chunk, and `ends`
    /// contains the index after the last chunk of the block.
    private var blocks: [Element]
    private var nextIndices: [Int] = []
    private var ends: [Int] = []
    /// The offset of the next chunk of each track, or `UInt64.max` after the track's last chunk.
    private var offsets: [UInt64] = []

    fileprivate init(sorted: [Element]) {
      blocks = sorted
      nextIndices = [0]
      ends = [sorted.count]
      offsets = [sorted.first?.range.offset ?? .max]
    }

    fileprivate init(merging tracks: [TrackIterator]) {
      self.tracks = tracks
      blocks = Array(repeating: .none, count: tracks.count * Self.blockCount)
      nextIndices = Array(repeating: 0, count: tracks.count)
      ends = nextIndices
      offsets = Array(repeating: .max, count: tracks.count)
      for index in tracks.indices { fillBlock(index) }
    }

    package mutating func next() -> Element? {
      var first = 0
      var offset = UInt64.max
      for index in 0..<offsets.count where offsets[index] < offset { (first, offset) = (index, offsets[index]) }
      guard offset < .max else { return nil }
      let position = nextIndices[first]
      let element = blocks[position]
      nextIndices[first] = position &+ 1
      if position &+ 1 < ends[first] {
        offsets[first] = blocks[position &+ 1].range.offset
      } else {
        fillBlock(first)
      }
      return element
    }

    private mutating func fillBlock(_ index: Int) {
      let start = index &* Self.blockCount
      var end = start
      if tracks.indices.contains(index) {
        while end < start &+ Self.blockCount, let element = tracks[index].next() {
          blocks[end] = element
          end &+= 1
        }
      }
      (nextIndices[index], ends[index]) = (start, end)
      offsets[index] = end > start ? blocks[start].range.offset : .max
    }
  }

  /// An iterator over the chunks of one track, in table order.
  fileprivate struct TrackIterator: IteratorProtocol {
    private let index: Int
    private let locator: ChunkLocator
    private var chunks: ChunkSequence.Iterator

    init(_ track: Track, _ index: Int) {
      self.index = index
      locator = ChunkLocator(track)
      chunks = track.samples.chunks.makeIterator()
    }

    mutating func next() -> Element? {
      while let chunk = chunks.next() {
        guard chunk.byteCount > 0, !locator.isExternal(chunk), let range = locator.byteRange(of: chunk) else {
          continue
        }
        return Element(track: index, chunk: chunk, range: range)
      }
      return nil
    }
  }
}

extension Track {
  /// Whether the sample tables of both tracks are equal, except for the chunk offsets. Compares the bytes of the
  /// tables.
  func hasSameSamples(as other: Track) -> Bool {
    let (table, otherTable) = (samples, other.samples)
    return table.chunkCount == otherTable.chunkCount && table.sampleToChunk == otherTable.sampleToChunk
      && table.sampleSizes == otherTable.sampleSizes && table.timeToSample == otherTable.timeToSample
      && table.compositionOffsets == otherTable.compositionOffsets && table.syncSamples == otherTable.syncSamples
      && sampleDescriptions == other.sampleDescriptions && mediaType == other.mediaType
  }

  /// Whether any sample of the track has bytes in a range of the file.
  package func hasSamples(in range: ByteRange) -> Bool {
    firstChunk(inBlocksWhere: { $0.overlaps(range) }, where: { $0?.overlaps(range) ?? false }) != nil
  }
}

/// The bytes of a file to which the samples of some tracks refer, without duplicates.
///
/// Makes a pass over the chunks of the tracks (``ChunksInFileOrder``). The set excludes media in other files and bytes
/// that are not in chunks, such as metadata items and auxiliary information.
///
///     let referencedBytes = MediaRanges(movie.tracks)
///     for atom in movie.layout.atoms where atom.type == "mdat" {
///       print(atom.payloadRange.count - referencedBytes.byteCount(in: atom.payloadRange), "bytes that no sample names")
///     }
package struct MediaRanges: Hashable, Sendable {
  /// The ranges, in file order. They neither touch nor overlap.
  package var ranges: [ByteRange] { referencedBytes.ranges }

  private let referencedBytes: ByteRangeSet

  /// Creates the set of bytes in the chunks of `tracks`.
  package init(_ tracks: some Sequence<Track>) {
    referencedBytes = ByteRangeSet(inOrder: ChunksInFileOrder(Array(tracks)).lazy.map(\.range))
  }

  /// The total size of the ranges.
  package var byteCount: UInt64 { referencedBytes.byteCount }

  /// Returns the number of bytes in `range` that samples refer to.
  package func byteCount(in range: ByteRange) -> UInt64 {
    // The sum cannot overflow, because the ranges are disjoint.
    referencedBytes.ranges(within: range).reduce(0) { $0 &+ $1.count }
  }
}
