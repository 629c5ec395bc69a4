import MovieBox

/// Chapters: read from the planned movie as a player reads them, and held against the request as it was made.
struct ChaptersCheck<Source: RandomAccessSource>: PlanCheck {
  let checker: PlanChecker<Source>

  /// The planned movie has the chapters that were asked for, in every form that was, and no others.
  func check() throws {
    guard let request = resolved.requestedChapters else { return }
    let wanted = ExpectedChapters(request)
    let found = try planned.readChapters(
      from: output, readsImages: wanted.hasImages, plannedFragments)
    guard found.chapters.map(\.startMilliseconds) == wanted.chapters.map(\.startMilliseconds) else {
      throw failure("the movie does not have the chapters that were asked for")
    }
    guard !wanted.chapters.isEmpty else {
      guard found.forms.isEmpty, planned.chapterTrackIDs.isEmpty, neroLists.isEmpty else {
        throw failure("something of the chapters is left that were to be taken out")
      }
      return
    }
    try checkTitles(found, wanted)
    try checkPicturesAndLinks(found, wanted)
    try checkChapterTracks(found)
    try checkNeroList(found, isWanted: request.writesNero && planned.dialect == .iso)
  }

  // MARK: - Content

  /// Each chapter has its titles in their languages. What it has in languages in which none was asked for is another of
  /// its titles, and its number where it has none.
  private func checkTitles(_ found: ChapterList, _ wanted: ExpectedChapters) throws(MovieError) {
    let languages = found.chapters.first?.titles.map(\.language) ?? []
    var asked: Set<LanguageTag?> = [nil]
    for (index, (chapter, request)) in zip(found.chapters, wanted.chapters).enumerated() {
      let titles = wanted.titles(of: request)
      let texts = titles.isEmpty ? [ChapterList.name(ofChapter: index)] : Set(titles.map(\.text))
      var seen: Set<LanguageTag?> = []
      let areThere = titles.allSatisfy { title in
        guard seen.insert(title.language).inserted else { return true }  // Of two in a language the first counts.
        return chapter.titles.contains {
          $0.text == title.text && (title.language == nil || $0.language == title.language)
        }
      }
      guard areThere, !languages.isEmpty, chapter.titles.map(\.language) == languages,
        chapter.titles.allSatisfy({ texts.contains($0.text) })
      else { throw failure("chapter \(index + 1) does not have the requested titles") }
      asked.formUnion(seen)
    }
    // Titles without a language are in that of what is heard or seen.
    let others = Set(languages).subtracting(asked)
    let spoken = Set((resolved.movie.tracks + planned.tracks).filter(\.isHeardOrSeen).map(\.language))
    guard others.count <= 1, others.isSubset(of: spoken) else {
      throw failure("there are titles in a language in which none were asked for")
    }
  }

  private func checkPicturesAndLinks(_ found: ChapterList, _ wanted: ExpectedChapters) throws(MovieError) {
    // A player shows a picture until the next comes. Chapters are told apart where a millisecond lies between them.
    let first = wanted.chapters.first { $0.image?.data != nil }
    var image = first.map { $0.startMilliseconds <= 1 } ?? false ? first?.image?.data : nil
    for (number, (chapter, request)) in zip(1..., zip(found.chapters, wanted.chapters)) {
      image = request.image?.data ?? image
      if wanted.hasImages, chapter.image?.data != image {
        throw failure("chapter \(number) does not have the requested picture")
      }
      if wanted.hasLinks, chapter.link != wanted.link(of: request) {
        throw failure("chapter \(number) does not have the requested link")
      }
    }
  }

  // MARK: - Forms

  /// The tracks of picture and sound that players take chapters from: those that are enabled, as they were before; all
  /// where none is.
  private var chapterReferrers: Set<UInt32> {
    let lists = planned.chapterTrackIDs.union(resolved.movie.chapterTrackIDs)
    let main = planned.tracks.filter { $0.isHeardOrSeen && !lists.contains($0.id) }
    let old = resolved.movie.tracks.filter { $0.isEnabled && $0.isHeardOrSeen && !lists.contains($0.id) }
    guard !old.isEmpty else { return Set(main.map(\.id)).intersection(resolved.movie.tracks.map(\.id)) }
    return Set(main.filter(\.isEnabled).map(\.id)).intersection(old.map(\.id))
  }

