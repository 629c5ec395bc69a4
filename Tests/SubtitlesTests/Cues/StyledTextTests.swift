import Subtitles
import Testing

struct StyledTextTests {
  @Test func aLiteralIsPlainText() {
    let cue = Cue(startMilliseconds: 0, endMilliseconds: 1_000, text: "Hello")
    #expect(cue.text == StyledText(String("Hello")) && cue.text.runs.isEmpty)
  }
}
