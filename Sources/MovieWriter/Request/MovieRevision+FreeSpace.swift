import MovieBox

// Free space inside of the movie atom of a new file.
extension MovieRevision {
  /// Has free space that an edit in place left be zeros, so that what was taken out does not go along into a new file; or
  /// leaves all free space out. What another edit has put in its place stays.
  mutating func clearFreeSpace(isCompact: Bool) {
    let tree = movie.tree
    for index in tree.root..<tree[tree.root].subtreeEnd
    where FreeSpace.isSpace(index, in: tree) && !edits.isChanged(index) {
      if isCompact, Self.mayLeaveOutSpace(index, in: tree) {
        edits.remove(index)
      } else if FreeSpace.isLeftByItemEdit(index, in: tree) {
        let byteCount = tree.payload(of: index).count
        let header = tree.bytes(of: index).array.dropLast(byteCount)
        edits.replace(index, with: header + [UInt8](repeating: 0, count: byteCount))
      }
    }
  }

  /// Whether an atom is free space that nothing needs where it stands: descriptions of samples and references to data
  /// stay as they are.
  static func mayLeaveOutSpace(_ index: Int, in tree: AtomTree) -> Bool {
    guard FreeSpace.isSpace(index, in: tree), let parent = tree[index].parent else { return false }
    return tree[parent].type != "ilst" && SharingPolicy.mayLose(parent, in: tree)
  }
}
