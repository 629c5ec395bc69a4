import MovieBox

/// Writes changed references of kept tracks (`tref`), such as selection followers (`folw`), forced-only partners
/// (`forc`) and chapter lists (`chap`). The bytes of unchanged references are kept.
struct ReferenceWriter: ChangeWriter {
  private let edit: MovieEdit
  private let tree: AtomTree

  init(_ edit: MovieEdit) {
    (self.edit, tree) = (edit, edit.movie.tree)
  }

  func write(into resolved: inout ResolvedEdit) {
    for track in edit.tracks { track.old.map { write(track, of: $0, into: &resolved.edits) } }
  }

  private func write(_ track: EditedTrack, of old: Track, into edits: inout AtomEdits) {
    let before = EditedTrack.references(of: old)
    let types = Set(before.keys).union(track.references.keys)
      .filter { before[$0] != track.references[$0] }.sorted { $0.rawValue < $1.rawValue }
    guard !types.isEmpty else { return }
    var addedAtoms: [[UInt8]] = []
    let atomsByType = Dictionary(grouping: old.references, by: \.type)
    for type in types {
      let atoms = (atomsByType[type] ?? []).map(\.atom)
      if let ids = track.references[type] {
        let atom = TrackReference(trackIDs: ids).atom(type)
        if let first = atoms.first { edits.replace(first, with: atom) } else { addedAtoms.append(atom) }
        for surplus in atoms.dropFirst() { edits.remove(surplus) }
      } else {
        for atom in atoms { edits.remove(atom) }
      }
    }
    if edit.removesChapters, types.contains("chap"), addedAtoms.isEmpty {
      removeEmptiedReferences(of: old, from: &edits)
    }
    if let tref = tree.child(of: old.atom, "tref") {
      for atom in addedAtoms { edits.insert(atom, into: tref) }
    } else if !addedAtoms.isEmpty {
      var writer = ByteWriter()
      writer.atom("tref") { tref in for atom in addedAtoms { tref.write(atom) } }
      edits.insert(writer.bytes, into: old.atom, before: tree.child(of: old.atom, "mdia"))
    }
  }

  /// Removes each `tref` that contained only chapter references.
  private func removeEmptiedReferences(of old: Track, from edits: inout AtomEdits) {
    for tref in tree.children(of: old.atom, "tref") where tree.tail(of: tref).isEmpty {
      let children = tree.children(of: tref)
      let hasChapters = children.contains { tree[$0].type == "chap" }
      if hasChapters, children.allSatisfy(edits.isRemoved) { edits.remove(tref) }
    }
  }
}
