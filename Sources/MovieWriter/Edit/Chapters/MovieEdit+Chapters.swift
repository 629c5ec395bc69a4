public import MovieBox

// Chapters: tracks of titles, links and pictures, and the list in user data.
extension MovieEdit {
  /// The end of the movie, before which chapters begin.
  package var endInMilliseconds: UInt64 {
    endInMovieTicks.scaled(by: 1_000, over: UInt64(Swift.max(1, movie.header.timeScale))) ?? 0
  }

  /// Gives the movie these chapters, in the place of those that it has; gives the IDs of the new tracks.
  ///
  /// For each language of the titles there is a track of text, to which the enabled tracks of picture and sound refer
  /// (`chap`), and in files that are no QuickTime movies the list of Nero's programs too (`chpl`), which players beside
  /// Apple's read. Tracks of pictures and links stay unless `chapters` has some. Titles without a language are in that
  /// of the sound. What is left out or changed is in ``notes``. Reads the titles of the old chapters from `source`.
  ///
  /// Throws what the source throws, and ``/MovieBox/MovieError``: `.invalidEdit` for no chapters, for a movie without
  /// picture and sound, and for pictures that are neither JPEG nor PNG.
  ///
  /// - Parameters:
  ///   - chapters: in any order; without pictures and links, those of the movie stay.
  ///   - source: the movie's own.
  ///   - writesNero: whether the list in user data is written too; without it there is none.
  @discardableResult
  public mutating func setChapters(
    _ chapters: [Chapter], replacingThoseIn source: some RandomAccessSource, writesNero: Bool = true
  ) throws -> [UInt32] {
    guard !chapters.isEmpty else { throw MovieError(.invalidEdit, "no chapters; removeChapters takes those out") }
    guard chapters.count <= ChapterLimits.count else {
      throw MovieError(.limit, "\(chapters.count) chapters, the limit is \(ChapterLimits.count)")
    }
    guard ChapterList(chapters).languages.count <= ChapterLimits.languageCount else {
      throw MovieError(.limit, "titles in more than \(ChapterLimits.languageCount) languages")
    }
    let original = stages.presented
    let old = try original.readChapters(from: source)
    let referrers = chapterReferrers()
    guard !referrers.isEmpty else {
      throw MovieError(.invalidEdit, "the movie has no picture or sound to have chapters")
    }
    let end = endInMilliseconds
    var request = RequestedChapters(chapters: chapters, end: end, writesNero: writesNero)
    var notes: [EditNotice] = []
    let takesLinksOver = Self.takeOverLinks(linksWithTitles(in: old), into: &request, &notes)
    let wanted = NormalizedChapters(request.chapters, until: end, language: language(ofChaptersOf: referrers))
    guard !wanted.chapters.isEmpty else {
      throw MovieError(.invalidEdit, "all chapters begin at or after the end of the movie, at \(end) ms")
    }
    // A sample before the first chapter; beside the titles pictures and links, new ones or those that stay.
    let hasImages = wanted.hasImages || old.chapters.contains { $0.image != nil }
    let hasLinks = wanted.hasLinks || old.chapters.contains { $0.link != nil }
    let trackCount = wanted.languages.count + (hasImages ? 1 : 0) + (hasLinks ? 1 : 0)
    guard (wanted.chapters.count + 1) * trackCount <= ChapterLimits.sampleCount else {
      throw MovieError(
        .limit,
        "\(wanted.chapters.count) chapters in \(wanted.languages.count) languages, the limit is "
          + "\(ChapterLimits.sampleCount) titles, pictures and links")
    }
    let early = noticeOfEarlyChapters(wanted.chapters)
    let media: [(ChapterMedia, LanguageTag?)]
    do {
      media = try Self.media(of: wanted, until: end)
    } catch {
      // The last of the chapters lasts longer than a sample can.
      throw early.map { MovieError(.invalidEdit, $0.message) } ?? error
    }

    let before = self
    do {
      let duration = durationInMovieTicks
      var replaced: Set<ChapterList.Form.Kind> = [.titles]
      if wanted.hasLinks || takesLinksOver { replaced.insert(.links) }
      if wanted.hasImages { replaced.insert(.images) }
      takeOutChapterTracks(chapterTracks(of: replaced, in: old))
      var new: [UInt32] = []
      var template = TrackTemplate(self)
      for (media, language) in media {
        let id = try template.ids.take()
        tracks.append(EditedTrack(try ChapterTrack(media, language: language, as: template, id: id)))
        new.append(id)
      }
      nextTrackID = template.ids.next
      let added = Set(new)
      for place in tracks.indices where referrers.contains(tracks[place].id) {
        // Titles first, for that is where players look; then what stays.
        tracks[place].references["chap"] = new + (tracks[place].references["chap"] ?? []).filter { !added.contains($0) }
      }
      notes += wanted.notices + (early.map { [$0] } ?? [])
      recordedNotices += Self.noticeOfLostLanguages(old.languages, wanted.languages)
        .filter { !recordedNotices.contains($0) }
      let unread = chapters.count { $0.image != nil && $0.image?.data == nil }
      if unread > 0 {
        notes.append(
          EditNotice(
            .chapters, isWarning: true,
            "the pictures of \(unread) of the chapters are left out: they were named, and not read"))
      }
      let links = replaced.contains(.links) ? nil : old.forms.first { $0.kind == .links }
      notes += Self.noticeOfWhatFFmpegShows(wanted, keeping: links)
      if writesNero, movie.dialect == .iso { notes += writeNero(wanted.chapters) } else { _ = removeNero() }
      noteDuration(before: duration)
      changes.chapters = ChapterChange(requested: request, count: wanted.chapters.count, notices: notes)
      return new
    } catch {
      self = before
      throw error
    }
  }

