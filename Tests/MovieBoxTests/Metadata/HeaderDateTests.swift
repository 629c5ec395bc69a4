import Foundation
import TestSupport
import Testing

@testable import MovieBox

/// Dates that only headers contain, and implausible dates.
struct HeaderDateTests {
  /// Returns a movie with a date in `mvhd`, and tags. The builder's default is 2019-05-13T08:46:08 in all headers.
  private func movie(_ created: Int, _ change: (inout TestMovie) -> Void = { _ in }) throws -> Movie {
    let bytes = try RuleExample("date", keeps: .simple.with(change), at: "moov/mvhd", 4, u32(created)).breaking
    return try Movie(of: MemorySource(Bytes(bytes)))
  }

  /// 2024-01-20T09:26:09Z.
  private let recorded = 3_788_587_569

  private func tag(_ date: String) -> [UInt8] { atom("©day") { u16(date.utf8.count, 0x55C4) + text(date) } }

  @Test func prefersTheMoviesDateToTrackDates() throws {
    let movie = try movie(recorded)
    #expect(movie.recordedDate?.date.description == "2024-01-20T09:26:09Z" && movie.recordedDate?.path == "moov/mvhd")
    #expect(movie.headerDates.count == 1 + 2 * movie.tracks.count)
    let unset = try self.movie(0)
    #expect(unset.recordedDate?.trackID == 1 && unset.recordedDate?.path == "moov/trak[1]/tkhd")
  }

  @Test(arguments: [
    ("2024-01-20T10:26:09+0100", true, false), ("2024-01-20T10:26:09", true, false),
    ("2024-01-20T23:20:00Z", true, false), ("2024-01-21T00:30:00Z", false, true), ("2024-01-20", false, false),
    ("2024-01-22", false, true), ("2024", false, false), ("1999", false, false), ("soon", false, false),
  ])
  func findsContradictionsBeyondTimeZones(_ text: String, _ isTagged: Bool, _ contradicts: Bool) throws {
    let recording = try #require(try movie(recorded) { $0.userData = self.tag(text) }.recording)
    #expect(recording.isTagged == isTagged && (recording.contradictingTag != nil) == contradicts)
  }

  @Test func ignoresTheReleaseDateInContradictions() throws {
    let item = atom("©day") { atom("data") { u32(1, 0) + text("1999-03-01T08:00:00Z") } }
    let movie = try movie(recorded) {
      $0.userData = fullAtom("meta") {
        fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(13) } + atom("ilst") { item }
      }
    }
    #expect(movie.recording?.contradictingTag == nil && movie.recording?.isTagged == false)
  }

  @Test(
    arguments: [
      (1_705_742_769, "represents 2024-01-20T09:26:09Z"), (957_312_000, "represents 2000-05-03"), (3_788_587_569, nil),
      (1, nil),
      (931_132_800, nil), (1_799_280_000, nil),
    ] as [(Int, String?)])
  func reportsSecondsSince1970InHeaders(_ seconds: Int, _ reason: String?) throws {
    let doubt = try movie(seconds).recording?.doubt
    #expect((doubt == nil) == (reason == nil))
    if let reason { #expect(doubt?.contains(reason) == true) }
  }

  @Test func readsTheTimeOfITunesAsATag() throws {
    let item = atom("©day") { atom("data") { u32(1, 0) + text("2024-01-20T10:26:09+01:00") } }
    let movie = try movie(recorded) {
      $0.userData = fullAtom("meta") {
        fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(13) } + atom("ilst") { item }
      }
    }
    #expect(movie.recording?.isTagged == true)
  }

  @Test func reportsADateLaterThanTheFile() throws {
    let folder = try TemporaryFolder()
    try folder.write(.simple, as: "in.mov")
    func doubt(ofFileWritten days: Double) throws -> String? {
      let date = Date(timeIntervalSince1970: 1_557_811_072 + days * 86_400)  // From the date in the headers.
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.file("in.mov"))
      return try Movie(of: FileSource(path: folder.file("in.mov"))).recording?.doubt
    }
    #expect(try doubt(ofFileWritten: -2) == "is later than the file's own date, 2019-05-12T05:17:52Z")
    // Clocks in other time zones, and files without a date.
    for days in [-0.9, 0, 400, -18_000] { #expect(try doubt(ofFileWritten: days) == nil) }
  }

  @Test func ignoresUnsetDates() throws {
    var bytes = try RuleExample("date", keeps: .simple, at: "moov/mvhd", 4, u32(0)).breaking
    let reader = try SecondReader(bytes)
    for path in ["moov/trak#1/tkhd", "moov/trak#1/mdia/mdhd", "moov/trak#2/tkhd", "moov/trak#2/mdia/mdhd"] {
      let start = Int(try #require(reader.atom(path)).contentOffset) + 4
      bytes.replaceSubrange(start..<start + 4, with: u32(0))
    }
    let movie = try Movie(of: MemorySource(Bytes(bytes)))
    #expect(movie.recordedDate == nil && !movie.findings(for: nil).contains { $0.rule.id.hasPrefix("movie.date") })
  }

  @Test(
    arguments: [
      ("2024-01-20T10:26:09+0100", 3_788_587_569), ("1904-01-01T00:00:01Z", 1), ("2040-02-06T06:28:15Z", 4_294_967_295),
      ("1904-01-01T00:00:00Z", nil), ("2040-02-06T06:28:16Z", nil), ("1903-12-31T23:59:59Z", nil),
      ("2024-01-20T10:26:09", nil), ("2024-01-20", nil), ("2024", nil),
    ] as [(String, UInt32?)])
  func limitsHeadersTo1904To2040(_ text: String, _ seconds: UInt32?) throws {
    let date = try #require(MetadataDate(text))
    guard let seconds else {
      #expect(throws: MovieError.self) { try date.secondsSince1904() }
      return
    }
    #expect(try date.secondsSince1904() == seconds)
  }

  @Test func handlesTheLargestDatesOfVersion1() throws {
    // The start of the year 10 000, and the second before it.
    let end = UInt64(253_402_300_800 + HeaderDate.secondsFrom1904To1970)
    for seconds in [UInt64.max, 1 << 63, end, end - 1] {
      let movie = TestMovie.simple.with { $0.usesLongTimes = true }
      let bytes = try RuleExample("date", keeps: movie, at: "moov/mvhd", 4, u64(seconds)).breaking
      let read = try Movie(of: MemorySource(Bytes(bytes)))
      let date = read.recordedDate
      #expect((date?.trackID == nil) == (seconds < end))
      if seconds < end { #expect(date?.date.description == "9999-12-31T23:59:59Z") }
      _ = read.recording
    }
  }
}
