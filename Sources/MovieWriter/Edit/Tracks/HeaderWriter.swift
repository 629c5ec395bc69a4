import MovieBox

/// Writes the changed headers of the movie and of kept tracks: duration, next track ID, dates, enabled tracks and groups.
struct HeaderWriter: ChangeWriter {
  private let edit: MovieEdit

  init(_ edit: MovieEdit) {
    self.edit = edit
  }

  func write(into resolved: inout ResolvedEdit) {
    writeMovieHeader(into: &resolved.edits)
    for track in edit.tracks { track.old.map { writeHeader(of: $0, as: track, into: &resolved.edits) } }
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
