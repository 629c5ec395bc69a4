import SubtitleTestSupport
import Subtitles
import Testing

/// The contents of a file determine its format, not the file name.
struct SubtitleFileReadingTests {
  private static let webVTT = "WEBVTT\n\n00:01.000 --> 00:02.000\n<c.red>a\n"
  private static let subRip = "1\n00:00:01,000 --> 00:00:02,000\na\n"

  private func read(_ text: String, _ name: String?) throws(SubtitleError) -> SubtitleFile {
    try SubtitleFile.read(Array(text.utf8), named: name)
  }

  @Test func detectsTheFormatByContents() throws {
    #expect(try read(Self.webVTT, "a.vtt").cues[0].text.runs.count == 1)
    #expect(try read(Self.webVTT, nil).cues[0].text.runs.count == 1)
    #expect(try read("\u{FEFF}" + Self.webVTT, "A.VTT").cues[0].text.runs.count == 1)
    #expect(try read(Self.subRip, "a.srt").notices.isEmpty)
    #expect(try read(Self.subRip, "a.txt").notices.isEmpty)
  }

  @Test func reportsAMisleadingFileName() throws {
    let webVTT = try read(Self.webVTT, "a.srt")
    #expect(webVTT.cues[0].text.runs.count == 1)
    #expect(webVTT.kinds.first == .otherFormat)
    #expect(try read(Self.subRip, "a.vtt").kinds == [.otherFormat])
    #expect(try read(Self.webVTT, "a.txt").kinds == [.unclosedTag])
  }

  @Test func rejectsAnInvalidWebVTTFile() {
    #expect(
      throws: SubtitleError(
        .format, line: 1, at: 0, "the file is not WebVTT: the first line does not begin with WEBVTT")
    ) {
      try read("words\n", "a.vtt")
    }
    #expect(throws: SubtitleError(.noCues, "no cues: the file is empty")) { try read("", "a.srt") }
  }
}
