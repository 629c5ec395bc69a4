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

  /// The first chunk that `isFound`, among those whose offset may be one of interest: the closure gets the smallest and the
  /// largest of some offsets, and each of them alone where it said yes to these.
  ///
  /// Walks the chunks only as far as the last block of interest; of most tables there is none.
  package func first(
    whereOffsets mayBeOfInterest: (ClosedRange<UInt64>) -> Bool, _ isFound: (Chunk) -> Bool
  ) -> Chunk? {
    first(inBlocksOf: 1024) { _, bounds in
      mayBeOfInterest(bounds)
    } _: { chunk in
      mayBeOfInterest(chunk.offset...chunk.offset) && isFound(chunk)
    }
  }

  /// The first chunk that `isFound`, in blocks that are of interest: the closure gets the numbers of their chunks, and the
  /// smallest and the largest of their offsets.
  package func first(
    inBlocksOf blockCount: Int, where isOfInterest: (Range<Int>, ClosedRange<UInt64>) -> Bool,
    _ isFound: (Chunk) -> Bool
  ) -> Chunk? {
    var cursor = ChunkCursor(table)
    let (offsets, sizes) = (table.chunkOffsets, table.sampleSizes)
    var found: Chunk?
    offsets.forEachBlock(of: blockCount) { chunks, bounds in
      guard isOfInterest(chunks, bounds) else { return true }
      cursor.skip(to: chunks.lowerBound)
      for _ in chunks {
        guard let current = cursor.next() else { return false }
        let offset = offsets[current.chunk]
        let chunk = Chunk(current, offset: offset, byteCount: sizes.byteCount(ofChunk: current.samples))
        guard isFound(chunk) else { continue }
        found = chunk
        return false
      }
      return true
    }
    return found
  }

  /// Walks the chunks; reads the tables some hundred chunks at a time, which costs a third of reading them one by one.
  public struct Iterator: IteratorProtocol {
    // Not the whole table, which a step would hold and let go of again.
    private let offsets: ChunkOffsetTable
    private let sizes: SampleSizeTable
    private var cursor: ChunkCursor
    @usableFromInline var block: [Chunk] = []
    @usableFromInline var place = 0

    init(_ table: SampleTable) {
      offsets = table.chunkOffsets
      sizes = table.sampleSizes
      cursor = ChunkCursor(table)
    }

    /// The next chunk, `nil` after the last.
    @inlinable
    public mutating func next() -> Chunk? {
      if place == block.count {
        fillBlock()
        if block.isEmpty { return nil }
      }
      defer { place &+= 1 }
      return block[place]
    }

    /// As many as fit into the first cache with the bytes that they are read from.
    private static var blockCount: Int { 256 }

    @usableFromInline
    mutating func fillBlock() {
      place = 0
      block.removeAll(keepingCapacity: true)
      block.reserveCapacity(Swift.min(Self.blockCount, offsets.count))
      while block.count < Self.blockCount, let place = cursor.next() {
        block.append(Chunk(place, offset: offsets[place.chunk], byteCount: sizes.byteCount(ofChunk: place.samples)))
      }
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
