import MovieBox

extension MovieEdit {
  /// Puts the auxiliary information of tracks that had it in fragments before the new samples, and says in `stbl`
  /// where. Gives the atoms that `stbl` of a track from another movie gets, by the track's ID.
  ///
  /// In a revision that has removed the tracks that go, and before anything else is in `media`.
  func writeAuxiliaryInformation(
    into revision: inout MovieRevision, _ media: inout ByteWriter
  ) -> [UInt32: [[UInt8]]] {
    // It comes to lie next to `moov`, which may be anywhere in the file: wide numbers where the file is large.
    let byteCount = otherSources.reduce(movie.layout.identity.byteCount) { $0.addingClamped($1.byteCount) }
    let isWide = byteCount > UInt64(UInt32.max) / 2
    func atoms(_ tables: [AuxiliaryTable]) -> [[UInt8]] {
      tables.flatMap { table in
        defer { media.write(table.bytes) }
        return [table.sizesAtom, table.offsetsAtom(position: media.bytes.count, isWide: isWide)]
      }
    }
    for (track, tables) in zip(movie.tracks, stages.flattened?.auxiliary ?? []) where !tables.isEmpty {
      guard !revision.tracks.removed.contains(track.id),
        let stbl = movie.tree.sampleTable(ofTrack: track.atom)
      else { continue }
      for atom in atoms(tables) { revision.edits.insert(atom, into: stbl) }
      revision.added.tracksWithAuxiliary.insert(track.id)
    }
    var imported: [UInt32: [[UInt8]]] = [:]
    for track in tracks {
      guard let copied = track.planned as? ImportedTrack, !copied.auxiliary.isEmpty else { continue }
      imported[track.id] = atoms(copied.auxiliary)
      revision.added.tracksWithAuxiliary.insert(track.id)
    }
    revision.added.auxiliaryByteCount = media.bytes.count
    return imported
  }
}
