import MovieBox

extension MovieEdit {
  /// Puts the auxiliary information of tracks that had it in fragments before the new samples, and says in `stbl`
  /// where.
  ///
  /// In a revision that has removed the tracks that go, and before anything else is in `media`.
  func writeAuxiliaryInformation(into revision: inout MovieRevision, _ media: inout ByteWriter) {
    guard let defragmentation else { return }
    // It comes to lie next to `moov`, which may be anywhere in the file: wide numbers where the file is large.
    let isWide = movie.layout.identity.byteCount > UInt64(UInt32.max) / 2
    for (track, tables) in zip(movie.tracks, defragmentation.auxiliary) where !tables.isEmpty {
      guard !revision.removedTrackIDs.contains(track.id),
        let stbl = movie.tree.descendant(of: track.atom, "mdia", "minf", "stbl")
      else { continue }
      for table in tables {
        revision.edits.insert(table.sizesAtom, into: stbl)
        revision.edits.insert(table.offsetsAtom(position: media.bytes.count, isWide: isWide), into: stbl)
        media.write(table.bytes)
      }
      revision.namedAtoms[track.id, default: []].formUnion(["saiz", "saio"])
      revision.tracksWithNewAuxiliary.insert(track.id)
    }
    revision.auxiliaryByteCount = media.bytes.count
  }
}
