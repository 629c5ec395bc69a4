import SubtitleTestSupport
import Subtitles
import Testing

struct VoiceTests {
  private func named(_ text: String) throws -> StyledText {
    try #require(readWebVTT("00:01.000 --> 00:02.000\n\(text)\n").cues.first).text.namingVoices
  }

  @Test func writesNamesBeforeWords() throws {
    #expect(try named("<v Ann>Hi</v>") == StyledText("Ann: Hi"))
    #expect(try named("<v Ann>Hi</v>\n<v Bob>Hey") == StyledText("Ann: Hi\nBob: Hey"))
    #expect(try named("Door. <v Ann>Hi</v> Wind.") == StyledText("Door. Ann: Hi Wind."))
  }

  @Test func writesANameOncePerSpeaker() throws {
    let text = try named("<v Ann>a<i>b</i>c</v> <v Ann>d</v>")
    #expect(text.text == "Ann: abc d")
    #expect(text.runs == [StyledText.Run(6..<7, StyledText.Style(isItalic: true))])
  }

  @Test func stylesNamesLikeTheWords() throws {
    let text = try named("😀<i><v Ann>a</v></i>b<b>c</b>")
    #expect(text.text == "😀Ann: abc")
    #expect(
      text.runs == [
        StyledText.Run(1..<7, StyledText.Style(isItalic: true)), StyledText.Run(8..<9, StyledText.Style(isBold: true)),
      ])
  }

  @Test func keepsTextWithoutVoices() throws {
    #expect(try named("<b>a</b>").runs == [StyledText.Run(0..<1, StyledText.Style(isBold: true))])
  }
}