  /// Takes out what belongs to chapters and nothing else: tracks that others have as their chapter lists and that
  /// nothing else uses, the references to them, and the list in user data; gives the IDs of the tracks.
  ///
  /// A track that is more than chapters, such as a film or subtitles that are listed by mistake, stays, with a note.
  @discardableResult
  public mutating func removeChapters() throws -> [UInt32] {
    let before = tracks.map(\.id)
    let duration = durationInMovieTicks
    let hadReferences = tracks.contains { $0.references["chap"] != nil }
    var notes: [EditNotice] = []
    takeOutChapterTracks(tracks.chapterTrackIDs)
    for place in tracks.indices { tracks[place].references["chap"] = nil }
    let hadNero = removeNero()
    if !hadReferences, !hadNero {
      notes.append(EditNotice(.nothingToDo, "the movie has no chapters"))
    }
    noteDuration(before: duration)
    changes.chapters = ChapterChange(requested: .none, count: 0, notices: notes)
    let kept = Set(tracks.map(\.id))
    return before.filter { !kept.contains($0) }
  }

  /// The number of chapters that the edit gives the movie, or 0 if it sets none.
  package var chapterCount: Int { changes.chapters?.count ?? 0 }

  /// Whether the edit takes out all chapters, and with them the atoms that they alone filled.
  var removesChapters: Bool { changes.chapters?.requested.chapters.isEmpty ?? false }

  // MARK: - Links

  /// The chapters that have links whose texts are the titles: those that this edit set before, or of the movie; none
  /// where the links are of another kind.
  private func linksWithTitles(in old: ChapterList) -> [Chapter] {
    let isOwn = tracks.contains { track in
      (track.planned as? ChapterTrack)?.kind == .links
    }
    if isOwn { return changes.chapters?.requested.chapters ?? [] }
    return old.forms.contains { $0.kind == .links && $0.repeatsTitles } ? old.chapters : []
  }

  /// Gives new chapters the links of old ones that begin at the same times, where new ones bring none; gives whether
  /// there were some.
  private static func takeOverLinks(
    _ old: [Chapter], into request: inout RequestedChapters, _ notes: inout [EditNotice]
  ) -> Bool {
    guard !old.isEmpty, request.chapters.allSatisfy({ $0.link == nil }) else { return false }
    var links = Dictionary(
      old.compactMap { chapter in chapter.link.map { (chapter.startMilliseconds, $0) } }
    ) { first, _ in first }
    for index in request.chapters.indices {
      request.chapters[index].link = links.removeValue(forKey: request.chapters[index].startMilliseconds)
    }
    if !links.isEmpty {
      notes.append(
        EditNotice(
          .chapters, isWarning: true,
          "\(links.count == 1 ? "a link" : "\(links.count) links") of chapters that began at other times "
            + "\(links.count == 1 ? "is" : "are") left out"))
    }
    return true
  }

