// Writers of the seven chapter formats. The formats differ in their support for languages, links, pictures and ends of
// chapters. Before a file is written, notices list the information that its format cannot express.

import Subtitles

extension ChapterList {
  /// A chapter file, and notices about information that its format cannot express.
  public struct Written: Hashable, Sendable {
    /// The file in UTF-8 without a byte order mark. Each line ends with LF.
    public let bytes: [UInt8]
    /// Notices about information that the format cannot express.
    public let notices: [Notice]
  }

  /// Returns the chapters as a file in `format`. If the format supports only one language, the title that best matches
  /// `languages` is written for each chapter. `languages` begins with the most preferred language.
  ///
  ///     let bytes = try movie.chapters(from: source).written(as: .ffmetadata).bytes
  public func written(as format: ChapterFileFormat, preferring languages: [LanguageTag] = []) -> Written {
    written(as: format, preferring: languages, imageSizes: [:])
  }

  /// Returns the chapters as a file in `format`. `imageSizes` contains the size in pixels of each picture that the file
  /// refers to.
  package func written(
    as format: ChapterFileFormat, preferring languages: [LanguageTag] = [],
    imageSizes: [String: (width: UInt16, height: UInt16)]
  ) -> Written {
    var notices: [Notice] = []
    let isCut = !format.supportsLanguages && chapters.contains { $0.titles.count > 1 }
    if isCut {
      notices.append(
        .init(
          "languages-left-out",
          "\(format.rawValue) supports titles in only one language: titles in other languages are omitted"))
    }
    if !format.supportsLanguages, let notice = noticeAboutMissingTitles(in: languages) { notices.append(notice) }
    let hasLinks = chapters.contains { $0.link != nil }
    if hasLinks, format != .podcast {
      notices.append(
        .init(
          "links-left-out",
          "\(format.rawValue) does not "
            + "support links: they are omitted"))
    }
    let pictureCount = chapters.count { chapter in
      if case .reference? = chapter.image { !format.supportsPictureReferences } else { chapter.image != nil }
    }
    if pictureCount > 0 {
      notices.append(
        .init(
          "pictures-left-out",
          format.supportsPictureReferences
            ? "\(format.rawValue) refers to picture files: the pictures in the movie are omitted"
            : "\(format.rawValue) does not support pictures: they are omitted"))
    }
    let titles = chapters.map { ($0.title(preferring: languages) ?? "").oneLine }
    let text =
      switch format {
      case .webVTT: webVTT(titles)
      case .ogm: ogm(titles)
      case .mp4chaps: zip(chapters, titles).map { "\(ChapterTime.text($0.startMilliseconds)) \($1)\n" }.joined()
      case .ffmetadata: ffmetadata(titles)
      case .hls: hls(imageSizes)
      case .podcast: podcast(titles)
      case .matroska: matroska
      }
    return Written(bytes: Array(text.utf8), notices: notices)
  }

  /// Returns a notice if some chapters have no title in the preferred languages, or `nil` otherwise.
  package func noticeAboutMissingTitles(in languages: [LanguageTag]) -> Notice? {
    let otherChapters =
      languages.isEmpty ? [] : chapters.filter { !$0.titles.isEmpty && $0.title(in: languages) == nil }
    guard let writtenTitle = otherChapters.first?.defaultTitle else { return nil }
    let languageNames = languages.map(\.englishName).joined(separator: ", ")
    let language = writtenTitle.language.map { "the title in \($0.englishName)" } ?? "the title without a language"
    return Notice(
      "other-language",
      "\(otherChapters.count) of \(chapters.count) chapters have no title in \(languageNames): \(language) is used")
  }

  /// Returns the end of a chapter, at least 1 ms after its start, for formats that require ends.
  private func writtenEnd(of index: Int) -> Int64 {
    let start = chapters[index].startMilliseconds
    return Swift.max(start.addingClamped(1), end(of: index) ?? start.addingClamped(1))
  }

  private func webVTT(_ titles: [String]) -> String {
    let cues = chapters.indices.map { index in
      let title = titles[index].isEmpty ? Self.name(ofChapter: index) : titles[index]
      return Cue(
        startMilliseconds: chapters[index].startMilliseconds, endMilliseconds: writtenEnd(of: index),
        text: StyledText(title))
    }
    return String(decoding: SubtitleFile(cues: cues, notices: []).written(as: .webVTT).bytes, as: UTF8.self)
  }

