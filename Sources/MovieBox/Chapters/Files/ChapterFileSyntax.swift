import Subtitles

/// A format in which chapter files are written.
public enum ChapterFileFormat: String, Hashable, Sendable, CaseIterable {
  /// WebVTT with a chapter in each cue (`kind="chapters"` in HTML).
  case webVTT = "vtt"
  /// The text format of OGM tools: `CHAPTER01=00:00:00.000`, `CHAPTER01NAME=…`.
  case ogm
  /// The text format of mp4chaps: a time and a title on each line.
  case mp4chaps
  /// ffmpeg's metadata (`;FFMETADATA1`).
  case ffmetadata
  /// The JSON of HTTP Live Streaming (`com.apple.hls.chapters`).
  case hls
  /// The JSON of podcasts (Podcasting 2.0, "JSON Chapters").
  case podcast
  /// The XML of mkvmerge.
  case matroska

  /// Whether the format supports titles in several languages.
  var supportsLanguages: Bool { self == .hls || self == .matroska }

  /// Whether the format can refer to pictures of chapters.
  package var supportsPictureReferences: Bool { self == .hls || self == .podcast }
}

/// The syntax of a chapter file. More syntaxes can be read than written: ``ChapterFileFormat`` lists the formats that
/// can be written.
enum ChapterFileSyntax {
  case webVTT
  case ogm
  case list(ChapterTextList)
  case ffmetadata
  case audiobookshelf
  case json
  case xml
  case cue
  case audacity
  case premiere(MarkerTable)
  case resolve

  /// Detects the syntax from the contents.
  init(of utf8: [UInt8]) throws(SubtitleError) {
    if utf8.starts(with: "WEBVTT".utf8) {
      self = .webVTT
    } else if utf8.starts(with: ";FFMETADATA".utf8) {
      self = .ffmetadata
    } else if utf8.starts(with: ";ABMETADATA".utf8) {
      self = .audiobookshelf
    } else if let syntax = Self.markupSyntax(of: utf8) {
      self = syntax
    } else {
      self = try Self.lineSyntax(of: utf8)
    }
  }

  /// Detects JSON and XML by the first two characters. The first character is not sufficient, because text lists may
  /// begin with a bracket too.
  private static func markupSyntax(of utf8: [UInt8]) -> ChapterFileSyntax? {
    let signs = utf8.lazy.filter { $0 > Ascii.space }.prefix(2)
    guard let first = signs.first else { return nil }
    let second = signs.dropFirst().first
    switch first {
    case UInt8(ascii: "["): return second == UInt8(ascii: "{") || second == UInt8(ascii: "]") ? .json : nil
    case UInt8(ascii: "{"): return second == UInt8(ascii: "\"") || second == UInt8(ascii: "}") ? .json : nil
    case UInt8(ascii: "<"): return second.map(Ascii.isDigit) ?? false ? nil : .xml
    default: return nil
    }
  }

  /// The number of lines that are examined to detect the syntax.
  private static let lineCount = 200

  /// Detects the syntax of a file that consists of lines.
  private static func lineSyntax(of utf8: [UInt8]) throws(SubtitleError) -> ChapterFileSyntax {
    var start: [String] = []
    for line in NumberedLines(utf8) where !line.text.isEmpty {
      start.append(line.text)
      guard start.count < lineCount else { break }
    }
    guard let first = start.first else { throw SubtitleError(.noChapters, "the file is empty") }
    let opening = start.first { !$0.hasPrefix("#") } ?? first
    if opening.uppercased().hasPrefix("CHAPTER"), opening.contains("="), !opening.contains(" = ") { return .ogm }
    if ChapterFileContents.label(first) != nil { return .audacity }
    if start.contains(where: isCueTrack) { return .cue }
    let isEDL = first.uppercased().hasPrefix("TITLE:") && start.contains { $0.uppercased().hasPrefix("FCM:") }
    if isEDL || start.contains(where: { $0.contains("|C:") && $0.contains("|M:") }) { return .resolve }
    if let table = MarkerTable(utf8) { return .premiere(table) }
    if isSubRip(start.prefix(10)) { return .webVTT }
    let list = ChapterTextList(utf8)
    guard !list.isList else { return .list(list) }
    switch utf8.first(where: { $0 > Ascii.space }) {
    case UInt8(ascii: "["), UInt8(ascii: "{"): return .json
    default:
      throw SubtitleError(
        .chapterFormat, line: 1,
        "the format of the chapter list is unknown; use WebVTT, OGM text, lines of a time and a title (0:00 Intro), "
          + "ffmetadata, JSON, XML of Matroska or Premiere, a CUE sheet, Audacity labels or markers of Resolve"
      )
    }
  }

  /// Whether a line begins a CUE track: `TRACK 01 AUDIO`.
  private static func isCueTrack(_ line: String) -> Bool {
    let words = line.split(separator: " ", maxSplits: 3)
    return words.count == 3 && words[0].uppercased() == "TRACK" && Int(digits: words[1]) != nil
      && words[2].utf8.allSatisfy { Ascii.isLetter($0) || Ascii.isDigit($0) || $0 == UInt8(ascii: "/") }
  }

  /// Whether the first line with an arrow is a timing line of SubRip, with the arrow between two times. Such a line has
  /// no title, or follows a line with a cue number. The WebVTT reader reads SubRip as well.
  private static func isSubRip(_ lines: ArraySlice<String>) -> Bool {
    var previousLine = ""
    for line in lines {
      defer { previousLine = line }
      guard line.contains("-->") else { continue }
      let chapter = ChapterLine(1, line)
      guard let second = chapter.timeBeforeTitle?.secondTime else { return chapter.timeBeforeTitle == nil }
      let hasTitle = !chapter.title(from: second.rest.start, closing: second.rest.openBrackets).isEmpty
      return !hasTitle || !previousLine.isEmpty && previousLine.utf8.allSatisfy(Ascii.isDigit)
    }
    return false
  }
}
