public import MovieBox

// A movie lists its chapters in tracks of titles, links and pictures, and in a list in user data (`chpl`). Some players
// read only the tracks, and others read only the list. A request replaces the tracks and the list together, so that they
// never disagree.
extension MovieEdit {
  /// The end of the movie. Chapters must begin before it.
  package var endMilliseconds: UInt64 {
    endInMovieTicks.scaled(by: 1_000, over: UInt64(Swift.max(1, movie.header.timeScale))) ?? 0
  }

  /// Replaces the movie's chapters and returns the IDs of the new tracks.
  ///
  /// Each language of the titles gets a text track, to which the enabled video and audio tracks refer (`chap`). MP4 files
  /// also get Nero's list (`chpl`), which players other than Apple's read. Existing tracks of pictures and links are kept
  /// if no chapter has a picture or link. Titles without a language get the language of the audio track. ``notices``
  /// reports dropped and changed chapters. Reads the titles of the old chapters.
  ///
  /// Rethrows errors of the source. Throws ``/MovieBox/MovieError``: `.invalidEdit` for an empty list, for a movie without
  /// video and audio, and for pictures that are neither JPEG nor PNG; `.limit` for too many chapters or languages.
  ///
  /// - Parameters:
  ///   - chapters: the chapters, in any order.
  ///   - writesNero: whether to write Nero's list. If `false`, an existing list is removed.
  @discardableResult
  public mutating func setChapters(
    _ chapters: [Chapter], writesNero: Bool = true
  ) throws -> [UInt32] {
    guard !chapters.isEmpty else {
      throw MovieError(.invalidEdit, "the list of chapters is empty; use removeChapters to remove all chapters")
    }
    guard chapters.count <= ChapterLimits.count else {
      throw MovieError(.limit, "\(chapters.count) chapters exceed the limit of \(ChapterLimits.count)")
    }
    guard ChapterList(chapters).languages.count <= ChapterLimits.languageCount else {
      throw MovieError(.limit, "the titles are in more than \(ChapterLimits.languageCount) languages")
    }
    let original = stages.presented
    let old = try original.readChapters(from: source)
    let referrers = chapterReferrers()
    guard !referrers.isEmpty else {
      throw MovieError(.invalidEdit, "cannot set chapters: the movie has no video or audio track")
    }
    let end = endMilliseconds
    var request = RequestedChapters(chapters: chapters, end: end, writesNero: writesNero)
    var notices: [EditNotice] = []
    let takesLinksOver = Self.copyLinks(linksWithTitles(in: old), into: &request, &notices)
    let normalizedChapters = NormalizedChapters(request.chapters, until: end, language: chapterLanguage(for: referrers))
    guard !normalizedChapters.chapters.isEmpty else {
      throw MovieError(.invalidEdit, "every chapter begins at or after the end of the movie, at \(end) ms")
    }
    // One extra sample covers the time before the first chapter. Pictures and links count as well as titles.
    let hasImages = normalizedChapters.hasImages || old.chapters.contains { $0.image != nil }
    let hasLinks = normalizedChapters.hasLinks || old.chapters.contains { $0.link != nil }
    let trackCount = normalizedChapters.languages.count + (hasImages ? 1 : 0) + (hasLinks ? 1 : 0)
    guard (normalizedChapters.chapters.count + 1) * trackCount <= ChapterLimits.sampleCount else {
      throw MovieError(
        .limit,
        "\(normalizedChapters.chapters.count) chapters in \(normalizedChapters.languages.count) languages exceed the limit of "
          + "\(ChapterLimits.sampleCount) titles, pictures and links")
    }
    let earlyChapterNotice = noticeOfEarlyChapters(normalizedChapters.chapters)
    let media: [(ChapterMedia, LanguageTag?)]
    do {
      media = try Self.media(of: normalizedChapters, until: end)
    } catch {
      // The last chapter lasts longer than a sample can.
      throw earlyChapterNotice.map { MovieError(.invalidEdit, $0.message) } ?? error
    }

    let unchangedEdit = self
    do {
      let duration = durationInMovieTicks
      var replaced: Set<ChapterList.Form.Kind> = [.titles]
      if normalizedChapters.hasLinks || takesLinksOver { replaced.insert(.links) }
      if normalizedChapters.hasImages { replaced.insert(.images) }
      removeChapterTracks(chapterTracks(of: replaced, in: old))
      var new: [UInt32] = []
      var template = TrackTemplate(self)
      for (media, language) in media {
        new.append(
          try addGeneratedTrack(&template) { try ChapterTrack(media, language: language, as: $0, id: $1) })
      }
      let added = Set(new)
      for index in tracks.indices where referrers.contains(tracks[index].id) {
        // Players use the first reference, so the titles precede the tracks that are kept.
        tracks[index].references["chap"] = new + (tracks[index].references["chap"] ?? []).filter { !added.contains($0) }
      }
      notices += normalizedChapters.notices + (earlyChapterNotice.map { [$0] } ?? [])
      recordedNotices += Self.droppedLanguagesNotice(old.languages, normalizedChapters.languages)
        .filter { !recordedNotices.contains($0) }
      let unread = chapters.count { $0.image != nil && $0.image?.data == nil }
      if unread > 0 {
        notices.append(.chapterPicturesNotRead(unread))
      }
      let links = replaced.contains(.links) ? nil : old.forms.first { $0.kind == .links }
      notices += Self.noticeOfTitlesShownByFFmpeg(normalizedChapters, keeping: links)
      if writesNero, movie.dialect == .iso {
        notices += writeNero(normalizedChapters.chapters)
      } else {
        _ = removeNero()
      }
      noteDuration(before: duration)
      changes.chapters = ChapterChange(requested: request, count: normalizedChapters.chapters.count, notices: notices)
      return new
    } catch {
      self = unchangedEdit
      throw error
    }
  }

