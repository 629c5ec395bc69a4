import Subtitles
import Testing

@testable import MovieBox

struct CueJoiningTests {
  private func shown(_ text: String, _ id: UInt32? = nil) -> ShownText {
    ShownText(text: StyledText(text), sourceID: id)
  }

  @Test func joinsContinuingCuesOnce() {
    var joining = CueJoining()
    joining.add([shown("A"), shown("A"), shown("B")], from: 0, to: 10)
    joining.add([shown("B"), shown("A"), shown("C")], from: 10, to: 20)
    joining.add([shown("C")], from: 21, to: 30)
    joining.add([shown("C", 1)], from: 30, to: 40)
    let cues = joining.cues.map { "\($0.shown.text.text) \($0.start)-\($0.end)" }
    #expect(cues == ["A 0-20", "A 0-10", "B 0-20", "C 10-20", "C 21-30", "C 30-40"])
  }

  @Test func joinsManySimultaneousCuesInLinearTime() {
    let many = (0..<20_000).map { shown("\($0)") }
    var joining = CueJoining()
    for time in 0..<3 { joining.add(many, from: Int64(time), to: Int64(time) + 1) }
    #expect(joining.cues.count == many.count && joining.cues.allSatisfy { $0.end == 3 })
  }
}
