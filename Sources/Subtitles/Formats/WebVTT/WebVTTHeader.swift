/// The header of WebVTT, by which the source text of its cues in samples of a movie is read.
package struct WebVTTHeader {
  /// The file's first line with the blocks of styles and regions; `nil` where there is no header.
  package let text: String?
  private let styleSheet: WebVTTStyleSheet
  private let regions: [String: WebVTTRegion]
  /// Whether a style sheet says something that no style of a text is.
  private let hasOtherStyles: Bool
  private let hasComments: Bool

  /// No header: the styles of the browser, and no region.
  package init() {
    text = nil
    styleSheet = WebVTTStyleSheet()
    regions = [:]
    (hasOtherStyles, hasComments) = (false, false)
  }

  /// Reads what stands before the first cue of a file. Throws where that is not WebVTT, or passes a limit.
  package init(_ bytes: [UInt8], limits: SubtitleLimits = SubtitleLimits()) throws(SubtitleError) {
    var scan = WebVTTScan(text: bytes, limits: limits, notices: NoticeList(limits))
    try scan.run()
    (text, styleSheet, regions) = (scan.source.header, scan.styleSheet, scan.regions)
    hasComments = scan.hasComments
    let styles: Set<SubtitleNotice.Kind> = [.ignoredStyleRule, .unknownColor, .furtherNotices]
    hasOtherStyles = scan.notices.finished.contains { styles.contains($0.kind) }
  }

  /// The header of a file that these cues are to be written to.
  package init(of cues: [Cue]) {
    var writer = SubtitleTextWriter()
    writer.writeWebVTTHeader(of: cues)
    text = String(decoding: writer.bytes, as: UTF8.self)
    styleSheet = WebVTTStyleSheet()
    regions = [:]
    (hasOtherStyles, hasComments) = (false, false)
  }

  /// The text of a cue, as a browser shows it. What players drop in silence is dropped.
  package func styledText(of text: [UInt8]) -> StyledText {
    var parser = WebVTTCueText(text, styleSheet: styleSheet)
    var notices = NoticeList(SubtitleLimits())
    return parser.parse(&notices)
  }

  /// The place that a cue's settings name.
  package func placement(of settings: [UInt8]) -> CuePlacement {
    let settings = WebVTTCueSettings(settings)
    return settings.placement(in: settings.region.flatMap { regions[$0] })
  }
}

// What styled text and its track do not support, for messages.
extension WebVTTHeader {
  /// The features of the header that are in no cue.
  package var unsupportedFeatures: [String] {
    var features: [String] = []
    // Text looks as the style sheet says, as far as text of a movie can.
    if hasOtherStyles { features.append("style rules (STYLE) other than text faces, colors and font sizes") }
    if !regions.isEmpty { features.append("regions (REGION)") }
    if hasComments { features.append("comments (NOTE)") }
    let lines = (text ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    let isPlain = lines.first.map { $0.utf8.dropFirst(6).allSatisfy(Ascii.isBlank) } ?? true  // After "WEBVTT".
    if !isPlain || !(lines.dropFirst().first?.isEmpty ?? true) { features.append("header text") }
    return features
  }

  /// The features of a cue's text beside text styles.
  package func unsupportedFeatures(ofCueText text: [UInt8]) -> [String] {
    var parser = WebVTTCueText(text, styleSheet: styleSheet)
    var notices = NoticeList(SubtitleLimits())
    let styles = parser.parse(&notices).runs.map(\.style)
    let subjects = Set(notices.finished.filter { $0.kind == .inexpressibleStyle }.map(\.subject))
    var features: [String] = []
    if styles.contains(where: { $0.voice != nil }) { features.append("voices (speaker names)") }
    if styles.contains(where: { $0.backgroundColor != nil }) { features.append("text background colors") }
    if parser.hasClassesWithoutStyle { features.append("classes") }
    if parser.namesLanguages { features.append("languages") }
    if subjects.contains("time") { features.append("timestamps in cue text") }
    if subjects.contains("ruby") { features.append("ruby text, which is in parentheses") }
    return features
  }

  /// The milliseconds of `00:00:01.500`; `nil` for anything else.
  package static func milliseconds(of time: [UInt8]) -> Int64? {
    var reader = WebVTTTimeReader(time[...])
    return reader.readTime()
  }
}

extension StyledText {
  /// The text with the tags of WebVTT.
  package var webVTT: [UInt8] {
    var writer = SubtitleTextWriter()
    writer.write(webVTT: self)
    return writer.bytes
  }
}

/// Reads the lines of a text one by one; CR, LF and CR LF end one.
///
/// Nothing is kept of the lines, so that a file of nothing but line ends takes no room.
struct TextLines {
  /// A line without its end.
  struct Line {
    /// The bytes of the text.
    let range: Range<Int>
    /// The number, from 1.
    let number: Int
    /// The start of the next line.
    fileprivate let next: Int

    var isEmpty: Bool { range.isEmpty }
  }

  private let text: [UInt8]
  private var position = 0
  private var number = 1
  /// Whether a blank line after each line is left out.
  let isSpaced: Bool

  init(_ text: [UInt8], isSpaced: Bool = false) {
    self.text = text
    self.isSpaced = isSpaced
  }

  /// The lines of a text; where each is followed by a blank one, without these.
  init(unspacing text: [UInt8]) {
    self.init(text, isSpaced: Self.isSpaced(text))
  }

  /// Whether no two lines follow one another without a blank one between, in a text of more than two lines with times.
  private static func isSpaced(_ text: [UInt8]) -> Bool {
    var lines = TextLines(text)
    var count = 0
    var isAfterLine = false
    var hasArrow = false
    while let line = lines.upcoming {
      lines.take(line)
      guard line.isEmpty || !isAfterLine else { return false }
      isAfterLine = !line.isEmpty
      if isAfterLine { count += 1 }
      hasArrow = hasArrow || SubRipTiming.arrow(text, line.range) != nil
    }
    return count > 2 && hasArrow
  }

  /// The next line; `nil` at the end of the text.
  var upcoming: Line? {
    guard position < text.count else { return nil }
    var end = position
    while end < text.count, text[end] != Ascii.lineFeed, text[end] != Ascii.carriageReturn { end += 1 }
    var next = min(end + 1, text.count)
    if end < text.count, text[end] == Ascii.carriageReturn, next < text.count, text[next] == Ascii.lineFeed {
      next += 1
    }
    return Line(range: position..<end, number: number, next: next)
  }

  /// Continues after `line`.
  mutating func take(_ line: Line) {
    position = line.next
    number = line.number + 1
    if isSpaced, !line.isEmpty, let blank = upcoming, blank.isEmpty { (position, number) = (blank.next, number + 1) }
  }
}