  /// Removes all chapters and returns the IDs of the removed tracks.
  ///
  /// Removes the chapter tracks, the references to them (`chap`), and the list in user data. A track that also has another
  /// purpose, such as a film or subtitles that are listed as chapters by mistake, is kept and reported.
  @discardableResult
  public mutating func removeChapters() throws -> [UInt32] {
    let oldIDs = tracks.map(\.id)
    let duration = durationInMovieTicks
    let hadReferences = tracks.contains { $0.references["chap"] != nil }
    var notices: [EditNotice] = []
    removeChapterTracks(tracks.chapterTrackIDs)
    for index in tracks.indices { tracks[index].references["chap"] = nil }
    let hadNero = removeNero()
    if !hadReferences, !hadNero {
      notices.append(.noChapters)
    }
    noteDuration(before: duration)
    changes.chapters = ChapterChange(requested: .none, count: 0, notices: notices)
    let keptIDs = Set(tracks.map(\.id))
    return oldIDs.filter { !keptIDs.contains($0) }
  }

  /// The number of chapters that the edit writes, or 0 if it writes none.
  package var chapterCount: Int { changes.chapters?.count ?? 0 }

  /// Whether the edit removes all chapters and the atoms that contain nothing else.
  var removesChapters: Bool { changes.chapters?.requested.chapters.isEmpty ?? false }

  // MARK: - Links

  /// Returns the chapters whose links can be reused, or an empty array if there are none.
  ///
  /// The chapters are those of an earlier request. If no request has set links, they are the movie's chapters, provided
  /// that the texts of the link track repeat the titles.
  private func linksWithTitles(in old: ChapterList) -> [Chapter] {
    if tracks.contains(where: { $0.chapterKind == .links }) { return changes.chapters?.requested.chapters ?? [] }
    return old.forms.contains { $0.kind == .links && $0.repeatsTitles } ? old.chapters : []
  }

  /// Copies the links of old chapters to new chapters that begin at the same times, unless a new chapter has a link.
  ///
  /// Returns whether old links were copied. A notice reports old links for which no new chapter begins at the same time.
  private static func copyLinks(
    _ old: [Chapter], into request: inout RequestedChapters, _ notices: inout [EditNotice]
  ) -> Bool {
    guard !old.isEmpty, request.chapters.allSatisfy({ $0.link == nil }) else { return false }
    var links = Dictionary(
      old.compactMap { chapter in chapter.link.map { (chapter.startMilliseconds, $0) } }
    ) { first, _ in first }
    for index in request.chapters.indices {
      request.chapters[index].link = links.removeValue(forKey: request.chapters[index].startMilliseconds)
    }
    if !links.isEmpty { notices.append(.chapterLinksDropped(links.count)) }
    return true
  }

  /// Returns a warning about languages in which the new chapters have no titles. A caller who sets the titles in one
  /// language may not expect the edit to remove the titles in other languages.
  private static func droppedLanguagesNotice(_ old: [LanguageTag?], _ new: [LanguageTag?]) -> [EditNotice] {
    let droppedLanguages = old.compactMap { $0 }.filter { !new.contains($0) }
    return droppedLanguages.isEmpty ? [] : [.chapterLanguagesDropped(droppedLanguages)]
  }

