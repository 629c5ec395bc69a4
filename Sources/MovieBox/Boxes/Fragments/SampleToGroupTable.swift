/// Which group samples are in, for one way of grouping: the `sbgp` atom, versions 0 and 1 (ISO/IEC 14496-12 8.9.2).
///
/// It lies in `stbl`, or in `traf`. A view: an entry is computed from the bytes when asked for. Samples past the last
/// entry are in no group, or in the default one of `sgpd`.
package struct SampleToGroupTable: AtomPayload {
  /// A run of samples in one group.
  package struct Entry: Hashable, Sendable {
    /// How many samples.
    package let sampleCount: UInt32
    /// The number of the group's description as stored: 0 is none, above 0x10000 one of the fragment's own.
    package let descriptionIndex: UInt32

    /// The place of the description in the `sgpd` of the same fragment, counted from 0; `nil` for none there (8.9.4).
    package var fragmentDescription: Int? {
      descriptionIndex > 0x1_0000 ? Int(descriptionIndex) - 0x1_0001 : nil
    }
  }

  /// All bytes after the atom's header, entries and tail.
  package let payload: Bytes
  /// The way of grouping, such as `roll` or `seig`.
  package let groupingType: FourCC
  /// What distinguishes several ways of one type; `nil` in version 0.
  package let parameter: UInt32?
  /// How many entries.
  package let count: Int

  private let entriesStart: Int

  /// Reads the table; throws when the bytes have no room for the entries that it claims, and for versions above 1.
  package init(payload: Bytes) throws(MovieError) {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 1)
    groupingType = try reader.readFourCC()
    parameter = header.version == 1 ? try reader.read() : nil
    count = try reader.readEntryCount(bitsPerEntry: 64)
    entriesStart = reader.position
    self.payload = payload
  }
}

extension SampleToGroupTable: EntryTable {
  /// The entry at `index`, which must be below `count`.
  package subscript(index: Int) -> Entry {
    precondition(index >= 0 && index < count, "index of an entry outside the table")
    let offset = entriesStart &+ index &* 8  // count × 8 bytes are there: the initialiser checked.
    return Entry(
      sampleCount: payload.entry(at: offset, as: UInt32.self),
      descriptionIndex: payload.entry(at: offset &+ 4, as: UInt32.self))
  }
}
