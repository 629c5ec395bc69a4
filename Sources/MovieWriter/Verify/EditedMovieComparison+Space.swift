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
