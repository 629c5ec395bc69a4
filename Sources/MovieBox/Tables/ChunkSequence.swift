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
    while let place = cursor.next() {
      guard isOfInterest(table.chunkOffsets[place.chunk]) else { continue }
      let chunk = Chunk(place, in: table)
      if isFound(chunk) { return chunk }
    }
    return nil
  }

  /// Walks the chunks.
  public struct Iterator: IteratorProtocol {
    private let table: SampleTable
    private var cursor: ChunkCursor

    init(_ table: SampleTable) {
      self.table = table
      cursor = ChunkCursor(table)
    }

    /// The next chunk, `nil` after the last.
    public mutating func next() -> Chunk? {
      guard let place = cursor.next() else { return nil }
      return Chunk(place, in: table)
    }
  }
}

extension Chunk {
  fileprivate init(_ place: ChunkCursor.Place, in table: SampleTable) {
    self.init(
      index: place.chunk, offset: table.chunkOffsets[place.chunk],
      byteCount: table.sampleSizes.byteCount(of: place.samples), firstSample: place.samples.lowerBound,
      sampleCount: place.samples.count, sampleDescriptionIndex: place.sampleDescriptionIndex)
  }
}
