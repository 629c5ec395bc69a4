import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// Recordings whose clock starts far from 0.
struct RecordingStartTests {
  /// Two seconds of video, and a cue in the second half, four and a half hours after 0.
  private func workshop() throws -> Workshop {
    let shop = try Workshop()
    let header = TestMovie.simple.initial.with { movie in
      movie.dialect = .iso
      movie.tracks[1] = TestTrack(.subtitle, id: 2).with { $0.samples = [] }
    }
    let start: UInt64 = 16_200
    let fragment = TestFragment([
      .init(id: 1, decodeTime: start * 600, runs: [.init(.pictures(24, around: 20, duration: 50))]),
      .init(
        id: 2, decodeTime: start * 1_000,
        runs: [.init([.timedText("", duration: 1_000), .timedText("Who is there?", duration: 1_000)])]),
    ])
    try shop.folder.write(header.bytes(fragments: [fragment]), as: "in.mp4")
    return shop
  }

  private let note =
    "note: the times of the recording start at 4:30:00.000; this start is subtracted from all times, "
    + "unless you add --keep-start"

  private func codes(_ outcome: Workshop.Outcome) -> [String] {
    (outcome.json["notes"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
  }

  @Test(arguments: [
    "remux @in.mp4 --flatten -o @out.mp4", "remux @in.mp4 -o @out.mov", "add-subtitle @in.mp4 @en.srt -o @out.mp4",
    "chapters @in.mp4 --set @chapters.txt -o @out.mp4",
  ])
  func anEditThatRemovesFragmentsSubtractsTheStart(line: String) throws {
    let shop = try workshop()
    try shop.folder.write(Array("00:00:00.000 One\n00:00:01.000 Two\n".utf8), as: "chapters.txt")
    let outcome = shop.run(line)
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    #expect(outcome.errors.contains(note), "\(outcome.errors)")
    let name = line.contains(".mov") ? "out.mov" : "out.mp4"
    let movie = try shop.movie(name)
    #expect(movie.tracks.allSatisfy { $0.presentationStartInMovieTicks == 0 })
    #expect(movie.durationInMovieTicks < 3_000)
    #expect(codes(shop.run(line + " --force --dry-run --json")).contains("start-subtracted"))
    let kept = shop.run(line + " --force --keep-start")
    #expect(kept.errors.allSatisfy { !$0.contains("subtracted") })
    // Chapters and cues of the first seconds then precede the video.
    guard kept.exitCode == .done else { return }
    // The first picture is presented 50 ticks after its decode time.
    #expect(try shop.movie(name).tracks[0].presentationStartInMovieTicks == 16_200 * 600 + 50)
  }

  @Test func reportsNothingIfFragmentsAreKept() throws {
    let shop = try workshop()
    let outcome = shop.run("set @in.mp4 --track id:1 --title Pictures")
    #expect(outcome.exitCode == .done && outcome.errors == [])
    #expect(try shop.movie("in.mp4").isFragmented)
  }

  @Test func extractedCuesFitTheMovieThatTheyAreAddedTo() throws {
    let shop = try workshop()
    let outcome = shop.run("extract @in.mp4 -o @out.srt")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors == [note])
    func text() throws -> String { String(decoding: try shop.folder.read("out.srt"), as: UTF8.self) }
    #expect(try text() == "1\n00:00:01,000 --> 00:00:02,000\nWho is there?\n")
    let added = shop.run("add-subtitle @in.mp4 @out.srt --language en -o @out.mp4")
    #expect(added.exitCode == .done && added.errors.allSatisfy { $0.hasPrefix("note: ") }, "\(added.errors)")
    #expect(shop.run("extract @out.mp4 --track id:3 -o @again.srt").exitCode == .done)
    #expect(try shop.folder.read("again.srt") == shop.folder.read("out.srt"))
    #expect(shop.run("extract @in.mp4 --json -o @out.srt --force").json["subtractedMilliseconds"] as? Int == 16_200_000)
    let kept = shop.run("extract @in.mp4 --keep-start -o @out.srt --force")
    #expect(kept.errors == [])
    #expect(try text() == "1\n04:30:01,000 --> 04:30:02,000\nWho is there?\n")
  }

  @Test func inspectShowsTheClockAndTheDurationWithoutIt() throws {
    let shop = try workshop()
    let lines = shop.run("inspect @in.mp4").output
    #expect(lines.contains("Duration  2.000 s"))
    #expect(lines.contains { $0.hasPrefix("Clock     starts at 4:30:00.000") })
    let files = shop.run("inspect @in.mp4 --json").json["files"] as? [[String: Any]]
    #expect(files?.first?["startSeconds"] as? Double == 16_200)
  }

  @Test func anEditWithEarlyCuesIsRefusedWithStrict() throws {
    let shop = try workshop()
    let line = "add-subtitle @in.mp4 @en.srt --language en --keep-start --strict -o @out.mp4"
    let outcome = shop.run(line)
    #expect(outcome.exitCode == .no)
    #expect(
      outcome.errors.contains { $0.contains("before the first picture or sound") && $0.contains("--offset 4:30:00") })
    #expect(codes(outcome).isEmpty)
    #expect(shop.run(line + " --offset 4:30:00").exitCode == .done)
  }

  @Test func reportsMovedTimes() throws {
    let shop = try workshop()
    #expect(shop.run("remux @in.mp4 --flatten -o @out.mp4").exitCode == .done)
    let moved = "the times are shifted: the start of the movie was 4:30:00.000 and is 0"
    #expect(shop.run("diff @in.mp4 @out.mp4").output.contains(moved))
    #expect(shop.run("remux @in.mp4 --flatten --keep-start --force -o @out.mp4").exitCode == .done)
    #expect(!shop.run("diff @in.mp4 @out.mp4").output.contains(moved))
  }

  @Test func writesPresentationTimesIntoThePage() throws {
    let shop = try workshop()
    #expect(shop.run("html @in.mp4 -o @page.html").exitCode == .done)
    let page = String(decoding: try shop.folder.read("page.html"), as: UTF8.self)
    let texts = page.components(separatedBy: "base64,").dropFirst().compactMap { part in
      Data(base64Encoded: String(part.prefix { $0 != "\"" })).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(texts.contains { $0.hasPrefix("WEBVTT") && $0.contains("00:00:01.000 --> 00:00:02.000") })
    // A script needs the clock to convert the times of a browser that plays the file.
    #expect(page.contains("\"clock\":16200"))
  }

  @Test(arguments: ["set @in.mov --track video --title A", "add-subtitle @in.mov @en.srt", "remux @in.mov -o @out.mov"])
  func keepStartOnAPlainMovieIsReported(line: String) throws {
    let note = "note: --keep-start has no effect: in.mov has no fragments"
    #expect(try Workshop(.simple).run(line + " --keep-start").errors.contains(note))
    #expect(try !Workshop(.simple).run(line).errors.contains(note))
    let shop = try workshop()
    let outcome = shop.run("remux @in.mp4 --flatten --keep-start -o @out.mp4")
    #expect(outcome.errors.allSatisfy { !$0.contains("has no effect") })
  }
}
