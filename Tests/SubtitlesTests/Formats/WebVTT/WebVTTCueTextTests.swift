import SubtitleTestSupport
import Subtitles
import Testing

struct WebVTTCueTextTests {
  private static let bold = StyledText.Style(isBold: true)
  private static let italic = StyledText.Style(isItalic: true)
  private static let lime = StyledText.Color(red: 0, green: 255, blue: 0)

  private func read(_ text: String) throws -> (text: StyledText, notices: [SubtitleNotice]) {
    let file = try readWebVTT("00:01.000 --> 00:02.000\n\(text)\n")
    return (try #require(file.cues.first).text, file.notices)
  }

  private func kinds(_ text: String) throws -> [SubtitleNotice.Kind] { try read(text).notices.map(\.kind) }

  @Test func convertsTagsToStyles() throws {
    let (text, notices) = try read("<b>a</b><i>b</i><u>c</u><b.x><i>d</i></b>e")
    #expect(text.text == "abcde")
    #expect(
      text.runs == [
        StyledText.Run(0..<1, Self.bold), StyledText.Run(1..<2, Self.italic),
        StyledText.Run(2..<3, StyledText.Style(isUnderlined: true)),
        StyledText.Run(3..<4, StyledText.Style(isBold: true, isItalic: true)),
      ])
    #expect(notices.isEmpty)
  }

