import MovieBox

// Fragments that stay where they are: an edit that adds no samples needs no other place for any.
extension MovieEdit {
  /// Whether the movie is fragmented, and will not be any more where it is laid out as it is: see ``flattens(for:)``.
  public var flattens: Bool { flattens(for: OutputLayout()) }

  /// Whether the movie is fragmented, and will not be any more: the edit takes samples in, ``flatten()`` was asked
  /// for, the layout moves media, or something in the file does not let the fragments stay.
  public func flattens(for layout: OutputLayout) -> Bool { stages.flattened != nil && !keepsFragments(for: layout) }

  /// What the edit did besides what was asked for, where the movie is laid out as it is: see ``notes(for:)``.
  public var notes: [EditNotice] { notes(for: OutputLayout()) }

  /// What the edit did besides what was asked for, and what becomes of the fragments of a movie that is laid out like
  /// this.
  ///
  /// Of what a new file cannot keep true see ``warningsForNewFile``; ``MovieFileWriter/notes`` has all.
  public func notes(for layout: OutputLayout) -> [EditNotice] {
    let recordedNotices = conversionNotes + hiddenTagWarnings
    guard let flattened = stages.flattened, flattens(for: layout) else { return recordedNotices }
    var notes = flattened.notes
    if couldKeepFragments, let reason = fragmentsBlocker(layout) {
      notes.append(EditNotice(.fragments, "fragments stay where no samples are added, but here \(reason)"))
    }
    return notes + recordedNotices
  }

  /// The notices of the edit, without those of stages.
  private var notices: [EditNotice] {
    let present = Set(tracks.map(\.id))
    let recorded = recordedNotices.filter { notice in
      // A changed reference of a track that was removed later is of no interest.
      notice.kind != .association || notice.trackID.map(present.contains) ?? true
    }
    let disabled = tracks.filter { $0.lostDefault && !$0.isEnabled }.map { track in
      EditNotice(.disabled, trackID: track.id, "track \(track.id) is no longer the default, and is disabled")
    }
    return noticesAboutMovie + recorded + disabled + changes.notices
  }

  /// What the edit says, and before it what is said of the conversion to another type, but of tracks that go and of
  /// chapters that are no more.
  private var conversionNotes: [EditNotice] {
    let all = notices
    guard let conversion = stages.converted else { return all }
    let ids = conversion.omittedTracks.union(tracks.map(\.id))
    let own = (all + (changes.metadata.noticeOfMirroredItems(of: conversion).map { [$0] } ?? [])).filter { note in
      note.kind != .converted
        || note.trackID.map(ids.contains) ?? true
          && (changes.chapters == nil || note != Self.chaptersAreListed)
    }
    let cleared = conversion.clearedFieldsNote(ofTracks: tracks.map(\.id)).map { [$0] } ?? []
    return conversion.notes.filter { $0.trackID.map(ids.contains) ?? true } + cleared + own
  }

  /// Said where a conversion writes the list of Nero's programs.
  static let chaptersAreListed = EditNotice(.converted, "the chapters are listed in user data (chpl)")

  /// Has all samples of a fragmented movie listed in its movie atom, whatever else the edit does; other movies stay as
  /// they are.
  public mutating func flatten() {
    stages.mustFlatten = true
  }

  /// Whether the movie is fragmented and stays so.
  func keepsFragments(for layout: OutputLayout) -> Bool {
    couldKeepFragments && fragmentsBlocker(layout) == nil
  }

  /// Whether nothing that the edit does asks for another place for samples.
  private var couldKeepFragments: Bool {
    stages.flattened != nil && !stages.mustFlatten && stages.unsplit == nil && changes.media.files.isEmpty
      && changes.media.external.isEmpty
      && tracks.allSatisfy { $0.old != nil }
  }

  /// What in the layout or in the file does not let the fragments stay.
  private func fragmentsBlocker(_ layout: OutputLayout) -> String? {
    guard let flattened = stages.flattened else { return nil }
    var layout = layout
    if !flattened.original.hasMediaBeforeMovieAtom { layout.isFastStart = false }
    let removed = Set(movie.tracks.map(\.id)).subtracting(tracks.map(\.id))
    return layout.rewriteReason ?? flattened.retention.reason(removing: removed)
  }

  /// The same edit of the movie with its fragments; `nil` where these go.
  func keepingFragments(_ layout: OutputLayout) -> MovieEdit? {
    guard keepsFragments(for: layout), let kept = stages.keepingFragments() else { return nil }
    // By their atoms: of a broken movie several tracks may have one ID.
    let originals = Dictionary(zip(movie.tracks.map(\.atom), kept.current.tracks)) { first, _ in first }
    var edit = self
    edit.pass(to: kept)
    edit.tracks = tracks.compactMap { track in
      track.old.flatMap { originals[$0.atom] }.map { track.read(as: $0) }
    }
    return edit
  }
}

extension Movie {
  /// Whether samples may lie before the movie atom, or fragments.
  fileprivate var hasMediaBeforeMovieAtom: Bool {
    layout.atoms.contains { ["mdat", "moof"].contains($0.type) && $0.range.offset < movieAtom.range.offset }
  }
}