  /// The titles are in tracks that are new, that no player takes for subtitles, and that all tracks with chapters list
  /// before others.
  private func checkChapterTracks(_ found: ChapterList) throws(MovieError) {
    let forms = found.forms.filter { $0.kind == .titles }
    let titles = Set(forms.compactMap(\.trackID))
    guard titles.isSubset(of: resolved.tracks.new),
      forms.allSatisfy({ !$0.differs && $0.count == found.chapters.count })
    else { throw failure("there are titles of chapters beside those that were asked for") }
    for track in planned.tracks where titles.contains(track.id) {
      guard !track.isEnabled, track.alternateGroup == 0, track.mediaType == .text else {
        throw failure("chapter track \(track.id) could be taken for subtitles", in: planned.tree.path(of: track.atom))
      }
    }
    let referrers = chapterReferrers
    for track in planned.tracks {
      let listed = track.referenced("chap")
      guard referrers.contains(track.id) || !titles.isDisjoint(with: listed) else { continue }
      guard Set(listed.prefix(titles.count)) == titles, track.isHeardOrSeen else {
        throw failure("track \(track.id) does not list the chapters", in: planned.tree.path(of: track.atom))
      }
    }
  }

  private var neroLists: [Int] {
    planned.tree.children(of: planned.tree.root, "udta").flatMap { planned.tree.children(of: $0, "chpl") }
  }

  /// The list in user data says the same as the tracks, to the millisecond, as far as it holds.
  private func checkNeroList(_ found: ChapterList, isWanted: Bool) throws(MovieError) {
    let lists = neroLists
    guard lists.count == (isWanted ? 1 : 0) else {
      throw failure("there are \(lists.count) lists of chapters in user data")
    }
    for chpl in lists {
      let list = try NeroChapters(payload: planned.tree.payload(of: chpl))
      let isSame = zip(list.entries, found.chapters).allSatisfy { entry, chapter in
        let (start, overflow) = UInt64(clamping: chapter.startMilliseconds).multipliedReportingOverflow(by: 10_000)
        return !overflow && entry.start == start
          && chapter.titles.contains { title in
            let text = Array(title.text.utf8)
            return entry.title.array == text
              || text.count > NeroChapters.longestTitle && !entry.title.isEmpty
                && text.starts(with: entry.title.array)
          }
      }
      guard isSame, list.missingCount == 0,
        list.entries.count == min(found.chapters.count, NeroChapters.largestCount)
      else { throw failure("the list of chapters in user data does not say what the track says", in: "moov/udta/chpl") }
    }
  }
}

/// What a request for chapters comes to, worked out from the request alone.
private struct ExpectedChapters {
  /// The chapters that a movie can have, in order: none after its end, and of those that begin together the last.
  let chapters: [Chapter]

  init(_ request: RequestedChapters) {
    var kept: [Int64: Chapter] = [:]
    for chapter in request.chapters {
      let start = max(0, chapter.startMilliseconds)
      guard UInt64(clamping: start) < request.end else { continue }
      if let other = kept[start], other.startMilliseconds > chapter.startMilliseconds { continue }
      kept[start] = chapter
    }
    chapters = kept.sorted { $0.key < $1.key }.map { start, chapter in
      var chapter = chapter
      chapter.startMilliseconds = start
      return chapter
    }
  }

  var hasImages: Bool { chapters.contains { $0.image?.data != nil } }
  var hasLinks: Bool { chapters.contains { link(of: $0) != nil } }

  /// The titles, each in a line as long as a sample can hold; empty ones are none.
  func titles(of chapter: Chapter) -> [Chapter.Title] {
    chapter.titles.compactMap { title in
      let text = title.text.oneLine.cut(toUTF8Count: Int(UInt16.max))
      return text.isEmpty ? nil : Chapter.Title(text, language: title.language?.ifDetermined)
    }
  }

  /// The link; `nil` for one that is longer than its length can say.
  func link(of chapter: Chapter) -> String? {
    guard let link = chapter.link?.oneLine, !link.isEmpty, link.utf8.count <= Int(UInt8.max) else { return nil }
    return link
  }
}

extension Track {
  fileprivate var isHeardOrSeen: Bool { mediaType == .video || mediaType == .audio }
}
