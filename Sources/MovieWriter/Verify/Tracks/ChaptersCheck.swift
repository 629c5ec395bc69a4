import MovieBox

/// Checks the chapters of the planned movie against the request.
///
/// The chapters are read from the planned movie as a player reads them. Therefore, the check covers the tracks, their
/// references and the list in user data, and not only the planner's intent. The expected chapters are computed only
/// from the request.
struct ChaptersCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// Checks that the requested chapters, and no other chapters, are in every track and list that the request requires.
  func check() throws {
    guard let request = resolved.requestedChapters else { return }
    let expectedChapters = ExpectedChapters(request)
    var plannedChapters = try planned.readChapters(
      from: output, readsImages: expectedChapters.hasImages, plannedFragments)
    restoreLanguages(&plannedChapters)
    guard plannedChapters.chapters.map(\.startMilliseconds) == expectedChapters.chapters.map(\.startMilliseconds) else {
      throw failure("the movie does not have the requested chapters")
    }
    guard !expectedChapters.chapters.isEmpty else {
      guard plannedChapters.forms.isEmpty, planned.chapterTrackIDs.isEmpty, neroLists.isEmpty else {
        throw failure("the chapters were not removed completely")
      }
      return
    }
    try checkTitles(plannedChapters, expectedChapters)
    try checkPicturesAndLinks(plannedChapters, expectedChapters)
    try checkChapterTracks(plannedChapters)
    try checkNeroList(plannedChapters, isWanted: request.writesNero && planned.dialect == .iso)
  }

  /// Sets the language of each found title to the language in the chapter request, because a later request may have
  /// changed the language of the title's track.
  private func restoreLanguages(_ found: inout ChapterList) {
    var requestedTags: [LanguageTag?: LanguageTag?] = [:]
    for track in resolved.requested.tracks where track.chapterKind == .titles {
      requestedTags[track.language] = .some(track.planned.labels.language)
    }
    for chapter in found.chapters.indices {
      for title in found.chapters[chapter].titles.indices {
        guard let language = requestedTags[found.chapters[chapter].titles[title].language] else { continue }
        found.chapters[chapter].titles[title].language = language
      }
    }
  }

  // MARK: - Content

  /// Checks that each chapter has its titles in their languages. A chapter without a title in a language of the movie
  /// must use one of its other titles, or the number of the chapter if it has no title.
  private func checkTitles(_ found: ChapterList, _ expected: ExpectedChapters) throws(MovieError) {
    let languages = found.chapters.first?.titles.map(\.language) ?? []
    var requestedLanguages: Set<LanguageTag?> = [nil]
    for (index, (chapter, request)) in zip(found.chapters, expected.chapters).enumerated() {
      let titles = expected.titles(of: request)
      let texts = titles.isEmpty ? [ChapterList.name(ofChapter: index)] : Set(titles.map(\.text))
      var seen: Set<LanguageTag?> = []
      let hasTitles = titles.allSatisfy { title in
        guard seen.insert(title.language).inserted else { return true }  // Only the first title counts.
        return chapter.titles.contains {
          $0.text == title.text && (title.language == nil || $0.language == title.language)
        }
      }
      guard hasTitles, !languages.isEmpty, chapter.titles.map(\.language) == languages,
        chapter.titles.allSatisfy({ texts.contains($0.text) })
      else { throw failure("chapter \(index + 1) does not have the requested titles") }
      requestedLanguages.formUnion(seen)
    }
    // Titles without a language are stored in the language of the audio or video.
    let otherLanguages = Set(languages).subtracting(requestedLanguages)
    let spoken = Set((resolved.movie.tracks + planned.tracks).filter(\.isHeardOrSeen).map(\.language))
    guard otherLanguages.count <= 1, otherLanguages.isSubset(of: spoken) else {
      throw failure("there are titles in a language that was not requested")
    }
  }

  private func checkPicturesAndLinks(_ found: ChapterList, _ expected: ExpectedChapters) throws(MovieError) {
    // A player shows a picture until the next picture. Chapters that start within one millisecond cannot be
    // distinguished.
    let first = expected.chapters.first { $0.image?.data != nil }
    var image = first.map { $0.startMilliseconds <= 1 } ?? false ? first?.image?.data : nil
    for (number, (chapter, request)) in zip(1..., zip(found.chapters, expected.chapters)) {
      image = request.image?.data ?? image
      if expected.hasImages, chapter.image?.data != image {
        throw failure("chapter \(number) does not have the requested picture")
      }
      if expected.hasLinks, chapter.link != expected.link(of: request) {
        throw failure("chapter \(number) does not have the requested link")
      }
    }
  }

  // MARK: - Forms

  /// The video and audio tracks from which players read chapters. They are the tracks that are enabled and were enabled
  /// before. If no track was enabled, they are all video and audio tracks.
  private var chapterReferrers: Set<UInt32> {
    let lists = planned.chapterTrackIDs.union(resolved.movie.chapterTrackIDs)
    let mediaTracks = planned.tracks.filter { $0.isHeardOrSeen && !lists.contains($0.id) }
    let oldMediaTracks = resolved.movie.tracks.filter { $0.isEnabled && $0.isHeardOrSeen && !lists.contains($0.id) }
    guard !oldMediaTracks.isEmpty else {
      return Set(mediaTracks.map(\.id)).intersection(resolved.movie.tracks.map(\.id))
    }
    return Set(mediaTracks.filter(\.isEnabled).map(\.id)).intersection(oldMediaTracks.map(\.id))
  }

  /// Checks that the titles are in new tracks, that no player mistakes these tracks for subtitles, and that every track
  /// with chapters refers to the new tracks before other chapter tracks.
  private func checkChapterTracks(_ found: ChapterList) throws(MovieError) {
    let forms = found.forms.filter { $0.kind == .titles }
    let titles = Set(forms.compactMap(\.trackID))
    guard titles.isSubset(of: resolved.tracks.new),
      forms.allSatisfy({ !$0.differs && $0.count == found.chapters.count })
    else { throw failure("there are chapter titles that were not requested") }
    for track in planned.tracks where titles.contains(track.id) {
      guard !track.isEnabled, track.alternateGroup == 0, track.mediaType == .text else {
        throw failure(
          "players could mistake chapter track \(track.id) for subtitles", in: planned.tree.path(of: track.atom))
      }
    }
    let referrers = chapterReferrers
    for track in planned.tracks {
      let listed = track.referenced("chap")
      guard referrers.contains(track.id) || !titles.isDisjoint(with: listed) else { continue }
      guard Set(listed.prefix(titles.count)) == titles, track.isHeardOrSeen else {
        throw failure(
          "track \(track.id) does not refer to the new chapter tracks before other chapter tracks",
          in: planned.tree.path(of: track.atom))
      }
    }
  }

  private var neroLists: [Int] {
    planned.tree.children(of: planned.tree.root, "udta").flatMap { planned.tree.children(of: $0, "chpl") }
  }

  /// Checks that the list in user data equals the chapter tracks to the millisecond, up to the limits of its format.
  private func checkNeroList(_ found: ChapterList, isWanted: Bool) throws(MovieError) {
    let lists = neroLists
    guard lists.count == (isWanted ? 1 : 0) else {
      throw failure("user data contains \(lists.count) chapter lists (chpl) instead of \(isWanted ? 1 : 0)")
    }
    for chpl in lists {
      let list = try NeroChapters(payload: planned.tree.payload(of: chpl))
      let isSame = zip(list.entries, found.chapters).allSatisfy { entry, chapter in
        let (start, overflow) = UInt64(clamping: chapter.startMilliseconds).multipliedReportingOverflow(by: 10_000)
        return !overflow && entry.start == start
          && chapter.titles.contains { title in
            let text = Array(title.text.utf8)
            return entry.title.array == text
              || text.count > NeroChapters.maximumTitleByteCount && !entry.title.isEmpty
                && text.starts(with: entry.title.array)
          }
      }
      guard isSame, list.missingCount == 0,
        list.entries.count == min(found.chapters.count, NeroChapters.maximumEntryCount)
      else { throw failure("the chapter list in user data differs from the chapter track", in: "moov/udta/chpl") }
    }
  }
}

