import MovieBox

// Positions other than those of chunks: sample auxiliary information (`saio`) and items (`iloc`).
extension PlanChecker {
  /// Every such position of a track, or of a `moov` or file-level `meta` outside its tracks, names the bytes that it
  /// named.
  func checkPositions(
    _ old: AtomTree, _ oldAtom: Int, _ new: AtomTree, _ newAtom: Int, leavingOut types: Set<FourCC> = []
  ) throws {
    let before = Self.holders(in: old, oldAtom).filter { !types.contains(old[$0].type) }
    let after = Self.holders(in: new, newAtom).filter { !types.contains(new[$0].type) }
    guard before.count == after.count else { throw failure("a table of positions is lost", in: old.path(of: oldAtom)) }
    for (left, right) in zip(before, after) {
      let from = try NamedBytes.all(in: old, left)
      let to = try NamedBytes.all(in: new, right)
      guard from.count == to.count, zip(from, to).allSatisfy({ $0.count == $1.count && $0.label == $1.label }) else {
        throw failure("other bytes are named", at: old.range(of: left).offset, in: old.path(of: left))
      }
      for (one, other) in zip(from, to) where try !names(other, sameAs: one) {
        throw failure(
          "position \(one.offset) became \(other.offset), where other bytes stand", at: old.range(of: left).offset,
          in: old.path(of: left))
      }
    }
  }

  /// The atoms with positions inside the one at `index`, but not those of other tracks.
  private static func holders(in tree: AtomTree, _ index: Int) -> [Int] {
    var found: [Int] = []
    var next = index
    while next < tree[index].subtreeEnd {
      if next != index, tree[next].type == "trak" {
        next = tree[next].subtreeEnd
        continue
      }
      let parent = tree[next].parent.map { tree[$0].type }
      if (tree[next].type == "iloc" && parent == "meta") || (tree[next].type == "saio" && parent == "stbl") {
        found.append(next)
      }
      next += 1
    }
    return found
  }

  private func names(_ new: NamedBytes, sameAs old: NamedBytes) throws -> Bool {
    guard !old.isExternal else { return new.offset == old.offset }
    guard let from = ByteRange(offset: old.offset, count: Swift.max(1, old.count)),
      from.end <= plan.source.byteCount, let to = ByteRange(offset: new.offset, count: from.count)
    else { return new.offset == old.offset }  // Past the end of the file, where nothing can be named.
    if copies(to, of: from) { return true }
    // What names bytes of the old movie header itself has nothing to follow.
    if plan.outputOffset(ofSource: from.offset) == nil, new.offset == old.offset { return true }
    guard to.end <= plan.byteCount, from.count <= Self.largestComparison else { return false }
    return try PlannedSource(plan, of: source).readExactly(to) == source.readExactly(from)
  }

  /// What an edit in place writes again after `moov` is at most this long.
  private static var largestComparison: UInt64 { 1 << 20 }
}

/// Bytes of a file that a table names.
private struct NamedBytes {
  let offset: UInt64
  /// 0 where the table does not say.
  let count: UInt64
  let isExternal: Bool
  /// What the table says beside the position: number of the item, method.
  let label: [UInt64]

  static func all(in tree: AtomTree, _ index: Int) throws(MovieError) -> [NamedBytes] {
    let isExternal = tree[index].type == "saio" && hasExternalMedia(tree, index)
    return try tree.locating(index) { bytes throws(MovieError) in
      tree[index].type == "saio" ? try auxiliary(bytes, isExternal: isExternal) : try items(bytes)
    }
  }

  private static func auxiliary(_ bytes: Bytes, isExternal: Bool) throws(MovieError) -> [NamedBytes] {
    var reader = ByteReader(bytes)
    let header = try reader.readFullAtomHeader()
    if header.flags & 1 != 0 { _ = try reader.readBytes(8) }
    let count = try reader.read(UInt32.self)
    var found: [NamedBytes] = []
    for _ in 0..<count {  // Ends with the bytes: the reader throws.
      let offset = try reader.readVersioned(header.version)
      found.append(NamedBytes(offset: offset, count: 0, isExternal: isExternal, label: []))
    }
    return found
  }

  private static func items(_ bytes: Bytes) throws(MovieError) -> [NamedBytes] {
    var reader = ByteReader(bytes)
    let version = try reader.readFullAtomHeader().version
    let widths = try reader.read(UInt16.self)
    func field(_ shift: UInt16) throws(MovieError) -> UInt64 {
      switch widths >> shift & 15 {
      case 4: UInt64(try reader.read(UInt32.self))
      case 8: try reader.read(UInt64.self)
      default: 0
      }
    }
    func number() throws(MovieError) -> UInt64 {
      version < 2 ? UInt64(try reader.read(UInt16.self)) : UInt64(try reader.read(UInt32.self))
    }
    var found: [NamedBytes] = []
    for _ in 0..<(try number()) {
      let id = try number()
      let method = version == 0 ? 0 : UInt64(try reader.read(UInt16.self) & 15)
      let reference = UInt64(try reader.read(UInt16.self))
      let base = try field(4)
      let extentCount = try reader.read(UInt16.self)
      var before = reader.position
      for extent in 0..<extentCount {
        let index = version == 0 ? 0 : try field(0)
        let offset = base.addingReportingOverflow(try field(12)).partialValue
        let count = try field(8)
        found.append(
          NamedBytes(
            offset: offset, count: count, isExternal: method != 0 || reference != 0,
            label: [id, method, reference, index, UInt64(extent)]))
        if reader.position == before { break }  // Extents of no bytes are all the same one.
        before = reader.position
      }
    }
    return found
  }

  /// Whether some media of the track lies in another file; then its auxiliary information may lie there too.
  private static func hasExternalMedia(_ tree: AtomTree, _ saio: Int) -> Bool {
    guard let stbl = tree[saio].parent, let minf = tree[stbl].parent,
      let dref = tree.descendant(of: minf, "dinf", "dref")
    else { return false }
    // An entry is a full atom; the first flag says that the media lies in this file.
    return tree.children(of: dref).contains { entry in
      (tree.payload(of: entry).load(at: 0, as: UInt32.self) ?? 1) & 1 == 0
    }
  }
}
