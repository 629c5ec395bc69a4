import Subtitles
import Testing

/// A WebVTT file whose cues a program has changed: changes are written, everything else is kept verbatim.
struct ChangedWebVTTTests {
  private let source = """
    WEBVTT

    first
    00:01.000 --> 00:02.000 line:20%
    <ruby>Good morning<rt>1</rt></ruby>

    second
    00:03.000 --> 00:04.000
    <ruby>Good night<rt>2</rt></ruby>

    """

  @Test func writesChangedText() throws {
    var file = try SubtitleFile.read(Array(source.utf8), named: "film.vtt")
    file.cues[0].text = StyledText("Guten Morgen")
    let lines = String(decoding: file.written(as: .webVTT).bytes, as: UTF8.self).split(separator: "\n")
    #expect(
      lines == [
        "WEBVTT", "first", "00:00:01.000 --> 00:00:02.000 line:20%", "Guten Morgen", "second",
        "00:00:03.000 --> 00:00:04.000", "<ruby>Good night<rt>2</rt></ruby>",
      ])
  }

  @Test func writesChangedPlacement() throws {
    var file = try SubtitleFile.read(Array(source.utf8), named: "film.vtt")
    file.cues[1].placement.vertical = .top
    let text = String(decoding: file.written(as: .webVTT).bytes, as: UTF8.self)
    #expect(text.contains("00:00:03.000 --> 00:00:04.000 line:0\n"))
  }

  @Test func writesTheCuesIfTheirNumberChanged() throws {
    var file = try SubtitleFile.read(Array(source.utf8), named: "film.vtt")
    file.cues.removeLast()
    let text = String(decoding: file.written(as: .webVTT).bytes, as: UTF8.self)
    #expect(text.contains("Good morning") && !text.contains("ruby") && !text.contains("night"))
  }
}
