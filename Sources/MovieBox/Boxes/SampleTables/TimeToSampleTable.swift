/// How long each sample lasts (`stts`): runs of samples of equal duration, in decoding order.
///
/// A view: an entry is computed from the bytes when asked for.
package struct TimeToSampleTable: AtomPayload {
  /// A run of samples.
  package struct Entry: Hashable, Sendable {
    /// How many samples.
    package let sampleCount: UInt32
    /// The duration of each, in ticks of the media.
    package let duration: UInt32

    @inlinable
    init(sampleCount: UInt32, duration: UInt32) {
      self.sampleCount = sampleCount
      self.duration = duration
    }
  }

  /// All bytes after the atom's header, entries and tail.
  package let payload: Bytes
  /// How many entries.
  package let count: Int

  /// Reads the table; throws when the bytes have no room for the entries that it claims.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upTo: 0)
    count = try reader.readEntryCount(bitsPerEntry: 64)
    self.payload = payload
  }

  /// How many samples the entries cover. At most 2³² entries of less than 2³² samples: it cannot overflow.
  ///
  /// Costs one pass over the entries.
  package var sampleCount: UInt64 {
    payload.sumOfWords(at: 8, count: count, stride: 8)
  }

  /// The sum of all durations in ticks of the media; `nil` when it does not fit in 64 bits.
  ///
  /// Costs one pass over the entries.
  package var totalDuration: UInt64? {
    TablePass.times.begin()
    var total: UInt64 = 0
    for entry in self {
      // The product of two 32-bit numbers fits in 64 bits.
      let run = UInt64(entry.sampleCount) &* UInt64(entry.duration)
      let (sum, overflow) = total.addingReportingOverflow(run)
      guard !overflow else { return nil }
      total = sum
    }
    return total
  }
}

extension TimeToSampleTable: EntryTable {
  /// The entry at `index`, which must be below `count`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "index of an entry outside the table")
    let offset = 8 &+ index &* 8  // count × 8 bytes are there: the initialiser checked.
    return Entry(
      sampleCount: payload.entry(at: offset, as: UInt32.self), duration: payload.entry(at: offset &+ 4, as: UInt32.self)
    )
  }
}
