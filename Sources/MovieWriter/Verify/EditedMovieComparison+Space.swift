import MovieBox

// Free space beside a list of items that is edited in place.
extension EditedMovieComparison {
  /// Whether an atom is free space beside the list that is edited.
  func isSpaceOfList(_ index: Int, in tree: AtomTree) -> Bool {
    guard let listOffset, ["free", "skip"].contains(tree[index].type), let meta = tree[index].parent else {
      return false
    }
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
