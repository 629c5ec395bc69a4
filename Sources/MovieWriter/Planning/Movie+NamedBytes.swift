import MovieBox

// Bytes that are named otherwise than as samples of chunks.
extension Movie {
  /// The bytes of the file that tables of sample auxiliary information and items name, and those that the items of a
  /// `meta` beside the movie atom do; 0 bytes where a length is not known, as it is not of auxiliary information.
  ///
  /// `bytes` are those of the tables' tree. Throws as ``fileMetadata(_:in:)`` does.
  func otherNamedBytes(
    by tables: some Sequence<PositionTable>, in bytes: Bytes, _ items: some Sequence<ItemLocations>,
    of source: some RandomAccessSource
  ) throws -> [ByteRange] {
    var ranges: [ByteRange] = []
    for table in tables {
      for entry in 0..<table.count where !table.isExternal(entry) {
        let position = table.position(entry, in: bytes)
        ranges.append(ByteRange(position..<position))
      }
    }
    for item in items { ranges += try item.namedBytes }
    for atom in layout.atoms where atom.type == "meta" {
      for (_, item) in try ItemLocations.all(in: fileMetadata(atom, in: source)) { ranges += try item.namedBytes }
    }
    return ranges
  }

  /// The atoms of a `meta` beside the movie atom.
  ///
  /// Throws where it may name bytes that nobody can tell: `.limit` where it is larger than the movie's limits allow,
  /// `.malformed` where positions of items stand among bytes that are not atoms.
  func fileMetadata(_ atom: FileLayout.TopLevelAtom, in source: some RandomAccessSource) throws -> AtomTree {
    guard atom.range.count <= limits.movieByteCount else {
      throw MovieError(
        .limit, at: atom.range.offset, in: "meta",
        "\(atom.range.count) bytes, which may hold positions, the limit is \(limits.movieByteCount)")
    }
    let tree = try AtomTree(source.readExactly(atom.range), at: atom.range.offset, limits: limits)
    if let hidden = ItemLocations.firstHidden(in: tree) {
      throw tree.error(
        .malformed, at: hidden,
        "positions of items (iloc) stand among bytes that are not atoms, where they cannot be moved")
    }
    return tree
  }
}
