import MovieBox
import Subtitles

/// Chapters in the form that a movie can store.
///
/// Every chapter has a title in each language and, from the first picture on, a picture. Chapters are in order, begin
/// before the end of the movie, and begin at different times.
struct NormalizedChapters: Sendable {
  /// The chapters, in order, with a title in each language.
  let chapters: [Chapter]
  /// Whether a chapter has a picture. If no chapter has a picture, the movie's pictures are kept.
  let hasImages: Bool
  /// Whether a chapter has a link. If no chapter has a link, the movie's links are kept.
  let hasLinks: Bool
  /// Notices about chapters that were changed or dropped.
  let notices: [EditNotice]

  /// The languages of the titles, with `nil` for an undetermined language.
  var languages: [LanguageTag?] { chapters.first?.titles.map(\.language) ?? [] }

  /// Normalizes chapters for a movie that ends at `end`, in milliseconds.
  ///
  /// - Parameter language: the language for titles without a language, unless another title of the chapter is in that
  ///   language.
  init(_ list: [Chapter], until end: UInt64, language: LanguageTag?) {
    var notices: [EditNotice] = []
    var keptChapters: [Chapter] = []
    var lateChapters: [Chapter] = []
    var simultaneousCount = 0
    for chapter in ChapterList(list).chapters {
      var chapter = chapter
      chapter.startMilliseconds = Swift.max(0, chapter.startMilliseconds)
      if let link = chapter.link?.oneLine { chapter.link = link.isEmpty ? nil : link }
      if let link = chapter.link, link.utf8.count > ChapterMedia.maximumLinkByteCount {
        chapter.link = nil
        notices.append(.longChapterLink)
      }
      guard UInt64(chapter.startMilliseconds) < end else {
        lateChapters.append(chapter)
        continue
      }
      if keptChapters.last?.startMilliseconds == chapter.startMilliseconds {
        keptChapters.removeLast()
        simultaneousCount += 1
      }
      keptChapters.append(chapter)
    }
    if !lateChapters.isEmpty { notices.append(.lateChapters(lateChapters)) }
    if simultaneousCount > 0 { notices.append(.simultaneousChapters(simultaneousCount)) }
    let gaps = zip(keptChapters, keptChapters.dropFirst()).count { chapter, next in
      chapter.endMilliseconds.map { $0.addingClamped(1_000) < next.startMilliseconds } ?? false
    }
    if gaps > 0 { notices.append(.extendedChapters(gaps)) }
    Self.completeTitles(&keptChapters, language, &notices)
    hasImages = keptChapters.contains { $0.image?.data != nil }
    hasLinks = keptChapters.contains { $0.link != nil }
    if hasImages {
      Self.repeatImages(&keptChapters)
      if Set(keptChapters.compactMap { $0.image?.data.flatMap { PictureFormat($0) } }).count > 1 {
        notices.append(.mixedChapterPictures)
      }
    }
    (chapters, self.notices) = (keptChapters, notices)
  }

  /// Repeats the picture of the previous chapter for each chapter without a picture, as players do. Chapters before the
  /// first picture are unchanged.
  private static func repeatImages(_ chapters: inout [Chapter]) {
    var last: Bytes?
    for index in chapters.indices {
      last = chapters[index].image?.data ?? last
      chapters[index].image = last.map { .data($0) }
    }
  }

  /// Completes the titles, so that every chapter has a single-line title in each language.
  private static func completeTitles(
    _ chapters: inout [Chapter], _ language: LanguageTag?, _ notices: inout [EditNotice]
  ) {
    for index in chapters.indices {
      chapters[index].titles = chapters[index].titles.compactMap { title in
        let text = title.text.oneLine.cut(toUTF8Count: ChapterMedia.maximumTextByteCount)
        return text.isEmpty ? nil : .init(text, language: title.language?.ifDetermined)
      }
    }
    for index in chapters.indices where !chapters[index].titles.contains(where: { $0.language == language }) {
      guard let unmarked = chapters[index].titles.firstIndex(where: { $0.language == nil }) else { continue }
      chapters[index].titles[unmarked].language = language
    }
    var languages = ChapterList(chapters).languages
    if languages.isEmpty { languages = [language] }
    let unnamed = chapters.indices.filter { chapters[$0].titles.isEmpty }
    if !unnamed.isEmpty {
      notices.append(.numberedChapters(unnamed.count))
    }
    for index in chapters.indices {
      let titles = chapters[index].titles
      let other = chapters[index].title() ?? ChapterList.name(ofChapter: index)
      chapters[index].titles = languages.map { language in
        let text = titles.first { $0.language == language }?.text ?? other
        return .init(text, language: language)
      }
      chapters[index].endMilliseconds = nil
    }
  }
}

extension Chapter.Image {
  /// The bytes of the picture, or `nil` if it was not read.
  var data: Bytes? {
    if case .data(let bytes) = self { bytes } else { nil }
  }
}

extension NormalizedChapters {
  /// Returns the media of the new tracks: titles in each language, pictures, links.
  func media(until end: UInt64) throws(MovieError) -> [(media: ChapterMedia, language: LanguageTag?)] {
    var media: [(media: ChapterMedia, language: LanguageTag?)] = []
    func start(_ chapter: Chapter) -> UInt64 { UInt64(clamping: chapter.startMilliseconds) }
    for (index, language) in languages.enumerated() {
      let entries = chapters.map {
        ChapterMedia.Entry(start: start($0), text: $0.titles[index].text)
      }
      media.append((try ChapterMedia(.titles, entries, untilMilliseconds: end), language))
    }
    if hasImages {
      let entries = chapters.compactMap { chapter in
        chapter.image?.data.map { ChapterMedia.Entry(start: start(chapter), image: $0) }
      }
      media.append((try ChapterMedia(.images, entries, untilMilliseconds: end), nil))
    }
    if hasLinks {
      // The texts of the links repeat the titles. Players that ignore links then show titles instead of URLs.
      let entries = chapters.map {
        ChapterMedia.Entry(start: start($0), text: $0.titles.first?.text ?? "", link: $0.link)
      }
      media.append((try ChapterMedia(.links, entries, untilMilliseconds: end), nil))
    }
    return media
  }

  /// Returns a notice about the titles that ffmpeg shows. ffmpeg reads every listed text track and shows the titles of
  /// the last track.
  func ffmpegNotices(keeping links: ChapterList.Form?) -> [EditNotice] {
    if let id = links?.trackID { return [.linksShownAsTitles(track: id)] }
    guard languages.count > 1 else { return [] }
    return [.chapterLanguages(languages.count, ffmpegShowsFirst: hasLinks)]
  }

  /// Returns a warning about languages in which the new chapters have no titles. A caller who sets the titles in one
  /// language may not expect the edit to remove the titles in other languages.
  func droppedLanguagesNotice(_ old: [LanguageTag?]) -> [EditNotice] {
    let droppedLanguages = old.compactMap { $0 }.filter { !languages.contains($0) }
    return droppedLanguages.isEmpty ? [] : [.chapterLanguagesDropped(droppedLanguages)]
  }
}
