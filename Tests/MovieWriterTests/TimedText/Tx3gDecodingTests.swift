import Subtitles
import TestSupport
import Testing

@testable import MovieBox

/// Timed text samples of various programs.
struct Tx3gDecodingTests {
  private func cues(
    _ samples: [TestSample], kind: TestTrack.Kind = .subtitle, entries: [[UInt8]]? = nil
  ) throws -> [Cue] {
    let text = try extractedText(textMovie(samples, kind: kind, entries: entries).bytes(), track: 2)
    #expect(text.notices == [])
    return text.cues
  }

  private func entry(
    _ format: String = "tx3g", flags: Int = 0, justification: Int = 1, face: Int = 0, size: Int = 18,
    color: Int = 0xFFFF_FFFF, box: [Int] = [0, 0, 60, 400],
    fonts: [UInt8] = atom("ftab") { u16(1, 1) + pascalString("Serif") }
  ) -> [UInt8] {
    atom(format) {
      zeros(6)
      u16(1)
      u32(flags)
      u8(justification, -1)
      u32(0)
      u16(box[0], box[1], box[2], box[3])
      u16(0, 0, 1)
      u8(face, size)
      u32(color)
      fonts
    }
  }

  @Test func ignoresGapsOfAnyForm() throws {
    let cues = try cues([
      sample(""), TestSample(content: [], duration: 500), sample("One"), sample("", atom("frcd")), sample(" \n"),
      sample("\nTwo\n"),
    ])
    #expect(cues.map(\.text.text) == ["One", "Two"])
    #expect(cues.map(\.startMilliseconds) == [1_500, 4_500])
    #expect(cues.map(\.endMilliseconds) == [2_500, 5_500])
  }

  @Test func joinsEqualNeighbours() throws {
    let cues = try cues([sample("One"), sample("One"), sample("One", atom("frcd")), sample(""), sample("One")])
    #expect(cues.map(\.startMilliseconds) == [0, 2_000, 4_000])
    #expect(cues.map(\.endMilliseconds) == [2_000, 3_000, 5_000])
    #expect(cues.map(\.isForced) == [false, true, false])
  }

  @Test func readsStylesRelativeToWhite() throws {
    let cues = try cues([
      sample(
        "0123456789", styl((1, 3, face: 2, color: 0xFFFF_FFFF, size: 18), (3, 6, face: 5, color: 0xFF00_00FF, size: 18))
      ),
      sample(
        "0123", styl((0, 2, face: 0, color: 0xFFFF_FFFF, size: 18), (2, 4, face: 0, color: 0xFFFF_FF80, size: 27))),
    ])
    #expect(cues[0].text.marks == ["1..<3 i", "3..<6 bu #ff0000"])
    #expect(cues[1].text.marks == ["2..<4 #ffffff80 150%"])
  }

  @Test func appliesStylesOfTheDescriptionOutsideRuns() throws {
    let yellow = [entry(face: 1, color: 0xFFFF_00FF)]
    let cues = try cues(
      [sample("0123", styl((1, 2, face: 0, color: 0xFFFF_FFFF, size: 18))), sample("all")], entries: yellow)
    #expect(cues[0].text.marks == ["0..<1 b #ffff00", "2..<4 b #ffff00"])
    #expect(cues[1].text.marks == ["0..<3 b #ffff00"])
  }

  @Test(arguments: [0x0000_00FF, 0, 0xFFFF_FF00, 0xFFFF_FFFF])
  func ignoresBlackAndInvisibleDescriptions(_ color: Int) throws {
    let cues = try cues([sample("0123", styl((0, 2, face: 2, color: color, size: 18)))], entries: [entry(color: color)])
    #expect(cues[0].text.marks == ["0..<2 i"])
  }

  @Test func truncatesInvalidRuns() throws {
    func record(_ start: Int, _ end: Int, _ face: Int) -> (Int, Int, face: Int, color: Int, size: Int) {
      (start, end, face: face, color: 0xFFFF_FFFF, size: 18)
    }
    let cues = try cues([
      sample("0123456789", styl(record(0, 4, 1), record(2, 6, 2))),
      sample("0123456780", styl(record(8, 65_535, 1), record(3, 3, 2), record(5, 4, 4), record(20, 30, 1))),
      sample("012345678!", styl(record(6, 8, 1), record(0, 3, 2), record(2, 7, 4))),
    ])
    #expect(cues[0].text.marks == ["0..<4 b", "4..<6 i"])
    #expect(cues[1].text.marks == ["8..<10 b"])
    #expect(cues[2].text.marks == ["0..<3 i", "3..<7 u", "7..<8 b"])
  }

  @Test func readsOffsetsAsCodePointsUnlessOnlyUnitsFit() throws {
    func record(_ start: Int, _ end: Int) -> [UInt8] { styl((start, end, face: 2, color: 0xFFFF_FFFF, size: 18)) }
    // Five code points, seven UTF-16 units.
    let cues = try cues([
      sample("😀😀abc", record(2, 5)), sample("😀😀ab\u{301}", record(4, 7)), sample("😀😀xyz", record(3, 9)),
    ])
    #expect(cues[0].text.marks == ["2..<5 i"])
    #expect(cues[1].text.marks == ["2..<5 i"])
    #expect(cues[2].text.marks == ["3..<5 i"])  // Offsets fit neither unit: read as code points, and truncated.
  }

