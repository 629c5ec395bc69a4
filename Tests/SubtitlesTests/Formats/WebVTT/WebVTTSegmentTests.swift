import SubtitleTestSupport
import Subtitles
import Testing

/// Segments of HLS, alone and put together (RFC 8216, clause 3.5).
struct WebVTTSegmentTests {
  private func segment(_ map: String?, _ cues: String...) -> String {
    "WEBVTT\n" + (map.map { "X-TIMESTAMP-MAP=\($0)\n" } ?? "") + "\n" + cues.map { $0 + "\n\n" }.joined()
  }

  @Test func readsACueOfSeveralSegmentsOnce() throws {
    let cue = "1\n00:05.000 --> 00:07.000\nA"
    let file = try readWebVTT(
      whole: segment(nil, cue) + segment(nil, cue) + segment(nil, cue, "00:08.000 --> 00:09.000\nB"))
    #expect(file.texts == ["A", "B"])
    #expect(file.notices.map(\.kind) == [.repeatedCue, .repeatedCue])
    #expect(file.droppedCueCount == 0)
  }

  @Test(arguments: [
    "2\n00:05.000 --> 00:07.000\nA", "00:05.000 --> 00:07.000\nA", "1\n00:05.001 --> 00:07.000\nA",
    "1\n00:05.000 --> 00:07.001\nA", "1\n00:05.000 --> 00:07.000\na", "1\n00:05.000 --> 00:07.000\n<i>A</i>",
  ])
  func keepsDifferingCues(other: String) throws {
    let file = try readWebVTT(whole: segment(nil, "1\n00:05.000 --> 00:07.000\nA") + segment(nil, other))
    #expect(file.cues.count == 2)
    #expect(file.notices.isEmpty)
  }

  @Test func keepsEqualCuesOfOneSegment() throws {
    let cue = "00:05.000 --> 00:07.000\nA"
    #expect(try readWebVTT(whole: segment(nil, cue, cue)).cues.count == 2)
    #expect(try readWebVTT(whole: segment(nil, cue, cue) + segment(nil)).cues.count == 2)
  }

  @Test(arguments: [
    "LOCAL:00:00:00.000,MPEGTS:0", "MPEGTS:900000,LOCAL:00:00:10.000", "LOCAL:00:10.000, MPEGTS:900000",
  ])
  func keepsTimesForAnEqualMap(map: String) throws {
    let file = try readWebVTT(whole: segment(map, "00:12.000 --> 00:13.000\nA"))
    #expect(file.times == [[12_000, 13_000]])
    #expect(file.notices.isEmpty)
  }

  @Test func reportsTheFirstMapAndKeepsTimes() throws {
    let file = try readWebVTT(whole: segment("MPEGTS:900000,LOCAL:00:00:00.000", "00:12.000 --> 00:13.000\nA"))
    #expect(file.times == [[12_000, 13_000]])
    #expect(file.kinds == [.timestampMap])
    #expect(file.notices[0].message.contains("00:00:10.000"))
  }

  @Test func movesASegmentByItsMap() throws {
    let cue = "00:01.000 --> 00:02.000\nA"
    let file = try readWebVTT(
      whole: segment("MPEGTS:0,LOCAL:00:00:00.000", cue) + segment("MPEGTS:540000,LOCAL:00:00:00.000", cue)
        + segment("MPEGTS:540000,LOCAL:00:00:06.000", cue))
    #expect(file.times == [[1_000, 2_000], [7_000, 8_000]])
    #expect(file.kinds == [.timestampMap, .repeatedCue])
  }

  @Test func handlesTimestampWraparound() throws {
    let last = (1 << 33) - 90_000
    let cue = "00:01.000 --> 00:02.000\nA"
    let file = try readWebVTT(
      whole: segment("MPEGTS:\(last),LOCAL:00:00:00.000", cue) + segment("MPEGTS:90000,LOCAL:00:00:00.000", cue))
    #expect(file.times == [[1_000, 2_000], [3_000, 4_000]])
    let back = try readWebVTT(
      whole: segment("MPEGTS:90000,LOCAL:00:00:00.000", cue) + segment("MPEGTS:\(last),LOCAL:00:00:00.000", cue))
    #expect(back.times == [[1_000, 2_000], [-1_000, 0]])
  }

  @Test(arguments: ["LOCAL:x,MPEGTS:0", "MPEGTS:8589934592", "MPEGTS:-1", "MPEGTS:x"])
  func reportsAnInvalidMap(map: String) throws {
    let file = try readWebVTT(whole: segment(map, "00:12.000 --> 00:13.000\nA"))
    #expect(file.times == [[12_000, 13_000]])
    #expect(file.kinds == [.ignoredSetting])
  }

  @Test func handlesTheLargestTimes() throws {
    let time = "999999999999:59:59.999"
    let cue = "00:01.000 --> \(time)\nA"
    let file = try readWebVTT(
      whole: segment("MPEGTS:0,LOCAL:\(time)", cue) + segment("MPEGTS:0,LOCAL:00:00:00.000", cue))
    #expect(file.cues.count == 2)
  }

  @Test func readsASegmentWithoutABlankLineBefore() throws {
    let first = "WEBVTT\n\n00:01.000 --> 00:02.000\nA\n"
    let file = try readWebVTT(whole: first + segment("MPEGTS:0,LOCAL:00:00:00.000", "00:03.000 --> 00:04.000\nB"))
    #expect(file.texts == ["A", "B"])
    #expect(file.kinds == [.missingBlankLine])
    #expect(try readWebVTT(whole: first + "WEBVTT\nand more\n").texts == ["A\nWEBVTT\nand more"])
  }

  @Test func readsStylesOfEachSegment() throws {
    let style = "STYLE\n::cue(b) { color: red }"
    let file = try readWebVTT(
      whole: segment(nil, style, "00:01.000 --> 00:02.000\n<b>A</b>")
        + segment(nil, style, "00:03.000 --> 00:04.000\nB"))
    #expect(file.texts == ["A", "B"])
    #expect(file.notices.isEmpty)
  }
}
