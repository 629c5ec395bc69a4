/// The header of a WebVTT file, as a WebVTT track stores it.
///
/// The sample description of the track contains the header, and each sample contains the source of a cue. The style
/// sheets and regions in the header determine the appearance of every cue.
package struct WebVTTHeader {
  /// The first line of the file and its style and region blocks, or `nil` if there is no header.
  package let text: String?
  private let styleSheet: WebVTTStyleSheet
  private let regions: [String: WebVTTRegion]
  /// Whether a style sheet contains rules that text styles do not support.
  private let hasOtherStyles: Bool
  private let hasComments: Bool

  /// Creates an empty header with the default styles and no regions.
  package init() {
    text = nil
    styleSheet = WebVTTStyleSheet()
    regions = [:]
    (hasOtherStyles, hasComments) = (false, false)
  }

  /// Parses the text of a file before its first cue. Throws if the text is not WebVTT or exceeds a limit.
  package init(_ bytes: [UInt8], limits: SubtitleLimits = SubtitleLimits()) throws(SubtitleError) {
    var scan = WebVTTScan(text: bytes, limits: limits, notices: NoticeList(limits))
    try scan.run()
    (text, styleSheet, regions) = (scan.source.header, scan.styleSheet, scan.regions)
    hasComments = scan.hasComments
    let styles: Set<SubtitleNotice.Kind> = [.ignoredStyleRule, .unknownColor, .furtherNotices]
    hasOtherStyles = scan.notices.finished.contains { styles.contains($0.kind) }
  }

  /// Creates the header of a file that contains the given cues.
  package init(of cues: [Cue]) {
    var writer = SubtitleTextWriter()
    writer.writeWebVTTHeader(of: cues)
    text = String(decoding: writer.bytes, as: UTF8.self)
    styleSheet = WebVTTStyleSheet()
    regions = [:]
    (hasOtherStyles, hasComments) = (false, false)
  }

  /// Returns the text of a cue with the styles that a browser shows.
  package func styledText(of text: [UInt8]) -> StyledText {
    var parser = WebVTTCueText(text, styleSheet: styleSheet)
    var notices = NoticeList(SubtitleLimits())
    return parser.parse(&notices)
  }

  /// Returns the placement that a cue's settings declare.
  package func placement(of settings: [UInt8]) -> Cue.Placement {
    let settings = WebVTTCueSettings(settings)
    return settings.placement(in: settings.region.flatMap { regions[$0] })
  }
}

// Names of the features that cues do not support, for messages.
extension WebVTTHeader {
  /// The unsupported features of the header.
  package var unsupportedFeatures: [String] {
    var features: [String] = []
    // Only unsupported rules are reported. The styles of the text contain the effect of supported rules.
    if hasOtherStyles { features.append("style rules (STYLE) other than text faces, colors and font sizes") }
    if !regions.isEmpty { features.append("regions (REGION)") }
    if hasComments { features.append("comments (NOTE)") }
    let lines = (text ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    // The line begins with "WEBVTT", so examine the text after these six characters.
    let isPlain = lines.first.map { $0.utf8.dropFirst(6).allSatisfy(Ascii.isBlank) } ?? true
    if !isPlain || !(lines.dropFirst().first?.isEmpty ?? true) { features.append("header text") }
    return features
  }

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
    if subjects.contains("ruby") { features.append("ruby text (shown in parentheses)") }
    return features
  }

  /// Parses a time such as `00:00:01.500` into milliseconds, or returns `nil` for other texts.
  package static func milliseconds(of time: [UInt8]) -> Int64? {
    var reader = WebVTTTimeReader(time[...])
    return reader.readTime()
  }
}

extension StyledText {
  /// The text with WebVTT tags.
  package var webVTT: [UInt8] {
    var writer = SubtitleTextWriter()
    writer.write(webVTT: self)
    return writer.bytes
  }
}

/// Iterates over the lines of a text. CR, LF and CR LF end a line.
///
/// Lines are not stored. A file that contains only line breaks therefore needs no memory for its lines.
struct TextLines {
  /// A line without its line break.
  struct Line {
    /// The range of the line in the text.
    let range: Range<Int>
    /// The line number, from 1.
    let number: Int
    /// The position of the next line.
    fileprivate let next: Int

    var isEmpty: Bool { range.isEmpty }
  }

  private let text: [UInt8]
  private var position = 0
  private var number = 1
  /// Whether the blank line after each line is skipped.
  let hasBlankLinesBetween: Bool

  init(_ text: [UInt8], hasBlankLinesBetween: Bool = false) {
    self.text = text
    self.hasBlankLinesBetween = hasBlankLinesBetween
  }

  /// Creates the lines of a text. If a blank line follows every line, the blank lines are skipped.
  init(unspacing text: [UInt8]) {
    self.init(text, hasBlankLinesBetween: Self.hasBlankLinesBetween(text))
  }

  /// Whether a blank line follows every line. The text must contain times and more than two lines.
  private static func hasBlankLinesBetween(_ text: [UInt8]) -> Bool {
    var lines = TextLines(text)
    var count = 0
    var isAfterLine = false
    var hasArrow = false
    while let line = lines.nextLine {
      lines.advance(past: line)
      guard line.isEmpty || !isAfterLine else { return false }
      isAfterLine = !line.isEmpty
      if isAfterLine { count += 1 }
      hasArrow = hasArrow || SubRipTiming.arrow(text, line.range) != nil
    }
    return count > 2 && hasArrow
  }

  /// The next line, or `nil` at the end of the text.
  var nextLine: Line? {
    guard position < text.count else { return nil }
    var end = position
    while end < text.count, text[end] != Ascii.lineFeed, text[end] != Ascii.carriageReturn { end += 1 }
    var next = min(end + 1, text.count)
    if end < text.count, text[end] == Ascii.carriageReturn, next < text.count, text[next] == Ascii.lineFeed {
      next += 1
    }
    return Line(range: position..<end, number: number, next: next)
  }

  mutating func advance(past line: Line) {
    position = line.next
    number = line.number + 1
    if hasBlankLinesBetween, !line.isEmpty, let blank = nextLine, blank.isEmpty {
      (position, number) = (blank.next, number + 1)
    }
  }
}
