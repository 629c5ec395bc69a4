/// The grouping of samples into chunks (`stsc`): runs of chunks with equally many samples.
///
/// A view: an entry is computed from the bytes when asked for.
package struct SampleToChunkTable: AtomPayload {
  /// A run of chunks, up to the first chunk of the next entry or the last chunk of all.
  package struct Entry: Hashable, Sendable {
    /// The number of the run's first chunk, counted from 1 as stored.
    package let firstChunk: UInt32
    /// The number of samples in each chunk.
    package let samplesPerChunk: UInt32
    /// The number of the samples' description in `stsd`, counted from 1 as stored.
    package let sampleDescriptionIndex: UInt32

    @inlinable
    init(firstChunk: UInt32, samplesPerChunk: UInt32, sampleDescriptionIndex: UInt32) {
      self.firstChunk = firstChunk
      self.samplesPerChunk = samplesPerChunk
      self.sampleDescriptionIndex = sampleDescriptionIndex
    }
  }

  /// All bytes after the atom's header, entries and tail.
  package let payload: Bytes
  /// The number of entries.
  package let count: Int

  /// Reads the table; throws when the bytes have no room for the entries that it claims.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upTo: 0)
    count = try reader.readEntryCount(bitsPerEntry: 96)
    self.payload = payload
  }
}

extension SampleToChunkTable: EntryTable {
  /// The entry at `index`, which must be below `count`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "index of an entry outside the table")
    let offset = 8 &+ index &* 12  // count × 12 bytes are there: the initialiser checked.
    return Entry(
      firstChunk: payload.entry(at: offset, as: UInt32.self),
      samplesPerChunk: payload.entry(at: offset &+ 4, as: UInt32.self),
      sampleDescriptionIndex: payload.entry(at: offset &+ 8, as: UInt32.self))
  }
}

extension SampleToChunkTable {
  /// The most samples that an entry gives a chunk; 0 for none. Costs one pass.
  var largestSampleCount: UInt32 {
    payload.bounds(of: UInt32.self, at: 12, count: count, stride: 12)?.upperBound ?? 0
  }

  /// Whether the entries begin at chunk 1, each later than the one before it and none after the last of `chunkCount`
  /// chunks, and name sample descriptions from 1 to `descriptionCount`. Costs one pass, which vectorises.
  func isInOrder(chunkCount: Int, descriptionCount: Int) -> Bool {
    guard count > 0, first?.firstChunk == 1, Int(self[count - 1].firstChunk) <= chunkCount,
      let descriptions = payload.bounds(of: UInt32.self, at: 16, count: count, stride: 12),
      descriptions.lowerBound > 0, Int(descriptions.upperBound) <= descriptionCount
    else { return false }
    return payload.isAscending(UInt32.self, at: 8, count: count, stride: 12, strictly: true)
  }
}
