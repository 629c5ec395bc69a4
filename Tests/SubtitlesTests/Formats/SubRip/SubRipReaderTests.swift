import SubtitleTestSupport
import Subtitles
import Testing

struct SubRipReaderTests {
  @Test func countsBlankLinesInsideCues() throws {
    let file = try readSubRip("\n\n\n0:0:1,000 --> 0:0:2,000\na\n \n\n\nb\n\n\n\n\n\n2\n0:0:3,000 --> 0:0:2,000\nc\n\n")
    #expect(file.texts == ["a\n\n\n\nb", "c"])
    #expect(file.cues.map(\.line) == [4, 16])
    #expect(file.notices.map(\.line) == [6, 16])
  }

  // MARK: - Structure

  @Test(arguments: ["\n", "\r\n", "\r"])
  func readsEveryLineEnd(end: String) throws {
    let lines = ["1", "00:00:01,000 --> 00:00:02,500", "One", "two", "", "2", "00:00:03,000 --> 00:00:04,000", "Three"]
    let file = try readSubRip(lines.joined(separator: end))
    #expect(file.texts == ["One\ntwo", "Three"])
    #expect(file.times == [[1_000, 2_500], [3_000, 4_000]])
    #expect(file.cues.map(\.line) == [2, 7])
    #expect(file.notices.isEmpty)
  }

  @Test func readsMixedLineEnds() throws {
    let file = try readSubRip("1\r00:00:01,000 --> 00:00:02,000\r\nA\nB\r\r\n2\n00:00:03,000 --> 00:00:04,000\nC")
    #expect(file.texts == ["A\nB", "C"])
  }

  @Test func ignoresMissingAndWrongNumbers() throws {
    let file = try readSubRip(
      """
      00:00:01,000 --> 00:00:02,000
      A

      7
      00:00:03,000 --> 00:00:04,000
      B

      7
      00:00:05,000 --> 00:00:06,000
      C

      00:00:07,000 --> 00:00:08,000
      D
      """)
    #expect(file.texts == ["A", "B", "C", "D"])
    #expect(file.notices.isEmpty)
  }

  @Test func dropsTextAfterANumberWithNotice() throws {
    let file = try readSubRip("1 one\n0:0:1,000 --> 0:0:2,000\nA\n\n2 two\n0:0:3,000 --> 0:0:4,000\nB")
    #expect(file.texts == ["A", "B"])
    #expect(file.notices.map(\.kind) == [.textOutsideCue, .textOutsideCue])
    #expect(file.notices.map(\.line) == [1, 5])
  }

  @Test func trimsLines() throws {
    let file = try readSubRip(
      "\n\n  1 \n 00:00:01,000  -->\t00:00:02,000 \t\n  A \t\n \t \n2\n0:0:3,000 --> 0:0:4,000\nB ")
    #expect(file.texts == ["  A", "B"])
    #expect(file.notices.isEmpty)
  }

  @Test func keepsBlankLinesInsideACue() throws {
    let file = try readSubRip("1\n0:0:1,000 --> 0:0:2,000\nA\n\nB\n\n2\n0:0:3,000 --> 0:0:4,000\n\nC\n\n\n")
    #expect(file.texts == ["A\n\nB", "C"])
    #expect(file.notices.map(\.kind) == [.blankLineInCue, .blankLineInCue])
    #expect(file.notices.map(\.line) == [4, 9])
  }

  @Test func findsACueWithoutABlankLineBefore() throws {
    let file = try readSubRip(
      "1\n0:0:1,000 --> 0:0:2,000\nA\n2\n0:0:3,000 --> 0:0:4,000\nB\n0:0:5,000 --> 0:0:6,000\nC")
    #expect(file.texts == ["A", "B", "C"])
    #expect(file.notices.map(\.kind) == [.missingBlankLine, .missingBlankLine])
    #expect(file.notices.map(\.line) == [5, 7])
  }

  @Test func keepsANumberThatIsText() throws {
    let spoken = try readSubRip("1\n0:0:1,000 --> 0:0:2,000\n42\n\n2\n0:0:3,000 --> 0:0:4,000\n43\n\n\n")
    #expect(spoken.texts == ["42", "43"])
    let unnumbered = try readSubRip("0:0:1,000 --> 0:0:2,000\n42\n0:0:3,000 --> 0:0:4,000\n43\n")
    #expect(unnumbered.texts == ["42", "43"])
    let last = try readSubRip("0:0:1,000 --> 0:0:2,000\nA\n\n0:0:3,000 --> 0:0:4,000\nB\n44")
    #expect(last.texts == ["A", "B\n44"])
  }

