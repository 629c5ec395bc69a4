// Readers of chapter files. The file name rarely identifies the format, so `ChapterFileSyntax` detects it from the
// contents. The extensions of `ChapterFileContents` read the formats.

public import Subtitles

extension ChapterList {
  /// Reads a chapter file and detects its format from the contents.
  ///
  /// The reader accepts the formats of ``ChapterFileFormat``, lists that people write, and CUE sheets. The reader also
  /// accepts files of yt-dlp, ffprobe, Audible, Audnexus, audiobookshelf, GPAC, Audacity, Premiere and DaVinci Resolve.
  ///
  /// Nested chapters become chapters of one list, and a notice reports this. If several chapters begin at the same
  /// time, only the innermost chapter is kept. `language` applies to titles for which the file declares no language.
  ///
  /// Throws ``/Subtitles/SubtitleError`` if the format is unknown, the file has no chapters, or it exceeds `limits`.
  /// The error contains the line number if it is known.
  ///
  ///     let list = try ChapterList.read(bytes)
  public static func read(
    _ bytes: [UInt8], language: LanguageTag? = nil, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> ChapterList {
    try read(bytes, encoding: nil, language: language, limits: limits)
  }

  /// Reads a file in `encoding`. If `encoding` is `nil`, the encoding is detected as for subtitles. `frameRate` is the
  /// rate of the movie, and is used for lists with frame numbers.
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
  /// The file has no chapters.
  package static let noChapters = SubtitleError.Code(rawValue: "no-chapters")
}

/// The chapters and notices of a file. The readers of all formats add to them.
struct ChapterFileContents {
  private var chapters: [Chapter] = []
  /// The nesting depth of each chapter, in the order of `chapters`.
  private var depths: [Int] = []
  /// The line number of each chapter, by the chapter's start in milliseconds.
  private var lines: [Int64: Int] = [:]
  var notices: [ChapterList.Notice] = []
  /// The language of titles for which the file declares no language.
  let language: LanguageTag?
  private var omittedNoticeCount = 0

  init(language: LanguageTag?) {
    self.language = language
  }

  /// The maximum number of notices. Further notices are only counted.
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

  /// Adds a chapter. Titles are trimmed, and empty titles are dropped. A negative start becomes 0. Notices refer to the
  /// chapter by `description`.
  mutating func add(
    _ chapter: Chapter, depth: Int = 0, at description: @autoclosure () -> String = "a chapter", line: Int? = nil
  ) throws(SubtitleError) {
    guard chapters.count < ChapterLimits.count else {
      throw SubtitleError(.limit, "the file has more than \(ChapterLimits.count) chapters")
    }
    var chapter = chapter
    if chapter.startMilliseconds < 0 {
      note(
        "negative-start", line: line,
        "\(description()) begins \(chapter.startMilliseconds.magnitude) ms before the movie: it is moved to the start of the movie"
      )
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

  /// The error for a file without chapters. If chapters were skipped, the error contains the reason.
  private var noChapters: SubtitleError {
    let reasons = notices.filter { $0.code == "unreadable-chapter" || $0.code == "hidden-chapter" }
    guard let first = reasons.first else { return SubtitleError(.noChapters, "the file has no chapters") }
    let otherCount = reasons.count + omittedNoticeCount - 1
    let suffix = otherCount > 0 ? ", and \(otherCount) more" : ""
    let reason = first.message.trimmingPrefix("omitted: ")
    return SubtitleError(.noChapters, line: first.line, "no readable chapter remains: \(reason)\(suffix)")
  }

  /// Sorts the chapters and flattens nested chapters. If several chapters begin at the same time, keeps only the
  /// innermost.
  mutating func finish() throws(SubtitleError) -> ChapterList {
    guard !chapters.isEmpty else { throw noChapters }
    let order = chapters.indices.sorted {
      (chapters[$0].startMilliseconds, $0) < (chapters[$1].startMilliseconds, $1)
    }
    var keptChapters: [(chapter: Chapter, depth: Int)] = []
    for index in order {
      guard let last = keptChapters.last, last.chapter.startMilliseconds == chapters[index].startMilliseconds else {
        keptChapters.append((chapters[index], depths[index]))
        continue
      }
      // Of two chapters with equal depth, keep the first. The second may be a sentence that contains a time.
      let isInner = depths[index] > last.depth
      let lost = (isInner ? last.chapter : chapters[index]).title() ?? ""
      if isInner { keptChapters[keptChapters.count - 1] = (chapters[index], depths[index]) }
      note(
        "chapters-together",
        "two chapters begin at \(ChapterTime.text(last.chapter.startMilliseconds)): \"\(lost)\" is omitted")
    }
    if depths.contains(where: { $0 > 0 }) {
      note("nested-chapters", "nested chapters are flattened")
    }
    if omittedNoticeCount > 0 { notices.append(.init("further-notices", "\(omittedNoticeCount) more notices")) }
    var list = ChapterList(keptChapters.map(\.chapter))
    list.notices = notices
    list.lines = lines
    return list
  }
}

/// The lines of a text, trimmed, with their numbers from 1. CR, LF and CR LF end a line.
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
