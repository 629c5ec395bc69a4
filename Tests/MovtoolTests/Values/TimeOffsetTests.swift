import Testing

@testable import MovtoolCommands

struct TimeOffsetTests {
  @Test(
    arguments: [
      ("0", 0), ("1.5", 1500), ("-1.5", -1500), ("+2", 2000), ("0,25", 250), ("1.007", 1007), ("90", 90_000),
      ("00:00:01.500", 1500), ("-01:02:03.004", -3_723_004), ("02:03", 123_000), ("90:00", 5_400_000),
      ("00:00:01,500", 1500), ("999:59:59.999", 3_599_999_999), ("3599999.999", 3_599_999_999),
    ] as [(String, Int64)])
  func readsSecondsAndClockTimes(text: String, milliseconds: Int64) {
    #expect(TimeOffset(text)?.milliseconds == milliseconds)
  }

  @Test func acceptsOffsetsOfClocksSince1970() throws {
    #expect(try TimeOffset(offset: "495833:20:00").milliseconds == 1_785_000_000_000)
    #expect(try TimeOffset(offset: "-1785000000.5").milliseconds == -1_785_000_000_500)
    for (text, reason) in [("878400:00:00", "too large"), ("9999999999", "too large"), ("1:60", "specify seconds")] {
      #expect {
        try TimeOffset(offset: text)
      } throws: {
        ($0 as? UsageError)?.message.contains(reason) ?? false
      }
    }
  }

  @Test(arguments: [
    "", "-", "+", ".", "1.", ".5", "1.0001", "1:60", "1:60:00", "1:2:3:4", "1:", ":1", "--1", "1e3", "x", "1s", " 1",
    "1000:00:00", "3600000", "99999999999999999999", "1:-2", "٣",
  ])
  func rejectsInvalidTimes(text: String) {
    #expect(TimeOffset(text) == nil)
  }
}
