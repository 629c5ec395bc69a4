// Files that list chapters. The contents decide about the format, since file names rarely do: `ChapterFileSyntax`
// recognizes it, and the extensions of `ChapterFileContents` read it.

public import Subtitles

extension ChapterList {
  /// Reads a file that lists chapters, in whichever form it is: its contents tell. Beside ``ChapterFileFormat`` these are
  /// lists as people write them, and those of yt-dlp, ffprobe, Audible, Audnexus, audiobookshelf, GPAC, CUE sheets,
  /// Audacity, Premiere and DaVinci Resolve.
  ///
  /// Chapters inside of others come out one after the other, with a notice. Of chapters that begin together the
  /// innermost stays. `language` is the language of titles for which the file declares none. Throws
  /// ``/Subtitles/SubtitleError``, with the line if it is known, for files of another format, without chapters, or
  /// beyond `limits`.
  ///
  ///     let list = try ChapterList.read(bytes)
  public static func read(
    _ bytes: [UInt8], language: LanguageTag? = nil, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> ChapterList {
    try read(bytes, encoding: nil, language: language, limits: limits)
  }

  /// Reads a file with a declared encoding; without one, the encoding is guessed as for subtitles. `frameRate` is the
  /// movie's own, for lists that count frames.
  package static func read(
    _ bytes: [UInt8], encoding: TextEncoding?, language: LanguageTag?, frameRate: ChapterFrameRate? = nil,
    limits: SubtitleLimits
  ) throws(SubtitleError) -> ChapterList {
    let text = try SubtitleText(bytes, encoding: encoding, language: language?.description, limits: limits)
    var contents = ChapterFileContents(language: language)
    contents.notices = text.notices.map { Notice($0.kind.rawValue, line: $0.line > 0 ? $0.line : nil, $0.message) }
    switch try ChapterFileSyntax(of: text.utf8) {
    case .webVTT: try contents.readWebVTT(text.utf8, limits)
    case .ogm: try contents.readOGM(text.utf8)
    case .list(let list): try contents.readList(list, frameRate)
    case .ffmetadata: try contents.readFFmetadata(text.utf8)
    case .audiobookshelf: try contents.readFFmetadata(text.utf8, isInSeconds: true)
    case .json: try contents.readJSON(text.utf8)
    case .xml: try contents.readXML(text.utf8)
    case .cue: try contents.readCUE(text.utf8)
    case .audacity: try contents.readAudacity(text.utf8)
    case .premiere(let table): try contents.readPremiere(table, frameRate)
    case .resolve: try contents.readResolve(text.utf8, frameRate)
    }
    return try contents.finish()
  }
}

extension SubtitleError.Code {
  /// No chapter at all.
  package static let noChapters = SubtitleError.Code(rawValue: "no-chapters")
}

/// The contents of a file that lists chapters.
struct ChapterFileContents {
  private var chapters: [Chapter] = []
  /// The nesting depth of each chapter.
  private var depths: [Int] = []
  /// The lines of chapters, by their start in milliseconds.
  private var lines: [Int64: Int] = [:]
  var notices: [ChapterList.Notice] = []
  /// The language of titles of which the file does not say it.
  let language: LanguageTag?
  private var omittedNoticeCount = 0

  init(language: LanguageTag?) {
    self.language = language
  }

  /// Notices beyond these are counted.
  private static let noticeCount = 200

  mutating func note(
    _ code: String, line: Int? = nil, lostText: String? = nil, _ message: @autoclosure () -> String
  ) {
    guard notices.count < Self.noticeCount else {
      omittedNoticeCount += 1
      return
    }
    notices.append(.init(code, line: line, lostText: lostText, message()))
  }

  /// Adds a chapter; a title is trimmed, an empty one is none, and what begins before the movie begins with it. `place`
  /// says where the chapter stands.
  mutating func add(
    _ chapter: Chapter, depth: Int = 0, at place: @autoclosure () -> String = "a chapter", line: Int? = nil
  ) throws(SubtitleError) {
    guard chapters.count < ChapterLimits.count else {
      throw SubtitleError(.limit, "more than \(ChapterLimits.count) chapters")
    }
    var chapter = chapter
    if chapter.startMilliseconds < 0 {
      note(
        "negative-start", line: line,
        "\(place()) begins \(chapter.startMilliseconds.magnitude) ms before the movie, and is put at its start")
      chapter.startMilliseconds = 0
    }
    chapter.titles = chapter.titles.compactMap { title in
      let text = title.text.trimmed
      return text.isEmpty ? nil : .init(text, language: title.language ?? language)
    }
    if let end = chapter.endMilliseconds, end <= chapter.startMilliseconds { chapter.endMilliseconds = nil }
    chapters.append(chapter)
    depths.append(depth)
    if let line, lines[chapter.startMilliseconds] == nil { lines[chapter.startMilliseconds] = line }
  }

  /// The error for a file without chapters, with the lines that were skipped.
  private var noChapters: SubtitleError {
    let reasons = notices.filter { $0.code == "unreadable-chapter" || $0.code == "hidden-chapter" }
    guard let first = reasons.first else { return SubtitleError(.noChapters, "the file has no chapters") }
    let others = reasons.count + omittedNoticeCount - 1
    let rest = others > 0 ? ", and \(others) more like it" : ""
    return SubtitleError(.noChapters, line: first.line, "no chapter is left: \(first.message)\(rest)")
  }

  /// The chapters one after the other.
  mutating func finish() throws(SubtitleError) -> ChapterList {
    guard !chapters.isEmpty else { throw noChapters }
    let order = chapters.indices.sorted {
      (chapters[$0].startMilliseconds, $0) < (chapters[$1].startMilliseconds, $1)
    }
    var kept: [(chapter: Chapter, depth: Int)] = []
    for index in order {
      guard let last = kept.last, last.chapter.startMilliseconds == chapters[index].startMilliseconds else {
        kept.append((chapters[index], depths[index]))
        continue
      }
      // Of two that are alike the first stays: a later line may be prose with a time in it.
      let isInner = depths[index] > last.depth
      let lost = (isInner ? last.chapter : chapters[index]).title() ?? ""
      if isInner { kept[kept.count - 1] = (chapters[index], depths[index]) }
      note(
        "chapters-together",
        "two chapters begin at \(ChapterTime.text(last.chapter.startMilliseconds)); \"\(lost)\" is left out")
    }
    if depths.contains(where: { $0 > 0 }) {
      note("nested-chapters", "chapters inside of others are listed one after the other")
    }
    if omittedNoticeCount > 0 { notices.append(.init("further-notices", "\(omittedNoticeCount) more notices")) }
    var list = ChapterList(kept.map(\.chapter))
    list.notices = notices
    list.lines = lines
    return list
  }
}

/// The lines of a text, with their numbers from 1; CR, LF and CR LF end one. Blanks around them are left out.
struct NumberedLines: Sequence, IteratorProtocol {
  private let utf8: [UInt8]
  private var position = 0
  private var number = 0

  init(_ utf8: [UInt8]) {
    self.utf8 = utf8
  }

  mutating func next() -> (number: Int, text: String)? {
    guard position < utf8.count else { return nil }
    let start = position
    while position < utf8.count, utf8[position] != Ascii.lineFeed, utf8[position] != Ascii.carriageReturn {
      position += 1
    }
    let line = String(decoding: utf8[start..<position], as: UTF8.self)
    if position + 1 < utf8.count, utf8[position] == Ascii.carriageReturn, utf8[position + 1] == Ascii.lineFeed {
      position += 1
    }
    position += 1
    number += 1
    return (number, line.trimmed)
  }
}
