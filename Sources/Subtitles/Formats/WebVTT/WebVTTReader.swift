/// Reads WebVTT (`.vtt`) by the rules of its specification, so that the cues are those that a browser shows.
///
/// Tags, classes and the style sheets of the file become styles; settings and regions become places. Cues that HLS
/// repeats in several segments are taken once where segments were put together. What a browser would drop is dropped,
/// but reported in a notice with the text that is lost; `<` that begins no tag is kept as text. Times that players drop
/// are read as those of SubRip: with a comma, a short fraction, signs beside them.
///
///     let file = try SubtitleFile.read(Array("WEBVTT\n\n00:01.000 --> 00:02.500\nHello\n".utf8))
///     print(file.cues[0].text.text)  // Hello
package enum WebVTTReader {
  /// Reads a decoded file, whose notices come first. Cues keep the order of the file; they may overlap.
  ///
  /// Where files were put together into one, each with its own `WEBVTT`, `partMilliseconds` is the duration of each.
  /// Throws when the text does not begin with `WEBVTT`, when there is no cue at all, or when a limit is passed. Costs a
  /// few passes over the bytes.
  package static func read(
    _ text: SubtitleText, partMilliseconds: Int64? = nil, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> SubtitleFile {
    var scan = WebVTTScan(
      text: text.utf8, limits: limits, notices: NoticeList(limits, text.notices), partMilliseconds: partMilliseconds)
    try scan.run()
    guard !scan.cues.isEmpty else { throw SubtitleError(.noCues, scan.reasonForNoCues) }
    var file = SubtitleFile(
      cues: scan.cues, droppedCueCount: scan.droppedCueCount, notices: scan.notices.finished)
    file.language = scan.language
    file.partCount = scan.segment + 1
    file.webVTT = scan.source
    file.webVTT?.setReadCues(scan.cues)
    return file
  }

  /// What is said of a file that is to be WebVTT and is not.
  static let missingSignature = SubtitleError(
    .format, line: 1, at: 0, "not WebVTT: the first line does not begin with WEBVTT")

  /// Whether the text begins as WebVTT does: with `WEBVTT` and a blank, a line end or nothing (WebVTT, clause 6.1).
  static func isWebVTT(_ utf8: some Sequence<UInt8>) -> Bool {
    var rest = utf8.makeIterator()
    for byte in "WEBVTT".utf8 where rest.next() != byte { return false }
    return rest.next().map { Ascii.isBlank($0) || $0 == Ascii.lineFeed || $0 == Ascii.carriageReturn } ?? true
  }
}
