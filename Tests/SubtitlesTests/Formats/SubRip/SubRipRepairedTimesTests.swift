import SubtitleTestSupport
import Subtitles
import Testing

/// Times that need a repair, which is reported.
struct SubRipRepairedTimesTests {
  private func file(_ timings: String...) throws -> SubtitleFile {
    try readSubRip(timings.enumerated().map { "\($0 + 1)\n\($1)\nText \($0)\n\n" }.joined())
  }

  // MARK: - Fractions

  @Test(arguments: [",", ".", ":"])
  func carriesAThousandMilliseconds(mark: String) throws {
    let file = try file("00:00:07\(mark)1000 --> 00:00:08\(mark)1000", "00:00:58,250 --> 00:00:59\(mark)1000")
    #expect(file.times == [[8_000, 9_000], [58_250, 60_000]])
    #expect(file.notices.map(\.kind) == [.unusualTime, .unusualTime] && file.notices.map(\.line) == [2, 6])
  }

  @Test func readsFourDigitsAsTenthsOfMilliseconds() throws {
    let file = try file("00:00:07,1000 --> 00:00:08,2500", "00:00:09,0000 --> 00:00:09,1000")
    #expect(file.times == [[7_100, 8_250], [9_000, 9_100]])
  }

  @Test func readsShortFractionsAsMillisecondsIfEndsRequireIt() throws {
    let file = try file(
      "00:00:01,000 --> 00:00:02,91", "00:00:02,97 --> 00:00:02,831", "00:00:04,5 --> 00:00:05,120")
    #expect(file.times == [[1_000, 2_091], [2_097, 2_831], [4_005, 5_120]])
    #expect(file.kinds == [.unusualTime] && file.notices.map(\.line) == [2, 6, 10])
    #expect(file.notices.allSatisfy { $0.message.contains("the cue of line 6 would otherwise end before it starts") })
  }

