import Testing

@testable import Subtitles

struct TimecodeTests {
  private func frame(_ text: String, _ numbering: Timecode.Numbering) throws -> Int64 {
    try #require(Timecode.parse(Array(text.utf8)[...])).code.frame(numbering)
  }

  @Test func readsNumbersWithAndWithoutGaps() throws {
    #expect(try frame("01:00:00:00", .nonDropFrame) == 108_000)
    #expect(try frame("01:00:00;00", .dropFrame) == 107_892)
    #expect(try frame("00:00:59;29", .dropFrame) == 1_799)
    #expect(try frame("00:01:00;02", .dropFrame) == 1_800)
    #expect(try frame("00:10:00;00", .dropFrame) == 17_982)
    #expect(CaptionFrameRate.line21.milliseconds(ofFrame: 108_000) == 3_603_600)
    #expect(CaptionFrameRate.line21.milliseconds(ofFrame: 107_892) == 3_599_996)
  }

  @Test func everyFrameOfAnHourHasItsTimecode() throws {
    for numbering in [Timecode.Numbering.dropFrame, .nonDropFrame] {
      for frame in Int64(0)..<108_500 {
        let code = Timecode(ofFrame: frame, numbering)
        try #require(code.frame(numbering) == frame && code.fault(numbering) == nil && !code.isSkipped(numbering))
      }
    }
  }

  @Test func aDayHasItsFrames() throws {
    for (numbering, text) in [(Timecode.Numbering.dropFrame, "23:59:59;29"), (.nonDropFrame, "23:59:59:29")] {
      #expect(try frame(text, numbering) == numbering.framesPerDay - 1)
      #expect(numbering.code(ofFrame: 1, from: numbering.framesPerDay - 1).text(isDropFrame: false) == "00:00:00:00")
      #expect(numbering.code(ofFrame: .max, from: .max).fault(numbering) == nil)
    }
    let numbering = Timecode.Numbering(CaptionFrameRate(frames: 60_000, in: 1_001), dropsFrames: true)
    #expect(try frame("23:59:59;59", numbering) == numbering.framesPerDay - 1)
    #expect(!Timecode.Numbering(CaptionFrameRate(frames: 60, in: 1), dropsFrames: true).dropsFrames)
    #expect(!Timecode.Numbering(CaptionFrameRate(frames: 24_000, in: 1_001), dropsFrames: true).dropsFrames)
  }

  /// A displayed time of another frame rate has a nearest frame.
  @Test(
    arguments: [
      (3_600_000, "01:00:00;00"), (3_600_500, "01:00:00;15"), (59_999, "00:01:00;02"), (60_000, "00:01:00;02"),
      (60_040, "00:01:00;02"), (3_600_966, "01:00:00;29"),
    ] as [(Int64, String)])
  func displayedTimesHaveAFrame(_ milliseconds: Int64, _ text: String) throws {
    let expected = try frame(text, .dropFrame)
    #expect(Timecode.Numbering.dropFrame.frame(displaying: milliseconds) == expected)
  }

  @Test func everyFrameIsTheNearestToItsStart() {
    for rate in [CaptionFrameRate.line21, CaptionFrameRate(frames: 24, in: 1)] {
      for frame in stride(from: Int64(0), to: 3_000_000, by: 997) {
        #expect(rate.frame(atMilliseconds: rate.milliseconds(ofFrame: frame)) == frame)
      }
      #expect(rate.frame(atMilliseconds: .max) > 0 && rate.frame(atMilliseconds: .min) == 0)
      #expect(rate.milliseconds(ofFrame: .max) == .max && rate.milliseconds(ofFrame: .min) == 0)
    }
  }

  @Test(arguments: ["", "1", "01:00", "01:00:00", "01:00:00:", "a1:00:00:00", "001:00:00:00", "01-00:00:00"])
  func rejectsOtherTexts(_ text: String) { #expect(Timecode.parse(Array(text.utf8)[...]) == nil) }
}
