/// How far presentation lies from decoding (`ctts`): runs of samples with equal offset, in decoding order.
///
/// Offsets are read as signed in both versions: ISO signs only version 1, QuickTime version 0 as well, and no
/// honest file has an unsigned offset with the top bit set. A view: an entry is computed when asked for.
package struct CompositionOffsetTable: AtomPayload {
  /// A run of samples.
  package struct Entry: Hashable, Sendable {
    /// How many samples.
    package let sampleCount: UInt32
    /// Presentation time minus decode time of each, in ticks of the media.
    package let offset: Int32

    @inlinable
    init(sampleCount: UInt32, offset: Int32) {
      self.sampleCount = sampleCount
      self.offset = offset
    }
  }

  /// All bytes after the atom's header, entries and tail.
  package let payload: Bytes
  /// How many entries.
  package let count: Int

  /// Reads the table; throws when the bytes have no room for the entries that it claims, or at version 2 and above.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upTo: 1)
    count = try reader.readEntryCount(bitsPerEntry: 64)
    self.payload = payload
  }

  /// Whether samples are shown before they are decoded. Costs one pass, which vectorises.
  package var hasNegativeOffset: Bool {
    payload.bounds(of: UInt32.self, at: 12, count: count, stride: 8).map { $0.upperBound > UInt32(Int32.max) } ?? false
  }

  /// How many samples the entries cover. At most 2³² entries of less than 2³² samples: it cannot overflow.
  ///
  /// Costs one pass over the entries.
  package var sampleCount: UInt64 {
    payload.sumOfWords(at: 8, count: count, stride: 8)
  }
}

extension CompositionOffsetTable: EntryTable {
  /// The entry at `index`, which must be below `count`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "index of an entry outside the table")
    let offset = 8 &+ index &* 8  // count × 8 bytes are there: the initialiser checked.
    return Entry(
      sampleCount: payload.entry(at: offset, as: UInt32.self), offset: payload.entry(at: offset &+ 4, as: Int32.self))
  }
}
