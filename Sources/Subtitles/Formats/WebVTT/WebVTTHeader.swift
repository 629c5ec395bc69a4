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
