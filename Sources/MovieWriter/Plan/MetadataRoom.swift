package import MovieBox

/// Empty free space that is added next to the metadata of a new file, so that later edits of the metadata fit in place.
///
/// Free space after a movie atom is useful only if a whole movie atom fits into it. The movie atom of a film of several
/// hours has megabytes, but its metadata has only a kilobyte.
struct MetadataRoom: Hashable, Sendable {
  /// The size of the free space next to the list that most edits change.
  let byteCount: UInt32

  /// The size of the free space next to every other changed list. It is also the minimum of `byteCount`.
  static let smallestByteCount: UInt32 = 1024

  /// Creates free space with at least the minimum size.
  init(_ byteCount: UInt32) {
    self.byteCount = Swift.max(byteCount, Self.smallestByteCount)
  }

  /// Whether free space has one of the sizes that this type creates.
  func createsSpace(ofSize byteCount: Int) -> Bool {
    [Int(self.byteCount), Int(Self.smallestByteCount)].contains(byteCount)
  }

  /// Whether an atom is free space next to the user data or metadata of the movie, and not of a track.
  static func isNextToMetadata(_ index: Int, in tree: AtomTree) -> Bool {
    FreeSpace.isSpace(index, in: tree)
      && [[], ["meta"], ["udta"], ["udta", "meta"]].contains(
        Array(tree.types(to: index).dropLast()))
  }

  /// Adds the free space after the lists that differ from the old movie. If no list differs, adds it after the iTunes
  /// list. If there is no iTunes list, adds it after the user data.
  func add(to edits: inout AtomEdits, in tree: AtomTree, from old: AtomTree) {
    let lists = Self.lists(in: tree)
    let unchanged = Set(Self.lists(in: old).map { old.bytes(of: $0) })
    var changedLists = lists.filter { !unchanged.contains(tree.bytes(of: $0)) }
    if changedLists.isEmpty, let list = lists.last { changedLists = [list] }
    let last = changedLists.last
    for meta in changedLists {
      guard let list = tree.child(of: meta, "ilst") else { continue }
      add(meta == last ? byteCount : Self.smallestByteCount, to: &edits, after: list, in: tree)
    }
    guard last == nil else { return }
    // Free space from an earlier edit may precede tracks that were added later.
    let hasSpace = tree.children(of: tree.root).contains { index in
      FreeSpace.isSpace(index, in: tree) && tree[index].byteCount >= Int(byteCount)
        && FreeSpace.contents(inMetadata: tree.payload(of: index)) != .data
    }
    guard !hasSpace, let place = tree.child(of: tree.root, "udta") ?? tree.children(of: tree.root).max() else { return }
    add(byteCount, to: &edits, after: place, in: tree)
  }

  /// Returns the movie's `meta` atoms that contain a list. The `meta` in user data is the last.
  private static func lists(in tree: AtomTree) -> [Int] {
    let holders = [tree.root] + tree.children(of: tree.root, "udta")
    return holders.flatMap { tree.children(of: $0, "meta") }.filter { tree.child(of: $0, "ilst") != nil }
  }

  /// Adds free space after an atom, or enlarges empty free space that already follows it.
  private func add(_ byteCount: UInt32, to edits: inout AtomEdits, after index: Int, in tree: AtomTree) {
    guard let parent = tree[index].parent else { return }
    let next = tree.children(of: parent).first { $0 > index }
    let space = AtomHeader.bytes(UInt64(byteCount), "free") + [UInt8](repeating: 0, count: Int(byteCount) - 8)
    if let next, FreeSpace.isSpace(next, in: tree), FreeSpace.contents(inMetadata: tree.payload(of: next)) != .data {
      if tree[next].byteCount < Int(byteCount) { edits.replace(next, with: space) }
    } else {
      edits.insert(space, into: parent, before: next)
    }
  }
}

extension OutputLayout {
  /// Returns the layout with its padding where edits can use it. The padding follows the movie atom if a movie atom
  /// fits there. Otherwise, it is within the movie atom.
  func placingPadding(for movie: Movie) -> OutputLayout {
    var layout = self
    // A movie atom after the media can be edited in place without padding.
    guard isFastStart || !movie.hasMedia(before: movie.movieAtom.range.offset) else {
      layout.metadataRoom = nil
      return layout
    }
    let minimumByteCount = UInt64(movie.tree.bytes.count) + FreeSpace.markedHeaderByteCount
    guard let padding = paddingByteCount, padding > 0, padding < minimumByteCount else { return layout }
    layout.metadataRoom = MetadataRoom(padding)
    layout.paddingByteCount = nil
    return layout
  }
}

extension FreeSpace {
  /// Whether an atom within the movie atom is free space.
  package static func isSpace(_ index: Int, in tree: AtomTree) -> Bool { ["free", "skip"].contains(tree[index].type) }

  /// The atoms within the movie atom whose free space an edit of user data and metadata may use.
  static let metadataContainers: Set<FourCC> = ["moov", "trak", "udta", "meta"]

  /// Whether an atom is free space next to user data or metadata that contains the remains of an edit: replaced or
  /// removed atoms and items.
  package static func isLeftByItemEdit(_ index: Int, in tree: AtomTree) -> Bool {
    guard isSpace(index, in: tree), let parent = tree[index].parent, metadataContainers.contains(tree[parent].type)
    else { return false }
    return contents(inMetadata: tree.payload(of: index)) == .leftByEdit
  }

  /// Returns the contents of free space within the movie atom.
  ///
  /// Free space from a commit of ``InPlacePlan/Form/inMovieAtom`` starts with old atoms and ends with the mark. An edit
  /// of items in the free space next to them (``InPlacePlan/Form/inMetadataAfter``) turns the old list into free space.
  /// This space also covers the header and the mark of the free space that contains the new list.
  static func contents(inMetadata payload: Bytes) -> Contents {
    if [0, 8].contains(where: { payload.dropFirst($0).prefix(mark.count).elementsEqual(mark) }) { return .leftByEdit }
    if payload.dropFirst(Swift.max(0, payload.count - mark.count)).elementsEqual(mark) { return .leftByEdit }
    // If a power loss tore the mark, no bytes were written after the mark.
    if payload.isZero || isIncompleteMark(payload.prefix(mark.count)) && payload.dropFirst(mark.count).isZero {
      return .zeros
    }
    // The payload may consist of items, or of the entries of `keys` followed by `ilst`. Both have sizes and types like
    // atoms.
    for start in [0, 8] where isFollowedByMark(payload, from: start) { return .leftByEdit }
    return .data
  }

  private static func isFollowedByMark(_ payload: Bytes, from start: Int) -> Bool {
    var position = start
    while let size = payload.load(at: position, as: UInt32.self),
      let type = payload.load(at: position + 4, as: UInt32.self).map({ FourCC(rawValue: $0) })
    {
      if type == "free" || type == "skip" {
        return payload.dropFirst(position + 8).prefix(mark.count).elementsEqual(mark)
      }
      guard size >= 8, Int(size) <= payload.count - position else { return false }
      position += Int(size)
    }
    return false
  }
}

extension FileLayout.TopLevelAtom {
  /// Whether the atom is free space with the remains of an in-place edit, usually an old movie atom.
  func isSpaceLeftByEdit(in source: some RandomAccessSource) throws -> Bool {
    guard isFreeSpace, !isTruncated, sizeField != .toEndOfFile, payloadRange.count > 0 else { return false }
    return try FreeSpace.isLeftByEdit(payloadRange, in: source)
  }
}