  @Test func dropsACueWithoutTextWithNotice() throws {
    let file = try readSubRip(
      "1\n0:0:1,000 --> 0:0:2,000\n\n2\n0:0:2,000 --> 0:0:3,000\n<i> </i>\n\n3\n0:0:3,000 --> 0:0:4,000\nA")
    #expect(file.texts == ["A"])
    #expect(file.notices.map(\.kind) == [.emptyCue, .emptyCue])
  }

  @Test func dropsTextBeforeTheFirstCueWithNotice() throws {
    let file = try readSubRip("Translated by someone\n\n1\n0:0:1,000 --> 0:0:2,000\nA")
    #expect(file.texts == ["A"])
    #expect(file.notices.map(\.kind) == [.textOutsideCue])
    #expect(file.notices.first?.message.contains("Translated by someone") == true)
    #expect(file.notices.first?.lostText == "Translated by someone")
  }

  @Test(arguments: [
    "00:00:03 -> 00:00:04", "00:00:03,000 –> 00:00:04,000 yes", "00:00:03,000 → 04,000",
    "00:00:03,000 -->", "00:00:03,000 --> soon", "00:xx:03,000 --> 00:00:04,000",
    "99999999999:00:03,000 --> 00:00:04,000", "00.00.03.000 --> 00.00.04.000", "{00:00:03,000 --> 00:00:04,000}",
    "00:00:03,000 --> OO:00", "00:00:0x,000 --> 00:00:04,000", "00'00'03'000 --> 00'00'04'000",
  ])
  func dropsACueWithInvalidTimesWithNotice(timing: String) throws {
    let file = try readSubRip("1\n0:0:1,000 --> 0:0:2,000\nA\n\n2\n\(timing)\nB\n\n3\n0:0:5,000 --> 0:0:6,000\nC")
    #expect(file.texts == ["A", "C"])
    #expect(file.notices.map(\.kind) == [.unreadableTiming])
    #expect(file.notices.map(\.line) == [6])
    #expect(file.notices.map(\.lostText) == ["\(timing)\nB"])
    let message = file.notices.first?.message
    #expect(message?.hasPrefix("times \"\(timing.prefix(8))") == true)
    #expect(message?.hasSuffix(" are malformed: the cue was dropped with 1 line of text: \"B\"") == true)
  }

  @Test func ignoresAMarkdownFence() throws {
    let file = try readSubRip("```srt\n1\n0:0:1,000 --> 0:0:2,000\nA\n\n2\n0:0:3,000 --> 0:0:4,000\nB\n```\n")
    #expect(file.texts == ["A", "B"])
    #expect(file.notices.filter { $0.kind == .textOutsideCue }.map(\.lostText) == ["```srt", "```"])
    #expect(try readSubRip("1\n0:0:1,000 --> 0:0:2,000\nA ```\n").texts == ["A ```"])
  }

