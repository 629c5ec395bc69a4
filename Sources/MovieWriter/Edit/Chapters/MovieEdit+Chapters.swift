public import MovieBox

// A movie lists its chapters in tracks of titles, links and pictures, and in a list in user data (`chpl`). Some players
// read only the tracks, and others read only the list. A request replaces the tracks and the list together, so that
// they never disagree.
extension MovieEdit {
  /// The end of the movie. Chapters must begin before it.
  package var endMilliseconds: UInt64 {
    stages.endInMovieTicks.scaled(by: 1_000, over: UInt64(Swift.max(1, movie.header.timeScale))) ?? 0
  }

  /// Replaces the movie's chapters and returns the IDs of the new tracks.
  ///
  /// Each language of the titles gets a text track, to which the enabled video and audio tracks refer (`chap`). MP4
  /// files also get Nero's list (`chpl`), which players other than Apple's read. Existing tracks of pictures and links
  /// are kept if no chapter has a picture or link. Titles without a language get the language of the audio track.
  /// ``notices`` reports dropped and changed chapters. Reads the titles of the old chapters.
  ///
  /// Rethrows errors of the source. Throws ``/MovieBox/MovieError``: `.invalidEdit` for an empty list, for a movie
  /// without video and audio, and for pictures that are neither JPEG nor PNG; `.limit` for too many chapters or
  /// languages; `.malformed` if several tracks have the same ID.
  ///
  /// - Parameters:
  ///   - chapters: the chapters, in any order.
  ///   - writesNero: whether to write Nero's list. If `false`, an existing list is removed.
  @discardableResult
  public mutating func setChapters(
    _ chapters: [Chapter], writesNero: Bool = true
  ) throws -> [UInt32] {
    try atomically { edit in try edit.replaceChapters(with: chapters, writesNero: writesNero) }
  }

  private mutating func replaceChapters(with chapters: [Chapter], writesNero: Bool) throws -> [UInt32] {
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
    let referrers = tracks.chapterReferrers()
    guard !referrers.isEmpty else {
      throw MovieError(.invalidEdit, "cannot set chapters: the movie has no video or audio track")
    }
    try requireDistinctTrackIDs()
    let end = endMilliseconds
    var request = RequestedChapters(chapters: chapters, endMilliseconds: end, writesNero: writesNero)
    var notices: [EditNotice] = []
    let takesLinksOver = request.copyLinks(of: chaptersWithReusableLinks(in: old), &notices)
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
    let earlyChapterNotice = stages.earlyChapterNotice(normalizedChapters.chapters)
    let media: [(ChapterMedia, LanguageTag?)]
    do {
      media = try normalizedChapters.media(until: end)
    } catch {
      // The media could not be made, because the last chapter is too long for a sample.
      throw earlyChapterNotice.map { MovieError(.invalidEdit, $0.message) } ?? error
    }

    let duration = durationInMovieTicks
    var replaced: Set<ChapterList.Form.Kind> = [.titles]
    if normalizedChapters.hasLinks || takesLinksOver { replaced.insert(.links) }
    if normalizedChapters.hasImages { replaced.insert(.images) }
    removeChapterTracks(tracks.chapterTracks(of: replaced, in: old))
    var new: [UInt32] = []
    var template = TrackTemplate(self)
    for (media, language) in media {
      new.append(
        try addGeneratedTrack(&template) { try ChapterTrack(media, language: language, as: $0, id: $1) })
    }
    let added = Set(new)
    for index in tracks.indices where referrers.contains(tracks[index].id) {
      // Players use the first reference, so the references to titles precede the references to kept tracks.
      tracks[index].references["chap"] = new + (tracks[index].references["chap"] ?? []).filter { !added.contains($0) }
    }
    notices += normalizedChapters.notices + (earlyChapterNotice.map { [$0] } ?? [])
    for notice in normalizedChapters.droppedLanguagesNotice(old.languages) { recordOnce(notice) }
    let unread = chapters.count { $0.image != nil && $0.image?.data == nil }
    if unread > 0 {
      notices.append(.chapterPicturesNotRead(unread))
    }
    let links = replaced.contains(.links) ? nil : old.forms.first { $0.kind == .links }
    notices += normalizedChapters.ffmpegNotices(keeping: links)
    if writesNero, movie.dialect == .iso {
      notices += changes.metadata.writeNero(normalizedChapters.chapters)
    } else {
      _ = changes.metadata.removeNero()
    }
    noteShorterMovie(oldDuration: duration)
    changes.chapters = ChapterChange(
      requested: request, chapterCount: normalizedChapters.chapters.count, notices: notices)
    return new
  }

