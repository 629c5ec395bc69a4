import MovieBox

/// The positions of `moof` atoms in the index at the end of a file: those of each `tfra` in `mfra` (ISO/IEC 14496-12
/// 8.8.10).
struct FragmentIndex {
  /// One position.
  struct Entry {
    /// Where it stands in the bytes of the `mfra`.
    let start: Int
    /// 4 or 8.
    let byteCount: Int
    /// Where a `moof` begins, counted from the start of the file.
    let position: UInt64
  }

  /// All of them.
  let entries: [Entry]

  /// Reads an `mfra` atom that lies at `offset` in the file. Throws for one whose tables are not whole.
  init(_ bytes: Bytes, at offset: UInt64, limits: MovieLimits) throws(MovieError) {
    let tree = try AtomTree(bytes, at: offset, limits: limits)
    if let defect = tree.defects.first { throw defect }
    var entries: [Entry] = []
    for tfra in tree.children(of: tree.root, "tfra") {
      let start = tree[tfra].start + tree[tfra].headerByteCount
      entries += try tree.locating(tfra) { payload throws(MovieError) in try Self.entries(payload, at: start) }
    }
    self.entries = entries
  }

  private static func entries(_ payload: Bytes, at start: Int) throws(MovieError) -> [Entry] {
    var reader = ByteReader(payload)
    let header = try reader.readFullAtomHeader(upTo: 1)
    _ = try reader.read(UInt32.self)  // The track.
    let lengths = try reader.read(UInt32.self)
    let width = header.version == 0 ? 4 : 8
    // Numbers of `traf`, `trun` and sample, of 1 to 4 bytes each.
    let numbers = [4, 2, 0].reduce(3) { $0 + Int(lengths >> $1 & 3) }
    let count = try reader.read(UInt32.self)
    let room = reader.remaining / (2 * width + numbers)
    guard count <= room else {
      throw reader.failure(.malformed, "claims \(count) entries, room for \(room)")
    }
    return try (0..<count).map { _ throws(MovieError) in
      _ = try reader.readVersioned(header.version)  // The time.
      let place = reader.position
      let position = try reader.readVersioned(header.version)
      _ = try reader.readBytes(numbers)
      return Entry(start: start + place, byteCount: width, position: position)
    }
  }
}
