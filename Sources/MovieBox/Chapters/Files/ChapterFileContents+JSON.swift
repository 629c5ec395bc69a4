import Subtitles

// Chapter lists in JSON and XML.
//
// The formats have no common schema. The reader locates the array of chapters, then detects the program from the member
// names of its entries.
extension ChapterFileContents {
  /// Reads JSON. The root is the array of HTTP Live Streaming, an object of podcasts, yt-dlp, ffprobe, Audnexus,
  /// Audible or audiobookshelf, or the output of `movtool chapters --json`.
  mutating func readJSON(_ utf8: [UInt8]) throws(SubtitleError) {
    let json: JSONValue
    do throws(MovieError) {
      json = try JSONValue(Bytes(utf8))
    } catch {
      let line = error.offset.flatMap { Int(exactly: $0) }.map { 1 + utf8.prefix($0).count { $0 == Ascii.lineFeed } }
      throw SubtitleError(
        error.code == .limit ? .limit : .chapterFormat, line: line, at: error.offset, "JSON: \(error.reason)")
    }
    if let entries = json.array {
      if let dialect = JSONChapterDialect(of: entries), entries.first?["start-time"] == nil {
        try read(entries, dialect)
      } else {
        try readHLS(entries)
      }
      return
    }
    // Audible and audiobookshelf store the array of chapters in a nested object.
    let objects = [json, json["content_metadata"]?["chapter_info"], json["chapter_info"], json["media"]].compactMap(
      \.self)
    guard let entries = objects.lazy.compactMap({ $0["chapters"]?.array }).first else {
      let isVideo = json["extractor"] != nil || json["webpage_url"] != nil
      throw SubtitleError(
        isVideo ? .noChapters : .chapterFormat,
        isVideo
          ? "the video that yt-dlp describes has no chapters"
          : "the JSON has no array of chapters in the format of HLS, podcasts, yt-dlp, ffprobe or audio books")
    }
    if json["schema"] != nil {
      try readReport(entries)
    } else if let dialect = JSONChapterDialect(of: entries) {
      try read(entries, dialect)
    } else {
      try readPodcast(entries)
    }
  }

  /// Reads chapters with a start, an optional end or length, and a title. The chapters of Audible may contain nested
  /// chapters.
  private mutating func read(_ entries: [JSONValue], _ dialect: JSONChapterDialect) throws(SubtitleError) {
    var open = entries.enumerated().reversed().map { (place: "chapter \($0.offset + 1)", depth: 0, entry: $0.element) }
    while let (place, depth, entry) = open.popLast() {
      if let start = dialect.milliseconds(entry[dialect.startName]) {
        let length = dialect.lengthName.flatMap { dialect.milliseconds(entry[$0]) }
        let end = dialect.endName.flatMap { dialect.milliseconds(entry[$0]) } ?? length.map { start.addingClamped($0) }
        let title = entry["title"]?.string ?? entry["tags"]?["title"]?.string ?? entry["tags"]?["TITLE"]?.string
        try add(
          Chapter(startMilliseconds: start, endMilliseconds: end, titles: title.map { [.init($0)] } ?? []),
          depth: depth, at: place)
      } else {
        note("unreadable-chapter", "omitted: \(place) has no \"\(dialect.startName)\" with a time")
      }
      guard let inner = entry["chapters"]?.array else { continue }
      open += inner.enumerated().reversed().map { ("\(place).\($0.offset + 1)", depth + 1, $0.element) }
    }
  }