  private func ogm(_ titles: [String]) -> String {
    var text = ""
    for (index, chapter) in chapters.enumerated() {
      let number = index < 9 ? "0\(index + 1)" : "\(index + 1)"
      text += "CHAPTER\(number)=\(ChapterTime.text(chapter.startMilliseconds))\n"
      text += "CHAPTER\(number)NAME=\(titles[index])\n"
    }
    return text
  }

  private func ffmetadata(_ titles: [String]) -> String {
    var text = ";FFMETADATA1\n"
    for (index, chapter) in chapters.enumerated() {
      text += "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(chapter.startMilliseconds)\nEND=\(writtenEnd(of: index))\n"
      if !titles[index].isEmpty { text += "title=\(Self.escaped(titles[index]))\n" }
    }
    return text
  }

  private static func escaped(_ title: String) -> String {
    // Iterate over Unicode scalars, because a character may consist of `=` and a combining mark.
    title.unicodeScalars.reduce(into: "") { text, scalar in
      if "=;#\\".unicodeScalars.contains(scalar) { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
  }

  private func hls(_ imageSizes: [String: (width: UInt16, height: UInt16)]) -> String {
    var json = JSONWriter()
    json.array { json in
      for (index, chapter) in chapters.enumerated() {
        json.object { json in
          json.member("chapter", index + 1)
          json.member("start-time", number: ChapterTime.seconds(chapter.startMilliseconds))
          if let end = end(of: index), end > chapter.startMilliseconds {
            json.member("duration", number: ChapterTime.seconds(end - chapter.startMilliseconds))
          }
          json.objects("titles", of: chapter.titles) { title, json in
            json.member("language", title.language?.description ?? "und")
            json.member("title", title.text.oneLine)
          }
          if case .reference(let url)? = chapter.image {
            json.objects("images", of: [url]) { url, json in
              json.member("image-category", "chapter")
              if let size = imageSizes[url] {
                json.member("pixel-width", Int(size.width))
                json.member("pixel-height", Int(size.height))
              }
              json.member("url", url)
            }
          }
        }
      }
    }
    return String(decoding: json.bytes, as: UTF8.self) + "\n"
  }

  private func podcast(_ titles: [String]) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("version", "1.2.0")
      json.objects("chapters", of: chapters.indices) { index, json in
        let chapter = chapters[index]
        json.member("startTime", number: ChapterTime.seconds(chapter.startMilliseconds))
        if let end = end(of: index), end > chapter.startMilliseconds {
          json.member("endTime", number: ChapterTime.seconds(end))
        }
        json.member("title", titles[index])
        if case .reference(let url)? = chapter.image { json.member("img", url) }
        if let link = chapter.link { json.member("url", link) }
      }
    }
    return String(decoding: json.bytes, as: UTF8.self) + "\n"
  }

  private var matroska: String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Chapters>\n  <EditionEntry>\n"
    for (index, chapter) in chapters.enumerated() {
      text += "    <ChapterAtom>\n"
      text += "      <ChapterTimeStart>\(ChapterTime.text(chapter.startMilliseconds))000000</ChapterTimeStart>\n"
      if let end = end(of: index), end > chapter.startMilliseconds {
        text += "      <ChapterTimeEnd>\(ChapterTime.text(end))000000</ChapterTimeEnd>\n"
      }
      for title in chapter.titles {
        text += "      <ChapterDisplay>\n"
        text += "        <ChapterString>\(title.text.oneLine.escapedInXML)</ChapterString>\n"
        text +=
          "        <ChapterLanguage>\(title.language.map { LanguageCode.iso639_2T(for: $0) } ?? "und")</ChapterLanguage>\n"
        text += "        <ChapLanguageIETF>\(title.language?.description ?? "und")</ChapLanguageIETF>\n"
        text += "      </ChapterDisplay>\n"
      }
      text += "    </ChapterAtom>\n"
    }
    return text + "  </EditionEntry>\n</Chapters>\n"
  }

  /// Returns the name of an untitled chapter, for formats that require names.
  package static func name(ofChapter index: Int) -> String { "Chapter \(index + 1)" }
}

extension String {
  /// The text on one line, without surrounding blanks and without control characters, which XML forbids.
  package var oneLine: String {
    var keptScalars = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "\u{FEFF}": continue
      case "\u{0}"..."\u{1F}", "\u{7F}", "\u{85}", "\u{2028}", "\u{2029}": keptScalars.append(" ")
      default: keptScalars.append(scalar)
      }
    }
    return String(keptScalars).trimmed
  }
}
