import Testing

@testable import Subtitles

struct ScenaristTests {
  private static let hello = "9420 9420 94ae 94ae 94d0 94d0 c8e5 ecec ef80 942f 942f"

  private func read(_ bytes: [UInt8]) throws -> SubtitleFile { try SubtitleFile.read(bytes, named: "film.en.scc") }

  private func pairs(_ bytes: [UInt8]) throws -> CaptionFile {
    try ScenaristReader.read(bytes, notices: NoticeList(SubtitleLimits()))
  }

  @Test func aCueBeginsAtEndOfCaptionAndEndsAtItsErasure() throws {
    let file = try read(scc("00:00:10:00\t" + Self.hello, "00:00:13:00\t942c 942c"))
    #expect(file.notices.isEmpty)
    let cue = try #require(file.cues.first)
    // Nine words come before End Of Caption, and 309 frames last 10.310 s.
    #expect(cue.startMilliseconds == 309 * 1_001 / 30 && cue.endMilliseconds == 390 * 1_001 / 30)
    #expect(cue.text == "Hello" && cue.line == 3)
    #expect(
      cue.placement
        == .init(vertical: .fromTop(hundredthsOfPercent: 7_933), horizontal: .indented(hundredthsOfPercent: 1_000)))
  }

  @Test func theSeparatorDecidesTheNumbering() throws {
    for (separator, frame) in [(":", Int64(108_000)), (";", 107_892), (",", 107_892), (".", 107_892)] {
      let file = try pairs(scc("01:00:00\(separator)00\t942c"))
      #expect(file.fields[0].map(\.time) == [frame], "\(separator)")
    }
    #expect(try read(scc("01:00:00:00\t" + Self.hello)).milliseconds(ofTimecode: 3_600_000) == 3_603_600)
    #expect(try read(scc("01:00:00;00\t" + Self.hello)).milliseconds(ofTimecode: 3_600_000) == 3_599_996)
  }

  @Test func readsCommonSpellingsOfLines() throws {
    let plain = try read(scc("00:00:10:00\t" + Self.hello, "00:00:13:00\t942c 942c")).cues
    for text in [
      "Scenarist_SCC V1.0\r\n\r\n00:00:10:00\t\(Self.hello)\r\n\r\n00:00:13:00\t942c 942c\r\n\r\n",
      "scenarist_scc v1.0\n00:00:10:00  \(Self.hello.uppercased()) \n00:00:13:00 942C 942C",
      "\u{FEFF}Scenarist_SCC V1.0\n\n0:0:10:0\t\(Self.hello)\n\n\n\n  00:00:13:00\t942c  942c",
    ] {
      #expect(
        try read(Array(text.utf8)).cues.map { [$0.startMilliseconds, $0.endMilliseconds] }
          == plain.map { [$0.startMilliseconds, $0.endMilliseconds] })
    }
  }

  @Test func utf16IsReadToo() throws {
    let text = String(decoding: scc("00:00:10:00\t" + Self.hello), as: UTF8.self)
    #expect(try read([0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }).cues.count == 1)
  }

  @Test func wordsWaitForTheWordsOfThePreviousLine() throws {
    let file = try pairs(scc("00:00:10:00\t9420 9420 94ae", "00:00:10:01\t942c 942c"))
    #expect(file.fields[0].map(\.time) == [300, 301, 302, 303, 304])
    #expect(file.notices.finished.map(\.kind) == [.delayedCaptions])
    #expect(file.notices.finished.first?.message.contains("delayed by up to 2 frames") == true)
  }

  @Test func reportsADecreasingTimecode() throws {
    let file = try pairs(scc("00:01:00:00\t9420", "00:00:10:00\t942c"))
    #expect(file.fields[0].map(\.time) == [1_800, 1_801])
    #expect(file.notices.finished.map(\.kind) == [.unusualTime] && file.notices.finished.first?.line == 5)
  }

  /// A time code that precedes the previous one by more than half a day is on the next day.
  @Test func timecodesRestartAfterADay() throws {
    for (separator, day) in [(":", Int64(86_400 * 30)), (";", 24 * 107_892)] {
      let file = try pairs(
        scc(
          "23:59:59\(separator)28\t9420", "00:00:00\(separator)03\t942c", "23:59:59\(separator)29\t942c",
          "00:00:10\(separator)00\t942c"))
      let times: [Int64] = [day - 2, day + 3, day + 4, day + 300]
      #expect(file.fields[0].map(\.time) == times)
      #expect(file.notices.finished.map(\.kind) == [.unusualTime] && file.notices.finished.first?.line == 7)
    }
    let file = try pairs(scc("00:00:00:00\t9420", "13:00:00:00\t942c", "02:00:00:00\t942c"))
    let times: [Int64] = [0, 1_404_000, 1_404_001]
    #expect(file.fields[0].map(\.time) == times)
  }

  @Test func writesTimecodesFromAStartAndRestartsAfterADay() throws {
    let pairs = [CaptionCode.rcl].timed(from: 0) + [CaptionCode.edm].timed(from: 6)
    for (numbering, codes) in [
      (Timecode.Numbering.dropFrame, ["23:59:59;27", "00:00:00;03"]), (.nonDropFrame, ["23:59:59:27", "00:00:00:03"]),
    ] {
      let text = ScenaristWriter.write(pairs, numbering, from: numbering.framesPerDay - 3)
      let written = String(decoding: text, as: UTF8.self).split(separator: "\n").dropFirst()
      #expect(written.map { String($0.prefix(11)) } == codes)
      let read = try self.pairs(text)
      let times = pairs.map { $0.time + numbering.framesPerDay - 3 }
      #expect(read.fields[0].map(\.time) == times)
      #expect(read.notices.finished.isEmpty)
    }
  }

  @Test func reportsAFrameNumberThatDropFrameTimecodesSkip() throws {
    let file = try pairs(scc("00:01:00;00\t942c"))
    #expect(file.fields[0].map(\.time) == [1_800])
    #expect(file.notices.finished.map(\.kind) == [.unusualTime])
  }

  @Test(
    arguments: [
      ("00:00:10:00\t94", "line 3: \"94\" has 2 digits; a word has four"),
      ("00:00:10:00\t9420 942", "line 3: \"942\" has 3 digits; a word has four"),
      ("00:00:10:00\t94209420", "line 3: \"94209420\" has 8 digits; a word has four"),
      ("00:00:10:00\t94g0", "line 3: \"94g0\" is not a word of four hexadecimal digits"),
      (
        "00:00:10:30\t942c",
        "line 3: time code: frame 30 is above 29, the last frame of a second at 30 frames a second; "
          + "the file may have 50 or 60 frames a second, or the time code is damaged"
      ),
      (
        "00:00:10;59\t942c",
        "line 3: time code: frame 59 is above 29, the last frame of a second at 30 frames a second; "
          + "the file may have 60 frames a second, or the time code is damaged"
      ),
      (
        "00:00:10:60\t942c",
        "line 3: time code: frame 60 is above 29, the last frame of a second at 30 frames a second; "
          + "the time code is damaged"
      ),
      ("99:00:10:00\t942c", "line 3: time code: hour 99 is above 23"),
      ("00:60:10:00\t942c", "line 3: time code: minute 60 is above 59"),
      ("00:00:61:00\t942c", "line 3: time code: second 61 is above 59"),
      ("00:00:10\t942c", "line 3: \"00:00:10 942c\" does not begin with a time code such as 01:00:00:00"),
    ])
  func malformedLinesAreRefusedWithTheirNumber(_ line: String, _ message: String) {
    let error = #expect(throws: SubtitleError.self) { try read(scc(line)) }
    #expect(error?.code == .malformed && error?.description == message, "\(String(describing: error))")
  }

  @Test func textBetweenTheLinesIsDroppedWithANotice() throws {
    let file = try read(scc("a comment", "00:00:10:00\t" + Self.hello))
    #expect(file.notices.contains { $0.kind == .textOutsideCue && $0.lostText == "a comment" })
  }

  @Test func filesWithoutCaptionsAreRefused() {
    for bytes in [scc(), scc("00:00:10:00\t942c"), scc("00:00:10:00\t9420 9420 c8e5")] {
      let error = #expect(throws: SubtitleError.self) { try read(bytes) }
      #expect(error?.code == .noCues)
    }
    let error = #expect(throws: SubtitleError.self) { try read(Array("words\n".utf8)) }
    #expect(error?.code == .format)
  }

  @Test func reportsTheNamesOfSkippedChannels() throws {
    let second = "1c20 1c20 1c70 1c70 c8e5 1c2f 1c2f"
    let file = try read(scc("00:00:10:00\t" + Self.hello, "00:00:20:00\t" + second))
    #expect(file.cues.count == 1)
    #expect(
      file.notices.contains { $0.kind == .otherServices && $0.message == "CC1 is read; the file also contains CC2" })
    // A caller who requests a channel knows that there are others.
    for (channel, text) in [(CaptionChannel.cc1, "Hello"), (.cc2, "He")] {
      let requested = try SubtitleFile.read(
        scc("00:00:10:00\t" + Self.hello, "00:00:20:00\t" + second), named: "film.en.scc", encoding: nil, language: nil,
        partMilliseconds: nil, channel: channel, limits: SubtitleLimits())
      #expect(requested.cues.map(\.text.text) == [text])
      #expect(!requested.notices.contains { $0.kind == .otherServices }, "\(requested.notices)")
    }
    #expect(try read(scc("00:00:20:00\t" + second)).cues.map(\.text.text) == ["He"])
  }

  @Test func evenParityInFilesIsReadAndReported() throws {
    let file = try read(scc("00:00:10:00\t9420 9420 94d0 94d0 4865 6c6c 6f00 942f 942f"))
    #expect(file.cues.map(\.text.text) == ["Hello"])
    #expect(file.notices.first?.kind == .uncheckedBytes)
  }

  @Test func rollUpCaptionsAreReportedAndCanBeUnrolled() throws {
    let lines = (0..<8).map { index in
      let letter = String(0xC1 + 0, radix: 16)
      return
        "00:00:\(10 + 2 * index):00\t9425 9425 94ad 94ad 9470 9470 \(letter)\(["c1", "c2", "43", "c4", "45", "46", "c7", "c8"][index])"
    }
    let file = try read(Array("Scenarist_SCC V1.0\n\n".utf8) + Array(lines.joined(separator: "\n\n").utf8))
    #expect(file.notices.contains { $0.kind == .rollingCaptions })
    #expect(file.cues.dropFirst().first?.text.text == "AA\nAB")
    #expect(file.unrolled().cues.map(\.text.text) == ["AA", "AB", "AC", "AD", "AE", "AF", "AG", "AH"])
  }

  /// A row rolls up from the base row, so an unrolled row is in the base row.
  @Test(arguments: [(3, 12, 6_866), (4, 14, 7_933), (2, 2, 1_533), (3, 15, nil)] as [(Int, Int, Int?)])
  func unrolledRowsAreInTheBaseRow(depth: Int, row: Int, hundredths: Int?) throws {
    let pairs = ["AA", "BB", "CC", "DD"].enumerated().flatMap { index, text in
      [CaptionCode.ru(depth), .cr, .pac(row), .text(text)].timed(from: 300 + 60 * Int64(index))
    }
    let file = try read(ScenaristWriter.write(pairs + [CaptionCode.edm].timed(from: 600)))
    let base = hundredths.map { Cue.Placement.Vertical.fromTop(hundredthsOfPercent: $0) } ?? .bottom
    #expect(file.cues.map { $0.text.text.split(separator: "\n").count } == (1...4).map { min($0, depth) })
    #expect(file.cues.map { $0.placement.vertical == base } == [true] + Array(repeating: hundredths == nil, count: 3))
    let unrolled = file.unrolled().cues
    #expect(unrolled.map(\.text.text) == ["AA", "BB", "CC", "DD"])
    #expect(unrolled.map(\.placement.vertical) == Array(repeating: base, count: 4))
    #expect(Set(unrolled.map(\.placement.horizontal)) == Set(file.cues.map(\.placement.horizontal)))
  }

  @Test func roundTripsPairsInTheirFrames() throws {
    let codes: [CaptionCode] = [.rcl, .enm, .pac(15, indent: 4), .text("Hello"), .eoc]
    let pairs = codes.timed(from: 1_795) + [CaptionCode.edm].timed(from: 18_000)
    for numbering in [Timecode.Numbering.dropFrame, .nonDropFrame] {
      let read = try self.pairs(ScenaristWriter.write(pairs, numbering))
      #expect(read.fields[0].map(\.time) == pairs.map(\.time))
      #expect(read.fields[0].map(\.pair) == pairs.map(\.pair))
    }
  }

  @Test func roundTripsCues() throws {
    let file = try read(scc("00:00:10:00\t" + Self.hello, "00:00:13:00\t942c 942c"))
    let written = file.written(as: .scenarist)
    #expect(written.notices.isEmpty)
    let again = try read(written.bytes)
    #expect(
      again.cues.map(\.text) == file.cues.map(\.text) && again.cues.map(\.placement) == file.cues.map(\.placement))
    #expect(again.cues.map(\.startMilliseconds) == file.cues.map(\.startMilliseconds))
    #expect(
      String(decoding: written.bytes, as: UTF8.self).hasPrefix("Scenarist_SCC V1.0\n\n00:00:10;00\t9420 9420 94ae 94ae")
    )
  }
}