  @Test func readsUTF16InBothByteOrders() throws {
    let big: [UInt8] = [0xFE, 0xFF, 0x00, 0x48, 0x20, 0xAC, 0xD8, 0x3D, 0xDE, 0x00]
    let little: [UInt8] = [0xFF, 0xFE, 0x69, 0x00, 0x0A, 0x00, 0x48, 0x00]
    let cues = try cues([sample(big, styl((1, 2, face: 1, color: -1, size: 18))), sample(little)])
    #expect(cues.map(\.text.text) == ["H€😀", "i\nH"])
    #expect(cues[0].text.marks == ["1..<2 b"])
  }

  @Test func readsDamagedSamplesPartly() throws {
    let samples = [
      TestSample(content: u16(9) + text("Text"), duration: 100),
      TestSample(content: [7], duration: 100),
      sample("Boxed", styl((0, 2, face: 1, color: -1, size: 18)) + atom("tbox", claiming: 99), duration: 100),
      sample([0x41, 0xFF, 0x42], duration: 100),
      sample("Styled", atom("styl") { u16(9, 0) }, duration: 100),
    ]
    let text = try extractedText(textMovie(samples).bytes(), track: 2)
    #expect(text.cues.map(\.text.text) == ["Text", "Boxed", "A\u{FFFD}B", "Styled"])
    #expect(text.cues[1].text.marks == ["0..<2 b"])
    #expect(text.notices.map(\.kind) == Array(repeating: .damagedSample, count: 4))
    #expect(
      text.notices[0].message == "sample 1 of track 2: at byte 0: the text declares 9 bytes, but has room for only 4")
    #expect(text.notices[3].message == "sample 4 of track 2: 1 bytes are not valid UTF-8: they are shown as U+FFFD")
  }

  @Test func readsForcedFromSampleOrDescription() throws {
    #expect(try cues([sample("One"), sample("Two", atom("frcd"))]).map(\.isForced) == [false, true])
    let all = [entry(flags: 0xC000_0000)]
    #expect(try cues([sample("One"), sample("Two", atom("frcd"))], entries: all).map(\.isForced) == [true, true])
    #expect(try cues([sample("One")], entries: [entry(flags: 0x4000_0000)]).map(\.isForced) == [false])
  }

  @Test func appliesPlacementIfTheDescriptionEnablesIt() throws {
    func tbox(_ top: Int, _ bottom: Int) -> [UInt8] { atom("tbox") { u16(top, 0, bottom, 1280) } }
    let samples = [
      sample("default"), sample("top", tbox(0, 86)), sample("Subler", tbox(633, 720)), sample("ours", tbox(612, 720)),
      sample("middle", tbox(306, 414)), sample("else", tbox(180, 288)), sample("edge", tbox(-9, 60)),
    ]
    let whole = [0, 0, 720, 1280]
    let obeyed = try cues(samples, entries: [entry(flags: 0x2000_0000, size: 36, box: whole)])
    #expect(
      obeyed.map(\.placement.vertical) == [
        .top, .top, .bottom, .bottom, .middle, .fromTop(hundredthsOfPercent: 2_500), .top,
      ])
    let ignored = try cues(samples, entries: [entry(size: 36, box: whole)])
    #expect(ignored.allSatisfy { $0.placement == .standard })
  }

  @Test func appliesJustificationInOtherTimedText() throws {
    let left = [entry(justification: 0)]
    #expect(try cues([sample("One")], entries: left)[0].placement.horizontal == .center)
    #expect(try cues([sample("One")], kind: .text, entries: left)[0].placement.horizontal == .left)
    let right = [entry(justification: -1)]
    #expect(try cues([sample("One")], kind: .text, entries: right)[0].placement.horizontal == .right)
    // FFmpeg's chapters contain a zero there.
    #expect(
      try cues([sample("One")], kind: .text, entries: [entry("text", justification: 0)])[0].placement == .standard)
  }

  @Test func appliesTheDescriptionOfEachSample() throws {
    let movie = textMovie(
      [sample("white"), sample("yellow"), sample("old")], kind: .text,
      entries: [entry(), entry("text", color: 0xFFFF_00FF), SampleEntry.text()]
    ) {
      $0.chunking = [1]
      $0.descriptionOfChunk = [1, 2, 3]
    }
    let cues = try extractedText(movie.bytes(), track: 2).cues
    #expect(cues.map(\.text.marks) == [[], ["0..<6 #ffff00"], []])
  }

  @Test func ignoresLinksKaraokeAndUnknownBoxes() throws {
    let link = atom("href") { u16(0, 4) + pascalString("http://example.org") + u8(0) }
    let cues = try cues([sample("Link", link + atom("krok") { u32(0) } + atom("xyzw") + zeros(3))])
    #expect(cues == [Cue(startMilliseconds: 0, endMilliseconds: 1_000, text: StyledText("Link"))])
  }
}
