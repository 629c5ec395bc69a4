import MovieBox

/// Renames the formats of tracks whose samples contain no parameter sets, and marks the arrays of parameter sets in their
/// descriptions as complete (ISO/IEC 14496-15, 8.3.3.1.2).
struct ParameterSetWriter: ChangeWriter {
  private let edit: MovieEdit

  init(_ edit: MovieEdit) {
    self.edit = edit
  }

  func write(into resolved: inout ResolvedEdit) {
    for track in edit.tracks where track.declaresParameterSetsComplete {
      track.old.map { write($0, into: &resolved.edits) }
    }
  }

  private func write(_ old: Track, into edits: inout AtomEdits) {
    let tree = edit.movie.tree
    guard let stsd = tree.descendant(of: old.atom, "mdia", "minf", "stbl", "stsd") else { return }
    for entry in tree.children(of: stsd) {
      guard let name = InBandParameterSets.replacementFormats[tree[entry].type],
        let hvcC = tree.child(of: entry, "hvcC"),
        let sets = ParameterSets(hvcC: tree.payload(of: hvcC))
      else { continue }
      var bytes = tree.bytes(of: entry).array
      let start = Int(tree.range(of: hvcC).offset - tree.range(of: entry).offset)  // `hvcC` is inside the entry.
      let header = tree[hvcC].headerByteCount
      for array in sets.arrayOffsets where bytes.indices.contains(start + header + array) {
        bytes[start + header + array] |= ParameterSets.completenessBit
      }
      var writer = ByteWriter()
      writer.write(name)
      bytes.replaceSubrange(4..<8, with: writer.take())
      edits.replace(entry, with: bytes)
    }
  }
}
