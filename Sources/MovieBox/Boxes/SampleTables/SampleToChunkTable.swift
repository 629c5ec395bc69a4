/// The assignment of samples to chunks (`stsc`): runs of chunks with equal numbers of samples.
///
/// A view of the bytes: an entry is decoded when it is accessed.
package struct SampleToChunkTable: AtomPayload {
  /// A run of chunks. It ends before the first chunk of the next entry, or after the last chunk.
  package struct Entry: Hashable, Sendable {
    /// The number of the first chunk, from 1.
    package let firstChunk: UInt32
    /// The number of samples in each chunk.
    package let samplesPerChunk: UInt32
    /// The number of the sample description in `stsd`, from 1.
    package let sampleDescriptionIndex: UInt32

    @inlinable
    init(firstChunk: UInt32, samplesPerChunk: UInt32, sampleDescriptionIndex: UInt32) {
      self.firstChunk = firstChunk
      self.samplesPerChunk = samplesPerChunk
      self.sampleDescriptionIndex = sampleDescriptionIndex
    }
  }

  /// The bytes after the atom's header, including entries and tail.
  package let payload: Bytes
  package let count: Int

  /// Reads the table. Throws if the declared entries do not fit in the bytes.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upToVersion: 0)
    count = try reader.readEntryCount(bitsPerEntry: 96)
    self.payload = payload
  }
}

extension SampleToChunkTable: EntryTable {
  /// The entry at `index`, which must be below `count`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "the index of the entry is outside the table")
    let offset = 8 &+ index &* 12  // The initializer checked that these bytes are available.
    return Entry(
      firstChunk: payload.entry(at: offset, as: UInt32.self),
      samplesPerChunk: payload.entry(at: offset &+ 4, as: UInt32.self),
      sampleDescriptionIndex: payload.entry(at: offset &+ 8, as: UInt32.self))
  }
}

extension SampleToChunkTable {
  /// The largest number of samples in a chunk, or 0 if there are no entries. Makes one pass.
  var largestSampleCount: UInt32 {
    payload.bounds(of: UInt32.self, at: 12, count: count, stride: 12)?.upperBound ?? 0
  }

  /// Whether the entries are valid. The first entry must begin at chunk 1. Every further entry must begin at a higher
  /// chunk than the previous entry, up to `chunkCount`. Sample descriptions must be numbered from 1 to
  /// `descriptionCount`. Makes one vectorized pass.
  func isInOrder(chunkCount: Int, descriptionCount: Int) -> Bool {
    guard count > 0, first?.firstChunk == 1, Int(self[count - 1].firstChunk) <= chunkCount,
      let descriptions = payload.bounds(of: UInt32.self, at: 16, count: count, stride: 12),
      descriptions.lowerBound > 0, Int(descriptions.upperBound) <= descriptionCount
    else { return false }
    return payload.isAscending(UInt32.self, at: 8, count: count, stride: 12, strictly: true)
  }
}
