import Subtitles

// Lists of chapters in JSON.
extension ChapterFileContents {
  /// The JSON of HTTP Live Streaming, which is an array, or that of podcasts, an object; or what `movtool
  /// chapters --json` writes.
  mutating func readJSON(_ utf8: [UInt8]) throws(SubtitleError) {
    let json: JSONValue
    do throws(MovieError) {
      json = try JSONValue(Bytes(utf8))
    } catch {
      throw SubtitleError(error.code == .limit ? .limit : .chapterFormat, at: error.offset, "JSON: \(error.reason)")
    }
    if let entries = json.array {
      try readHLS(entries)
    } else if let entries = json["chapters"]?.array {
      if json["schema"] != nil { try readReport(entries) } else { try readPodcast(entries) }
    } else {
      throw SubtitleError(.chapterFormat, "JSON without an array of chapters, which HLS and podcasts have")
    }
  }

  private mutating func readHLS(_ entries: [JSONValue]) throws(SubtitleError) {
    var ends: [Int64] = []
    for (index, entry) in entries.enumerated() {
      guard let start = entry["start-time"]?.number.flatMap({ ChapterTime.milliseconds(ofSeconds: $0) }) else {
        note("unreadable-chapter", "chapter \(index + 1) has no \"start-time\" that is a number of seconds, left out")
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
      ends = ends.suffix(XMLElement.depth)
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
        note("unreadable-chapter", "chapter \(index + 1) has no \"startTime\" that is a number of seconds, left out")
        continue
      }
      guard entry["toc"]?.boolean != false else {
        note("hidden-chapter", "chapter \(index + 1) is not for the table of contents (\"toc\": false), left out")
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

  /// What `movtool chapters --json` writes.
  private mutating func readReport(_ entries: [JSONValue]) throws(SubtitleError) {
    for (index, entry) in entries.enumerated() {
      guard let start = entry["startMilliseconds"]?.number.flatMap({ Int64($0) }) else {
        note("unreadable-chapter", "chapter \(index + 1) has no \"startMilliseconds\", left out")
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
