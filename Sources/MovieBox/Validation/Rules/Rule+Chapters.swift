// Rules about chapter tracks and the list of chapters in user data.

extension Rule {
  static let chapterRules = [
    enabledChapterTrack, chapterMediaType, filmAsChapterPictures, unlistedChapterPictures, incompleteNeroList,
    differentChapterLists, groupedChapterTrack, chapterLanguage,
  ]

  private static let chapterClause = "QTFF, \"Chapter Lists\""

  private static let enabledChapterTrack = Rule(
    "chapter.enabled", .warning, clause: chapterClause,
    effect: "The titles of chapters are shown on the picture like subtitles.",
    fix: [.change(.disabled)], automatically: .disableChapters
  ) { examination, report in
    let titles = examination.chapterTitleIDs
    for track in examination.chapters where track.isEnabled && track.mediaType.isLegible && titles.contains(track.id) {
      report.add(examination.trackHeaderAtom(track), "chapter track \(track.id) is enabled")
    }
  }

  private static let chapterMediaType = Rule(
    "chapter.kind", .warning, for: [.apple], clause: chapterClause,
    effect: "There is no chapter menu, or the chapters are in the menu of subtitles.", fix: [.makeAgain]
  ) { examination, report in
    for track in examination.chapters where !ReferenceKinds(of: "chap").mayRefer(to: track.mediaType) {
      report.add(
        examination.atom(track, "mdia", "hdlr"),
        "chapter track \(track.id) has the media type "
          + "\(track.mediaType.name) instead of text")
    }
  }

  private static let filmAsChapterPictures = Rule(
    "chapter.film", .warning, clause: chapterClause,
    effect: "Players show no chapter pictures, or use the film as chapter pictures.",
    fix: [.step(.removeReferences(from: .source, to: .target))]
  ) { examination, report in
    for (track, atom, target) in examination.references("chap")
    where target.mediaType == .video && !target.formats.isEmpty && !target.hasStillPictures {
      report.add(
        atom, "refers to track \(target.id), which contains a film instead of chapter pictures",
        tracks: [.source: track, .target: target])
    }
  }

  private static let unlistedChapterPictures = Rule(
    "chapter.pictures-unlisted", .warning, clause: "movies whose chapters mp4v2 has rewritten",
    effect: "Players show the pictures of the chapters as a film.",
    fix: [.step(.associateChapters(from: .source, to: .target))]
  ) { examination, report in
    let titles = examination.chapters.filter { $0.mediaType.isLegible && $0.samples.sampleCount > 1 }
    let referencedIDs = Set(examination.references.flatMap(\.reference.trackIDs))
    for track in examination.tracks
    where track.mediaType == .video && track.hasStillPictures && track.references.isEmpty
      && !referencedIDs.contains(track.id)
      && titles.contains(where: { $0.samples.sampleCount == track.samples.sampleCount })
    {
      let source = examination.tracks.first { $0.referenced("chap").contains { id in titles.contains { $0.id == id } } }
      report.add(
        examination.atom(track, "mdia", "hdlr"),
        "track \(track.id) has a picture for each chapter, but no track refers to it (chap)",
        tracks: [.source: source, .target: track])
    }
  }

  private static let incompleteNeroList = Rule(
    "chapter.nero-list", .warning, clause: "the readers of chpl in ffmpeg, GPAC and Media3",
    effect: "Players other than Apple's show fewer chapters or no chapters.", fix: [.step(.setChaptersAgain)]
  ) { examination, report in
    let tree = examination.tree
    for chpl in tree.children(of: tree.root, "udta").flatMap({ tree.children(of: $0, "chpl") }) {
      do throws(MovieError) {
        let missing = try NeroChapters(payload: tree.payload(of: chpl)).missingCount
        if missing > 0 { report.add(chpl, "declares \(missing) more chapters than it contains") }
      } catch {
        report.add(chpl, error.reason)
      }
    }
  }

  private static let differentChapterLists = Rule(
    "chapter.forms-differ", .warning, clause: "Apple's players read chap; other players read chpl",
    effect: "Players disagree about the chapters.", fix: [.step(.setChaptersAgain)]
  ) { examination, report in
    let tree = examination.tree
    guard let list = examination.chapterList, list.forms.contains(where: { $0.kind == .nero && $0.differs }),
      let udta = tree.children(of: tree.root, "udta").first(where: { tree.child(of: $0, "chpl") != nil }),
      let chpl = tree.child(of: udta, "chpl")
    else { return }
    let titles = list.forms.first { $0.kind == .titles }
    let nero = list.forms.first { $0.kind == .nero }
    let track = titles?.trackID.map { "chapter track \($0)" } ?? "the chapter track"
    report.add(
      chpl,
      titles?.count == nero?.count
        ? "differs from \(track) in the times or titles of its chapters"
        : "has \(nero?.count ?? 0) chapters, but \(track) has \(titles?.count ?? 0)")
  }

  private static let groupedChapterTrack = Rule(
    "chapter.group", .warning, for: [.apple], clause: "QTFF, \"Closed Caption Media\" (\"non-chapter text tracks\")",
    effect: "Players offer the chapters as subtitles, or disable subtitles in favor of the chapters.",
    fix: [.change(.noGroup)], automatically: .ungroupChapters
  ) { examination, report in
    for track in examination.chapters where track.alternateGroup != 0 && track.mediaType.isLegible {
      report.add(
        examination.trackHeaderAtom(track), "chapter track \(track.id) is in alternate group \(track.alternateGroup)")
    }
  }

  private static let chapterLanguage = Rule(
    "chapter.language", .note, for: [.apple],
    clause: "a known requirement of QuickTime Player (HandBrake's patch A17 of ffmpeg)",
    effect: "QuickTime Player shows no chapter menu for a .mov file.", fix: [.change(.language(nil))]
  ) { examination, report in
    guard examination.movie.dialect == .quickTime else { return }
    // If titles are in several languages, it is sufficient that one track has the language of the audio.
    let references = examination.references("chap").filter { $0.target.mediaType.isLegible }
    guard let (source, _, target) = references.first, references.allSatisfy({ $0.track.language != $0.target.language })
    else {
      return
    }
    let (chapterLanguage, sourceLanguage) = (
      target.language?.description ?? "und", source.language?.description ?? "und"
    )
    report.add(
      examination.atom(target, "mdia", "mdhd"),
      "chapter track \(target.id) is in \(chapterLanguage), but track \(source.id), which refers to it, is in \(sourceLanguage)"
    )
  }
}

extension MovieExamination {
  /// The tracks that other tracks refer to as their chapter lists.
  fileprivate var chapters: [Track] { tracks.filter(isChapterList) }

  /// The IDs of the tracks with chapter titles: the first text track of each chapter list. In podcasts, a second text
  /// track contains links and is enabled intentionally (Apple's ChapterTool).
  fileprivate var chapterTitleIDs: Set<UInt32> {
    var titles: Set<UInt32> = []
    for (_, reference) in references where reference.type == "chap" {
      if let first = reference.trackIDs.first(where: { track($0)?.mediaType.isLegible ?? false }) {
        titles.insert(first)
      }
    }
    return titles
  }
}
