/// Which samples can be decoded on their own (`stss`), or almost (`stps`, partial sync samples of QuickTime).
///
/// A movie without `stss` has only sync samples; one with an empty `stss` has none. A view: a number is computed from
/// the bytes when asked for.
package struct SyncSampleTable: AtomPayload {
  /// All bytes after the atom's header, numbers and tail.
  package let payload: Bytes
  /// How many samples are listed.
  package let count: Int

  /// Reads the table; throws when the bytes have no room for the numbers that it claims.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    _ = try reader.readFullAtomHeader(upTo: 0)
    count = try reader.readEntryCount(bitsPerEntry: 32)
    self.payload = payload
  }
}

extension SyncSampleTable: EntryTable {
  /// The number of a listed sample, counted from 1 as stored; `index` must be below `count`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> UInt32 {
    precondition(index >= 0 && index < count, "index of an entry outside the table")
    return payload.entry(at: 8 &+ index &* 4, as: UInt32.self)  // count × 4 bytes are there: the initialiser checked.
  }
}