  /// Removes all chapters and returns the IDs of the removed tracks.
  ///
  /// Removes the chapter tracks, the references to them (`chap`), and the list in user data. A track that also has
  /// another purpose, such as a film or subtitles that are listed as chapters by mistake, is kept and reported.
  @discardableResult
  public mutating func removeChapters() throws -> [UInt32] {
    let oldIDs = tracks.map(\.id)
    let duration = durationInMovieTicks
    let hadReferences = tracks.contains { $0.references["chap"] != nil }
    var notices: [EditNotice] = []
    removeChapterTracks(tracks.chapterTrackIDs)
    for index in tracks.indices { tracks[index].references["chap"] = nil }
    let hadNero = changes.metadata.removeNero()
    if !hadReferences, !hadNero {
      notices.append(.noChapters)
    }
    noteShorterMovie(oldDuration: duration)
    changes.chapters = ChapterChange(requested: .none, chapterCount: 0, notices: notices)
    let keptIDs = Set(tracks.map(\.id))
    return oldIDs.filter { !keptIDs.contains($0) }
  }

  /// The number of chapters that the edit writes, or 0 if it writes none.
  package var chapterCount: Int { changes.chapters?.chapterCount ?? 0 }

  /// Whether the edited movie contains the list in user data (`chpl`).
  package var writesNeroChapters: Bool {
    guard let requested = changes.chapters?.requested else {
      return metadata.contains { $0.trackID == nil && $0.identifier.isChapterList }
    }
    return !requested.chapters.isEmpty && requested.writesNero && movie.dialect == .iso
  }

  /// Whether the edit removes all chapters and the atoms that contain nothing else.
  var removesChapters: Bool { changes.chapters?.requested.chapters.isEmpty ?? false }

  // MARK: - Links

  /// Returns the chapters whose links can be reused, or an empty array if there are none.
  ///
  /// These are the chapters of an earlier request, or the movie's chapters if no request has set links. The movie's
  /// chapters are used only if the texts of its link track repeat the titles.
  private func chaptersWithReusableLinks(in old: ChapterList) -> [Chapter] {
    if tracks.contains(where: { $0.chapterKind == .links }) { return changes.chapters?.requested.chapters ?? [] }
    return old.forms.contains { $0.kind == .links && $0.repeatsTitles } ? old.chapters : []
  }

  // MARK: - Tracks

  /// Returns the language for titles without a language. QuickTime Player requires the language of the audio track
  /// (HandBrake's patch A17 of ffmpeg).
  private func chapterLanguage(for referrers: Set<UInt32>) -> LanguageTag? {
    let mediaTracks = tracks.filter { referrers.contains($0.id) }
    return mediaTracks.first { $0.mediaType == .audio && $0.language != nil }?.language
      ?? mediaTracks.first { $0.language != nil }?.language
  }

  /// Removes chapter tracks and the references to them. A track with another purpose loses only the references.
  private mutating func removeChapterTracks(_ ids: Set<UInt32>) {
    let otherReferences = tracks.tracksReferencedForOtherPurposes
    let chapterTracks = tracks.filter { ids.contains($0.id) }
    let sharedIDs = Set(chapterTracks.filter { !$0.containsOnlyChapters(otherReferences) }.map(\.id))
    let removedIDs = Set(chapterTracks.map(\.id)).subtracting(sharedIDs)
    if removedIDs.count < tracks.count { tracks.removeAll { removedIDs.contains($0.id) } }
    for index in tracks.indices { _ = tracks[index].removeReferences(ofType: "chap") { ids.contains($0) } }
    // Later requests cannot report the kept tracks, because this request removes the references to them.
    recordedNotices += sharedIDs.sorted().map { .chapterTrackKept(track: $0) }
  }

  /// Discards the requested chapters if the removed track was one of their tracks.
  mutating func discardChapters(of removedTrack: EditedTrack) {
    if removedTrack.chapterKind != nil {
      changes.chapters = nil
      stages.converted?.omitsChapterList = true
    }
  }

  // MARK: - Requests about chapter tracks

  /// Throws `.invalidEdit` if the edit generates a second title track in a language.
  func requireNoTitles(in language: LanguageTag?, except id: UInt32) throws(MovieError) {
    guard let other = tracks.first(where: { $0.chapterKind == .titles && $0.id != id && $0.language == language })
    else {
      return
    }
    throw MovieError(
      .invalidEdit,
      "cannot set the language of track \(id): the chapter titles of track \(other.id) are in that language")
  }
}
