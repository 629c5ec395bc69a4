import MovieBox
import MovieWriter
import Testing

@testable import MovtoolCommands

struct FrameRateTests {
  @Test(
    arguments: [
      ("25", 25, 1), ("23.976", 24_000, 1_001), ("29.97", 30_000, 1_001), ("59.94", 60_000, 1_001), ("12.5", 125, 10),
      ("1.001", 1_001, 1_000), ("999999.999999", 999_999_999_999, 1_000_000),
    ] as [(String, UInt64, UInt64)])
  func readsRates(text: String, numerator: UInt64, denominator: UInt64) {
    #expect(DecimalRatio(text)?.numerator == numerator)
    #expect(DecimalRatio(text)?.denominator == denominator)
  }

  @Test(arguments: ["", "0", "0.0", "-1", "+1", ".5", "1.", "1,5", "1e3", "1000000", "1.0000001", "x"])
  func rejectsInvalidRates(text: String) {
    #expect(DecimalRatio(text) == nil)
  }

  @Test(
    arguments: [
      ("2", 2, 1), ("25/23.976", 25_025, 24_000), ("24/25", 24, 25), ("0.01", 1, 100), ("100", 100, 1),
    ] as [(String, UInt64, UInt64)])
  func readsFactors(text: String, numerator: UInt64, denominator: UInt64) {
    #expect(CueTiming.Scale(text) == CueTiming.Scale(numerator, over: denominator))
  }

  @Test(arguments: ["", "/", "1/", "/1", "1/2/3", "0", "1/0", "0.009", "101", "-1"])
  func rejectsInvalidFactors(text: String) {
    #expect(CueTiming.Scale(text) == nil)
  }

  /// The largest numbers do not overflow.
  @Test(
    arguments: [
      ("30000/1001", 30_000, 1_001), ("23.976/1", 24_000, 1_001), ("25", 25, 1),
      ("999999.999999/0.000001", 999_999_999_999_000_000, 1_000_000),
      ("0.000001/999999.999999", 1_000_000, 999_999_999_999_000_000),
    ] as [(String, UInt64, UInt64)])
  func readsFractions(text: String, numerator: UInt64, denominator: UInt64) {
    let fraction = DecimalRatio(fraction: text)
    #expect(fraction?.numerator == numerator && fraction?.denominator == denominator)
  }

  @Test(
    arguments: [
      ("01:00:00:00", 3_600_000), ("00:59:50", 3_590_000), ("00:00:01.500", 1_500), ("09:57:30:12@25", 35_850_480),
      ("01:00:00;00", 3_600_000), ("00:00:00:23@23.976", 959), ("23:59:59:00", 86_399_000), ("00:00:00:59@59.94", 984),
      ("00:00:00:23@24000/1001", 959), ("00:00:00:16@30000/1001", 534), ("00:00:01:29@60/2", 1_967),
    ] as [(String, Int64)])
  func readsTimeCodes(text: String, milliseconds: Int64) throws {
    #expect(try TimecodeBase(option: text).milliseconds == milliseconds)
  }

  /// Only a subtitle file can determine the rate of the frame number.
  @Test func aFrameNumberNeedsARate() throws {
    #expect(try TimecodeBase(option: "01:00:00:12").milliseconds == nil)
    #expect(try TimecodeBase(option: "01:00:00:00").milliseconds == 3_600_000)
  }

  @Test(arguments: [
    "", "1", "01:00", "01:00:00@x", "01:00:00:00@0", "-01:00:00:00", "01:60:00:00",
    "01:00:00:1", "01:00:00.5:00", "01:00:00:00:00", "@25", "01:00:00:00@", "01:00:00:00@/",
    "01:00:00:00@30000/", "01:00:00:00@/1001", "01:00:00:00@30000/0", "01:00:00:00@1/2/3",
  ])
  func rejectsInvalidTimeCodes(text: String) {
    let error = #expect(throws: UsageError.self) { try TimecodeBase(option: text) }
    #expect(error?.message.contains("specify a time such as 01:00:00:00") == true)
  }

  /// Time codes end at 23:59:59 and the last frame of this second.
  @Test(arguments: [
    ("24:00:00:00", "hour 24 is above 23"), ("99:59:59", "hour 99 is above 23"), ("100:00:00", "hour 100 is above 23"),
    ("01:00:00:25@25", "frame 25 is above 24, the last frame of a second at 25 frames a second"),
    ("01:00:00:30@24", "frame 30 is above 23, the last frame of a second at 24 frames a second"),
    ("01:00:00:30@30000/1001", "frame 30 is above 29, the last frame of a second at 30000/1001 frames a second"),
  ])
  func errorsNameTheLimitOfATimeCode(text: String, reason: String) {
    let error = #expect(throws: UsageError.self) { try TimecodeBase(option: text) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    // The error recommends --offset only for an hour that is too large, and only if the command has the option.
    #expect(error?.message.contains("--offset") == reason.hasPrefix("hour"))
    let other = #expect(throws: UsageError.self) { try TimecodeBase(option: text, hasOffset: false) }
    #expect(other?.message.contains(reason) == true && other?.message.contains("--offset") == false)
  }
}
