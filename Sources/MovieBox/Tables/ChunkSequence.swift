/// The chunks of a track, in the order of `stco`, each with its samples.
///
/// Lazy: costs one pass over the sample sizes, or over the chunks alone where all sizes are equal. It ends after the
/// last chunk that `stco` lists, or earlier, where `stsc` asks for samples that `stsz` does not have; so its
/// length is bounded by the bytes of the tables.
public struct ChunkSequence: Sequence, Sendable {
  let table: SampleTable

  /// A walk from the first chunk.
  public func makeIterator() -> Iterator {
    Iterator(table)
  }

  /// Walks the chunks.
  public struct Iterator: IteratorProtocol {
    private let offsets: ChunkOffsetTable
    private let sizes: SampleSizeTable
    private var cursor: ChunkCursor

    init(_ table: SampleTable) {
      offsets = table.chunkOffsets
      sizes = table.sampleSizes
      cursor = ChunkCursor(table)
    }

    /// The next chunk, `nil` after the last.
    public mutating func next() -> Chunk? {
      guard let place = cursor.next() else { return nil }
      return Chunk(
        index: place.chunk, offset: offsets[place.chunk], byteCount: sizes.byteCount(of: place.samples),
        firstSample: place.samples.lowerBound, sampleCount: place.samples.count,
        sampleDescriptionIndex: place.sampleDescriptionIndex)
    }
  }
}
