/// The index of `moof` atoms at the end of a file. It consists of the `tfra` tables in `mfra` (ISO/IEC 14496-12
/// 8.8.10).
package struct FragmentRandomAccessIndex {
  /// An integer field of the index.
  package struct Field {
    /// The offset in the bytes of the `mfra`.
    package let start: Int
    /// The size in bytes: 1 to 4, or 8.
    package let byteCount: Int
    package let value: UInt64

    package var range: Range<Int> { start..<start + byteCount }
  }

  /// A sample from which a player can start.
  package struct Entry {
    /// The file offset of the `moof`.
    package let position: Field
    /// The number of the `traf` in the `moof`, from 1.
    package let trackFragmentNumber: Field
  }

  /// The index of one track (`tfra`).
  package struct Table {
    package let trackID: UInt32
    /// The offset of the atom in the bytes of the `mfra`.
    package let start: Int
    package let entries: [Entry]
  }

  package let tables: [Table]

  package var entries: [Entry] { tables.flatMap(\.entries) }

  /// Reads an `mfra` atom at `offset` in the file. Throws if a table is incomplete.
  package init(_ bytes: Bytes, at offset: UInt64, limits: MovieLimits) throws(MovieError) {
    let tree = try AtomTree(bytes, at: offset, limits: limits)
    if let defect = tree.defects.first { throw defect }
    tables = try tree.children(of: tree.root, "tfra").map { tfra throws(MovieError) in
      let start = tree[tfra].start
      return try tree.locating(tfra) { payload throws(MovieError) in
        try Self.table(payload, at: start, headerByteCount: tree[tfra].headerByteCount)
      }
    }
  }

  private static func table(_ payload: Bytes, at atom: Int, headerByteCount: Int) throws(MovieError) -> Table {
    let start = atom + headerByteCount
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upToVersion: 1)
    let trackID = try reader.read(UInt32.self)
    let lengths = try reader.read(UInt32.self)
    let width = header.version == 0 ? 4 : 8
    // The sizes of the `traf`, `trun` and sample numbers. Each size is 1 to 4 bytes.
    let byteCounts = [4, 2, 0].map { 1 + Int(lengths >> $0 & 3) }
    let count = try reader.read(UInt32.self)
    let room = reader.remaining / (2 * width + byteCounts.reduce(0, +))
    guard count <= room else {
      throw reader.failure(.malformed, "declares \(count) entries, but has room for only \(room)")
    }
    let entries = try (0..<count).map { _ throws(MovieError) in
      _ = try reader.readVersioned(header.version)  // The time.
      let place = start + reader.position
      let position = try reader.readVersioned(header.version)
      let trackFragmentNumber = try reader.readBytes(byteCounts[0]).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      _ = try reader.readBytes(byteCounts[1] + byteCounts[2])
      return Entry(
        position: Field(start: place, byteCount: width, value: position),
        trackFragmentNumber: Field(start: place + width, byteCount: byteCounts[0], value: trackFragmentNumber))
    }
    return Table(trackID: trackID, start: atom, entries: entries)
  }
}
