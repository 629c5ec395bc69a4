import SubtitleTestSupport
import Subtitles
import Testing

struct CueMarkupTests {
  private static let italic = StyledText.Style(isItalic: true)
  private static let bold = StyledText.Style(isBold: true)
  private static let red = StyledText.Style(color: StyledText.Color(red: 255, green: 0, blue: 0))
  private static let blue = StyledText.Style(color: StyledText.Color(red: 0, green: 0, blue: 255))

  private func read(_ text: String) throws -> (text: StyledText, kinds: [SubtitleNotice.Kind]) {
    let file = try readSubRip("1\n0:0:1,000 --> 0:0:2,000\n\(text)\n")
    return (try #require(file.cues.first).text, file.kinds)
  }

  @Test func convertsTagsToRuns() throws {
    let (text, kinds) = try read("<b>Bold</b> <I>italic</I> <u>under</u>")
    #expect(text.text == "Bold italic under")
    #expect(
      text.runs == [
        StyledText.Run(0..<4, Self.bold), StyledText.Run(5..<11, Self.italic),
        StyledText.Run(12..<17, StyledText.Style(isUnderlined: true)),
      ])
    #expect(kinds.isEmpty)
  }

  @Test func combinesNestedTags() throws {
    let (text, _) = try read("<i>a<b>b</b>c</i>")
    #expect(
      text.runs == [
        StyledText.Run(0..<1, Self.italic), StyledText.Run(1..<2, StyledText.Style(isBold: true, isItalic: true)),
        StyledText.Run(2..<3, Self.italic),
      ])
  }

  @Test func closesCrossedTagsByKind() throws {
    let (text, kinds) = try read("<i>a<b>b</i>c</b>d")
    #expect(
      text.runs == [
        StyledText.Run(0..<1, Self.italic), StyledText.Run(1..<2, StyledText.Style(isBold: true, isItalic: true)),
        StyledText.Run(2..<3, Self.bold),
      ])
    #expect(kinds.isEmpty)
  }

  @Test func restoresTheOuterColour() throws {
    let (text, kinds) = try read("<font color=\"#FF0000\">a<FONT COLOR=blue>b</FONT>c</font>d")
    #expect(text.text == "abcd")
    #expect(
      text.runs == [
        StyledText.Run(0..<1, Self.red), StyledText.Run(1..<2, Self.blue), StyledText.Run(2..<3, Self.red),
      ])
    #expect(kinds.isEmpty)
  }

  @Test(arguments: ["#FF0000", "ff0000", "#F00", "red", "RED"])
  func parsesColoursInAnySpelling(color: String) throws {
    for quote in ["", "\"", "'"] {
      #expect(
        try read("<font color = \(quote)\(color)\(quote) >a</font>").text.runs == [StyledText.Run(0..<1, Self.red)])
    }
  }

  @Test func dropsAnInvalidColourWithNotice() throws {
    for color in ["#FF00", "reddish", "#GGGGGG", "", "#ééé"] {
      let (text, kinds) = try read("<font color=\"\(color)\">a</font>")
      #expect(text == StyledText("a"))
      #expect(kinds == [.unknownColor])
    }
  }

  @Test func dropsFontAndStrikethroughWithNotice() throws {
    let (text, kinds) = try read("<font face=\"Arial\" size=20>a</font><s>b</s>")
    #expect(text == StyledText("ab"))
    #expect(kinds == [.inexpressibleStyle])
  }

  @Test func endsUnclosedTagsWithTheCue() throws {
    let file = try readSubRip("0:0:1,000 --> 0:0:2,000\na<i>b\nc\n\n0:0:2,000 --> 0:0:3,000\nd")
    #expect(file.cues.map(\.text.runs) == [[StyledText.Run(1..<4, Self.italic)], []])
    #expect(file.kinds == [.unclosedTag])
  }

  @Test func dropsStrayClosingTagsWithNotice() throws {
    let (text, kinds) = try read("a</i>b</font>c</b>")
    #expect(text == StyledText("abc"))
    #expect(kinds == [.strayTag])
  }

  @Test func continuesRunsOverLines() throws {
    let (text, _) = try read("<i>one\ntwo</i>")
    #expect(text.runs == [StyledText.Run(0..<7, Self.italic)])
  }

  @Test func mergesAdjacentRunsOfEqualStyle() throws {
    #expect(try read("<i>a</i><i>b</i>").text.runs == [StyledText.Run(0..<2, Self.italic)])
  }

  @Test func offsetsCountCodePoints() throws {
    let (text, _) = try read("é日😀<i>x</i>")
    #expect(text.runs == [StyledText.Run(3..<4, Self.italic)])
  }

  @Test func dropsInexpressibleOverridesWithNotice() throws {
    let (text, kinds) = try read("{\\fad(200,200)\\blur2}Up {\\pos(10,20)}there")
    #expect(text == StyledText("Up there"))
    #expect(kinds == [.droppedOverride])
    #expect(try read("{b}a{/b} {c} {").text == StyledText("a {c} {", runs: [StyledText.Run(0..<1, Self.bold)]))
    #expect(try read("{\\an8 open").text == StyledText("{\\an8 open"))
  }

  @Test func keepsALessThanSignWithoutALetter() throws {
    for text in ["I <3 you", "a << b", "1 < 2 > 0", "<", "a <", "</ b>", "a <b", "x <y <"] {
      let (read, kinds) = try read(text)
      #expect(read == StyledText(text))
      #expect(kinds.isEmpty)
    }
  }

  @Test func dropsUnknownTagsAndKeepsTheirText() throws {
    let (text, kinds) = try read("<c.yellow>a</c><v Bob>b")
    #expect(text == StyledText("ab"))
    #expect(kinds == [.unknownTag])
  }

  @Test func convertsLineBreakTags() throws {
    #expect(try read("a<br>b<br/>c<br />").text == StyledText("a\nb\nc"))
  }

  @Test func decodesEntitiesAfterTags() throws {
    let (text, kinds) = try read("&lt;i&gt; &amp;amp; a&nbsp;b &eacute; &nosuch; & &l")
    #expect(text == StyledText("<i> &amp; a\u{A0}b é &nosuch; & &l"))
    #expect(kinds.isEmpty)
  }

  @Test func removesALineOfTags() throws {
    let (text, _) = try read("{\\an8}\n<i>a\n</i>")
    #expect(text == StyledText("a", runs: [StyledText.Run(0..<1, Self.italic)]))
  }
}
