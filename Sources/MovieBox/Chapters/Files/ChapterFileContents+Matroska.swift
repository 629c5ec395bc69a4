import Subtitles

// The XML of mkvmerge (Matroska, "Chapters").
extension ChapterFileContents {
  /// XML of mkvmerge, or of Premiere, by its root.
  mutating func readXML(_ utf8: [UInt8]) throws(SubtitleError) {
    let root = try XMLElement(document: utf8)
    switch root.name {
    case "Chapters": try readMatroska(root)
    case "xmeml": try readXMEML(root)
    default:
      throw SubtitleError(
        .chapterFormat, line: root.line,
        "XML of <\(root.name)>; Matroska's chapters are <Chapters>, Premiere's markers <xmeml>")
    }
  }

  private mutating func readMatroska(_ root: XMLElement) throws(SubtitleError) {
    let editions = root.all("EditionEntry")
    let isDefault: (XMLElement) -> Bool = { $0.first("EditionFlagDefault")?.text.trimmed == "1" }
    guard let edition = editions.first(where: isDefault) ?? editions.first else { return }
    if editions.count > 1 {
      note("further-editions", line: edition.line, "one of \(editions.count) editions is read, the others are left out")
    }
    for atom in edition.all("ChapterAtom") { try readAtom(atom, depth: 0) }
  }

  private mutating func readAtom(_ atom: XMLElement, depth: Int) throws(SubtitleError) {
    if atom.first("ChapterFlagHidden")?.text.trimmed == "1" || atom.first("ChapterFlagEnabled")?.text.trimmed == "0" {
      note("hidden-chapter", line: atom.line, "a hidden chapter, left out")
    } else if let start = atom.first("ChapterTimeStart").flatMap({ ChapterTime.milliseconds($0.text.trimmed) }) {
      var titles: [Chapter.Title] = []
      var languages: Set<LanguageTag?> = []
      for display in atom.all("ChapterDisplay") {
        guard let text = display.first("ChapterString")?.text.trimmed, !text.isEmpty else { continue }
        // A display may name several languages; mkvmerge takes English for none.
        let tags = ["ChapLanguageIETF", "ChapterLanguage"].lazy.compactMap { name in
          display.first(name).flatMap { LanguageTag($0.text.trimmed) }
        }
        let tag = tags.first?.ifDetermined
        if languages.insert(tag).inserted { titles.append(.init(text, language: tag)) }
      }
      let end = atom.first("ChapterTimeEnd").flatMap { ChapterTime.milliseconds($0.text.trimmed) }
      try add(Chapter(startMilliseconds: start, endMilliseconds: end, titles: titles), depth: depth)
    } else {
      note("unreadable-chapter", line: atom.line, "a chapter without a ChapterTimeStart HH:MM:SS.nnnnnnnnn, left out")
    }
    for inner in atom.all("ChapterAtom") { try readAtom(inner, depth: depth + 1) }
  }
}
