import SubtitleTestSupport
import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// Writing cues as files.
struct SubtitleWriterTests {
  private let cues = [
    Cue(
      startMilliseconds: 3_600_000 * 101 + 61_001, endMilliseconds: 3_600_000 * 101 + 62_000,
      text: StyledText(
        "One two",
        runs: [
          .init(
            0..<3,
            StyledText.Style(isBold: true, isItalic: true, color: StyledText.Color(red: 255, green: 255, blue: 0))),
          .init(4..<7, StyledText.Style(isUnderlined: true, color: StyledText.Color(red: 18, green: 52, blue: 86))),
        ]) ?? StyledText(""), placement: Cue.Placement(vertical: .top)),
    Cue(
      startMilliseconds: 5, endMilliseconds: 900, text: StyledText("1 < 2 <b> & &lt; {x} \n\n--> \\N"),
      placement: Cue.Placement(vertical: .fromTop(hundredthsOfPercent: 1_205), horizontal: .right), isForced: true),
    Cue(
      startMilliseconds: 900, endMilliseconds: 1_000,
      text: StyledText(
        "Hi", runs: [.init(0..<2, StyledText.Style(backgroundColor: .init(red: 0, green: 0, blue: 0), voice: "A & B"))])
        ?? StyledText("")),
  ]

  @Test func writesSubRipTagsPlacementAndMarks() {
    let written = SubRipWriter.write(cues)
    #expect(
      String(decoding: written.bytes, as: UTF8.self) == """
        1
        101:01:01,001 --> 101:01:02,000
        {\\an8}<font color="#ffff00"><b><i>One</i></b></font> <font color="#123456"><u>two</u></font>

        2
        00:00:00,005 --> 00:00:00,900 !!!
        {\\an9}1 < 2 &lt;b> & &amp;lt; {x} 

        --&gt; &#92;N

        3
        00:00:00,900 --> 00:00:01,000
        Hi

        """)
    #expect(written.notices.map(\.kind) == [.approximatedPlacement, .inexpressibleStyle])
  }

  @Test(
    arguments: [
      ("I <3 you & <sighs> AT&T; {laughs} <b", nil), ("</x> <x/>", "&lt;/x> &lt;x/>"), ("<B x>", "&lt;B x>"),
      ("<v Bob> <b\n>", "&lt;v Bob> <b\n>"), ("&amp; &nosuch; &#65;", "&amp;amp; &nosuch; &amp;#65;"),
      ("{\\an8} {y:i} {b} {/u} {x:y} {bb}", "&#123;\\an8} &#123;y:i} &#123;b} &#123;/u} {x:y} {bb}"),
      ("C:\\new\\home a\\Nb\\h", "C:\\new\\home a&#92;Nb&#92;h"),
    ] as [(String, String?)])
  func escapesOnlyMarkup(text: String, written: String?) throws {
    let bytes = SubRipWriter.write([Cue(startMilliseconds: 0, endMilliseconds: 9, text: StyledText(text))]).bytes
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(",009\n\(written ?? text)\n"))
    #expect(try SubRipReader.read(bytes).cues.map(\.text.text) == [text])
  }

  @Test func escapesPathsBesideTags() throws {
    let text = try #require(StyledText("C:\\New", runs: [.init(2..<6, StyledText.Style(isItalic: true))]))
    let bytes = SubRipWriter.write([Cue(startMilliseconds: 0, endMilliseconds: 9, text: text)]).bytes
    #expect(try SubRipReader.read(bytes).cues.map(\.text) == [text])
  }

  @Test func writesWebVTTClassesSettingsAndVoices() {
    let written = WebVTTWriter.write(cues)
    #expect(
      String(decoding: written.bytes, as: UTF8.self) == """
        WEBVTT

        STYLE
        ::cue(.yellow) { color: #ffff00 }

        STYLE
        ::cue(.x123456ff) { color: #123456 }

        STYLE
        ::cue(.bg_black) { background-color: #000000 }

        101:01:01.001 --> 101:01:02.000 line:0
        <c.yellow><b><i>One</i></b></c> <c.x123456ff><u>two</u></c>

        00:00:00.005 --> 00:00:00.900 line:12.05% align:right
        1 &lt; 2 &lt;b&gt; &amp; &amp;lt; {x} 
        <b></b>
        --&gt; \\N

        00:00:00.900 --> 00:00:01.000
        <v A &amp; B><c.bg_black>Hi</c></v>

        """)
    #expect(written.notices.map(\.kind) == [.inexpressibleStyle])
  }

  @Test func roundTripsWebVTTTextAndSettings() throws {
    let read = try WebVTTReader.read(WebVTTWriter.write(cues).bytes).cues
    #expect(read.map(\.text) == cues.map(\.text))
    #expect(read.map(\.placement) == cues.map(\.placement))
  }

  @Test func writesAnEmptyFileWithoutCues() {
    #expect(SubRipWriter.write([]).bytes == [])
    #expect(WebVTTWriter.write([]).bytes == Array("WEBVTT\n".utf8))
  }
}
