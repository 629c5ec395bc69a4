import SubtitleTestSupport
import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// The text on the screen at a time.
struct LegibleOutputTests {
  private let cues = [
    cue(1_000, 2_000, "A"), cue(1_500, 9_000, "long", isForced: true), cue(3_000, 4_000, "B"), cue(4_000, 5_000, "C"),
  ]

  @Test func findsTextAtATime() {
    let output = LegibleOutput(cues)
    func texts(_ time: Int64, onlyForced: Bool = false) -> [String] {
      output.texts(atMilliseconds: time, onlyForced: onlyForced).map(\.text)
    }
    #expect(texts(999) == [] && texts(1_000) == ["A"] && texts(1_999) == ["A", "long"] && texts(2_000) == ["long"])
    #expect(texts(4_000) == ["long", "C"] && texts(8_999) == ["long"] && texts(9_000) == [] && texts(Int64.max) == [])
    #expect(texts(1_600, onlyForced: true) == ["long"] && texts(1_200, onlyForced: true) == [])
    #expect(LegibleOutput([Cue]()).texts(atMilliseconds: 0).isEmpty)
    #expect(output.map(\.text) == ["A", "long", "B", "C"])
    #expect(LegibleOutput(cues.reversed()).map(\.text) == ["A", "long", "B", "C"])
  }

  @Test func findsEveryChange() {
    let output = LegibleOutput(cues)
    var times: [Int64] = []
    while let next = output.nextChange(afterMilliseconds: times.last ?? Int64.min) { times.append(next) }
    #expect(times == [1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 9_000])
  }

  @Test func readsEqualAttributesFromEveryFormat() throws {
    let red = styl((0, 3, face: 3, color: 0xFF00_00FF, size: 18))
    let timed = try extractedText(textMovie([sample("One two", red)]).bytes(), track: 2)

    let element = u32(0) + u16(12, 9, 3) + u8(3, 0) + u16(12) + u16(0xFFFF, 0, 0)
    let plain = u32(3) + u16(12, 9, 3) + u8(0, 0) + u16(12) + u16(0xFFFF, 0xFFFF, 0xFFFF)
    let old = atom("styl") { u16(2) + element + plain }
    let quickTime = try extractedText(
      textMovie([sample("One two", old)], kind: .text, entries: [SampleEntry.text()]).bytes(), track: 2)

    let vtt = atom("vttc") { atom("payl") { text("<c.red><b><i>One</i></b></c> two") } }
    let webVTT = try extractedText(
      textMovie(
        [TestSample(content: vtt, duration: 1_000)], kind: .text, entries: [atom("wvtt") { zeros(6) + u16(1) }]
      ).bytes(), track: 2)

    let expected = LegibleOutput(timed).first
    #expect(expected?.runs.map(\.text) == ["One", " two"])
    #expect(expected?.runs.first?.foregroundColor == StyledText.Color(red: 255, green: 0, blue: 0))
    #expect(expected?.runs.last?.foregroundColor == .white)
    #expect(expected?.runs.map(\.isBold) == [true, false] && expected?.runs.map(\.isItalic) == [true, false])
    #expect(expected?.alignment == .center && expected?.linePositionInPercent == 85)
    #expect(LegibleOutput(quickTime).first == expected)
    #expect(LegibleOutput(webVTT).first == expected)
  }

  @Test func reportsPositionsAsUpperEdgeInPercent() {
    func text(_ vertical: Cue.Placement.Vertical) -> LegibleOutput.Text {
      LegibleOutput.Text(
        Cue(
          startMilliseconds: 0, endMilliseconds: 1, text: StyledText("x"),
          placement: Cue.Placement(vertical: vertical, horizontal: .right)))
    }
    #expect(text(.top).linePositionInPercent == 0 && text(.middle).linePositionInPercent == 42.5)
    #expect(text(.fromTop(hundredthsOfPercent: 1_234)).linePositionInPercent == 12.34)
    #expect(text(.bottom).alignment == .right)
  }
}