  private mutating func readHLS(_ entries: [JSONValue]) throws(SubtitleError) {
    var ends: [Int64] = []
    for (index, entry) in entries.enumerated() {
      guard let start = entry["start-time"]?.number.flatMap({ ChapterTime.milliseconds(ofSeconds: $0) }) else {
        note("unreadable-chapter", "omitted: chapter \(index + 1) has no \"start-time\" with a number of seconds")
        continue
      }
      let duration = entry["duration"]?.number.flatMap { ChapterTime.milliseconds(ofSeconds: $0) }
      let end = duration.map { start.addingClamped($0) }
      var titles: [Chapter.Title] = []
      var languages: Set<LanguageTag?> = []
      for title in entry["titles"]?.array ?? [] {
        guard let text = title["title"]?.string else { continue }
        let tag = title["language"]?.string.flatMap { LanguageTag($0) }?.ifDetermined
        if languages.insert(tag).inserted { titles.append(.init(text, language: tag)) }
      }
      let image = entry["images"]?.array?.lazy.compactMap { $0["url"]?.string }.first
      ends.removeAll { $0 <= start }
      ends = ends.suffix(XMLReader.maximumDepth)
      let depth = end.map { end in ends.count { $0 >= end } } ?? 0
      try add(
        Chapter(
          startMilliseconds: start, endMilliseconds: end, titles: titles, image: image.map { .reference($0) }),
        depth: depth, at: "chapter \(index + 1)")
      if let end { ends.append(end) }
    }
  }

  private mutating func readPodcast(_ entries: [JSONValue]) throws(SubtitleError) {
    for (index, entry) in entries.enumerated() {
      guard let start = entry["startTime"]?.number.flatMap({ ChapterTime.milliseconds(ofSeconds: $0) }) else {
        note("unreadable-chapter", "omitted: chapter \(index + 1) has no \"startTime\" with a number of seconds")
        continue
      }
      guard entry["toc"]?.boolean != false else {
        note("hidden-chapter", "omitted: chapter \(index + 1) is excluded from the table of contents (\"toc\": false)")
        continue
      }
      try add(
        Chapter(
          startMilliseconds: start,
          endMilliseconds: entry["endTime"]?.number.flatMap { ChapterTime.milliseconds(ofSeconds: $0) },
          titles: entry["title"]?.string.map { [.init($0)] } ?? [],
          image: entry["img"]?.string.map { .reference($0) }, link: entry["url"]?.string),
        at: "chapter \(index + 1)")
    }
  }

  /// Reads the output of `movtool chapters --json`.
  private mutating func readReport(_ entries: [JSONValue]) throws(SubtitleError) {
    for (index, entry) in entries.enumerated() {
      guard let start = entry["startMilliseconds"]?.number.flatMap({ Int64($0) }) else {
        note("unreadable-chapter", "omitted: chapter \(index + 1) has no \"startMilliseconds\"")
        continue
      }
      var titles: [Chapter.Title] = []
      for title in entry["titles"]?.array ?? [] {
        guard let text = title["title"]?.string else { continue }
        titles.append(.init(text, language: title["language"]?.string.flatMap { LanguageTag($0) }))
      }
      try add(
        Chapter(
          startMilliseconds: start, endMilliseconds: entry["endMilliseconds"]?.number.flatMap { Int64($0) },
          titles: titles, link: entry["link"]?.string),
        at: "chapter \(index + 1)")
    }
  }
}

/// The member names that a program uses for the start and the end of a chapter in JSON.
private enum JSONChapterDialect: CaseIterable {
  case ffprobe, ytdlp, audnexus, audible, audiobookshelf

  /// Detects the dialect from the first chapter whose start has a known name, or returns `nil` if there is none.
  init?(of entries: [JSONValue]) {
    let dialect = entries.lazy.prefix(100).compactMap { entry in Self.allCases.first { $0.isUsed(by: entry) } }.first
    guard let dialect else { return nil }
    self = dialect
  }

  private func isUsed(by entry: JSONValue) -> Bool {
    guard entry["startTime"] == nil, entry["start-time"] == nil else { return false }
    return entry[startName] != nil && (self != .ffprobe || entry["time_base"] != nil)
  }

