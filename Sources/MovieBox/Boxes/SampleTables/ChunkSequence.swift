// The chunks of a track with offsets, samples and sizes, joined from `stco`, `stsc` and `stsz` in one pass.

/// Samples that lie one after the other in a file.
package struct Chunk: Hashable, Sendable {
  /// The chunk's place in `stco`, counted from 0.
  package let index: Int
  /// The position of the first byte, from the start of the file.
  package let offset: UInt64
  /// The size of its samples together, as `stsz` has it; sound in packets has another (``ChunkLocator``).
  package let byteCount: UInt64
  /// The first of its samples, counted from 0.
  package let firstSample: Int
  /// The number of samples; may be 0.
  package let sampleCount: Int
  /// The number of its samples' description in `stsd`, counted from 1 as stored. May be wrong in a broken file.
  package let sampleDescriptionIndex: UInt32

  /// Its bytes, by ``byteCount``; `nil` when their end would not fit in 64 bits, which only a broken file asks for.
  package var byteRange: ByteRange? { ByteRange(offset: offset, count: byteCount) }

  /// Its samples, counted from 0.
  package var samples: Range<Int> { firstSample..<firstSample + sampleCount }
}

/// The chunks of a track, in the order of `stco`, each with its samples.
///
/// Lazy: costs one pass over the sample sizes, or over the chunks alone where all sizes are equal. It ends after the
/// last chunk that `stco` lists, or earlier, where `stsc` asks for samples that `stsz` does not have; so its
/// length is bounded by the bytes of the tables.
package struct ChunkSequence: Sequence, Sendable {
  let table: SampleTable

  /// A walk from the first chunk.
  package func makeIterator() -> Iterator {
    TablePass.chunks.begin()
    return Iterator(table)
  }

  /// The first chunk that `isFound`, among those whose offset may be one of interest: the closure gets the smallest and
  /// the largest of some offsets, and each of them alone where it said yes to these.
  ///
  /// Walks the chunks only as far as the last block of interest; of most tables there is none.
  package func first(
    whereOffsets mayBeOfInterest: (ClosedRange<UInt64>) -> Bool, _ isFound: (Chunk) -> Bool
  ) -> Chunk? {
    let offsets = table.chunkOffsets
    var finder = Finder(self)
    var found: Chunk?
    offsets.forEachBlock { chunks, bounds in
      guard mayBeOfInterest(bounds) else { return true }
      for index in chunks where mayBeOfInterest(offsets[index]...offsets[index]) {
        guard let chunk = finder.chunk(at: index) else { return false }
        guard isFound(chunk) else { continue }
        found = chunk
        return false
      }
      return true
    }
    return found
  }

  /// Finds chunks by ascending numbers. The chunks between cost a step for each run of `stsc`.
  package struct Finder {
    private let offsets: ChunkOffsetTable
    private let sizes: SampleSizeTable
    private var cursor: ChunkCursor
    private var hasBegun = false

    package init(_ chunks: ChunkSequence) {
      offsets = chunks.table.chunkOffsets
      sizes = chunks.table.sampleSizes
      cursor = ChunkCursor(chunks.table)
    }

    /// The chunk at `index`, which is above that of the call before; `nil` past the last chunk that has samples.
    package mutating func chunk(at index: Int) -> Chunk? {
      if !hasBegun {
        TablePass.chunks.begin()
        hasBegun = true
      }
      cursor.skip(to: index)
      guard let place = cursor.next(), place.chunk == index else { return nil }
      return Chunk(place, offset: offsets[index], byteCount: sizes.byteCount(ofChunk: place.samples))
    }
  }

  /// Walks the chunks; reads the tables some hundred chunks at a time, which costs a third of reading them one by one.
  package struct Iterator: IteratorProtocol {
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
    package mutating func next() -> Chunk? {
      if place == block.count {
        fillBlock()
        if block.isEmpty { return nil }
      }
      defer { place &+= 1 }
      return block[place]
    }

    /// The number of chunks that fit into the first cache with the bytes that they are read from.
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
