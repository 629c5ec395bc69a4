import MovieBox

extension ImportedTrack {
  /// The `trak` atom; positions in it are those of the track's own file.
  ///
  /// - Parameter tables: atoms that are added to its `stbl`.
  func trackAtom(as edited: OutputTrack, tables: [[UInt8]] = []) -> [UInt8] {
    var changes = AtomEdits()
    let trak = input.track.atom
    if let stbl = tree.sampleTable(ofTrack: trak) {
      for table in tables { changes.insert(table, into: stbl) }
    }
    writeHeader(as: edited, into: &changes)
    for (elst, rescaled) in edits { changes.replace(elst, with: rescaled.list.atom("elst")) }
    writeReferences(edited.references, into: &changes)
    LabelWriter(edited.labels, of: input.track, in: tree, facts.dialect).write(into: &changes)
    var writer = ByteWriter()
    changes.draft(of: tree, at: trak).write(to: &writer)
    return writer.take()
  }

  private func writeHeader(as edited: OutputTrack, into changes: inout AtomEdits) {
    guard let tkhd = tree.child(of: input.track.atom, "tkhd") else { return }
    var header = input.track.header
    header.trackID = id
    header.alternateGroup = edited.alternateGroup
    header.isEnabled = edited.isEnabled
    header.isInMovie = facts.isInMovie
    header.isInPreview = facts.isInPreview
    if let duration = durationInMovieTicks {
      header.duration = duration
      if duration >= UInt64(UInt32.max) { header.version = 1 }  // All ones would mean an unknown one.
    }
    changes.replace(tkhd, with: header.atom("tkhd"))
  }

  /// In the place of the track's own, which name tracks of another movie.
  private func writeReferences(_ references: [FourCC: [UInt32]], into changes: inout AtomEdits) {
    let trak = input.track.atom
    let old = tree.children(of: trak, "tref")
    for tref in old { changes.remove(tref) }
    guard !references.isEmpty else { return }
    changes.insert(
      EncodedTrack.referencesAtom(references), into: trak, before: old.first ?? tree.child(of: trak, "mdia"))
  }
}
