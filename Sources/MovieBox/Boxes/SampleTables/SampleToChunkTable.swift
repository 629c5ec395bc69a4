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
  /// Facts about all entries.
  struct Summary: Hashable, Sendable {
    /// Whether the first entry begins at chunk 1, and every further entry begins at a higher chunk than the previous
    /// entry.
    let isAscending: Bool
    /// The number of the chunk at which the last entry begins, or 0 if there are no entries.
    let lastFirstChunk: UInt32
    /// The largest number of samples in a chunk, or 0 if there are no entries.
    let largestSampleCount: UInt32
    /// The smallest and largest number of a sample description, or `nil` if there are no entries.
    let descriptions: ClosedRange<UInt32>?
    /// The number of samples in the chunks before ``lastFirstChunk``, or `nil` if the entries are not ascending.
    let sampleCountBeforeLast: UInt64?

    /// Whether the entries are valid for a number of chunks and sample descriptions. Sample descriptions must be
    /// numbered from 1 to `descriptionCount`.
    func isValid(chunkCount: Int, descriptionCount: Int) -> Bool {
      guard isAscending, Int(lastFirstChunk) <= chunkCount, let descriptions else { return false }
      return descriptions.lowerBound > 0 && Int(descriptions.upperBound) <= descriptionCount
    }
  }

  /// The facts about all entries. Makes one pass, or two if the entries name several sample descriptions.
  var summary: Summary {
    guard let first, let last else {
      return Summary(
        isAscending: false, lastFirstChunk: 0, largestSampleCount: 0, descriptions: nil, sampleCountBeforeLast: nil)
    }
    var (previous, each, largest) = (first.firstChunk, first.samplesPerChunk, first.samplesPerChunk)
    var (descents, differences, samples) = (first.firstChunk == 1 ? 0 : 1, UInt32(0), UInt64(0))
    // SAFETY: the initializer checked that `count` entries of 12 bytes follow the first 8 bytes.
    unsafe payload.withUnsafeBytes { buffer in
      let firstDescription = unsafe buffer.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
      var position = 20
      for _ in 1..<Swift.max(1, count) {
        let start = UInt32(bigEndian: unsafe buffer.loadUnaligned(fromByteOffset: position, as: UInt32.self))
        differences |=
          unsafe buffer.loadUnaligned(fromByteOffset: position &+ 8, as: UInt32.self) ^ firstDescription
        descents &+= start <= previous ? 1 : 0
        // The sum is at most the product of two 32-bit numbers if the entries ascend, and is not used otherwise.
        samples &+= UInt64(start &- previous) &* UInt64(each)
        each = UInt32(bigEndian: unsafe buffer.loadUnaligned(fromByteOffset: position &+ 4, as: UInt32.self))
        largest = Swift.max(largest, each)
        previous = start
        position &+= 12
      }
    }
    let description = first.sampleDescriptionIndex
    return Summary(
      isAscending: descents == 0, lastFirstChunk: last.firstChunk, largestSampleCount: largest,
      descriptions: differences == 0
        ? description...description : payload.bounds(of: UInt32.self, at: 16, count: count, stride: 12),
      sampleCountBeforeLast: descents == 0 ? samples : nil)
  }
}