  /// New titles take the place of all old ones: whoever sets one language may not have meant the others.
  private static func noticeOfLostLanguages(_ old: [LanguageTag?], _ new: [LanguageTag?]) -> [EditNotice] {
    let lost = old.compactMap { $0 }.filter { !new.contains($0) }
    guard !lost.isEmpty else { return [] }
    return [
      EditNotice(
        .chapters, isWarning: true,
        "titles in \(lost.map(\.englishName).joined(separator: ", ")) are left out, for the new ones have none")
    ]
  }

  /// ffmpeg reads all tracks of text that are listed, and of what they say about a chapter the last stays.
  private static func noticeOfWhatFFmpegShows(
    _ wanted: NormalizedChapters, keeping links: ChapterList.Form?
  ) -> [EditNotice] {
    if let id = links?.trackID {
      return [
        EditNotice(
          .chapters, trackID: id,
          "track \(id) has links and stays; ffmpeg and players made with it show its texts as titles")
      ]
    }
    guard wanted.languages.count > 1 else { return [] }
    return [
      EditNotice(
        .chapters,
        "Apple's players choose among \(wanted.languages.count) languages of titles; ffmpeg and players made with it "
          + "show the \(wanted.hasLinks ? "first" : "last")")
    ]
  }

  // MARK: - Tracks

  /// The tracks that get chapters: those of picture and sound that are enabled, or had some; all where none is enabled.
  /// What holds chapters itself has none, nor has what is to.
  func chapterReferrers(butNot others: Set<UInt32> = []) -> Set<UInt32> {
    let lists = tracks.chapterTrackIDs.union(others)
    let main = tracks.filter { ($0.mediaType == .video || $0.mediaType == .audio) && !lists.contains($0.id) }
    let enabled = main.filter { $0.isEnabled || $0.references["chap"] != nil }
    return Set((enabled.isEmpty ? main : enabled).map(\.id))
  }

  /// The language of titles that have none: that of the sound, which QuickTime Player wants them to have (HandBrake,
  /// patch A17).
  private func language(ofChaptersOf referrers: Set<UInt32>) -> LanguageTag? {
    let main = tracks.filter { referrers.contains($0.id) }
    return main.first { $0.mediaType == .audio && $0.language != nil }?.language
      ?? main.first { $0.language != nil }?.language
  }

  /// The tracks that hold chapters of these kinds; of those that could not be read, what their media is counts.
  private func chapterTracks(of kinds: Set<ChapterList.Form.Kind>, in old: ChapterList) -> Set<UInt32> {
    let read = Dictionary(old.forms.compactMap { form in form.trackID.map { ($0, form.kind) } }) { first, _ in first }
    let listed = tracks.chapterTrackIDs
    return Set(
      tracks.lazy.filter { listed.contains($0.id) }.filter { track in
        if let own = track.planned as? ChapterTrack { return kinds.contains(own.kind) }
        if let kind = read[track.id] { return kinds.contains(kind) }
        return kinds.contains(track.mediaType == .video ? .images : .titles)
      }.map(\.id))
  }

  /// Takes tracks out, and the references to them as chapters; those that are something else too lose the latter alone.
  private mutating func takeOutChapterTracks(_ ids: Set<UInt32>) {
    let others = referredToOtherwise
    let there = tracks.filter { ids.contains($0.id) }
    let shared = Set(there.filter { !Self.isNothingButChapters($0, others) }.map(\.id))
    let gone = Set(there.map(\.id)).subtracting(shared)
    if gone.count < tracks.count { tracks.removeAll { gone.contains($0.id) } }
    for place in tracks.indices { _ = tracks[place].removeReferences(ofType: "chap") { ids.contains($0) } }
    // The first edit of chapters removes the references, so it alone can report this.
    recordedNotices += shared.sorted().map { id in
      EditNotice(.chapters, trackID: id, "track \(id) was listed as chapters and is something else too: it stays")
    }
  }

  /// The tracks that others refer to as something else than chapters.
  var referredToOtherwise: Set<UInt32> {
    tracks.reduce(into: []) { ids, track in
      for (type, targets) in track.references where type != "chap" { ids.formUnion(targets) }
    }
  }

  /// Whether a track is there for chapters alone: text or still pictures, to which nothing refers otherwise.
  static func isNothingButChapters(_ track: EditedTrack, _ referredToOtherwise: Set<UInt32>) -> Bool {
    guard !referredToOtherwise.contains(track.id), track.references["chap"] == nil else { return false }
    switch track.mediaType {
    case .text: return track.alternateGroup == 0
    case .subtitle: return track.alternateGroup == 0 && !track.isEnabled
    case .video:
      if track.isMadeOfChapters { return true }
      return track.old?.holdsStillPictures ?? false
    default: return false
    }
  }

