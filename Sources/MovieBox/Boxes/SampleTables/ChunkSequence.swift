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

  /// The first chunk that `isFound`, among those whose offset is one of interest.
  ///
  /// Adds up sample sizes for these alone, which is most of the work of walking all chunks.
  package func first(whereOffset isOfInterest: (UInt64) -> Bool, _ isFound: (Chunk) -> Bool) -> Chunk? {
    var cursor = ChunkCursor(table)
    let (offsets, sizes) = (table.chunkOffsets, table.sampleSizes)
    while let place = cursor.next() {
      let offset = offsets[place.chunk]
      guard isOfInterest(offset) else { continue }
      let chunk = Chunk(place, offset: offset, byteCount: sizes.byteCount(of: place.samples))
      if isFound(chunk) { return chunk }
    }
    return nil
  }

  /// Walks the chunks.
  public struct Iterator: IteratorProtocol {
    // Not the whole table, which a step would hold and let go of again.
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
      return Chunk(place, offset: offsets[place.chunk], byteCount: sizes.byteCount(of: place.samples))
    }
  }
}

extension Chunk {
  fileprivate init(_ place: ChunkCursor.Place, offset: UInt64, byteCount: UInt64) {
    self.init(
      index: place.chunk, offset: offset, byteCount: byteCount, firstSample: place.samples.lowerBound,
      sampleCount: place.samples.count, sampleDescriptionIndex: place.sampleDescriptionIndex)
  }
}
