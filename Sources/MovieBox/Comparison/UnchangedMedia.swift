// A quick comparison of media that an edit moved in large blocks. Most edits copy the media of all tracks together, so
// the bytes from the first to the last chunk of a track can be compared as a whole, without a range for each chunk. If
// they differ, MediaComparison compares the chunks.

/// The bytes from the first to the last of consecutive chunks that all moved by one distance.
struct MovedSpan {
  /// The range in the old file. It may contain samples of other tracks.
  let range: ByteRange
  /// The distance to the bytes in the new file. A negative distance wraps around.
  let distance: UInt64
}

extension Track {
  /// The maximum number of spans of a track. An edit that sorts chunks moves each chunk by another distance.
  private static var maximumSpanCount: Int { 1024 }

  /// Returns the spans of the track's chunks, or `nil` if the tables of `other` differ in more than the chunk offsets,
  /// if chunks are not in file order, or if there are too many spans.
  fileprivate func spans(movedTo other: Track) -> [MovedSpan]? {
    let (offsets, newOffsets) = (samples.chunkOffsets, other.samples.chunkOffsets)
    guard !offsets.isEmpty, !ChunkLocator(other).hasExternalChunks, hasSameSamples(as: other) else { return nil }
    var runs: [(chunks: Range<Int>, distance: UInt64)] = []
    var first = 0
    while first < offsets.count {
      guard runs.count < Self.maximumSpanCount else { return nil }
      let distance = newOffsets[first] &- offsets[first]
      let end = newOffsets.firstChunk(
        from: first, notMovedBy: distance, relativeTo: offsets, inside: 0...UInt64.max)
      runs.append((first..<end, distance))
      first = end
    }
    guard ChunksInFileOrder([self]).areChunksSeparate else { return nil }
    var finder = ChunkSequence.Finder(samples.chunks)
    var spans: [MovedSpan] = []
    for run in runs {
      // Chunks do not overlap, so the last chunk ends last, unless it is empty.
      guard let last = finder.chunk(at: run.chunks.upperBound - 1), last.byteCount > 0, let range = last.byteRange
      else { return nil }
      spans.append(MovedSpan(range: ByteRange(offsets[run.chunks.lowerBound]..<range.end), distance: run.distance))
    }
    return spans
  }
}

/// The tracks whose tables and bytes are equal in two movies without fragments, although their chunks may have moved.
struct UnchangedMedia {
  /// The indices of the pairs of tracks.
  private(set) var pairs: Set<Int> = []
  /// Whether the chunks of any of these tracks moved.
  private(set) var isMoved = false

  /// Creates an empty set.
  init() {}

  /// Compares the bytes of tracks with equal tables. Reads each byte of the old file at most once, and stops reading a
  /// block at the first difference.
  ///
  /// - Parameter commonStart: the number of bytes at the start of both files that are known to be equal.
  init<Old: RandomAccessSource, New: RandomAccessSource>(
    _ tracks: [(old: Track, new: Track)?], in media: MediaComparison<Old, New>, commonStart: UInt64
  ) throws {
    let sizes = (old: try media.old.identity().byteCount, new: try media.new.identity().byteCount)
    var spans: [(span: MovedSpan, pair: Int)] = []
    for (index, pair) in tracks.enumerated() {
      guard let own = pair.flatMap({ $0.old.spans(movedTo: $0.new) }) else { continue }
      pairs.insert(index)
      spans += own.map { ($0, index) }
    }
    spans.sort { ($0.span.distance, $0.span.range.offset) < ($1.span.distance, $1.span.range.offset) }
    // A block consists of consecutive spans that touch or overlap.
    var blocks: [(range: ByteRange, members: Range<Int>)] = []
    for (index, entry) in spans.enumerated() {
      if index > 0, spans[index - 1].span.distance == entry.span.distance, let last = blocks.last,
        let joined = last.range.joined(with: entry.span.range)
      {
        blocks[blocks.count - 1] = (joined, last.members.lowerBound..<index + 1)
      } else {
        blocks.append((entry.span.range, index..<index + 1))
      }
    }
    guard blocks.reduce(UInt64(0), { $0.addingClamped($1.range.count) }) <= sizes.old else {
      pairs = []
      return
    }
    for (range, members) in blocks where spans[members].contains(where: { pairs.contains($0.pair) }) {
      let distance = spans[members.lowerBound].span.distance
      let start = distance == 0 ? Swift.max(range.offset, Swift.min(range.end, commonStart)) : range.offset
      guard range.end <= sizes.old, let new = ByteRange(offset: range.offset &+ distance, count: range.count),
        new.end <= sizes.new,
        try media.firstDifference(ByteRange(start..<range.end), at: start &+ distance) == nil
      else {
        pairs.subtract(spans[members].lazy.map(\.pair))
        continue
      }
    }
    isMoved = spans.contains { $0.span.distance != 0 && pairs.contains($0.pair) }
  }
}