  /// The media of the tracks: titles in each language, pictures, links.
  private static func media(
    of wanted: NormalizedChapters, until end: UInt64
  ) throws(MovieError) -> [(ChapterMedia, LanguageTag?)] {
    var media: [(ChapterMedia, LanguageTag?)] = []
    func start(_ chapter: Chapter) -> UInt64 { UInt64(clamping: chapter.startMilliseconds) }
    for (index, language) in wanted.languages.enumerated() {
      let entries = wanted.chapters.map { ChapterMedia.Entry(start: start($0), text: $0.titles[index].text) }
      media.append((try ChapterMedia(.titles, entries, untilMilliseconds: end), language))
    }
    if wanted.hasImages {
      let entries = wanted.chapters.compactMap { chapter in
        chapter.image?.data.map { ChapterMedia.Entry(start: start(chapter), image: $0) }
      }
      media.append((try ChapterMedia(.images, entries, untilMilliseconds: end), nil))
    }
    if wanted.hasLinks {
      // The texts are the titles: whoever takes them for these shows no URLs.
      let entries = wanted.chapters.map {
        ChapterMedia.Entry(start: start($0), text: $0.titles.first?.text ?? "", link: $0.link)
      }
      media.append((try ChapterMedia(.links, entries, untilMilliseconds: end), nil))
    }
    return media
  }

  /// After `gone` was taken out by itself: what was asked of chapters holds no longer where it was one of their tracks.
  mutating func dropChapters(of gone: EditedTrack) {
    if gone.isMadeOfChapters {
      changes.chapters = nil
      stages.converted?.leavesOutChapters = true
    }
  }

  // MARK: - The list in user data

  private static let neroIdentifiers: Set<MetadataIdentifier> = [
    MetadataIdentifier(.quickTimeUserData, key: "chpl"), MetadataIdentifier(.isoUserData, key: "chpl"),
  ]

  /// Writes the list, in place of one that is there, and returns notices about chapters that it cannot contain.
  mutating func writeNero(_ chapters: [Chapter]) -> [EditNotice] {
    let (list, notices) = NeroChapters.list(of: chapters)
    let content = MetadataContent(Bytes(list.payloadBytes))
    let items = changes.metadata.index.items
    changes.metadata.edits.added.removeAll { Self.neroIdentifiers.contains($0.identifier) }
    let old = items.indices.filter { Self.neroIdentifiers.contains(items[$0].identifier) && items[$0].trackID == nil }
    for surplus in old.dropFirst() { changes.metadata.edits.remove(surplus) }
    if let first = old.first {
      changes.metadata.edits.replace(first, of: items, with: content, language: nil)
    } else {
      changes.metadata.edits.additions.append(
        NewMetadataItem(MetadataIdentifier(.isoUserData, key: "chpl"), content, language: nil, trackID: nil))
    }
    return notices.map { EditNotice(.chapters, isWarning: true, $0.message) }
  }

  /// Takes the list out; gives whether there was one.
  private mutating func removeNero() -> Bool {
    let items = changes.metadata.index.items
    let old = items.indices.filter { Self.neroIdentifiers.contains(items[$0].identifier) && items[$0].trackID == nil }
    for number in old { changes.metadata.edits.remove(number) }
    changes.metadata.edits.added.removeAll { Self.neroIdentifiers.contains($0.identifier) }
    return !old.isEmpty
  }
}

// What a report says.
extension MovieEdit {
  /// Whether the list in user data is there and stays, or is written (`chpl`).
  package var writesNeroChapters: Bool {
    guard let requested = changes.chapters?.requested else {
      return changes.metadata.index.items.contains { $0.trackID == nil && Self.neroIdentifiers.contains($0.identifier) }
    }
    return !requested.chapters.isEmpty && requested.writesNero && movie.dialect == .iso
  }
}

extension EditedTrack {
  /// What a track of chapters holds: `English`, `pictures`; of those that an edit makes, `links` too.
  package var chapterName: String {
    if let chapters = planned as? ChapterTrack, chapters.kind == .links { return "links" }
    return mediaType == .video ? "pictures" : language?.englishName ?? "titles"
  }
}
