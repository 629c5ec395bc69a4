/// Reads SubRip (`.srt`) as it is found.
///
/// What numbers before the cues say does not matter; times may have any number of hours and fraction digits; cues may
/// follow one another without a blank line, and blank lines may stand in a cue. Tags, the overrides that other formats
/// leave in converted files, and character references become styles, places and characters. Whatever is repaired or
/// dropped is reported in a notice, with the text that is lost.
///
///     let file = try SubtitleFile.read(Array("00:00:01,000 --> 00:00:02,500\nHello\n".utf8))
///     print(file.cues[0].text.text)  // Hello
package enum SubRipReader {
  /// Reads a decoded file, whose notices come first. Cues keep the order of the file; they may overlap.
  ///
  /// Throws when there is no cue at all, or when a limit is passed. Costs a few passes over the bytes.
  package static func read(
    _ text: SubtitleText, limits: SubtitleLimits = SubtitleLimits()
  ) throws(SubtitleError) -> SubtitleFile {
    var scan = SubRipScan(
      text: NormalizedLine.withPlainTimes(text.utf8), limits: limits, notices: NoticeList(limits, text.notices))
    try scan.run()
    guard !scan.cues.isEmpty else { throw SubtitleError(.noCues, scan.reasonForNoCues) }
    return SubtitleFile(cues: scan.cues, droppedCueCount: scan.droppedCueCount, notices: scan.notices.finished)
  }
}
