import MovieBox

/// A run of numbers in a movie that each say where in the file something lies.
///
/// The list below is the only one of atoms that hold positions. Those of fragments that stay are in
/// ``FragmentPositions``.
///
/// | atom | in | positions |
/// |---|---|---|
/// | `stco`, `co64` | `stbl` | chunks, but those of another file (ISO/IEC 14496-12 8.7.5) |
/// | `saio` | `stbl` | sample auxiliary information, which lies in the file of its samples (8.7.9) |
/// | `iloc` | `meta` of file, movie and track | items of construction method 0 (8.11.3); see ``ItemLocations`` |
struct PositionTable: Hashable, Sendable {
  /// The `trak` that the table belongs to, counted from 0.
  let trackIndex: Int
  /// The index of the atom in its tree.
  let atom: Int
  /// The first number, counted from the start of the tree's bytes.
  let start: Int
  /// How many numbers.
  let count: Int
  /// 4 or 8 bytes a number.
  let width: Int
  /// Entries that are positions in another file: ordered, and no two ranges touch.
  let external: [Range<Int>]

  /// Whether an entry is a position in another file.
  func isExternal(_ entry: Int) -> Bool {
    let index = external.partitioningIndex { $0.upperBound > entry }
    return index < external.count && external[index].contains(entry)
  }

  /// The position that an entry names; `bytes` are those of the tree.
  func position(_ entry: Int, in bytes: Bytes) -> UInt64 {
    let place = start + entry * width
    return width == 8
      ? bytes.load(at: place, as: UInt64.self) ?? 0 : UInt64(bytes.load(at: place, as: UInt32.self) ?? 0)
  }

  /// The tables of fixed-width numbers in a tree, track by track; such atoms elsewhere mean nothing to a reader.
  ///
  /// Costs the atoms of the tree and, for tracks with an external data reference, their `stsc` entries.
  static func all(in tree: AtomTree) throws(MovieError) -> [PositionTable] {
    var tables: [PositionTable] = []
    for (trackIndex, trak) in tree.children(of: tree.root, "trak").enumerated() {
      var index = trak + 1
      while index < tree[trak].subtreeEnd {
        // Neither tracks nor what the track's own table names have sample tables in them.
        let isPassedOver = ["trak", "dref", "stsd"].contains(tree[index].type)
        if let stbl = tree[index].parent, tree[stbl].type == "stbl",
          let table = try PositionTable(at: index, stbl, of: tree, trackIndex: trackIndex)
        {
          tables.append(table)
        }
        index = isPassedOver ? tree[index].subtreeEnd : index + 1
      }
    }
    return tables
  }

  /// The table of the atom at `index`; `nil` where it holds no positions.
  private init?(at index: Int, _ stbl: Int, of tree: AtomTree, trackIndex: Int) throws(MovieError) {
    let countOffset: Int
    switch tree[index].type {
    case "stco": (countOffset, width) = (4, 4)
    case "co64": (countOffset, width) = (4, 8)
    case "saio":
      let head = try tree.locating(index) { bytes throws(MovieError) in
        var reader = ByteReader(bytes)
        return try AuxiliaryInformationHead(&reader, upTo: 1)
      }
      (countOffset, width) = (head.byteCount, head.version == 0 ? 4 : 8)
    default: return nil
    }
    let width = width
    count = try tree.locating(index) { bytes throws(MovieError) -> Int in
      guard let claimed = bytes.load(at: countOffset, as: UInt32.self) else {
        throw MovieError(.truncated, at: UInt64(bytes.count), "ends before its number of entries")
      }
      let room = (bytes.count - countOffset - 4) / width
      guard Int(claimed) <= room else {
        throw MovieError(.malformed, at: UInt64(countOffset), "claims \(claimed) entries, room for \(room)")
      }
      return Int(claimed)
    }
    self.trackIndex = trackIndex
    atom = index
    start = tree[index].start + tree[index].headerByteCount + countOffset + 4
    external = try ChunkLocator.externalChunks(of: stbl, in: tree, count: count)
  }
}
