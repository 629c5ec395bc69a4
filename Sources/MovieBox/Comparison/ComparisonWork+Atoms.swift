// The comparison of atoms outside tracks: at the top level of the file and in `moov`.
//
// A top-level atom may have any size, so its payload is compared in blocks like media. Small payloads that differ are
// then compared field by field. Item locations (`iloc`) contain file offsets that may change, so the bytes of the items
// are compared instead.
extension ComparisonWork {
  /// Returns the top-level atoms that no other step compares. Media, free space, the movie atom and fragments are
  /// excluded.
  private func atoms(_ movie: Movie) -> [FileLayout.TopLevelAtom] {
    movie.layout.atoms.filter { atom in
      atom.range != movie.movieAtom.range && !["mdat", "wide"].contains(atom.type) && !atom.isFreeSpace
        && !(hasFragments && MovieFragments.atomTypes.contains(atom.type))
    }
  }

  mutating func compareTopLevel() throws {
    var oldAtoms: [FourCC: ArraySlice<(FileLayout.TopLevelAtom, Int)>] = [:]
    var order: [FourCC] = []
    for atom in atoms(old.movie) {
      if oldAtoms[atom.type] == nil { order.append(atom.type) }
      oldAtoms[atom.type, default: []].append((atom, (oldAtoms[atom.type]?.count ?? 0) + 1))
    }
    var counts: [FourCC: Int] = [:]
    for atom in atoms(new.movie) {
      counts[atom.type, default: 0] += 1
      let place = Self.location(of: atom, number: counts[atom.type] ?? 1)
      if let (match, number) = oldAtoms[atom.type]?.popFirst() {
        try compare(match, Self.location(of: match, number: number), atom, place)
      } else {
        let description = "\(Quantity.bytes(atom.range.count)) added"
        add([MovieComparison.Difference(.added, Self.topic(of: atom.type), new: place, description)])
      }
    }
    for type in order {
      for (atom, number) in oldAtoms[type] ?? [] {
        let description = "\(Quantity.bytes(atom.range.count)) removed"
        add([
          MovieComparison.Difference(
            .removed, Self.topic(of: type), old: Self.location(of: atom, number: number), description)
        ])
      }
    }
    try compareTrailing()
  }

  private static func location(
    of atom: FileLayout.TopLevelAtom, number: Int
  ) -> MovieComparison.Difference.Location {
    MovieComparison.Difference.Location(
      path: number > 1 ? "\(atom.type)[\(number)]" : "\(atom.type)", offset: atom.range.offset,
      byteCount: atom.range.count)
  }

  private static func topic(of type: FourCC) -> MovieComparison.Difference.Topic { type == "meta" ? .metadata : .other }

  private mutating func compare(
    _ oldAtom: FileLayout.TopLevelAtom, _ oldLocation: MovieComparison.Difference.Location,
    _ newAtom: FileLayout.TopLevelAtom,
    _ newLocation: MovieComparison.Difference.Location
  ) throws {
    let (before, after) = (oldAtom.payloadRange, newAtom.payloadRange)
    let limit = Swift.min(old.movie.limits.movieByteCount, new.movie.limits.movieByteCount)
    if oldAtom.type == "meta", oldAtom.range.count <= limit, newAtom.range.count <= limit {
      let one = try AtomTree(old.source.readExactly(oldAtom.range), at: oldAtom.range.offset, limits: old.movie.limits)
      let other = try AtomTree(
        new.source.readExactly(newAtom.range), at: newAtom.range.offset, limits: new.movie.limits)
      var atoms = AtomComparison(one, other, omits: Self.isItemLocations)
      atoms.compare(one.root, other.root)
      add(atoms.differences)
      gatherItems((one, one.root), (other, other.root), trackID: nil)
      return
    }
    let count = Swift.min(before.count, after.count)
    let first = try media.firstDifference(ByteRange(before.offset..<before.offset &+ count), at: after.offset)
    guard first != nil || before.count != after.count else { return }
    if Swift.max(before.count, after.count) <= Self.decodedByteCount {
      let fields = AtomComparison.changedFields(
        oldAtom.type, nil, try old.source.readExactly(before), try new.source.readExactly(after))
      for field in fields {
        add([
          MovieComparison.Difference(
            .changed, .other, old: oldLocation, new: newLocation, values: field, field.description)
        ])
      }
      guard fields.isEmpty else { return }
    }
    let sizes = before.count == after.count ? "\(before.count) bytes" : "\(before.count) bytes became \(after.count)"
    let place = first.map { "first at byte \($0 - before.offset)" } ?? "the first \(count) are equal"
    add([
      MovieComparison.Difference(
        .changed, Self.topic(of: oldAtom.type), old: oldLocation, new: newLocation, "\(sizes), \(place)")
    ])
  }

  /// The maximum size of a top-level payload whose fields are compared.
  private static var decodedByteCount: UInt64 { 4096 }

  private mutating func compareTrailing() throws {
    let (oldTrailing, newTrailing) = (old.movie.layout.trailing, new.movie.layout.trailing)
    guard oldTrailing != nil || newTrailing != nil else { return }
    func place(_ range: ByteRange) -> MovieComparison.Difference.Location {
      MovieComparison.Difference.Location(path: nil, offset: range.offset, byteCount: range.count)
    }
    if let oldTrailing, let newTrailing, oldTrailing.count == newTrailing.count,
      try media.firstDifference(oldTrailing, at: newTrailing.offset) == nil
    {
      return
    }
    let (oldCount, newCount) = (oldTrailing?.count ?? 0, newTrailing?.count ?? 0)
    let (kind, description): (MovieComparison.Difference.Kind, String) =
      if oldCount == 0 {
        (.added, "bytes were added after the last atom: \(newCount)")
      } else if newCount == 0 {
        (.removed, "the bytes after the last atom were removed: \(oldCount)")
      } else if newCount == oldCount {
        (.changed, "the bytes after the last atom have different contents")
      } else {
        (.changed, "the number of bytes after the last atom changed from \(oldCount) to \(newCount)")
      }
    add([
      MovieComparison.Difference(kind, .other, old: oldTrailing.map(place), new: newTrailing.map(place), description)
    ])
  }

