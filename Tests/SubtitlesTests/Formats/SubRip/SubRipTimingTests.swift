import SubtitleTestSupport
import Subtitles
import Testing

struct SubRipTimingTests {
  private func read(_ timing: String) throws -> SubtitleFile { try readSubRip("1\n\(timing)\nA\n") }

  @Test(
    arguments: [
      ("00:00:01,000 --> 00:00:02,000", 1_000, 2_000),
      ("00:00:01.001 --> 00:00:02.002", 1_001, 2_002),
      ("00:00:01:003-->00:00:02:004", 1_003, 2_004),
      ("0:0:1,000 --> 0:0:2,000", 1_000, 2_000),
      ("01:02,500 --> 01:03,000", 62_500, 63_000),
      ("00:00:01 --> 00:00:02", 1_000, 2_000),
      ("100:00:00,000 --> 123:45:06,789", 360_000_000, 445_506_789),
      ("00:00:01,0000 --> 00:00:02,123000", 1_000, 2_123),
    ] as [(String, Int64, Int64)])
  func parsesTimesExactly(timing: String, start: Int64, end: Int64) throws {
    let file = try read(timing)
    #expect(file.times == [[start, end]])
    #expect(file.notices.isEmpty)
  }

  @Test(
    arguments: [
      ("00:00:01,5 --> 00:00:02,25", 1_500, 2_250),
      ("00:00:01,0019 --> 00:00:02,9999", 1_001, 2_999),
      ("00:00:75,000 --> 00:90:00,000", 75_000, 5_400_000),
      ("00:00:01, --> 00:00:02,000", 1_000, 2_000),
      ("00:00:01;000 --> 00:00:02;500", 1_000, 2_500),
      ("00;00;01;000 --> 00:00;02,500", 1_000, 2_500),
      ("0O:00:01,000 --> 00:O0:l2,5oo", 1_000, 12_500),
      ("OO:OO:O1,OOO --> oo:oo:I2,00O !!!", 1_000, 12_000),
    ] as [(String, Int64, Int64)])
  func reportsUnusualTimesAsRead(timing: String, start: Int64, end: Int64) throws {
    let file = try read(timing)
    #expect(file.times == [[start, end]])
    #expect(file.notices.map(\.kind) == [.unusualTime])
    #expect(file.notices.map(\.line) == [2])
  }

  @Test func keepsNegativeTimes() throws {
    #expect(try read("-00:00:01,500 --> 00:00:02,000").times == [[-1_500, 2_000]])
  }

  @Test func keepsACueWithAnInvalidEndWithNotice() throws {
    for timing in ["00:00:02,000 --> 00:00:02,000", "00:00:02,000 --> 00:00:01,999"] {
      let file = try readSubRip("1\n\(timing)\nA\n\n2\n00:00:03,000 --> 00:00:03,001\nB")
      #expect(file.texts == ["A", "B"])
      #expect(file.notices.map(\.kind) == [.endMoved])
    }
  }

  @Test func readsExclamationMarksAfterTimesAsForced() throws {
    for timing in ["0:0:1,000 --> 0:0:2,000 !!!", "0:0:1,000 --> 0:0:2,000!!!", "0:0:1,000 --> 0:0:2,000 \t!!! "] {
      let file = try read(timing)
      #expect(file.cues.map(\.isForced) == [true])
      #expect(file.notices.isEmpty)
    }
    #expect(try read("0:0:1,000 --> 0:0:2,000").cues.map(\.isForced) == [false])
  }

  @Test func ignoresWordsAfterTimes() throws {
    for timing in ["00:00:01,000 --> 00:00:02,000", "00:00:01,000 --> 00:00:02,00", "00:01 --> 00:02"] {
      let file = try read(timing + "Oh")
      #expect(file.times == [[1_000, 2_000]])
      #expect(file.texts == ["Oh\nA"])
    }
  }

  @Test func ignoresSettingsAfterTimesWithNotice() throws {
    let file = try read("00:00:01,000 --> 00:00:02,000  align:start !!! position:10%")
    #expect(file.times == [[1_000, 2_000]])
    #expect(file.cues.map(\.isForced) == [true])
    #expect(file.notices.map(\.kind) == [.ignoredSetting])
  }
}
