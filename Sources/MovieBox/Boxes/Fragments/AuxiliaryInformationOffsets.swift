/// Where the auxiliary information of samples lies: the `saio` atom, versions 0 and 1 (ISO/IEC 14496-12 8.7.9).
///
/// In `stbl` positions count from the start of the file, in `traf` from the base of the fragment's data; there is one
/// for all samples, or one for each chunk or run. A view: a position is computed from the bytes when asked for.
package struct AuxiliaryInformationOffsets: AtomPayload {
  /// All bytes after the atom's header, positions and tail.
  package let payload: Bytes
  /// Which information: its type and parameter; `nil` where the sample description implies it.
  package let kind: AuxiliaryInformationType?
  /// Whether positions have 64 bits (version 1), not 32.
  package let isWide: Bool
  /// How many positions.
  package let count: Int

  private let offsetsStart: Int

  /// Reads the table; throws when the bytes have no room for the positions that it claims, and for versions above 1.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let head = try AuxiliaryInformationHead(&reader, upTo: 1)
    isWide = head.version == 1
    kind = head.kind
    count = try reader.readEntryCount(bitsPerEntry: isWide ? 64 : 32)
    offsetsStart = reader.position
    self.payload = payload
  }
}

extension AuxiliaryInformationOffsets: EntryTable {
  /// The position at `index`, which must be below `count`.
  package subscript(index: Int) -> UInt64 {
    precondition(index >= 0 && index < count, "index of a position outside the table")
    // count × width bytes are there: the initialiser checked.
    return isWide
      ? payload.entry(at: offsetsStart &+ index &* 8, as: UInt64.self)
      : UInt64(payload.entry(at: offsetsStart &+ index &* 4, as: UInt32.self))
  }
}
