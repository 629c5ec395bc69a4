import MovieBox

// Fragments that stay where they are: an edit of what the header says of tracks needs no other place for samples.
extension MovieEdit {
  /// Whether the movie is fragmented, and will not be any more: the edit adds or removes tracks or takes samples in,
  /// ``defragment()`` was asked for, or something in the file does not let the fragments stay.
  ///
  /// A ``RemuxLayout`` that moves media takes the fragments away too.
  public var defragments: Bool { defragmentation != nil && !keepsFragments }

  /// What the edit did besides what was asked for.
  public var notes: [EditNote] {
    guard let defragmentation, defragments else { return ownNotes }
    var notes = defragmentation.notes
    if couldKeepFragments, let reason = defragmentation.obstacleToKeeping {
      notes.append(EditNote(.fragments, "fragments stay where only the header changes, but here \(reason)"))
    }
    return notes + ownNotes
  }

  /// Has all samples of a fragmented movie listed in its header, whatever else the edit does; other movies stay as they
  /// are.
  public mutating func defragment() {
    isToBePlain = true
  }

  /// Whether the movie is fragmented and stays so.
  var keepsFragments: Bool { couldKeepFragments && defragmentation?.obstacleToKeeping == nil }

  /// Whether nothing that the edit does asks for another place for samples.
  private var couldKeepFragments: Bool {
    guard defragmentation != nil, !isToBePlain, unsplitMovie == nil, otherFiles.isEmpty, externalMedia.isEmpty else {
      return false
    }
    return tracks.map(\.id) == movie.tracks.map(\.id) && tracks.allSatisfy(\.isOfMovie)
  }

  /// The same edit of the movie with its fragments; `nil` where these go.
  func keepingFragments(_ layout: RemuxLayout) -> MovieEdit? {
    guard keepsFragments, let defragmentation else { return nil }
    let original = defragmentation.original
    guard !layout.isCompact, layout.interleaving != .all, !layout.splitsChunks,
      !layout.isFastStart || !original.hasMediaBeforeHeader
    else { return nil }
    var edit = self
    edit.movie = original
    edit.keptFragments = defragmentation.fragments
    edit.defragmentation = nil
    edit.tracks = zip(tracks, original.tracks).map { $0.read(as: $1) }
    return edit
  }
}

extension Movie {
  /// Whether samples may lie before the movie header, or fragments.
  fileprivate var hasMediaBeforeHeader: Bool {
    layout.atoms.contains { ["mdat", "moof"].contains($0.type) && $0.range.offset < movieAtom.range.offset }
  }
}
