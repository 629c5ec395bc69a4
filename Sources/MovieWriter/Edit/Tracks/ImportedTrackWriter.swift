import MovieBox

// The `trak` atom of a track from another movie: a copy of the original, with the ID, group, labels and references that it
// has in this movie.
extension ImportedTrack {
  /// Returns the `trak` atom. Its offsets refer to the track's own file.
  ///
  /// - Parameter tables: the atoms to add to its `stbl`.
  func trackAtom(as edited: EditedTrack, tables: [[UInt8]] = []) -> [UInt8] {
    var changes = AtomEdits()
    let trak = input.track.atom
    if let stbl = tree.sampleTable(ofTrack: trak) {
      for table in tables { changes.insert(table, into: stbl) }
    }
    writeHeader(as: edited, into: &changes)
    if facts.dialect == .quickTime { changes.writeQuickTimeHandler(of: input.track, in: tree) }
    for (elst, rescaled) in edits { changes.replace(elst, with: rescaled.list.atom("elst")) }
    writeShiftedEdits(into: &changes)
    writeReferences(of: edited, into: &changes)
    LabelWriter(edited.labels, of: input.track, in: tree, facts.dialect).write(into: &changes)
    var writer = ByteWriter()
    changes.draft(of: tree, at: trak).write(to: &writer)
    return writer.take()
  }

  private func writeHeader(as edited: EditedTrack, into changes: inout AtomEdits) {
    guard let tkhd = tree.child(of: input.track.atom, "tkhd") else { return }
    var header = input.track.header
    header.trackID = id
    header.alternateGroup = edited.alternateGroup
    header.isEnabled = edited.isEnabled
    header.isInMovie = facts.isInMovie
    header.isInPreview = facts.isInPreview
    if let duration = headerDuration {
      header.duration = duration
      if duration >= UInt64(UInt32.max) { header.version = 1 }  // All ones mean an unknown duration.
    }
    changes.replace(tkhd, with: header.atom("tkhd"))
  }

  private func writeShiftedEdits(into changes: inout AtomEdits) {
    guard let shiftedEdits else { return }
    let trak = input.track.atom
    if let elst = tree.descendant(of: trak, "edts", "elst") {
      changes.replace(elst, with: shiftedEdits.atom("elst"))
    } else if let edts = tree.child(of: trak, "edts") {
      changes.insert(shiftedEdits.atom("elst"), into: edts)
    } else {
      var edts = ByteWriter()
      edts.atom("edts") { $0.write(shiftedEdits.atom("elst")) }
      changes.insert(edts.take(), into: trak, before: tree.child(of: trak, "mdia"))
    }
  }

  /// Replaces the track's own references, which name tracks of another movie.
  private func writeReferences(of edited: EditedTrack, into changes: inout AtomEdits) {
    let trak = input.track.atom
    let oldReferences = tree.children(of: trak, "tref")
    for tref in oldReferences { changes.remove(tref) }
    guard let tref = edited.referencesAtom else { return }
    changes.insert(tref, into: trak, before: oldReferences.first ?? tree.child(of: trak, "mdia"))
  }
}
