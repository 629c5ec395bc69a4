import MovieBox

/// Writes the changed headers of the movie and of kept tracks: duration, next track ID, dates, enabled tracks, groups,
/// handlers, formats and data references.
struct HeaderWriter: ChangeWriter {
  private let edit: MovieEdit

  init(_ edit: MovieEdit) {
    self.edit = edit
  }

  func write(into resolved: inout ResolvedEdit) throws(MovieError) {
    writeMovieHeader(into: &resolved.edits)
    for track in edit.tracks {
      guard let old = track.old else { continue }
      writeHeader(of: old, as: track, into: &resolved.edits)
      if track.writesQuickTimeHandler { resolved.edits.writeQuickTimeHandler(of: old, in: edit.movie.tree) }
      if track.declaresParameterSetsComplete { declareParameterSetsComplete(of: old, in: &resolved.edits) }
      if let external = edit.changes.media.external[old.id] {
        resolved.added.externalMedia[old.id] = external
        try writeDataReferences(of: old, into: &resolved.edits)
      }
    }
  }

  private func writeMovieHeader(into edits: inout AtomEdits) {
    let movie = edit.movie
    var header = movie.header
    header.nextTrackID = edit.nextTrackID
    header.duration = edit.durationInMovieTicks
    edit.headerDateChange?.apply(to: &header)
    if movie.hasKnownDuration, header.duration >= UInt64(UInt32.max) {
      header.version = 1  // All ones mean an unknown duration.
    }
    guard header != movie.header, let mvhd = movie.tree.child(of: movie.tree.root, "mvhd") else { return }
    edits.replace(mvhd, with: header.atom("mvhd"))
  }

  private func writeHeader(of old: Track, as track: EditedTrack, into edits: inout AtomEdits) {
    guard track.hasChangedHeader || edit.headerDateChange != nil,
      let tkhd = edit.movie.tree.child(of: old.atom, "tkhd")
    else { return }
    var header = old.header
    header.isEnabled = track.isEnabled
    header.alternateGroup = track.alternateGroup
    edit.headerDateChange?.apply(to: &header)
    guard header != old.header else { return }
    edits.replace(tkhd, with: header.atom("tkhd"))
  }

  /// Renames the formats of a track whose samples contain no parameter sets, and marks the arrays of parameter sets in
  /// its descriptions as complete (ISO/IEC 14496-15, 8.3.3.1.2).
  private func declareParameterSetsComplete(of old: Track, in edits: inout AtomEdits) {
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

  /// Rewrites the data references of a track whose media is copied into the movie, so that they refer to the movie
  /// itself.
  private func writeDataReferences(of old: Track, into edits: inout AtomEdits) throws(MovieError) {
    for (entry, atom) in try edit.movie.dataReferenceAtoms(of: old) where !entry.isSelfContained {
      var writer = ByteWriter()
      writer.atom(entry.type) { $0.write(FullAtomHeader(version: entry.version, flags: entry.flags | 0x1)) }
      edits.replace(atom, with: writer.bytes)
    }
  }
}

extension AtomEdits {
  /// Replaces the handler of a track by its form in QuickTime movies, if it has another form that can be rewritten.
  mutating func writeQuickTimeHandler(of track: Track, in tree: AtomTree) {
    guard let hdlr = tree.descendant(of: track.atom, "mdia", "hdlr"), let handler = track.handler?.quickTimeHandler
    else {
      return
    }
    replace(hdlr, with: handler.atom("hdlr"))
  }
}
