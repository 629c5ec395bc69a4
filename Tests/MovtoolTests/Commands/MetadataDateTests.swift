import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// Dates and locations on the command line: spellings, headers, and reports.
struct MetadataDateTests {
  private func shop(_ tags: [UInt8] = []) throws -> Workshop {
    try Workshop(TestMovie.simple.with { $0.userData = tags })
  }

  private func recorded(_ shop: Workshop, _ name: String = "@in.mov") throws -> [String: Any] {
    try #require(shop.run("metadata \(name) --json").json["recorded"] as? [String: Any])
  }

  @Test func showsADateThatOnlyHeadersContain() throws {
    let shop = try shop()
    let line = try #require(shop.run("metadata @in.mov").output.last)
    #expect(line.hasPrefix("recorded") && line.contains("2019-05-14T05:17:52Z") && line.contains("moov/mvhd"))
    #expect(shop.run("inspect @in.mov").output.contains { $0.contains("recorded  2019-05-14T05:17:52Z (moov/mvhd)") })
    #expect(try recorded(shop)["path"] as? String == "moov/mvhd")
    #expect(shop.run("metadata @in.mov --space mdta").output == ["in.mov has no metadata of these"])
  }

  @Test func showsADateOfHeadersAndTagsOnce() throws {
    let shop = try shop(atom("©day") { u16(25, 0x55C4) + text("2019-05-14T07:17:52+02:00") })
    #expect(!shop.run("metadata @in.mov").output.contains { $0.hasPrefix("recorded") })
    #expect(try recorded(shop)["isTagged"] as? Bool == true)
  }

  @Test func contradictionIsShown() throws {
    let shop = try shop(atom("©day") { u16(25, 0x55C4) + text("2024-05-14T07:17:52+02:00") })
    #expect(shop.run("metadata @in.mov").output.last?.hasSuffix("contradicts udta/%A9day") == true)
    #expect(try recorded(shop)["contradictedBy"] as? String == "udta/%A9day")
    #expect(shop.run("validate @in.mov").output.contains { $0.contains("movie.date-contradicts-tags") })
  }

  @Test(arguments: [
    "2024:01:20 10:26:09+01:00", "Sat Jan 20 10:26:09 2024 +0100", "2024-01-20 10:26:09 +0100",
    "2024-01-20T10:26:09+01:00",
  ])
  func creationDateIsSetInTagsAndHeaders(_ date: String) throws {
    let shop = try shop()
    let outcome = shop.run(words: ["metadata", "@in.mov", "--creation-date", date])
    #expect(outcome.output.prefix(2).last == "set the dates in 5 headers to 2024-01-20T09:26:09Z: mvhd, tkhd, mdhd")
    #expect(outcome.errors.isEmpty)
    let after = try recorded(shop)
    #expect(after["date"] as? String == "2024-01-20T09:26:09Z" && after["isTagged"] as? Bool == true)
  }

  @Test(arguments: [
    ("--creation-date 2024", "has no time of day"), ("--creation-date 2024-01-20", "has no time of day"),
    ("--creation-date 2024-01-20T10:26:09", "has no zone"), ("--set date=2024-01-20T10:26:09", "has no zone"),
    ("--creation-date 1850-01-20T10:26:09Z", "is not between 1904 and February 2040"),
    ("--creation-date 2041-01-20T10:26:09Z", "is not between 1904 and February 2040"),
    ("--creation-date 2024-01-20T10:26:09Z --only-space", "--only-space does not change header dates"),
  ])
  func notesUnchangedHeaders(_ options: String, _ reason: String) throws {
    let shop = try shop()
    let outcome = shop.run("metadata @in.mov --json \(options)")
    let notes = try #require(outcome.json["notes"] as? [[String: Any]])
    let note = notes.first { $0["code"] as? String == "header-dates-kept" }?["message"] as? String
    #expect(note?.hasPrefix("the dates in headers are unchanged (2019-05-14T05:17:52Z)") == true)
    #expect(note?.hasSuffix(reason) == true && outcome.json["headerDates"] is NSNull)
    #expect(try recorded(shop)["date"] as? String == "2019-05-14T05:17:52Z")
  }

  @Test func leavesHeadersUnchangedForAYear() throws {
    #expect(try shop().run("metadata @in.mov --set year=1999").errors.isEmpty)
  }

  @Test func dateWithoutZoneIsReported() throws {
    let shop = try shop()
    func codes(_ options: String) throws -> [String?] {
      let answer = shop.run("metadata @in.mov --json --dry-run \(options)").json
      return try #require(answer["warnings"] as? [[String: Any]]).map { $0["code"] as? String }
    }
    #expect(try codes("--creation-date 2024-01-20T10:26:09") == ["date-without-zone"])
    #expect(try codes("--set date=2024-01-20T10:26:09Z") == [])
    #expect(try codes("--creation-date 2024-01-20") == [])
    #expect(try codes("--location 48,137") == ["place-of-whole-numbers"])
    #expect(try codes("--set location=-33,151") == ["place-of-whole-numbers"])
    #expect(try codes("--location 48.0,137.0") == [])
    #expect(try codes("--location 48,137,500") == [])
  }

  @Test func shiftsDatesByHoursAndDays() throws {
    let shop = try shop(atom("©day") { u16(25, 0x55C4) + text("2019-05-14T07:17:52+02:00") })
    let output = shop.run("metadata @in.mov --shift-dates +1d8h").output
    #expect(output.first == "moved the dates in 5 headers and 1 tag by +1d8h: udta/%A9day, mvhd, tkhd, mdhd")
    #expect(try recorded(shop)["date"] as? String == "2019-05-15T13:17:52Z")
    #expect(shop.run("metadata @in.mov").output[1].contains("2019-05-15T15:17:52+02:00"))
    let answer = shop.run("metadata @in.mov --shift-dates -32h --json").json
    let dates = try #require(answer["headerDates"] as? [String: Any])
    #expect(dates["shiftSeconds"] as? Int == -115_200 && dates["headerCount"] as? Int == 5 && dates["date"] is NSNull)
    #expect(try recorded(shop)["date"] as? String == "2019-05-14T05:17:52Z")
  }

  @Test(arguments: [
    "--shift-dates 8", "--shift-dates +0h", "--shift-dates +8h8d", "--shift-dates soon",
    "--shift-dates +8h --creation-date 2024",
    "--shift-dates +8h --for-sharing -o x", "--shift-dates +9999999999d", "--shift-dates +8h --set date=2024",
    "--shift-dates -70000d", "--set mdta/com.apple.quicktime.creationdate=Spring",
  ])
  func rejectsAnEmptyShift(_ options: String) throws {
    #expect(try shop().run("metadata @in.mov \(options)").exitCode == .usage)
  }

  @Test(
    arguments: [
      ("+8h", 28_800), ("-1d12h30m5s", -131_405), ("45m", 2_700), ("90s", 90), ("+66d", 5_702_400),
    ] as [(String, Int64)])
  func shiftsAreReadAndWritten(_ text: String, _ seconds: Int64) throws {
    let shift = try #require(ClockShift(text))
    #expect(shift.seconds == seconds && ClockShift(shift.text) == shift)
  }
}
