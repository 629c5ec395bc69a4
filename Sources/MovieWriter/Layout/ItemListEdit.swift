import MovieBox

/// An edit that changes only the items of one metadata list and the free space next to the list.
///
/// Apple's devices, iTunes and taggers reserve free space within `meta`. An edit that fits into this space does not
/// change the position and size of the movie atom. Therefore, a movie whose media follows the movie atom does not need
/// to be rewritten.
struct ItemListEdit {
  /// The range of the old list in the file: `ilst`, and the preceding `keys` if present.
  let old: ByteRange
  /// The new list.
  let new: Bytes
  /// The empty free space directly before the list.
  let spaceBeforeList: InPlaceFreeSpace.Space?
  /// The empty free space directly after the list.
  let spaceAfterList: InPlaceFreeSpace.Space?

  /// Finds the list whose change turns the old movie atom into the new one. Returns `nil` if there are other changes,
  /// or if no free space is next to the list.
  init?(from movie: Movie, to newMovie: DraftedBytes, in source: some RandomAccessSource) throws {
    let tree = movie.tree
    var referenced = ReferencedBytes(of: movie, in: source)
    func space(_ index: Int?) -> InPlaceFreeSpace.Space? {
      guard let index, ["free", "skip"].contains(tree[index].type) else { return nil }
      let contents = FreeSpace.contents(inMetadata: tree.payload(of: index))
      let range = tree.range(of: index)
      guard contents != .data, !referenced.mayOverlap(in: range) else { return nil }
      return .init(
        range: range, headerByteCount: UInt64(tree[index].headerByteCount), isZero: contents == .zeros)
    }
    for meta in tree.root..<tree[tree.root].subtreeEnd where tree[meta].type == "meta" {
      guard let (list, before, after) = Self.list(of: meta, in: tree),
        let new = Self.items(in: newMovie, inPlaceOf: list, of: meta, in: tree)
      else { continue }
      (spaceBeforeList, spaceAfterList) = (space(before), space(after))
      guard spaceBeforeList != nil || spaceAfterList != nil else { return nil }
      let start = tree.range(of: tree.root).offset
      old = ByteRange(start + UInt64(list.lowerBound)..<start + UInt64(list.upperBound))
      self.new = new
      return
    }
    return nil
  }

  /// The arrangement of the new list, or `nil` if the list fits into neither of the spaces.
  var draft: InPlaceDraft? {
    let sizes = InPlaceDraft.HeaderLayout(movieByteCount: UInt64(new.count), mediaByteCount: 0, repeatedByteCount: 0)
    if let spaceBeforeList, var draft = InPlaceDraft(in: spaceBeforeList, before: old, sizes) {
      draft.form = .inMetadataBefore
      return draft.marking(spaceBeforeList)
    }
    if let spaceAfterList, var draft = InPlaceDraft(in: spaceAfterList, after: old, nil, sizes) {
      draft.form = .inMetadataAfter
      return draft.marking(spaceAfterList)
    }
    return nil
  }

  /// Returns the range of a `meta`'s list, relative to the start of the tree, and the atoms directly before and after
  /// it.
  private static func list(of meta: Int, in tree: AtomTree) -> (list: Range<Int>, before: Int?, after: Int?)? {
    let children = Array(tree.children(of: meta))
    guard let index = children.firstIndex(where: { tree[$0].type == "ilst" }),
      children.count(where: { tree[$0].type == "ilst" }) == 1
    else { return nil }
    var first = index
    if tree.child(of: meta, "keys") != nil {
      guard index > 0, tree[children[index - 1]].type == "keys", tree.children(of: meta, "keys").count == 1 else {
        return nil
      }
      first = index - 1
    }
    return (
      tree[children[first]].start..<tree[children[index]].end, first > 0 ? children[first - 1] : nil,
      index + 1 < children.count ? children[index + 1] : nil
    )
  }

  /// Returns the new list, or `nil` if the new movie atom differs in more than the list and the sizes of its ancestors.
  private static func items(
    in newMovie: DraftedBytes, inPlaceOf list: Range<Int>, of meta: Int, in tree: AtomTree
  ) -> Bytes? {
    let growth = newMovie.count - tree.bytes.count
    func isSame(_ range: Range<Int>) -> Bool { newMovie.hasBytes(in: range, equalTo: tree.bytes, at: range.lowerBound) }
    guard list.count + growth >= 8,
      newMovie.hasBytes(in: list.upperBound + growth..<newMovie.count, equalTo: tree.bytes, at: list.upperBound),
      let new = newMovie.copy(list.lowerBound..<list.upperBound + growth),
      new != tree.bytes.slice(at: list.lowerBound, count: list.count)
    else { return nil }
    // Before the list, only the sizes may differ.
    var end = list.lowerBound
    var ancestor: Int? = meta
    while let index = ancestor {
      let start = tree[index].start
      let byteCount = UInt64(clamping: tree[index].byteCount + growth)
      if tree[index].headerByteCount == 8 {
        guard newMovie.copy(start..<start + 4)?.load(at: 0, as: UInt32.self).map({ UInt64($0) }) == byteCount,
          isSame(start + 4..<end)
        else { return nil }
      } else {
        guard newMovie.copy(start + 8..<start + 16)?.load(at: 0, as: UInt64.self) == byteCount,
          isSame(start..<start + 8), isSame(start + 16..<end)
        else { return nil }
      }
      end = start
      ancestor = tree[index].parent
    }
    guard isSame(0..<end) else { return nil }
    return new
  }
}

extension InPlaceDraft {
  /// Returns a draft that also overwrites all remains of an earlier edit in the space. The draft starts with the mark,
  /// because a later edit could not identify partly overwritten remains. Space that consists of zeros is marked
  /// separately.
  fileprivate func marking(_ space: InPlaceFreeSpace.Space) -> InPlaceDraft {
    let start = space.range.offset + space.headerByteCount
    let markEnd = start + UInt64(FreeSpace.mark.count)
    guard !space.isZero, writeOffset >= markEnd else { return self }
    var draft = self
    draft.parts = [.mark, .zeros(writeOffset - markEnd)] + parts
    draft.writeOffset = start
    return draft
  }
}

extension MoviePlanner {
  /// Returns the edit of a metadata list in the free space next to it, or `nil` if the edit changes more or does not
  /// fit.
  func itemListPlan(_ newMovie: AtomDraft) throws -> InPlacePlan? {
    guard resolved.requestedMetadata != nil, editsMovieAtomAsRead,
      let edit = try ItemListEdit(from: movie, to: DraftedBytes(newMovie), in: source), let draft = edit.draft,
      let space = draft.form == .inMetadataBefore ? edit.spaceBeforeList : edit.spaceAfterList
    else { return nil }
    return try planInMovieAtom(
      draft.form, edit.new, in: space, draft.parts, at: draft.writeOffset, draft.commit, markOffset: draft.markOffset)
  }
}
