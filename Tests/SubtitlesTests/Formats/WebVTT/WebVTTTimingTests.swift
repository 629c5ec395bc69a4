import SubtitleTestSupport
import Subtitles
import Testing

/// Times, by the rules that the public WebVTT tests name.
struct WebVTTTimingTests {
  private func times(_ line: String) throws -> [Int64]? {
    let file = try readWebVTT("\(line)\nA\n\n99:00:00.000 --> 99:00:01.000\nlast\n")
    guard file.cues.count == 2 else {
      #expect(file.kinds == [.unreadableTiming])
      #expect(file.notices.map(\.lostText) == ["\(line)\nA"])
      return nil
    }
    return file.times[0]
  }

  @Test func omittedHours() throws {
    #expect(try times("00:01.500 --> 59:59.999") == [1_500, 3_599_999])
    #expect(try times("00:01.500 --> 00:00:02.000") == [1_500, 2_000])
    #expect(try times("00:00:01.500 --> 00:02.000") == [1_500, 2_000])
  }

  @Test func readsAnyNumberOfHours() throws {
    #expect(try times("0:00:01.000 --> 0:00:02.000") == [1_000, 2_000])
    #expect(try times("000:00:01.000 --> 1000:00:00.000") == [1_000, 3_600_000_000])
    #expect(try times("00:00:01.000 --> 999999999999:59:59.999") == [1_000, 3_599_999_999_999_999_999])
    #expect(try times("00:00:01.000 --> 1000000000000:00:00.000") == nil)
  }

  @Test func ignoresBlanks() throws {
    #expect(try times("00:01.000-->00:02.000") == [1_000, 2_000])
    #expect(try times("\t00:01.000 \t-->\u{C} 00:02.000 ") == [1_000, 2_000])
  }

  @Test(arguments: [
    "00:60.000 --> 00:02.000", "60:00.000 --> 00:02.000", "00:60:00.000 --> 00:02.000", "00:00:60.000 --> 00:02.000",
    "00:01.000 --> 00:60.000",
  ])
  func timings60(line: String) throws {
    #expect(try times(line) == nil)
  }

  @Test(arguments: ["-00:01.000 --> 00:02.000", "00:-1.000 --> 00:02.000", "00:01.000 --> -00:02.000"])
  func timingsNegative(line: String) throws {
    #expect(try times(line) == nil)
  }

  @Test(arguments: ["0", "", ":00.", ".", "00:00:", "x00:00.000", "00:00.000x"])
  func timingsGarbage(time: String) throws {
    #expect(try times("\(time) --> 00:01.000") == nil)
  }

  /// Players drop these cues. Here their text is kept, with a notice.
  @Test(arguments: [
    "0000:00.000", "00:0:00.000", "00:0000.000", "00:00:0.000", "00:00:00000", "00:00:00.00", "00:00:00.", "00:00:00",
    "00:00", "0:00.000", "00:0.000", "00:00.00", "00:00:00.0000", "00:000:00.000", "00:00:000.000",
    "00:00:00:000",
  ])
  func timingsTooShortTooLong(time: String) throws {
    let file = try readWebVTT("\(time) --> 00:01.000\nA\n")
    #expect(file.times == [[0, 1_000]] && file.kinds == [.unusualTime])
  }

  @Test func readsTextAfterTheEndAsASetting() throws {
    let file = try readWebVTT("00:01.000 --> 00:02.000x line:0\nA\n")
    #expect(file.times == [[1_000, 2_000]])
    #expect(file.cues[0].placement.vertical == .top)
    #expect(file.kinds == [.ignoredSetting])
  }

  @Test(arguments: ["00:01.000 -> 00:02.000", "00:01.000 - -> 00:02.000", "00:01.000 –> 00:02.000"])
  func keepsOtherArrowsAsText(line: String) throws {
    let file = try readWebVTT("\(line)\nA\n\n00:01.000 --> 00:02.000\nB\n")
    #expect(file.texts == ["B"])
    #expect(file.notices.map(\.lostText) == ["\(line)\nA"])
  }

  @Test func timingsEof() throws {
    #expect(throws: SubtitleError.self) { try readWebVTT("00:01.000 --> 00:02.000") }
    #expect(try readWebVTT("00:01.000 --> 00:02.000\nA").texts == ["A"])
  }

  /// Players drop such cues, and with them whole files that were converted from SubRip.
  @Test func readsACommaAsADecimalPoint() throws {
    let file = try readWebVTT("00:00:01,000 --> 00:00:02,500\nA\n")
    #expect(file.times == [[1_000, 2_500]])
    #expect(file.kinds == [.unusualTime])
  }
}
