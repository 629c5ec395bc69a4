import MovieBox

/// A run of numbers in a movie that each say where in the file something lies.
///
/// This is the one table of such places. Those of fragments are not in it: a movie that was edited has none.
///
/// | atom | in | positions |
/// |---|---|---|
/// | `stco`, `co64` | `stbl` | chunks, but those of another file (ISO/IEC 14496-12 8.7.5) |
/// | `saio` | `stbl` | sample auxiliary information, which lies in the file of its samples (8.7.9) |
/// | `iloc` | `meta` of file, movie and track | items of construction method 0 (8.11.3); see ``ItemLocations`` |
struct PositionTable: Hashable, Sendable {
  /// The `trak` that the table belongs to, counted from 0; `nil` outside of tracks.
  let trackIndex: Int?
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
    var low = 0
    var high = external.count
    while low < high {
      let middle = (low + high) / 2
      if external[middle].upperBound <= entry { low = middle + 1 } else { high = middle }
    }
    return low < external.count && external[low].contains(entry)
  }

  /// The tables of fixed-width numbers in a tree.
  ///
  /// Costs the atoms of the tree and, for tracks with an external data reference, their `stsc` entries.
  static func all(in tree: AtomTree) throws(MovieError) -> [PositionTable] {
    var tables: [PositionTable] = []
    var trackIndex = -1
    for index in tree.atoms.indices {
      let atom = tree[index]
      let parent = atom.parent.map { tree[$0].type }
      switch (atom.type, parent) {
      case ("trak", "moov"): trackIndex += 1
      case ("stco", "stbl"), ("co64", "stbl"):
        let width = atom.type == "stco" ? 4 : 8
        tables.append(
          try table(
            at: index, in: tree, track: trackIndex, numbersFrom: 4, width: width, external: external(index, tree)))
      case ("saio", "stbl"):
        let header = try tree.locating(index) { bytes throws(MovieError) in
          var reader = ByteReader(bytes)
          return try reader.readFullAtomHeader(upTo: 1)
        }
        let hasType = header.flags & 1 != 0
        tables.append(
          try table(
            at: index, in: tree, track: trackIndex, numbersFrom: hasType ? 12 : 4, width: header.version == 0 ? 4 : 8,
            external: external(index, tree)))
      default: break
      }
    }
    return tables
  }

  private static func table(
    at index: Int, in tree: AtomTree, track: Int, numbersFrom countOffset: Int, width: Int, external: [Range<Int>]
  ) throws(MovieError) -> PositionTable {
    let count = try tree.locating(index) { bytes throws(MovieError) -> Int in
      guard let claimed = bytes.load(at: countOffset, as: UInt32.self) else {
        throw MovieError(.truncated, at: UInt64(bytes.count), "ends before its number of entries")
      }
      let room = (bytes.count - countOffset - 4) / width
      guard Int(claimed) <= room else {
        throw MovieError(.malformed, at: UInt64(countOffset), "claims \(claimed) entries, room for \(room)")
      }
      return Int(claimed)
    }
    let atom = tree[index]
    return PositionTable(
      trackIndex: track < 0 ? nil : track, atom: index, start: atom.start + atom.headerByteCount + countOffset + 4,
      count: count, width: width, external: external)
  }

  /// The chunks whose sample description names a data reference to another file.
  private static func external(_ index: Int, _ tree: AtomTree) throws(MovieError) -> [Range<Int>] {
    guard let stbl = tree[index].parent, let minf = tree[stbl].parent,
      let dref = tree.descendant(of: minf, "dinf", "dref"), let stsd = tree.child(of: stbl, "stsd"),
      let stsc = tree.child(of: stbl, "stsc")
    else { return [] }
    let references = try tree.decode(DataReference.self, at: dref)
    guard references.entries.contains(where: { !$0.isSelfContained }) else { return [] }
    let entries = try tree.decode(SampleDescriptions.self, at: stsd).entries
    let isExternal = entries.map { entry -> Bool in
      let position = Int(entry.dataReferenceIndex) - 1  // Stored from 1.
      return references.entries.indices.contains(position) && !references.entries[position].isSelfContained
    }
    let runs = try tree.decode(SampleToChunkTable.self, at: stsc)
    var ranges: [Range<Int>] = []
    for run in 0..<runs.count {
      let description = Int(runs[run].sampleDescriptionIndex) - 1
      guard isExternal.indices.contains(description), isExternal[description] else { continue }
      let first = Int(runs[run].firstChunk) - 1
      let end = run + 1 < runs.count ? Int(runs[run + 1].firstChunk) - 1 : Int(UInt32.max)
      // Runs that are out of order are an error of the file; those that begin too early add nothing here.
      let start = Swift.max(first, ranges.last?.upperBound ?? 0)
      guard end > start else { continue }
      if let last = ranges.last, last.upperBound == start {
        ranges[ranges.count - 1] = last.lowerBound..<end
      } else {
        ranges.append(start..<end)
      }
    }
    return ranges
  }
}
