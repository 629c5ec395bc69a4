import MovieBox

/// Removes the atoms that the sharing policy rejects, and removes dates, names and manufacturers from the kept atoms.
/// ``MetadataChange`` removes the items.
struct SharingWriter: ChangeWriter {
  private let edit: MovieEdit

  init(_ edit: MovieEdit) {
    self.edit = edit
  }

  func write(into resolved: inout ResolvedEdit) throws(MovieError) {
    if let policy = resolved.sharing { try write(policy, into: &resolved.edits) }
  }

  private func write(_ policy: SharingPolicy, into edits: inout AtomEdits) throws(MovieError) {
    let tree = edit.movie.tree
    let addedIdentifiers = Set(edit.changes.metadata.edits.added.map(\.identifier))
    let items = MetadataReader.identifiers(in: tree)
    var descriptions = SharingPolicy.descriptions(in: tree)
    for trak in tree.children(of: tree.root, "trak") where edits.isRemoved(trak) {
      for index in trak..<tree[trak].subtreeEnd { descriptions[index] = nil }  // Removed tracks may be unreadable.
    }
    let atomIndices = tree.root..<tree[tree.root].subtreeEnd
    // Remove items first, because the remaining items determine the unused keys. In the file, items follow their keys.
    for index in atomIndices where policy.drops(index, in: tree, items) { edits.remove(index) }
    // A `meta` may contain many lists of keys.
    var usedNumbers: [Int: Set<UInt32>] = [:]
    for index in atomIndices where !policy.drops(index, in: tree, items) {
      if let meta = SharingPolicy.metadata(withKeys: index, in: tree) {
        let used =
          usedNumbers[meta]
          ?? Set(
            tree.children(of: meta, "ilst").flatMap { Array(tree.children(of: $0)) }.filter { !edits.isRemoved($0) }
              .map { tree[$0].type.rawValue })
        usedNumbers[meta] = used
        let payload = edits.replacement(of: index).map { $0.dropFirst(8) } ?? tree.payload(of: index)
        let new = SharingPolicy.renamingUnusedKeys(in: payload) { number, key in
          !used.contains(number) && !addedIdentifiers.contains(key)
        }
        if new != tree.bytes(of: index).array { edits.replace(index, with: new) }
      } else if policy.rewrites(index, in: tree, descriptions), !edits.isRemoved(index) {
        let old = edits.replacement(of: index) ?? tree.bytes(of: index)
        if let new = try policy.rewritten(old, tree[index].type, ofMedia: descriptions[index]), new != old.array {
          edits.replace(index, with: new)
        }
      }
    }
  }
}