  @Test(arguments: [
    ("white", StyledText.Color.white), ("lime", Self.lime), ("cyan", StyledText.Color(red: 0, green: 255, blue: 255)),
    ("red", StyledText.Color(red: 255, green: 0, blue: 0)), ("yellow", StyledText.Color(red: 255, green: 255, blue: 0)),
    ("magenta", StyledText.Color(red: 255, green: 0, blue: 255)),
    ("blue", StyledText.Color(red: 0, green: 0, blue: 255)),
    ("black", StyledText.Color(red: 0, green: 0, blue: 0)),
  ])
  func convertsClassesToColours(name: String, color: StyledText.Color) throws {
    #expect(try read("<c.\(name)>a</c>").text.runs == [StyledText.Run(0..<1, StyledText.Style(color: color))])
    #expect(
      try read("<c.bg_\(name)>a</c>").text.runs == [StyledText.Run(0..<1, StyledText.Style(backgroundColor: color))])
  }

  @Test func ignoresOtherClasses() throws {
    let (text, notices) = try read("<c.loud.Red>a</c><c>b</c>")
    #expect(text == StyledText("ab"))
    #expect(notices.isEmpty)
  }

  @Test func restoresTheOuterColour() throws {
    let (text, _) = try read("<c.lime>a<c.red.bg_black>b</c>c</c>d")
    #expect(text.text == "abcd")
    #expect(
      text.runs == [
        StyledText.Run(0..<1, StyledText.Style(color: Self.lime)),
        StyledText.Run(
          1..<2,
          StyledText.Style(
            color: StyledText.Color(red: 255, green: 0, blue: 0),
            backgroundColor: StyledText.Color(red: 0, green: 0, blue: 0))),
        StyledText.Run(2..<3, StyledText.Style(color: Self.lime)),
      ])
  }

  @Test(arguments: [
    ("<v Ann>a</v>", "Ann"), ("<v.loud Ann>a", "Ann"), ("<v  Ann \t Lee >a", "Ann Lee"), ("<v Q&amp;A>a", "Q&A"),
    ("<v\nAnn>a", "Ann"),
  ])
  func voices(text: String, name: String) throws {
    let (styled, notices) = try read(text)
    #expect(styled.text == "a")
    #expect(styled.runs == [StyledText.Run(0..<1, StyledText.Style(voice: name))])
    #expect(notices.isEmpty)
  }

  @Test func ignoresAVoiceWithoutName() throws {
    #expect(try read("<v>a</v>").text == StyledText("a"))
  }

  @Test func ignoresLanguageTags() throws {
    let (text, notices) = try read("<lang en-GB>a</lang>b")
    #expect(text == StyledText("ab"))
    #expect(notices.isEmpty)
  }

  // MARK: - The cases of tree-building

  @Test(arguments: [
    ("<ruby>test<rt>test", "test(test)"), ("<ruby>test<rt>test</rt>test", "test(test)test"),
    ("<ruby>test<rt>test</rt></ruby>test", "test(test)test"), ("<ruby>test<rt>test</ruby>test", "test(test)test"),
    ("<ruby>test<rt><b>test</b></ruby>test", "test(test)test"),
  ])
  func writesRubyInParentheses(source: String, shown: String) throws {
    let (text, notices) = try read(source)
    #expect(text.text == shown)
    #expect(notices.map(\.kind) == [.inexpressibleStyle])
  }

  @Test func keepsInnerTagsOpenAtTheEndOfRuby() throws {
    let (text, notices) = try read("<ruby>a<rt><b>b</rt></ruby>c")
    #expect(text.text == "a(bc)")
    #expect(text.runs == [StyledText.Run(2..<4, Self.bold)])
    #expect(notices.map(\.kind) == [.inexpressibleStyle, .strayTag, .unclosedTag])
  }

  @Test func ignoresRubyTextOutsideRuby() throws {
    let (text, notices) = try read("<rt>a</rt>")
    #expect(text.text == "a")
    #expect(notices.map(\.kind) == [.unknownTag, .strayTag])
  }

  @Test func closesOnlyTheInnermostOfCrossedTags() throws {
    let (text, notices) = try read("<i>a<b>b</i>c</b>d")
    #expect(text.runs.map(\.range) == [0..<1, 1..<3, 3..<4])
    #expect(text.runs.map(\.style.isBold) == [false, true, false])
    #expect(text.runs.allSatisfy { $0.style.isItalic })
    #expect(notices.map(\.kind) == [.strayTag, .unclosedTag])
  }

  // MARK: - What is not a tag

  @Test(arguments: ["1 < 2", "I <3 you", "<3 > 2", "a <", "a <b", "<-- x", "<=>", "<é>"])
  func keepsTextThatResemblesATag(text: String) throws {
    let (styled, notices) = try read(text)
    #expect(styled.text == text)
    #expect(notices.map(\.kind) == [.tagAsText])
  }

  @Test func dropsUnknownWebVTTTagsAndKeepsTheirText() throws {
    let (text, notices) = try read("<font color=\"red\">a</font><x>b<B>c")
    #expect(text.text == "abc")
    #expect(notices.map(\.kind) == [.unknownTag, .strayTag])
    #expect(notices[0].lostText == "<font color=\"red\"> <x> <B>")
  }

  @Test func reportsUnexpectedAnnotations() throws {
    let (text, notices) = try read("<b and so>a</b>")
    #expect(text.text == "a")
    #expect(notices.map(\.lostText) == ["and so"])
  }

  @Test func dropsEmptyTags() throws {
    #expect(try read("a<>b</>c").text.text == "abc")
    #expect(try kinds("a<>b</>c") == [.unknownTag, .strayTag])
  }

  @Test func dropsInnerTimestamps() throws {
    let (text, notices) = try read("<00:01.200>one <00:00:01.500><c>two</c>")
    #expect(text == StyledText("one two"))
    #expect(notices.map(\.kind) == [.inexpressibleStyle])
    #expect(notices[0].message.hasSuffix("(and 1 more in this cue)"))
  }

  // MARK: - The cases of entities

  @Test(arguments: [
    ("&amp;", "&"), ("&lt;b&gt;", "<b>"), ("&nbsp;x", "\u{A0}x"), ("x&lrm;x", "x\u{200E}x"), ("x&rlm;x", "x\u{200F}x"),
    ("&#65;", "A"), ("&#x1F600;", "😀"), ("&", "&"), ("&&amp;", "&&"), ("&unknown;", "&unknown;"), ("&#;", "&#;"),
    ("&#x110000;", "&#x110000;"), ("A&amp", "A&amp"), ("&AMP;", "&AMP;"), ("&#xD800;", "&#xD800;"),
  ])
  func entities(source: String, shown: String) throws {
    #expect(try read(source).text.text == shown)
  }

  @Test func trimsBlanksAndBlankLines() throws {
    let (text, notices) = try read(" \n  <i> a b </i> \n ")
    #expect(text.text == "a b")
    #expect(text.runs == [StyledText.Run(0..<3, Self.italic)])
    #expect(notices.isEmpty)
  }

  @Test func reportsLinesOfNotices() throws {
    let file = try readWebVTT("00:01.000 --> 00:02.000\na\n<x>b\n\n00:03.000 --> 00:04.000\na\nb\n</i>\n")
    #expect(file.notices.map(\.line) == [5, 10])
  }
}
