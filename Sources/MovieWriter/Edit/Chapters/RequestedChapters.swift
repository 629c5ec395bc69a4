import MovieBox
import Subtitles

/// Chapters brought into the form in which a movie can have them.
struct NormalizedChapters: Sendable {
  /// The chapters, in order, with a title in each of the languages.
  let chapters: [Chapter]
  /// Whether there are pictures; then each chapter from the first with one on has one. Else those of the movie stay.
  let hasImages: Bool
  /// Whether there are links; else those of the movie stay.
  let hasLinks: Bool
  /// What was lost, and what a person should know.
  let notices: [EditNotice]

  /// The languages of the titles; `nil` stands for none.
  var languages: [LanguageTag?] { chapters.first?.titles.map(\.language) ?? [] }

  /// The chapters as a movie that ends at `end` milliseconds can have them.
  ///
  /// - Parameters:
  ///   - language: that of titles without one, unless other titles have it.
  init(_ list: [Chapter], until end: UInt64, language: LanguageTag?) {
    var notices: [EditNotice] = []
    func note(isWarning: Bool, _ message: String) {
      notices.append(EditNotice(.chapters, isWarning: isWarning, message))
    }
    var kept: [Chapter] = []
    var late: [Chapter] = []
    var together = 0
    for chapter in ChapterList(list).chapters {
      var chapter = chapter
      chapter.startMilliseconds = Swift.max(0, chapter.startMilliseconds)
      if let link = chapter.link?.oneLine { chapter.link = link.isEmpty ? nil : link }
      if let link = chapter.link, link.utf8.count > ChapterMedia.longestLink {
        chapter.link = nil
        note(isWarning: true, "a link of more than \(ChapterMedia.longestLink) bytes is left out")
      }
      guard UInt64(chapter.startMilliseconds) < end else {
        late.append(chapter)
        continue
      }
      if kept.last?.startMilliseconds == chapter.startMilliseconds {
        kept.removeLast()
        together += 1
      }
      kept.append(chapter)
    }
    if let first = late.first {
      let title = first.title().map { ": \"\($0)\" at \(timeText(milliseconds: first.startMilliseconds))" } ?? ""
      let more = title.isEmpty || late.count == 1 ? "" : " and others"
      note(
        isWarning: true,
        "\(counted(late.count)) at or after the end of the movie \(late.count == 1 ? "is" : "are") left out\(title)\(more)"
      )
    }
    if together > 0 {
      note(
        isWarning: true,
        "\(counted(together)) that begin\(together == 1 ? "s" : "") together with another \(together == 1 ? "is" : "are") "
          + "left out")
    }
    let gaps = zip(kept, kept.dropFirst()).count { chapter, next in
      chapter.endMilliseconds.map { $0.addingClamped(1_000) < next.startMilliseconds } ?? false
    }
    if gaps > 0 {
      note(
        isWarning: false,
        "\(counted(gaps)) that end\(gaps == 1 ? "s" : "") before the next begins go\(gaps == 1 ? "es" : "") on until then"
      )
    }
    Self.complete(&kept, language, &notices)
    hasImages = kept.contains { $0.image?.data != nil }
    hasLinks = kept.contains { $0.link != nil }
    if hasImages {
      Self.showImagesThroughout(&kept)
      if Set(kept.compactMap { $0.image?.data.flatMap { PictureFormat($0) } }).count > 1 {
        note(
          isWarning: true,
          "the pictures are JPEG and PNG in one track: ffmpeg and players made with it show those of the first kind alone"
        )
      }
    }
    (chapters, self.notices) = (kept, notices)
  }

  /// Gives a chapter without a picture that of the chapter before, as a player shows it; those before the first stay
  /// without.
  private static func showImagesThroughout(_ chapters: inout [Chapter]) {
    var last: Bytes?
    for index in chapters.indices {
      last = chapters[index].image?.data ?? last
      chapters[index].image = last.map { .data($0) }
    }
  }

  /// Gives each chapter a title in every language, in one line.
  private static func complete(_ chapters: inout [Chapter], _ language: LanguageTag?, _ notices: inout [EditNotice]) {
    for index in chapters.indices {
      chapters[index].titles = chapters[index].titles.compactMap { title in
        let text = title.text.oneLine.cut(toUTF8Count: ChapterMedia.longestText)
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
      notices.append(
        EditNotice(.chapters, "\(counted(unnamed.count)) without a title \(unnamed.count == 1 ? "is" : "are") numbered")
      )
    }
    for index in chapters.indices {
      let titles = chapters[index].titles
      let other = chapters[index].title() ?? ChapterList.name(ofChapter: index)
      chapters[index].titles = languages.map { wanted in
        let text = titles.first { $0.language == wanted }?.text ?? other
        return .init(text, language: wanted)
      }
      chapters[index].endMilliseconds = nil
    }
  }
}

extension Chapter.Image {
  /// The picture itself; `nil` for one that was not read.
  var data: Bytes? {
    if case .data(let bytes) = self { bytes } else { nil }
  }
}

private func counted(_ count: Int) -> String { count == 1 ? "1 chapter" : "\(count) chapters" }

/// The chapters that an edit asks for: what verification holds a planned movie against.
///
/// It is the request as it was made. What brings chapters into the form in which a movie can have them
/// (``NormalizedChapters``), and what writes tracks of them, has no part in it.
struct RequestedChapters: Sendable {
  /// The chapters as they were given; none where all are to go.
  var chapters: [Chapter]
  /// When the movie ends, in milliseconds; chapters that begin later are left out.
  let end: UInt64
  /// Whether the list is to stand in user data too, in files of a type that has it (`chpl`).
  var writesNero: Bool

  /// No chapters at all.
  static let none = RequestedChapters(chapters: [], end: 0, writesNero: false)
}

/// The request to replace the chapters of a movie, or to remove them.
struct ChapterChange: Sendable {
  let requested: RequestedChapters
  /// The number of chapters that the movie gets.
  let count: Int
  let notices: [EditNotice]
}
