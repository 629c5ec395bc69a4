/// The header of WebVTT, by which the source text of its cues in samples of a movie is read.
package struct WebVTTHeader {
  /// The file's first line with the blocks of styles and regions; `nil` where there is no header.
  package let text: String?
  private let styleSheet: WebVTTStyleSheet
  private let regions: [String: WebVTTRegion]

  /// No header: the styles of the browser, and no region.
  package init() {
    text = nil
    styleSheet = WebVTTStyleSheet()
    regions = [:]
  }

  /// Reads what stands before the first cue of a file. Throws where that is not WebVTT, or passes a limit.
  package init(_ bytes: [UInt8], limits: SubtitleLimits = SubtitleLimits()) throws(SubtitleError) {
    var scan = WebVTTScan(text: bytes, limits: limits, notices: NoticeList(limits))
    try scan.run()
    (text, styleSheet, regions) = (scan.source.header, scan.styleSheet, scan.regions)
  }

  /// The header of a file that these cues are to be written to.
  package init(of cues: [Cue]) {
    var writer = SubtitleTextWriter()
    writer.writeWebVTTHeader(of: cues)
    text = String(decoding: writer.bytes, as: UTF8.self)
    styleSheet = WebVTTStyleSheet()
    regions = [:]
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

extension WebVTTHeader {
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