/// The expected chapters, computed only from the request.
private struct ExpectedChapters {
  /// The chapters in order, without chapters after the end of the movie. If several chapters start at the same time,
  /// only the last of them remains.
  let chapters: [Chapter]

  init(_ request: RequestedChapters) {
    var chaptersByStart: [Int64: Chapter] = [:]
    for chapter in request.chapters {
      let start = max(0, chapter.startMilliseconds)
      guard UInt64(clamping: start) < request.endMilliseconds else { continue }
      if let other = chaptersByStart[start], other.startMilliseconds > chapter.startMilliseconds { continue }
      chaptersByStart[start] = chapter
    }
    chapters = chaptersByStart.sorted { $0.key < $1.key }.map { start, chapter in
      var chapter = chapter
      chapter.startMilliseconds = start
      return chapter
    }
  }

  var hasImages: Bool { chapters.contains { $0.image?.data != nil } }
  var hasLinks: Bool { chapters.contains { link(of: $0) != nil } }

  /// Returns the nonempty titles, each on one line and cut to the longest text that a sample can contain.
  func titles(of chapter: Chapter) -> [Chapter.Title] {
    chapter.titles.compactMap { title in
      let text = title.text.oneLine.cut(toUTF8Count: Int(UInt16.max))
      return text.isEmpty ? nil : Chapter.Title(text, language: title.language?.ifDetermined)
    }
  }

  /// Returns the link, or `nil` if its length does not fit in one byte.
  func link(of chapter: Chapter) -> String? {
    guard let link = chapter.link?.oneLine, !link.isEmpty, link.utf8.count <= Int(UInt8.max) else { return nil }
    return link
  }
}

extension Track {
  fileprivate var isHeardOrSeen: Bool { mediaType == .video || mediaType == .audio }
}