  @Test func keepsFractionsInAmbiguousFiles() throws {
    // Read as fractions, the second cue begins before the first ends: two people speak at once.
    #expect(
      try file("00:00:01,000 --> 00:00:03,9", "00:00:03,85 --> 00:00:05,000").times == [
        [1_000, 3_900], [3_850, 5_000],
      ])
    // Without a three-digit fraction, nothing suggests that zeros are missing.
    #expect(try file("00:00:02,97 --> 00:00:02,8", "00:00:04,0 --> 00:00:05,0").times[1] == [4_000, 5_000])
    // Both readings are contradicted, so nothing is decided.
    let both = try file(
      "00:00:02,97 --> 00:00:02,831", "00:00:03,100 --> 00:00:03,2", "00:00:04,100 --> 00:00:04,2")
    #expect(both.times[1] == [3_100, 3_200])
  }

  // MARK: - Cues without length

  @Test func extendsACueWithoutDuration() throws {
    let file = try file(
      "00:00:01,000 --> 00:00:01,000", "00:00:05,500 --> 00:00:04,000", "00:00:06,000 --> 00:00:07,000",
      "00:00:08,000 --> 00:00:08,000", "00:00:08,000 --> 00:00:08,400", "00:00:08,300 --> 00:00:08,000")
    #expect(
      file.times == [
        [1_000, 2_000], [5_500, 6_000], [6_000, 7_000], [8_000, 8_300], [8_000, 8_400], [8_300, 9_300],
      ])
    #expect(file.notices.map(\.kind) == [.endMoved, .endMoved, .endMoved, .endMoved])
    #expect(file.notices.map(\.line) == [2, 6, 14, 22] && file.droppedCueCount == 0)
    #expect(SubtitleNotice.Kind.endMoved.effect == .repaired)
  }

  // MARK: - Signs

  @Test(
    arguments: [
      "00:00:08,000: --> 00:00:09,500:", "[00:00:08.000 --> 00:00:09.500]", "\"00:00:08,000 --> 00:00:09,500\"",
      "'00:00:08,000' --> '00:00:09,500'", "00:00:08,000s --> 00:00:09,500s", "(00:00:08,000) --> (00:00:09,500)",
      "<00:00:08,000> --> <00:00:09,500>", "00:00:08,000; --> 00:00:09,500;", "00:00:08,000, --> 00:00:09,500,",
      ": 00:00:08,000 --> 00:00:09,500", "[ 00:00:08.000 --> 00:00:09.500 ]", "00:00:08,000 -->> 00:00:09,500",
      "00:00:08,000 -->>> 00:00:09,500", "“00:00:08,000” --> “00:00:09,500”", "[00:08.000 --> 00:09.500]",
      "0h0m8s000 --> 0h0m9s500", "00h00m08,000s --> 00h 00m 09,500s", "0H00M08S --> 0H00M09.5S",
      "{00:00:08,000} --> {00:00:09,500}".replacing("{", with: "[").replacing("}", with: "]"),
      "00:00:08.000]-->[00:00:09.500",
    ])
  func reportsIgnoredCharactersBesideTimes(timing: String) throws {
    let file = try readSubRip("1\n0:0:1,000 --> 0:0:2,000\nA\n\n2\n\(timing)\nB\n\n3\n0:0:15,000 --> 0:0:16,000\nC\n")
    #expect(file.times == [[1_000, 2_000], [8_000, 9_500], [15_000, 16_000]])
    #expect(file.texts == ["A", "B", "C"])
    #expect(file.notices.map(\.kind) == [.unusualTime] && file.notices.map(\.line) == [6])
  }

  @Test(
    arguments: [
      ("00:00:08,000 --> 00:00:09,500 \"Hello\"", "\"Hello\""), ("00:00:08,000 --> 00:00:09,500\"Hello\"", "\"Hello\""),
      ("00:00:08,000 --> 00:00:09,500 (laughs)", "(laughs)"), ("[00:00:08,000 --> 00:00:09,500] (laughs)", "(laughs)"),
      ("00:00:08,000 --> 00:00:09,500: Hello", "Hello"), ("[00:08.000 --> 00:09.500]Hello", "Hello"),
      ("00:00:08,000 --> 00:00:09,500 'tis so", "'tis so"), ("00:00:08,000 --> 00:00:09,500s 3 apples", "3 apples"),
    ])
  func keepsPunctuationOfTextAfterTimes(timing: String, text: String) throws {
    let file = try readSubRip("1\n\(timing)\nB\n")
    #expect(file.texts == [text + "\nB"] && file.times == [[8_000, 9_500]])
    #expect(file.kinds.last == .textBesideTimes)
  }

  @Test(
    arguments: [
      "\"10:30 --> 11:30\"", "(10:30 --> 11:30)", "5m 3s --> 6m 2s", "at 00:00:05,000 --> 00:00:06,000",
      "It was [00:00:05,000 --> 00:00:06,000]", "File --> Open", "null --> undefined", "--> see page 3",
    ])
  func keepsTimesAndArrowsInText(line: String) throws {
    let file = try readSubRip("1\n0:0:1,000 --> 0:0:2,000\nOpen\n\(line)\n\n2\n0:0:3,000 --> 0:0:4,000\nB\n")
    #expect(file.texts == ["Open\n\(line)", "B"] && file.notices.isEmpty)
  }

  @Test(
    arguments: [
      "undefined --> undefined", "NaN:NaN:NaN,NaN --> NaN:NaN:NaN,NaN", "nan:nan --> nan:nan", "null --> null",
      "00:00:14,000 --> undefined", "Invalid date --> Invalid date", "None --> None", "--> 00:00:15,000", "-->",
      " --> ",
      "start --> end",
    ], [true, false])
  func reportsAnArrowWithoutTimes(line: String, isFirst: Bool) throws {
    let other = ["0:0:1,000 --> 0:0:2,000\nA\n\n", "\(line)\nLost\n\n"]
    let cues = isFirst ? [other[1], other[0]] : other
    let file = try readSubRip(cues.enumerated().map { "\($0 + 1)\n\($1)" }.joined() + "3\n0:0:5,0 --> 0:0:6,0\nC\n")
    #expect(file.texts == ["A", "C"])
    let notice = try #require(file.notices.first { $0.kind == .unreadableTiming })
    #expect(notice.line == (isFirst ? 2 : 6) && notice.lostText?.hasSuffix("\nLost") == true)
    #expect(file.droppedCueCount == 1)
  }

  @Test func findsInvalidTimesAfterABlankLine() throws {
    let file = try readSubRip("0:0:1,000 --> 0:0:2,000\nA\n\nnan:nan --> nan:nan\nLost\n\n0:0:5,000 --> 0:0:6,000\nC\n")
    #expect(file.texts == ["A", "C"])
    #expect(file.notices.map(\.lostText) == ["nan:nan --> nan:nan\nLost"])
  }

  @Test func readsOutputOfASpeechRecognizer() throws {
    let file = try readSubRip(
      "[00:00:01.000 --> 00:00:03.000]   Hello\n[00:00:03.000 --> 00:00:04.500]   world\n[00:04.500 --> 00:06.000] (music)\n"
    )
    #expect(file.texts == ["Hello", "world", "(music)"])
    #expect(file.times == [[1_000, 3_000], [3_000, 4_500], [4_500, 6_000]])
    #expect(file.kinds == [.unusualTime, .textBesideTimes])
  }

  // MARK: - Numbers and blank lines

  @Test(
    arguments: [
      ["#1", "#2", "#3"], ["[1]", "[2]", "[3]"], ["(1)", "(2)", "(3)"], ["一", "二", "三"], ["un", "deux", "trois"],
      ["Nr. 1", "Nr. 2", "Nr. 3"], ["I", "II", "III"], ["subtitle one", "subtitle two", "subtitle three"],
      ["#7", "#8", "#9"],
    ])
  func readsDecoratedNumbers(labels: [String]) throws {
    let cues = labels.enumerated().map { "\($1)\n0:0:\($0 * 2 + 1),000 --> 0:0:\($0 * 2 + 2),000\nText \($0)\n" }
    let file = try readSubRip(cues.joined(separator: "\n"))
    #expect(file.texts == ["Text 0", "Text 1", "Text 2"])
    #expect(file.notices.map(\.lostText) == labels)
    #expect(file.kinds == [.unusualNumber])
  }

  @Test func readsDecoratedNumbersWithoutABlankLine() throws {
    let file = try readSubRip("#1\n0:0:1,000 --> 0:0:2,000\nA\n#2\n0:0:3,000 --> 0:0:4,000\nB\n")
    #expect(file.texts == ["A", "B"])
  }

  @Test(
    arguments: [
      // The first cue has no number.
      ("0:0:1,000 --> 0:0:2,000\nA\n\nBob\n0:0:3,000 --> 0:0:4,000\nB\n", ["A\n\nBob", "B"]),
      // The same line twice: a speaker.
      (
        "Ann\n0:0:1,000 --> 0:0:2,000\nA\n\nAnn\n0:0:3,000 --> 0:0:4,000\nB\n", ["A\n\nAnn", "B"]
      ),
      // A sentence.
      (
        "x\n0:0:1,000 --> 0:0:2,000\nA\n\nThis is what she said to me\n0:0:3,000 --> 0:0:4,000\nB\n",
        ["A\n\nThis is what she said to me", "B"]
      ),
    ])
  func keepsOtherWordsBeforeTimes(text: String, texts: [String]) throws {
    #expect(try readSubRip(text).texts == texts)
  }

  @Test(arguments: ["\n", "\r\n"])
  func ignoresDoubleSpacing(end: String) throws {
    let lines = ["1", "0:0:1,000 --> 0:0:2,000", "One", "two", "2", "0:0:3,000 --> 0:0:4,000", "Three", "four", "five"]
    let file = try readSubRip(lines.joined(separator: end + end))
    #expect(file.texts == ["One\ntwo", "Three\nfour\nfive"])
    #expect(file.notices.map(\.kind) == [.spacedLines])
    // Blank lines between cues existed before the double spacing.
    let spaced = ["1", "0:0:1,000 --> 0:0:2,000", "One", "two", "", "2", "0:0:3,000 --> 0:0:4,000", "Three", "four"]
    #expect(try readSubRip(spaced.joined(separator: end + end)).texts == ["One\ntwo", "Three\nfour"])
    // If two consecutive lines occur, blank lines are intended.
    #expect(
      try readSubRip("1\n0:0:1,000 --> 0:0:2,000\nOne\n\ntwo\n\nthree\n\nfour\n").texts == [
        "One\n\ntwo\n\nthree\n\nfour"
      ])
  }
}
