import MovieBox

/// A table of file offsets in a movie atom.
///
/// This is the only list of atoms with file offsets, except ``FragmentPositions`` for movies that keep their fragments.
///
/// | atom | in | positions |
/// |---|---|---|
/// | `stco`, `co64` | `stbl` | chunks, except chunks in other files (ISO/IEC 14496-12 8.7.5) |
/// | `saio` | `stbl` | sample auxiliary information in the file of its samples (8.7.9) |
/// | `iloc` | `meta` of file, movie and track | items of construction method 0 (8.11.3), see ``ItemLocations`` |
struct PositionTable: Hashable, Sendable {
  /// The index of the table's `trak` among all tracks.
  let trackIndex: Int
  /// The index of the atom in its tree.
  let atom: Int
  /// The position of the first offset in the tree's bytes.
  let start: Int
  /// The number of offsets.
  let count: Int
  /// The size of an offset: 4 or 8 bytes.
  let width: Int
  /// The entries that refer to another file, as sorted ranges that do not touch.
  let externalEntries: [Range<Int>]

  /// Whether an entry refers to another file.
  func isExternal(_ entry: Int) -> Bool {
    let index = externalEntries.partitioningIndex { $0.upperBound > entry }
    return index < externalEntries.count && externalEntries[index].contains(entry)
  }

  /// Returns the offset in an entry, given the bytes of the tree.
  func position(_ entry: Int, in bytes: Bytes) -> UInt64 {
    let byteOffset = start + entry * width
    return width == 8
      ? bytes.load(at: byteOffset, as: UInt64.self) ?? 0 : UInt64(bytes.load(at: byteOffset, as: UInt32.self) ?? 0)
  }

  /// Returns the tables in the tracks of a tree. Readers ignore such atoms outside tracks.
  ///
  /// Takes time linear in the atoms of the tree and, for tracks with an external data reference, in their `stsc`
  /// entries.
  static func all(in tree: AtomTree) throws(MovieError) -> [PositionTable] {
    var tables: [PositionTable] = []
    for (trackIndex, trak) in tree.children(of: tree.root, "trak").enumerated() {
      var index = trak + 1
      while index < tree[trak].subtreeEnd {
        // A nested `trak`, `dref` and `stsd` contain no sample tables of the track.
        let isSkipped = ["trak", "dref", "stsd"].contains(tree[index].type)
        if let stbl = tree[index].parent, tree[stbl].type == "stbl",
          let table = try PositionTable(at: index, stbl, of: tree, trackIndex: trackIndex)
        {
          tables.append(table)
        }
        index = isSkipped ? tree[index].subtreeEnd : index + 1
      }
    }
    return tables
  }

  /// Creates the table of the atom at `index`, or returns `nil` if the atom has no positions.
  private init?(at index: Int, _ stbl: Int, of tree: AtomTree, trackIndex: Int) throws(MovieError) {
    let countOffset: Int
    switch tree[index].type {
    case "stco": (countOffset, width) = (4, 4)
    case "co64": (countOffset, width) = (4, 8)
    case "saio":
      let head = try tree.locating(index) { bytes throws(MovieError) in
        var reader = ByteReader(bytes)
        return try AuxiliaryInformationHead(&reader, upToVersion: 1)
      }
      (countOffset, width) = (head.byteCount, head.version == 0 ? 4 : 8)
    default: return nil
    }
    let width = width
    count = try tree.locating(index) { bytes throws(MovieError) -> Int in
      guard let claimed = bytes.load(at: countOffset, as: UInt32.self) else {
        throw MovieError(.truncated, at: UInt64(bytes.count), "is too short to contain its number of entries")
      }
      let room = (bytes.count - countOffset - 4) / width
      guard Int(claimed) <= room else {
        throw MovieError(
          .malformed, at: UInt64(countOffset), "declares \(claimed) entries, but has room for only \(room)")
      }
      return Int(claimed)
    }
    self.trackIndex = trackIndex
    atom = index
    start = tree[index].start + tree[index].headerByteCount + countOffset + 4
    externalEntries = try ChunkLocator.externalChunks(of: stbl, in: tree, count: count)
  }
}