  /// The name of the member with the start.
  var startName: String {
    switch self {
    case .ffprobe, .ytdlp: "start_time"
    case .audnexus: "startOffsetMs"
    case .audible: "start_offset_ms"
    case .audiobookshelf: "start"
    }
  }

  /// The name of the member with the end, or `nil` if the dialect stores lengths.
  var endName: String? {
    switch self {
    case .ffprobe, .ytdlp: "end_time"
    case .audnexus, .audible: nil
    case .audiobookshelf: "end"
    }
  }

  /// The name of the member with the length, or `nil` if the dialect stores ends.
  var lengthName: String? {
    switch self {
    case .audnexus: "lengthMs"
    case .audible: "length_ms"
    default: nil
    }
  }

  /// Parses a time. It is a number or, in files of ffprobe, a string.
  func milliseconds(_ value: JSONValue?) -> Int64? {
    guard let text = value?.number ?? value?.string else { return nil }
    switch self {
    case .audnexus, .audible: return Int64(text).flatMap { ChapterTime.milliseconds(ticks: $0, 1, over: 1_000) }
    default: return ChapterTime.milliseconds(ofSeconds: text)
    }
  }
}

// The XML of mkvmerge (Matroska, "Chapters").
extension ChapterFileContents {
  /// Reads XML of mkvmerge or Premiere, depending on the root element.
  mutating func readXML(_ utf8: [UInt8]) throws(SubtitleError) {
    let root = try XMLElement(document: utf8)
    switch root.name {
    case "Chapters": try readMatroska(root)
    case "xmeml": try readXMEML(root)
    default:
      throw SubtitleError(
        .chapterFormat, line: root.line,
        "the root element <\(root.name)> is unknown; use <Chapters> (Matroska) or <xmeml> (Premiere)")
    }
  }

  private mutating func readMatroska(_ root: XMLElement) throws(SubtitleError) {
    let editions = root.all("EditionEntry")
    let isDefault: (XMLElement) -> Bool = { $0.first("EditionFlagDefault")?.text.trimmed == "1" }
    guard let edition = editions.first(where: isDefault) ?? editions.first else { return }
    if editions.count > 1 {
      note("further-editions", line: edition.line, "only one of \(editions.count) editions is read")
    }
    for atom in edition.all("ChapterAtom") { try readAtom(atom, depth: 0) }
  }

  private mutating func readAtom(_ atom: XMLElement, depth: Int) throws(SubtitleError) {
    if atom.first("ChapterFlagHidden")?.text.trimmed == "1" || atom.first("ChapterFlagEnabled")?.text.trimmed == "0" {
      note("hidden-chapter", line: atom.line, "omitted: the chapter is hidden")
    } else if let start = atom.first("ChapterTimeStart").flatMap({ ChapterTime.milliseconds($0.text.trimmed) }) {
      var titles: [Chapter.Title] = []
      var languages: Set<LanguageTag?> = []
      for display in atom.all("ChapterDisplay") {
        guard let text = display.first("ChapterString")?.text.trimmed, !text.isEmpty else { continue }
        // A display may declare several languages. mkvmerge assumes English if a display declares no language.
        let tags = ["ChapLanguageIETF", "ChapterLanguage"].lazy.compactMap { name in
          display.first(name).flatMap { LanguageTag($0.text.trimmed) }
        }
        let tag = tags.first?.ifDetermined
        if languages.insert(tag).inserted { titles.append(.init(text, language: tag)) }
      }
      let end = atom.first("ChapterTimeEnd").flatMap { ChapterTime.milliseconds($0.text.trimmed) }
      try add(Chapter(startMilliseconds: start, endMilliseconds: end, titles: titles), depth: depth)
    } else {
      note("unreadable-chapter", line: atom.line, "omitted: the chapter has no ChapterTimeStart HH:MM:SS.nnnnnnnnn")
    }
    for inner in atom.all("ChapterAtom") { try readAtom(inner, depth: depth + 1) }
  }
}
