import SubtitleTestSupport
import Subtitles
import Testing

/// Repairs, with notices, of input that players drop.
struct WebVTTRepairTests {
  @Test(
    arguments: [
      ("00:01.5 --> 00:02.59", 1_500, 2_590), ("0:3.250 --> 0:4.500", 3_250, 4_500),
      ("00:00:01.5 --> 00:00:02", 1_500, 2_000), ("00:01.1000 --> 00:02.000", 2_000, 2_000 + 1_000),
      ("[00:01.000 --> 00:02.000]", 1_000, 2_000), ("00:01.000s -->> 00:02.000s", 1_000, 2_000),
      ("\"00:00:01.000 --> 00:00:02.000\"", 1_000, 2_000), ("00:01,25 --> 00:02,500", 1_250, 2_500),
    ] as [(String, Int64, Int64)])
  func readsSubRipTimes(line: String, start: Int64, end: Int64) throws {
    let file = try readWebVTT("\(line)\nA\n\n00:10.000 --> 00:11.000\nB\n")
    #expect(file.times == [[start, end], [10_000, 11_000]] && file.texts == ["A", "B"])
    #expect(file.kinds.first == .unusualTime && file.notices.first?.line == 3)
  }

  @Test func readsShortFractionsAsMilliseconds() throws {
    let file = try readWebVTT("00:01.000 --> 00:02.91\nA\n\n00:02.97 --> 00:02.831\nB\n")
    #expect(file.times == [[1_000, 2_091], [2_097, 2_831]])
  }

  @Test func keepsSettingsAndTextAfterRepairedTimes() throws {
    let file = try readWebVTT(
      "00:01.5 --> 00:02.5 line:0\nA\n\n[00:03.000 --> 00:04.000]  Hello\n[00:04.000 --> 00:05.000]  you\n")
    #expect(file.texts == ["A", "Hello", "you"])
    #expect(file.cues.map(\.placement.vertical) == [.top, .bottom, .bottom])
    #expect(file.kinds.contains(.textBesideTimes) && file.droppedCueCount == 0)
  }

  @Test func extendsAWebVTTCueWithoutDuration() throws {
    let file = try readWebVTT("00:01.000 --> 00:01.000\nA\n\n00:01.500 --> 00:01.200\nB\n")
    #expect(file.times == [[1_000, 1_500], [1_500, 2_500]])
    #expect(file.notices.map(\.kind) == [.endMoved, .endMoved] && file.notices.map(\.line) == [3, 6])
  }

  @Test func reportsAnArrowWithoutTimes() throws {
    let file = try readWebVTT("undefined --> undefined\nLost\n\n00:01.000 --> 00:02.000\nA\n")
    #expect(file.texts == ["A"] && file.notices.map(\.lostText) == ["undefined --> undefined\nLost"])
  }

  @Test(arguments: [("Language: pt-BR", "pt-BR"), ("language:en", "en"), ("Language = de extra", "de")])
  func readsTheLanguageFromTheHeader(line: String, language: String) throws {
    let file = try readWebVTT(whole: "WEBVTT\nKind: captions\n\(line)\n\n00:01.000 --> 00:02.000\nola\n")
    #expect(file.language == language && file.notices.isEmpty)
  }

  @Test func ignoresALanguageOutsideTheHeader() throws {
    #expect(try readWebVTT("Language: pt\n\n00:01.000 --> 00:02.000\nLanguage: pt\n").language == nil)
    #expect(try readSubRip("0:0:1,000 --> 0:0:2,000\nLanguage: pt\n").language == nil)
  }

  @Test func ignoresDoubleSpacing() throws {
    let lines = ["WEBVTT", "", "00:01.000 --> 00:02.000", "One", "two", "", "00:03.000 --> 00:04.000", "Three"]
    let file = try readWebVTT(whole: lines.joined(separator: "\n\n"))
    #expect(file.texts == ["One\ntwo", "Three"] && file.notices.map(\.kind) == [.spacedLines])
    let bare = try readWebVTT(whole: lines.filter { !$0.isEmpty }.joined(separator: "\r\r\n"))
    #expect(bare.texts == ["One\ntwo", "Three"] && bare.cues.map(\.line) == [3, 9])
  }

  // MARK: - Parts

  private static let parts =
    "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nA\n\nWEBVTT\n\n00:00:00.500 --> 00:00:02.000\nB\n\n"
    + "WEBVTT\n\n00:00:01.000 --> 00:00:04.000\nA\n"

  private func read(_ text: String, _ duration: Int64?) throws -> SubtitleFile {
    try SubtitleFile.read(Array(text.utf8), partMilliseconds: duration)
  }

