// Chunks with their offsets, samples and sizes, joined from `stco`, `stsc` and `stsz` in one pass.

/// A chunk: samples that are contiguous in a file.
package struct Chunk: Hashable, Sendable {
  /// The index of the chunk in `stco`, from 0.
  package let index: Int
  /// The file offset of the first byte.
  package let offset: UInt64
  /// The total size of the samples according to `stsz`. For audio in packets, the actual size differs and is computed
  /// by ``ChunkLocator``.
  package let byteCount: UInt64
  /// The index of the first sample, from 0.
  package let firstSample: Int
  /// The number of samples, which may be 0.
  package let sampleCount: Int
  /// The number of the sample description in `stsd`, from 1. It may be out of range in a damaged file.
  package let sampleDescriptionIndex: UInt32

  /// The byte range of ``byteCount`` bytes, or `nil` if its end overflows in a damaged file.
  package var byteRange: ByteRange? { ByteRange(offset: offset, count: byteCount) }

  /// The indices of the samples, from 0.
  package var samples: Range<Int> { firstSample..<firstSample + sampleCount }
}

/// The chunks of a track, in the order of `stco`.
///
/// The sequence is lazy. An iteration makes one pass over the sample sizes, or only over the chunks if all sizes are
/// equal. The iteration ends after the last chunk of `stco`, or earlier if `stsc` assigns more samples than `stsz`
/// contains. The length of the iteration is therefore limited by the size of the tables.
package struct ChunkSequence: Sequence, Sendable {
  let table: SampleTable

  /// Returns an iterator at the first chunk.
  package func makeIterator() -> Iterator {
    TablePass.chunks.begin()
    return Iterator(table)
  }

  /// Returns the first chunk that satisfies `isFound`, or `nil` if there is none. `mayMatch` excludes chunks by
  /// their offsets.
  ///
  /// `mayMatch` is called with the smallest and largest offset of each block of chunks. If it returns `false`, the
  /// block is skipped. Otherwise, `mayMatch` is called with the offset of each chunk in the block, and `isFound` is
  /// called with the chunks for which `mayMatch` returns `true`. Usually, all blocks are skipped.
  package func first(
    whereOffsets mayMatch: (ClosedRange<UInt64>) -> Bool, _ isFound: (Chunk) -> Bool
  ) -> Chunk? {
    let offsets = table.chunkOffsets
    var finder = Finder(self)
    var matchingChunk: Chunk?
    table.forEachChunkBlock { chunks, bounds in
      guard mayMatch(bounds) else { return true }
      for index in chunks where mayMatch(offsets[index]...offsets[index]) {
        guard let chunk = finder.chunk(at: index) else { return false }
        guard isFound(chunk) else { continue }
        matchingChunk = chunk
        return false
      }
      return true
    }
    return matchingChunk
  }

  /// A cursor that finds chunks by ascending index. It skips all chunks of an `stsc` run in one step.
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

    /// Returns the chunk at `index`, or `nil` if the tables assign no samples to this chunk or any later chunk. `index`
    /// must be higher in each call than in the previous call.
    package mutating func chunk(at index: Int) -> Chunk? {
      if !hasBegun {
        TablePass.chunks.begin()
        hasBegun = true
      }
      cursor.skip(to: index)
      guard let element = cursor.next(), element.chunk == index else { return nil }
      return Chunk(element, offset: offsets[index], byteCount: sizes.byteCount(ofChunk: element.samples))
    }

    /// Returns the next chunk whose first sample is `sample` or a later sample, or `nil` after the last chunk with
    /// samples.
    package mutating func chunk(startingAtOrAfter sample: Int) -> Chunk? {
      if !hasBegun {
        TablePass.chunks.begin()
        hasBegun = true
      }
      while let element = cursor.next() {
        guard element.samples.lowerBound >= sample else { continue }
        return Chunk(element, offset: offsets[element.chunk], byteCount: sizes.byteCount(ofChunk: element.samples))
      }
      return nil
    }
  }

  /// An iterator over chunks. It decodes blocks of a few hundred chunks, in a third of the time that decoding single
  /// chunks would take.
  package struct Iterator: IteratorProtocol {
    // The iterator does not store the whole table, because each step would retain and release it.
    private let offsets: ChunkOffsetTable
    private let sizes: SampleSizeTable
    private var cursor: ChunkCursor
    @usableFromInline var block: [Chunk] = []
    @usableFromInline var positionInBlock = 0

    init(_ table: SampleTable) {
      offsets = table.chunkOffsets
      sizes = table.sampleSizes
      cursor = ChunkCursor(table)
    }

    /// Returns the next chunk, or `nil` after the last.
    @inlinable
    package mutating func next() -> Chunk? {
      if positionInBlock == block.count {
        fillBlock()
        if block.isEmpty { return nil }
      }
      defer { positionInBlock &+= 1 }
      return block[positionInBlock]
    }

    /// The number of chunks in a block. A block and its table bytes fit in the first-level cache.
    private static var blockCount: Int { 256 }

    @usableFromInline
    mutating func fillBlock() {
      positionInBlock = 0
      block.removeAll(keepingCapacity: true)
      block.reserveCapacity(Swift.min(Self.blockCount, offsets.count))
      guard case .words = sizes.layout, !offsets.isWide else { return fillBlockFromAnyTables() }
      // Most tables contain 32-bit words. Read these words without a check for each word.
      let (sampleCount, chunkCount) = (sizes.count, offsets.count)
      // SAFETY: the initializers of the tables checked that `chunkCount` offsets follow the first 8 bytes and
      // `sampleCount` sizes follow the first 12 bytes. The loop checks each index.
      unsafe offsets.payload.withUnsafeBytes { offsets in
        unsafe sizes.payload.withUnsafeBytes { sizes in
          while block.count < Self.blockCount, let element = cursor.next() {
            guard element.chunk < chunkCount, element.samples.upperBound <= sampleCount else { return }
            let offset = unsafe offsets.loadUnaligned(fromByteOffset: 8 &+ element.chunk &* 4, as: UInt32.self)
            var byteCount: UInt64 = 0
            for sample in element.samples {
              let size = unsafe sizes.loadUnaligned(fromByteOffset: 12 &+ sample &* 4, as: UInt32.self)
              byteCount &+= UInt64(UInt32(bigEndian: size))
            }
            block.append(Chunk(element, offset: UInt64(UInt32(bigEndian: offset)), byteCount: byteCount))
          }
        }
      }
    }

    private mutating func fillBlockFromAnyTables() {
      while block.count < Self.blockCount, let element = cursor.next() {
        block.append(
          Chunk(element, offset: offsets[element.chunk], byteCount: sizes.byteCount(ofChunk: element.samples)))
      }
    }
  }
}

extension Chunk {
  fileprivate init(_ element: ChunkCursor.Element, offset: UInt64, byteCount: UInt64) {
    self.init(
      index: element.chunk, offset: offset, byteCount: byteCount, firstSample: element.samples.lowerBound,
      sampleCount: element.samples.count, sampleDescriptionIndex: element.sampleDescriptionIndex)
  }
}
