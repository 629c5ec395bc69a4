import MovieBox

/// Removes the movie's user data atom (`udta`) if the edit removes the chapter list and the atom contained nothing else.
///
/// The chapter list is a metadata item, so the metadata writer removes the list itself.
struct ChapterListWriter: ChangeWriter {
  private let edit: MovieEdit

  init(_ edit: MovieEdit) {
    self.edit = edit
  }

  func write(into resolved: inout ResolvedEdit) {
    let tree = edit.movie.tree
    guard edit.removesChapters, !edit.changes.metadata.edits.added.contains(where: { $0.trackID == nil }) else {
      return
    }
    for udta in tree.children(of: tree.root, "udta") where tree.tail(of: udta).allSatisfy({ $0 == 0 }) {
      let children = tree.children(of: udta)
      let isEmptied = children.allSatisfy(resolved.edits.isRemoved)
      if isEmptied, children.contains(where: { tree[$0].type == "chpl" }) { resolved.edits.remove(udta) }
    }
  }
}