  @Test func reportsAClockRestartAtAHeader() throws {
    let file = try read(Self.parts, nil)
    #expect(file.notices.first { $0.kind == .clockRestart }?.line == 6)
    let ordered = Self.parts.replacing("00:00.500 --> 00:00:02", with: "00:05.500 --> 00:00:06")
    #expect(!(try read(ordered, nil).kinds.contains(.clockRestart)))
    // The maps specify the times of the parts.
    let mapped = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n" + Self.parts.dropFirst(7)
    #expect(!(try read(mapped, nil).kinds.contains(.clockRestart)))
  }

  @Test func placesPartsByTheirDuration() throws {
    let file = try read(Self.parts, 10_000)
    #expect(file.times == [[1_000, 4_000], [10_500, 12_000], [21_000, 24_000]])
    #expect(file.texts == ["A", "B", "A"] && file.notices.isEmpty)
  }

  @Test func reportsACueAfterTheEndOfItsPart() throws {
    let file = try read(Self.parts, 1_000)
    #expect(file.notices.map(\.kind) == [.lateInPart] && file.notices.map(\.line) == [1])
    #expect(file.texts == ["A", "B", "A"])
  }

  @Test func acceptsAnyPartDuration() throws {
    for duration in [0, .max, .min, -1] as [Int64] { #expect(try read(Self.parts, duration).cues.count >= 2) }
  }

  // MARK: - Captions that roll up

  private static let rolling = """
    WEBVTT
    Kind: captions
    Language: en

    00:00:00.160 --> 00:00:02.389 align:start position:0%
     
    hello<00:00:00.480><c> world</c>

    00:00:02.389 --> 00:00:02.399 align:start position:0%
    hello world
     

    00:00:02.399 --> 00:00:04.470 align:start position:0%
    hello world
    <i>this</i><00:00:02.800><c> is</c>

    00:00:04.470 --> 00:00:04.480 align:start position:0%
    this is
     

    00:00:04.480 --> 00:00:06.000 align:start position:0%
    this is
    the end

    00:00:09.000 --> 00:00:10.000
    the end

    00:00:12.000 --> 00:00:13.000
    the end
    after a pause

    """

  @Test func reportsRollUpCaptions() throws {
    let file = try read(Self.rolling, nil)
    #expect(file.notices.last?.kind == .rollingCaptions && file.notices.last?.line == 5)
    #expect(
      !(try read("WEBVTT\n\n" + (1...6).map { "00:0\($0).000 --> 00:0\($0 + 1).000\nLine \($0)\n\n" }.joined(), nil)
        .kinds.contains(.rollingCaptions)))
  }

  @Test func unrollsEachLineOnce() throws {
    let file = try read(Self.rolling, nil).unrolled()
    #expect(file.texts == ["hello world", "this is", "the end", "the end", "after a pause"])
    #expect(file.times == [[160, 2_399], [2_399, 4_480], [4_480, 6_000], [9_000, 10_000], [12_000, 13_000]])
    #expect(file.cues[1].text.runs.map(\.range) == [0..<4])
    #expect(!file.kinds.contains(.rollingCaptions))
    #expect(file.unrolled().texts == file.texts)
  }

  /// The settings are those that a WebVTT track keeps.
  @Test func keepsSettingsWhenUnrolling() throws {
    let file = try read(Self.rolling, nil).unrolled()
    let source = try #require(file.webVTT?.matching(file.cues))
    #expect(source.cues.map(\.text).dropFirst() == ["<i>this</i> is", "the end", "the end", "after a pause"])
    #expect(source.cues[1].settings.contains("position:0%"))
  }

  @Test func keepsTheLineBeforeTimesAfterAHeaderWithoutABlankLine() throws {
    let file = try readWebVTT(whole: "WEBVTT\nintro\n00:01.000 --> 00:02.000\nA\n")
    #expect(file.webVTT?.cues.map(\.identifier) == ["intro"] && file.texts == ["A"])
  }

  @Test func unrollsCaptionsOfThreeLines() throws {
    let text =
      "1\n0:0:1,0 --> 0:0:2,0\nA\n\n2\n0:0:2,0 --> 0:0:3,0\nA\nB\n\n3\n0:0:3,0 --> 0:0:4,0\nA\nB\nC\n\n"
      + "4\n0:0:4,0 --> 0:0:5,0\nB\nC\nD\n\n5\n0:0:5,0 --> 0:0:6,0\nC\nD\nE\n"
    let file = try readSubRip(text)
    #expect(file.unrolled().texts == ["A", "B", "C", "D", "E"])
    #expect(
      file.unrolled().times == [[1_000, 2_000], [2_000, 3_000], [3_000, 4_000], [4_000, 5_000], [5_000, 6_000]])
  }

  @Test func ignoresABlankCueWhenUnrolling() throws {
    let blank = Self.rolling + "\n\n00:00:20.000 --> 00:00:21.000\n&nbsp;\n"
    let (file, other) = (try read(Self.rolling, nil).unrolled(), try read(blank, nil).unrolled())
    #expect(other.texts == file.texts && other.times == file.times)
  }
}
