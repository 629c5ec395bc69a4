import MovieBox

/// Writes the changed headers of the movie and of kept tracks: duration, next track ID, dates, enabled tracks, groups and
/// handlers.
struct HeaderWriter: ChangeWriter {
  private let edit: MovieEdit

  init(_ edit: MovieEdit) {
    self.edit = edit
  }

  func write(into resolved: inout ResolvedEdit) {
    writeMovieHeader(into: &resolved.edits)
    for track in edit.tracks {
      guard let old = track.old else { continue }
      writeHeader(of: old, as: track, into: &resolved.edits)
      if track.writesQuickTimeHandler { resolved.edits.writeQuickTimeHandler(of: old, in: edit.movie.tree) }
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
}

extension AtomEdits {
  /// Replaces the handler of a track by its form in QuickTime movies, if it has another form that can be rewritten.
  mutating func writeQuickTimeHandler(of track: Track, in tree: AtomTree) {
    guard let hdlr = tree.descendant(of: track.atom, "mdia", "hdlr"), let handler = track.handler?.inQuickTimeForm
    else {
      return
    }
    replace(hdlr, with: handler.atom("hdlr"))
  }
}
