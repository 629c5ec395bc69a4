import MovieBox

// Chapters: QuickTime movies have them in tracks, and in MP4 files most players read the list of Nero's programs (`chpl`).
extension MovieEdit {
  /// Gives the movie its chapters in the form that its new type has, beside the tracks of chapters, which are converted
  /// like others: a track in place of a list in user data that is all there is; in ISO files a list beside the track.
  mutating func convertChapters(of original: Movie, from source: some RandomAccessSource) throws {
    guard let type = stages.converted?.type else { return }
    let hasNero = original.tree.children(of: original.tree.root, "udta").contains {
      original.tree.child(of: $0, "chpl") != nil
    }
    guard type.isQuickTime ? hasNero : !hasNero && original.dialect == .quickTime && !original.chapterTrackIDs.isEmpty
    else { return }
    let list = try stages.presented.readChapters(from: source)
    let hasTitles = list.forms.contains { $0.kind == .titles }
    if !type.isQuickTime {
      guard hasTitles, !list.chapters.isEmpty else { return }
      recordedNotices += writeNero(list.chapters)
      recordedNotices.append(Self.chaptersAreListed)
    } else if hasTitles {
      let differs = list.forms.contains { $0.kind == .nero && $0.differs }
      noteNero(
        isLost: differs,
        differs
          ? "is left out, which QuickTime does not know; it differs from the chapter track, which stays"
          : "is left out, which QuickTime does not know; the chapter track has the same chapters")
    } else {
      try makeChapterTrack(of: list, from: source)
    }
  }

  private mutating func makeChapterTrack(of list: ChapterList, from source: some RandomAccessSource) throws {
    guard !list.chapters.isEmpty else {
      return noteNero(isLost: true, "is left out, which QuickTime does not know; it has no chapters that can be read")
    }
    do {
      let new = try setChapters(list.chapters, replacingThoseIn: source, writesNero: false)
      recordedNotices.append(
        EditNotice(
          .converted, trackID: new.first,
          "the list of chapters of Nero (chpl) is a track of chapters, as QuickTime movies have it: track "
            + "\(new.first ?? 0)"))
    } catch let error as MovieError where [.invalidEdit, .limit].contains(error.code) {
      noteNero(isLost: true, "is left out, which QuickTime does not know: \(error.reason)")
    }
  }

  private mutating func noteNero(isLost: Bool, _ what: String) {
    recordedNotices.append(
      EditNotice(
        isLost ? .leftOut : .converted, atom: "chpl", isWarning: isLost,
        "the list of chapters of Nero (chpl) \(what)"))
  }
}
