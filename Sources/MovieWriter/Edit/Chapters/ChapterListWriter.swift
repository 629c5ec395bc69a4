import MovieBox

/// Removes the movie's user data if an edit removes the chapter list and the user data contained nothing else. The list
/// itself is an item of metadata.
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
