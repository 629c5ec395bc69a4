import SubtitleTestSupport
import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// QuickTime text and WebVTT in movies.
struct OtherTextDecodingTests {
  private func cues(_ samples: [TestSample], _ entries: [[UInt8]]? = nil) throws -> [Cue] {
    try extractedText(textMovie(samples, kind: .text, entries: entries).bytes(), track: 2).cues
  }

  private func encd(_ code: Int) -> [UInt8] { atom("encd") { u32(code) } }

  // MARK: - QuickTime text

  @Test func decodesQuickTimeTextByItsEncoding() throws {
    let roman: [UInt8] = [0x63, 0x61, 0x66, 0x8E]
    let cues = try cues([
      sample(roman), sample("café 1"), sample(roman + [0x32], encd(0)), sample("café 3", encd(0x100)),
      sample([0, 0x48, 0x20, 0xAC], encd(0x100)), sample([0xFF, 0xFE, 0x48, 0], encd(0x100)),
      sample("café 6", encd(0x0800_0100)), sample([0x63, 0x8E], encd(7)),
      sample(text("caf") + [0xC3, 0xA9, 0x21], encd(0)),
    ])
    #expect(
      cues.map(\.text.text) == ["café", "café 1", "café2", "café 3", "H€", "H", "café 6", "cé", "caf√©!"])
  }

  @Test func reportsUnknownEncodings() throws {
    let text = try extractedText(textMovie([sample([0x63, 0x8E], encd(7))], kind: .text).bytes(), track: 2)
    #expect(
      text.notices.map(\.message) == [
        "sample 1 of track 2: Macintosh text encoding 7 is unknown: the text is read as Mac Roman"
      ])
  }

  @Test func appliesStylesUpToTheNextEntry() throws {
    func element(_ start: Int, face: Int, _ color: Int...) -> [UInt8] {
      u32(start) + u16(12, 9, 3) + u8(face, 0) + u16(12) + color.flatMap { u16($0) }
    }
    let styles = atom("styl") {
      u16(2)
      element(2, face: 2, 0xFFFF, 0, 0)
      element(5, face: 1, 0, 0, 0)
    }
    #expect(try cues([sample("0123456789", styles)])[0].text.marks == ["2..<5 i #ff0000", "5..<10 b"])
    // A table with more entries than bytes is ignored.
    #expect(try cues([sample("0123", atom("styl") { u16(9) })])[0].text.marks == [])
  }

  @Test func readsShortAndColouredEntries() throws {
    let short = atom("text") { zeros(6) + u16(1) }
    #expect(try cues([sample("One")], [short])[0].text.marks == [])
    let red = atom("text") {
      zeros(6) + u16(1) + u32(0, 1) + zeros(6 + 8 + 8)
      u16(0, 4)
      zeros(3) + u16(0xFFFF, 0, 0)
    }
    #expect(try cues([sample("One")], [red])[0].text.marks == ["0..<3 u #ff0000"])
  }

  @Test func usesTheJustificationOfTheDescription() throws {
    func horizontal(_ justification: Int, box: [Int]) throws -> Cue.Placement.Horizontal {
      let entry = atom("text") {
        zeros(6) + u16(1) + u32(0, justification) + zeros(6)
        u16(box[0], box[1], box[2], box[3])
        zeros(8 + 2)
      }
      return try cues([sample("One")], [entry])[0].placement.horizontal
    }
    #expect(try horizontal(1, box: [0, 0, 48, 320]) == .center && horizontal(-1, box: [0, 0, 48, 320]) == .right)
    #expect(try horizontal(0, box: [0, 0, 48, 320]) == .left && horizontal(0, box: [0, 0, 0, 0]) == .center)
  }

  // MARK: - WebVTT

  private static let entry = [atom("wvtt") { zeros(6) + u16(1) + atom("vttC") { text("WEBVTT") } }]

  private func vttc(_ text: String, settings: String? = nil, id: Int? = nil) -> [UInt8] {
    atom("vttc") {
      if let id { atom("vsid") { u32(id) } }
      if let settings { atom("sttg") { TestSupport.text(settings) } }
      atom("payl") { TestSupport.text(text) }
    }
  }

  @Test func joinsCuesAcrossSamples() throws {
    let cues = try cues(
      [
        TestSample(content: atom("vtte"), duration: 1_000),
        TestSample(content: vttc("A", id: 1), duration: 1_000),
        TestSample(content: vttc("A", id: 1) + vttc("B", id: 2) + atom("vtta") { text("note") }, duration: 1_000),
        TestSample(content: vttc("B", id: 2) + vttc("B", id: 3), duration: 1_000),
        TestSample(content: [], duration: 1_000),
      ], Self.entry)
    #expect(cues.map(\.text.text) == ["A", "B", "B"])
    #expect(cues.map(\.startMilliseconds) == [1_000, 2_000, 3_000])
    #expect(cues.map(\.endMilliseconds) == [3_000, 4_000, 4_000])
  }

  @Test func convertsWebVTTMarkup() throws {
    let texts = [
      "<i>One</i> &amp; <b.loud>two</b>", "<c.yellow.bg_blue>Y</c><v.first  Mary &amp; Ann>Hi</v>",
      "<ruby>漢<rt>kan</rt></ruby> <lang en>x</lang>", "<00:00:01.000>now<q>?</q>", "<u>open", "5 < 6 <b>x",
      "<c.x11223344>z</c>",
    ]
    let cues = try cues(texts.map { TestSample(content: vttc($0), duration: 100) }, Self.entry)
    #expect(cues.map(\.text.text) == ["One & two", "YHi", "漢(kan) x", "now?", "open", "5 < 6 x", "z"])
    #expect(
      cues.map(\.text.marks) == [
        ["0..<3 i", "6..<9 b"], ["0..<1 #ffff00 on #0000ff", "1..<3 Mary & Ann"], [], [], ["0..<4 u"], ["6..<7 b"],
        ["0..<1 #11223344"],
      ])
  }

  @Test func convertsWebVTTSettings() throws {
    let settings = [
      "line:0", "line:50%,center align:left", "line:84.5%", "line:-1 position:90%", "line:95%", "line:0% align:end",
      "size:50% vertical:rl line:x position:101%", "line:-2 align:start", "line:9",
    ]
    let cues = try cues(
      settings.enumerated().map { TestSample(content: vttc("\($0)", settings: $1), duration: 100) }, Self.entry)
    #expect(
      cues.map(\.placement) == [
        Cue.Placement(vertical: .top), Cue.Placement(vertical: .middle, horizontal: .left),
        Cue.Placement(vertical: .fromTop(hundredthsOfPercent: 8_450)),
        Cue.Placement(horizontal: .centeredAt(hundredthsOfPercent: 9_000)), .standard,
        Cue.Placement(vertical: .top, horizontal: .right), .standard, Cue.Placement(horizontal: .left),
        Cue.Placement(vertical: .fromTop(hundredthsOfPercent: 5_000)),
      ])
  }

  @Test func appliesStyleSheetsAndRegionsOfTheHeader() throws {
    let header =
      "WEBVTT\n\nSTYLE\n::cue(.loud) { color: #ff0000 }\n\nREGION\nid:up\nviewportanchor:50%,0%\n"
      + "regionanchor:50%,0%\nlines:3\n"
    let entry = [atom("wvtt") { zeros(6) + u16(1) + atom("vttC") { text(header) } }]
    let samples = [TestSample(content: vttc("<c.loud>A</c>", settings: "region:up"), duration: 100)]
    let cue = try #require(try cues(samples, entry).first)
    #expect(cue.text.marks == ["0..<1 #ff0000"] && cue.placement.vertical == .top)
    let broken = [atom("wvtt") { zeros(6) + u16(1) + atom("vttC") { text("no header") } }]
    let read = try extractedText(textMovie(samples, kind: .text, entries: broken).bytes(), track: 2)
    #expect(read.cues.map(\.text.marks) == [[]] && read.notices.map(\.kind) == [.damagedSample])
  }

  @Test func reportsDamagedBoxes() throws {
    let samples = [TestSample(content: vttc("A") + atom("vttc", claiming: 99), duration: 100)]
    let text = try extractedText(textMovie(samples, kind: .text, entries: Self.entry).bytes(), track: 2)
    #expect(text.cues.map(\.text.text) == ["A"])
    #expect(text.notices.map(\.kind) == [.damagedSample])
  }
}