  /// Returns a notice about the titles that ffmpeg shows. ffmpeg reads every listed text track and shows the titles of
  /// the last track.
  private static func noticeOfTitlesShownByFFmpeg(
    _ normalizedChapters: NormalizedChapters, keeping links: ChapterList.Form?
  ) -> [EditNotice] {
    if let id = links?.trackID { return [.linksShownAsTitles(track: id)] }
    guard normalizedChapters.languages.count > 1 else { return [] }
    return [.chapterLanguages(normalizedChapters.languages.count, ffmpegShowsFirst: normalizedChapters.hasLinks)]
  }

  // MARK: - Tracks

  /// Returns the tracks that refer to the chapters.
  ///
  /// These are the video and audio tracks that are enabled or already refer to chapters. If there is no such track,
  /// returns all video and audio tracks. Excludes chapter tracks and `exceptions`.
  func chapterReferrers(except exceptions: Set<UInt32> = []) -> Set<UInt32> {
    let lists = tracks.chapterTrackIDs.union(exceptions)
    let mediaTracks = tracks.filter { ($0.mediaType == .video || $0.mediaType == .audio) && !lists.contains($0.id) }
    let playedTracks = mediaTracks.filter { $0.isEnabled || $0.references["chap"] != nil }
    return Set((playedTracks.isEmpty ? mediaTracks : playedTracks).map(\.id))
  }

  /// Returns the language for titles without a language. QuickTime Player requires the language of the audio track
  /// (HandBrake, patch A17).
  private func chapterLanguage(for referrers: Set<UInt32>) -> LanguageTag? {
    let mediaTracks = tracks.filter { referrers.contains($0.id) }
    return mediaTracks.first { $0.mediaType == .audio && $0.language != nil }?.language
      ?? mediaTracks.first { $0.language != nil }?.language
  }

  /// Returns the tracks that contain chapters of these kinds. If a track could not be read, its media type determines
  /// the kind.
  private func chapterTracks(of kinds: Set<ChapterList.Form.Kind>, in old: ChapterList) -> Set<UInt32> {
    let read = Dictionary(old.forms.compactMap { form in form.trackID.map { ($0, form.kind) } }) { first, _ in first }
    let chapterIDs = tracks.chapterTrackIDs
    return Set(
      tracks.lazy.filter { chapterIDs.contains($0.id) }.filter { track in
        if let kind = track.chapterKind ?? read[track.id] { return kinds.contains(kind) }
        return kinds.contains(track.mediaType == .video ? .images : .titles)
      }.map(\.id))
  }

  /// Removes chapter tracks and the references to them. A track with another purpose loses only the references.
  private mutating func removeChapterTracks(_ ids: Set<UInt32>) {
    let otherReferences = tracksReferencedForOtherPurposes
    let chapterTracks = tracks.filter { ids.contains($0.id) }
    let sharedIDs = Set(chapterTracks.filter { !Self.containsOnlyChapters($0, otherReferences) }.map(\.id))
    let removedIDs = Set(chapterTracks.map(\.id)).subtracting(sharedIDs)
    if removedIDs.count < tracks.count { tracks.removeAll { removedIDs.contains($0.id) } }
    for index in tracks.indices { _ = tracks[index].removeReferences(ofType: "chap") { ids.contains($0) } }
    // The first edit of the chapters removes the references, so only that edit can report the kept tracks.
    recordedNotices += sharedIDs.sorted().map { .chapterTrackKept(track: $0) }
  }

  /// The tracks to which other tracks refer for purposes other than chapters.
  var tracksReferencedForOtherPurposes: Set<UInt32> {
    tracks.reduce(into: []) { ids, track in
      for (type, targets) in track.references where type != "chap" { ids.formUnion(targets) }
    }
  }

  /// Whether a track contains only chapters. The track is text or still pictures, and only `chap` references refer to it.
  static func containsOnlyChapters(_ track: EditedTrack, _ tracksReferencedForOtherPurposes: Set<UInt32>) -> Bool {
    guard !tracksReferencedForOtherPurposes.contains(track.id), track.references["chap"] == nil else { return false }
    switch track.mediaType {
    case .text: return track.alternateGroup == 0
    case .subtitle: return track.alternateGroup == 0 && !track.isEnabled
    case .video:
      return track.chapterKind != nil || track.old?.hasStillPictures ?? false
    default: return false
    }
  }