  // MARK: - The movie atom

  private static func isItemLocations(_ tree: AtomTree, _ index: Int) -> Bool {
    tree[index].type == "iloc" && tree[index].parent.map { tree[$0].type } == "meta"
  }

  mutating func compareMovieAtom(_ implied: ImpliedDifferences, wereAdded: Bool, wereRemoved: Bool) {
    let (oldTree, newTree) = (old.movie.tree, new.movie.tree)
    let hasFragments = hasFragments
    var atoms = AtomComparison(oldTree, newTree, ignoresDurations: hasFragments) { tree, index in
      if Self.isItemLocations(tree, index) { return true }
      guard tree[index].parent == tree.root else { return false }
      let type = tree[index].type
      return type == "trak" || hasFragments && (type == "mvex" || type == "pssh")
    }
    atoms.compare(oldTree.root, newTree.root)
    add(
      atoms.differences.map { found in
        guard found.topic == .movie else { return found }
        return found.withCause(
          implied.cause(ofMovieField: found.values?.field, wereAdded: wereAdded, wereRemoved: wereRemoved))
      })
    gatherItems((oldTree, oldTree.root), (newTree, newTree.root), trackID: nil)
  }

  /// Compares the `iloc` atoms inside two atoms, and collects the ranges of the items.
  mutating func gatherItems(
    _ oldAtom: (tree: AtomTree, index: Int), _ newAtom: (tree: AtomTree, index: Int), trackID: UInt32?
  ) {
    func locationAtoms(_ side: (tree: AtomTree, index: Int)) -> [Int] {
      ByteReferenceReader.tables(in: side.tree, side.index).filter { side.tree[$0].type == "iloc" }
    }
    let (oldLocations, newLocations) = (locationAtoms(oldAtom), locationAtoms(newAtom))
    for index in newLocations.dropFirst(oldLocations.count) {
      add([
        MovieComparison.Difference(
          .added, .metadata, trackID: trackID, new: newAtom.tree.place(of: index), "item locations added")
      ]
      )
    }
    for index in oldLocations.dropFirst(newLocations.count) {
      add([
        MovieComparison.Difference(
          .removed, .metadata, trackID: trackID, old: oldAtom.tree.place(of: index), "item locations removed")
      ]
      )
    }
    for (one, other) in zip(oldLocations, newLocations) {
      let places = (oldAtom.tree.place(of: one), newAtom.tree.place(of: other))
      guard let items = Self.itemRanges((oldAtom.tree, one), (newAtom.tree, other)) else {
        let (old, new) = (oldAtom.tree.payload(of: one), newAtom.tree.payload(of: other))
        guard old != new else { continue }
        add([
          MovieComparison.Difference(
            .changed, .metadata, trackID: trackID, old: places.0, new: places.1,
            "item locations, " + AtomComparison.description(old, new))
        ])
        continue
      }
      owners.append(.item(trackID: trackID, old: places.0, new: places.1))
      for (from, to) in items { comparedRanges.append(from, to, owner: owners.count - 1) }
    }
  }

  /// Returns pairs of item ranges from two tables, or `nil` if the tables list different items or are malformed.
  private static func itemRanges(_ oldAtom: (tree: AtomTree, index: Int), _ newAtom: (tree: AtomTree, index: Int)) -> [(
    old: ByteRange, new: ByteRange
  )]? {
    do throws(MovieError) {
      var one = try ByteReferenceReader(oldAtom.tree, oldAtom.index)
      var other = try ByteReferenceReader(newAtom.tree, newAtom.index)
      var found: [(old: ByteRange, new: ByteRange)] = []
      while let from = try one.next() {
        guard let to = try other.next(), from.itemExtent == to.itemExtent, from.count == to.count else { return nil }
        if from.isExternal || from.count == 0 {
          guard from.offset == to.offset || !from.isExternal else { return nil }
        } else if let old = ByteRange(offset: from.offset, count: from.count),
          let new = ByteRange(offset: to.offset, count: to.count)
        {
          found.append((old, new))
        } else {
          return nil
        }
      }
      return try other.next() == nil ? found : nil
    } catch {
      return nil
    }
  }

  /// Compares the sets of protection system headers (`pssh`), regardless of their positions. Fragments may contain some
  /// of them.
  mutating func compareProtection() throws {
    guard hasFragments else { return }
    let (before, after) = (try Self.protection(of: old), try Self.protection(of: new))
    guard before != after else { return }
    let description =
      before.count == after.count
      ? "the protection system headers (pssh) have different contents"
      : "the number of protection system headers (pssh) changed from \(before.count) to \(after.count)"
    add([MovieComparison.Difference(.changed, .other, description)])
  }

  private static func protection<Source>(of side: MovieSide<Source>) throws -> Set<Bytes> {
    var protectionAtoms: Set<Bytes> = []
    func gather(_ tree: AtomTree) {
      for index in tree.children(of: tree.root, "pssh") { protectionAtoms.insert(tree.payload(of: index)) }
    }
    gather(side.movie.tree)
    for fragment in side.fragments?.fragments ?? [] { gather(try fragment.tree()) }
    return protectionAtoms
  }
}