  @Test func keepsArrowsInProse() throws {
    let file = try readSubRip(
      "0:0:1,000 --> 0:0:2,000\nA -> B --> C\n10 -> 20\nat 10:30 -> 11\n-- 3 --> 4\n"
        + "at 10:30 --> 11:30\n1.2.3 --> 1.2.4\nO: lol --> I: o")
    #expect(
      file.texts == [
        "A -> B --> C\n10 -> 20\nat 10:30 -> 11\n-- 3 --> 4\nat 10:30 --> 11:30\n1.2.3 --> 1.2.4\nO: lol --> I: o"
      ])
    #expect(file.notices.isEmpty)
  }

  @Test func rejectsAFileWithoutCues() {
    for text in ["", "\n\n", "Hello\nworld\n", "1\n0:0:2,000 --> 0:0:1,000\n"] {
      let error = #expect(throws: SubtitleError.self) { try readSubRip(text) }
      #expect(error?.code == .noCues)
      #expect(error?.reason.hasPrefix("no cues") == true)
    }
  }

  @Test func appliesLimits() throws {
    let text = "0:0:1,000 --> 0:0:2,000\nA\n\n0:0:3,000 --> 0:0:4,000\n<x>B<y>\n"
    var limits = SubtitleLimits()
    limits.cueCount = 2
    limits.fileByteCount = text.utf8.count
    #expect(try SubRipReader.read(Array(text.utf8), limits: limits).cues.count == 2)
    limits.cueCount = 1
    #expect(throws: SubtitleError(.limit, line: 4, "more than 1 cues")) {
      try SubRipReader.read(Array(text.utf8), limits: limits)
    }
    limits.fileByteCount -= 1
    #expect(throws: SubtitleError.self) { try SubRipReader.read(Array(text.utf8), limits: limits) }
  }

  @Test func countsNoticesBeyondTheLimit() throws {
    var limits = SubtitleLimits()
    limits.noticeCount = 2
    let text = (0..<5).map { "0:0:\($0),000 --> 0:0:\($0 + 1),000\n<c>A\n\n" }.joined()
    let file = try SubRipReader.read(Array(text.utf8), limits: limits)
    #expect(file.notices.map(\.kind) == [.unknownTag, .unknownTag, .furtherNotices])
    #expect(file.notices.last?.message == "3 more notices are not shown")
    #expect(file.notices.last?.furtherCounts == [.inexpressible: 3])
  }

  /// Discarded notices contribute to the counts like the others.
  @Test func countsEffectsOfNoticesBeyondTheLimit() throws {
    // Each cue has a closing tag without its partner, an unknown color, and no text: repaired, inexpressible, dropped.
    let text = (0..<5).map { "0:0:\($0),000 --> 0:0:\($0 + 1),000\n</b><font color=\"?\"></font>\n\n" }.joined()
    let cue = "0:0:9,000 --> 0:0:9,500\nA\n"
    for limit in [0, 1, 7, 14, 15, 10_000] {
      var limits = SubtitleLimits()
      limits.noticeCount = limit
      let notices = try SubRipReader.read(Array((text + cue).utf8), limits: limits).notices
      let counts = SubtitleNotice.Effect.allCases.map { effect in notices.reduce(0) { $0 + $1.count(effect) } }
      #expect(counts == [5, 0, 5, 5] && notices.count == min(15, limit + 1), "\(limit)")
    }
  }

  @Test func summarizesNoticesByKind() throws {
    let text = ["{\\fad(1,2)}A", "{\\pos(1,2)}B{\\blur1}", "{\\fad(3,4)}C", "<s>D</s>", "<font size=3>E</font>"]
    let cues = text.enumerated().map { "0:0:\($0),000 --> 0:0:\($0 + 1),000\n\($1)\n\n" }.joined()
    #expect(
      SubtitleNotice.summary(of: try readSubRip(cues).notices) == [
        "line 2: \\fad(1,2) of override {\\fad(1,2)} was dropped (and 1 more like it: line 8)",
        "line 5: \\pos(1,2) of override {\\pos(1,2)} was dropped", "line 5: \\blur1 of override {\\blur1} was dropped",
        "line 11: strikethrough is not supported: <s> was dropped (and 1 more in this cue)",
        "line 14: the unsupported attribute size of <font size=3> was dropped",
      ])
  }

  @Test func listsLinesInTheSummary() throws {
    let text = (0..<3).map { "0:0:\($0),000 --> 0:0:\($0 + 1),000\n<c>A\n\n" }.joined()
    #expect(
      SubtitleNotice.summary(of: try readSubRip(text).notices) == [
        "line 2: unknown tag <c> was dropped, but its text was kept (and 2 more like it: lines 5, 8)"
      ])
  }

  /// Reading any bytes ends with cues or an error.
  @Test(arguments: 0..<100 as Range<UInt64>)
  func survivesAnyBytes(seed: UInt64) {
    var random = SubtitleRandom(seed: seed)
    let pieces = [
      "1\n", "00:00:01,000", " --> ", "00:00:02,5", "\n", "\r", "\n\n", "<i>", "</b>", "<font color=", "\"red\">",
      "{\\an8}",
      "&lt;", "-", ">", "{", "<", "&", "!!!", "é", "😀", "\0", "\u{FEFF}", ":", "9999999999", "text", " ",
    ]
    var bytes: [UInt8] = []
    for _ in 0..<random.next(below: 120) {
      bytes += pieces[Int(random.next(below: UInt64(pieces.count)))].utf8
    }
    if random.next(below: 8) == 0, !bytes.isEmpty {
      bytes[Int(random.next(below: UInt64(bytes.count)))] = UInt8(random.next(below: 256))
    }
    do {
      for cue in try SubRipReader.read(bytes).cues {
        #expect(cue.endMilliseconds > cue.startMilliseconds, "seed \(seed)")
        #expect(!cue.text.isEmpty && cue.text.text.last != "\n", "seed \(seed)")
        #expect(StyledText(cue.text.text, runs: cue.text.runs) != nil, "seed \(seed)")
      }
    } catch {
      #expect(!error.reason.isEmpty)
    }
  }
}