  /// Returns the media of the new tracks: titles in each language, pictures, links.
  private static func media(
    of normalizedChapters: NormalizedChapters, until end: UInt64
  ) throws(MovieError) -> [(ChapterMedia, LanguageTag?)] {
    var media: [(ChapterMedia, LanguageTag?)] = []
    func start(_ chapter: Chapter) -> UInt64 { UInt64(clamping: chapter.startMilliseconds) }
    for (index, language) in normalizedChapters.languages.enumerated() {
      let entries = normalizedChapters.chapters.map {
        ChapterMedia.Entry(start: start($0), text: $0.titles[index].text)
      }
      media.append((try ChapterMedia(.titles, entries, untilMilliseconds: end), language))
    }
    if normalizedChapters.hasImages {
      let entries = normalizedChapters.chapters.compactMap { chapter in
        chapter.image?.data.map { ChapterMedia.Entry(start: start(chapter), image: $0) }
      }
      media.append((try ChapterMedia(.images, entries, untilMilliseconds: end), nil))
    }
    if normalizedChapters.hasLinks {
      // The texts repeat the titles, so that players that ignore links show titles instead of URLs.
      let entries = normalizedChapters.chapters.map {
        ChapterMedia.Entry(start: start($0), text: $0.titles.first?.text ?? "", link: $0.link)
      }
      media.append((try ChapterMedia(.links, entries, untilMilliseconds: end), nil))
    }
    return media
  }

  /// Discards the requested chapters if `gone` was one of their tracks.
  mutating func discardChapters(of removedTrack: EditedTrack) {
    if removedTrack.chapterKind != nil {
      changes.chapters = nil
      stages.converted?.omitsChapterList = true
    }
  }

  // MARK: - Requests about chapter tracks

  /// Throws `.invalidEdit` if the edit makes the track at an index of chapters. Players would show such a track as
  /// subtitles or as a picture if it were enabled or in a group.
  func requireNoGeneratedChapters(at index: Int) throws(MovieError) {
    guard tracks[index].chapterKind != nil else { return }
    throw MovieError(
      .invalidEdit,
      "track \(tracks[index].id) cannot be enabled or in a group: it contains chapters, which players would show as a track"
    )
  }

  /// Throws `.invalidEdit` if the edit makes another track of titles in a language.
  func requireNoTitles(in language: LanguageTag?, besides id: UInt32) throws(MovieError) {
    guard let other = tracks.first(where: { $0.chapterKind == .titles && $0.id != id && $0.language == language })
    else {
      return
    }
    throw MovieError(
      .invalidEdit,
      "cannot set the language of track \(id): the chapter titles of track \(other.id) are in that language")
  }

  // MARK: - The list in user data

  private static let neroIdentifiers: Set<MetadataIdentifier> = [
    MetadataIdentifier(.quickTimeUserData, key: "chpl"), MetadataIdentifier(.isoUserData, key: "chpl"),
  ]

  /// Writes Nero's list, replacing an existing list. Returns notices about chapters that the list cannot contain.
  mutating func writeNero(_ chapters: [Chapter]) -> [EditNotice] {
    let (list, notices) = NeroChapters.list(of: chapters)
    let content = MetadataContent(Bytes(list.payloadBytes))
    let items = changes.metadata.index.items
    changes.metadata.edits.added.removeAll { Self.neroIdentifiers.contains($0.identifier) }
    let neroItems = items.indices.filter {
      Self.neroIdentifiers.contains(items[$0].identifier) && items[$0].trackID == nil
    }
    for surplus in neroItems.dropFirst() { changes.metadata.edits.remove(surplus) }
    if let first = neroItems.first {
      changes.metadata.edits.replace(first, of: items, with: content, language: nil)
    } else {
      changes.metadata.edits.additions.append(
        NewMetadataItem(MetadataIdentifier(.isoUserData, key: "chpl"), content, language: nil, trackID: nil))
    }
    return notices.map { EditNotice(.chapters, isWarning: true, $0.message) }
  }

  /// Removes Nero's list and returns whether the movie had one.
  private mutating func removeNero() -> Bool {
    let items = changes.metadata.index.items
    let old = items.indices.filter { Self.neroIdentifiers.contains(items[$0].identifier) && items[$0].trackID == nil }
    for number in old { changes.metadata.edits.remove(number) }
    changes.metadata.edits.added.removeAll { Self.neroIdentifiers.contains($0.identifier) }
    return !old.isEmpty
  }
}

extension MovieEdit {
  /// Whether the edited movie contains the list in user data (`chpl`).
  package var writesNeroChapters: Bool {
    guard let requested = changes.chapters?.requested else {
      return changes.metadata.index.items.contains { $0.trackID == nil && Self.neroIdentifiers.contains($0.identifier) }
    }
    return !requested.chapters.isEmpty && requested.writesNero && movie.dialect == .iso
  }
}

extension EditedTrack {
  /// A short description of a chapter track: the language of its titles, `pictures`, or `links` for a generated track of
  /// links.
  package var chapterName: String {
    if chapterKind == .links { return "links" }
    return mediaType == .video ? "pictures" : language?.englishName ?? "titles"
  }
}
