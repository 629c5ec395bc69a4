import MovieBox

// Free space: beside a list of items that is edited in place, and in new files.
extension EditedMovieComparison {
  /// What becomes of free space in the movie atom of a new file.
  enum SpaceChange {
    /// It stays as it is.
    case none
    /// What an edit in place left in it is zeros.
    case cleared
    /// It goes, but for that in descriptions of samples and the like.
    case leftOut
  }

  /// Whether an atom of the old movie is free space that goes.
  func mayLeaveOutSpace(_ index: Int) -> Bool {
    space == .leftOut && MovieRevision.mayLeaveOutSpace(index, in: old)
  }

  /// Whether free space in which an edit has left something is as large as it was, and zeros.
  func isClearedSpace(_ left: Int, _ right: Int) -> Bool {
    space != .none && FreeSpace.isLeftByItemEdit(left, in: old) && old[left].type == new[right].type
      && old[left].headerByteCount == new[right].headerByteCount
      && old[left].byteCount == new[right].byteCount && new.payload(of: right).isZero
  }

  /// The bytes that an edit writes into free space of the movie atom, and the header that commits it.
  struct SpaceEdit {
    let written: ByteRange
    let commitOffset: UInt64
    /// The end of the free space after the new atoms, or of the written bytes if there is none.
    let end: UInt64

    init(written: ByteRange, commitOffset: UInt64, new: AtomTree) {
      (self.written, self.commitOffset) = (written, commitOffset)
      end = (new.root..<new[new.root].subtreeEnd).reduce(written.end) { end, index in
        let range = new.range(of: index)
        return FreeSpace.isSpace(index, in: new) && (written.offset..<written.end).contains(range.offset)
          ? Swift.max(end, range.end) : end
      }
    }
  }

  /// Whether an atom is empty free space that an edit may use up, or free space that the edit makes around its new
  /// atoms.
  func isSpaceOfEdit(_ index: Int, _ side: AtomTreeComparison.Side) -> Bool {
    let tree = side == .old ? old : new
    guard let spaceEdit, FreeSpace.isSpace(index, in: tree), let parent = tree[index].parent,
      FreeSpace.holdersOfMetadata.contains(tree[parent].type)
    else { return false }
    let range = tree.range(of: index)
    switch side {
    case .old:
      return spaceEdit.commitOffset <= range.offset && range.end <= spaceEdit.end
        && FreeSpace.contents(inMetadata: tree.payload(of: index)) != .data
    case .new:
      return range.offset == spaceEdit.commitOffset
        || (spaceEdit.written.offset..<spaceEdit.written.end).contains(range.offset)
          && FreeSpace.contents(inMetadata: tree.payload(of: index)) != .data
    }
  }

  /// Whether an atom of the new movie is empty free space that a new file gets beside its metadata.
  func isRoom(_ index: Int) -> Bool {
    guard let room, MetadataRoom.isBesideMetadata(index, in: new) else { return false }
    return new[index].type == "free" && room.makes(new[index].byteCount) && new.payload(of: index).isZero
  }

  /// Whether an atom of the old movie is empty free space that larger free space may replace.
  func mayBecomeRoom(_ index: Int) -> Bool {
    room != nil && MetadataRoom.isBesideMetadata(index, in: old)
      && FreeSpace.contents(inMetadata: old.payload(of: index)) != .data
  }

  /// Whether an atom is free space beside the list that is edited.
  func isSpaceOfList(_ index: Int, in tree: AtomTree) -> Bool {
    guard let listOffset, FreeSpace.isSpace(index, in: tree), let meta = tree[index].parent else { return false }
    let range = tree.range(of: meta)
    return tree[meta].type == "meta" && range.offset <= listOffset && listOffset < range.end
  }

  /// Makes sure that free space in which something stands is there still: an edit writes over what is empty.
  func checkSpaceOfList() throws(MovieError) {
    guard listOffset != nil else { return }
    func spaces(in tree: AtomTree) -> [Int] {
      (tree.root..<tree[tree.root].subtreeEnd).filter { isSpaceOfList($0, in: tree) }
    }
    var left = spaces(in: new)[...]
    for index in spaces(in: old) where FreeSpace.contents(inMetadata: old.payload(of: index)) == .data {
      let bytes = old.bytes(of: index)
      guard let found = left.firstIndex(where: { new.bytes(of: $0) == bytes }) else {
        throw old.error(.planCheckFailed, at: index, "what stands in it would be lost")
      }
      left = left[(found + 1)...]
    }
  }
}
