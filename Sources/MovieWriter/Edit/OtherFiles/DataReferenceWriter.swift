import MovieBox

/// Rewrites the data references of tracks whose media is copied into the movie, so that they refer to the movie itself.
struct DataReferenceWriter: ChangeWriter {
  private let edit: MovieEdit

  init(_ edit: MovieEdit) {
    self.edit = edit
  }

  func write(into resolved: inout ResolvedEdit) throws(MovieError) {
    guard !edit.changes.media.external.isEmpty else { return }
    for old in edit.tracks.compactMap(\.old) {
      guard let external = edit.changes.media.external[old.id] else { continue }
      resolved.added.externalMedia[old.id] = external
      for (entry, atom) in try edit.entryAtoms(of: old) where !entry.isSelfContained {
        var writer = ByteWriter()
        writer.atom(entry.type) { $0.write(FullAtomHeader(version: entry.version, flags: entry.flags | 0x1)) }
        resolved.edits.replace(atom, with: writer.bytes)
      }
    }
  }
}
