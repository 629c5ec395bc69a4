import Foundation
import MovieBox
import TestSupport
import Testing

@testable import movtool

struct RemuxCommandTests {
  /// Pictures behind one another, then sound, free space, and bytes that no sample names.
  private static let movie = TestMovie.talk.with {
    $0.storesTrackAfterTrack = true
    $0.layout = [.fileType, .free(400), .media(.ordinary), .movie(.ordinary), .bytes(atom("mdat") { zeros(100) })]
  }

  private static let rearranged = AllowedChanges().with { ($0.mediaDataRearranged, $0.movieMoved) = (true, true) }

  @Test(arguments: [
    "", " --fast-start", " --interleave", " --compact", " --defragment", " --tracks video --tracks audio",
  ])
  func outputRemuxedAgainIsTheSame(options: String) throws {
    let shop = try Workshop(Self.movie)
    let old = try shop.folder.read("in.mov")
    let outcome = shop.run("remux @in.mov -o @once.mov" + options)
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(shop.run("remux @once.mov -o @twice.mov" + options).exitCode == .done)
    let once = try shop.folder.read("once.mov")
    #expect(try shop.folder.read("twice.mov") == once)
    #expect(try shop.folder.read("in.mov") == old)
    let removed: Set<UInt32> = options.contains("tracks") ? [4] : []
    #expect(try differences(old: old, new: once, allowing: Self.rearranged.with { $0.removedTracks = removed }) == [])
    if options.isEmpty || options == " --defragment" { #expect(once == old) }
  }

  @Test func fastStartPutsTheMovieHeaderFirst() throws {
    let shop = try Workshop(Self.movie)
    #expect(shop.headerPlace() == .between)
    shop.run("remux @in.mov -o @out.mov --fast-start")
    #expect(shop.headerPlace("out.mov") == .first)
  }

  @Test func interleavingIsToldBeforeAndAfter() throws {
    let shop = try Workshop(Self.movie)
    let outcome = shop.run("remux @in.mov -o @out.mov --interleave")
    let (before, after) = try (
      shop.movie().interleavingDistance(), shop.movie("out.mov").interleavingDistance()
    )
    #expect(after.byteCount < before.byteCount && after.microseconds < before.microseconds)
    #expect(outcome.output.last == "media of the same time: \(before.words) before, \(after.words) now")
    for line in ["remux @in.mov -o @out2.mov --interleave", "remux @in.mov -o @out2.mov --interleave --dry-run"] {
      let interleaving = shop.run(line + " --json --force").json["interleaving"] as? [String: [String: Any]]
      #expect(interleaving?["before"]?["byteCount"] as? UInt64 == before.byteCount)
      #expect(interleaving?["after"]?["byteCount"] as? UInt64 == after.byteCount)
      #expect(interleaving?["after"]?["microseconds"] as? UInt64 == after.microseconds)
    }
    #expect(shop.run("remux @in.mov -o @out3.mov --json").json["interleaving"] is NSNull)
  }

  @Test func newSubtitlesAreInterleavedWithTheRest() throws {
    let shop = try Workshop(Self.movie)
    let outcome = shop.run("add-subtitle @in.mov @en.srt --interleave -o @out.mov")
    #expect(outcome.exitCode == .done)
    let (before, after) = try (
      shop.movie().interleavingDistance(), shop.movie("out.mov").interleavingDistance()
    )
    #expect(after.byteCount < before.byteCount)
    #expect(outcome.output.contains("media of the same time: \(before.words) before, \(after.words) now"))
    let allowed = Self.rearranged.with { ($0.addedTracks, $0.references) = ([5], [2: ["folw"]]) }
    #expect(
      try differences(old: shop.folder.read("in.mov"), new: shop.folder.read("out.mov"), allowing: allowed) == [])

    let itself = shop.run("add-subtitle @in.mov @en.srt --interleave")
    #expect(itself.output.contains { $0.hasPrefix("wrote in.mov anew, because the media is to be interleaved: ") })
    #expect(try shop.folder.read("in.mov") == shop.folder.read("out.mov"))
  }

  @Test func compactLeavesOutWhatNothingUses() throws {
    let shop = try Workshop(Self.movie)
    shop.run("remove @in.mov --track audio:2 --append")
    let outcome = shop.run("remux @in.mov -o @out.mov --compact")
    let (old, new) = try (shop.folder.read("in.mov").count, shop.folder.read("out.mov").count)
    #expect(outcome.output.last?.hasSuffix(", \(Quantity.bytes(UInt64(old - new))) less than before") == true)
    let movie = try shop.movie("out.mov")
    #expect(movie.layout.atoms.allSatisfy { !$0.isFreeSpace })
    let media = movie.layout.atoms.filter { $0.type == "mdat" }.reduce(0) { $0 + $1.payloadRange.count }
    #expect(media == MediaRanges(movie.tracks).byteCount)
  }

  @Test func tracksThatAreNotChosenGo() throws {
    let shop = try Workshop(TestMovie.talk.with { $0.tracks[1].references = [TestReference("folw", 4)] })
    let outcome = shop.run("remux @in.mov -o @out.mov --tracks audio --tracks id:1")
    #expect(outcome.output.first == "removed subtitle, Spanish: track 4; the folw reference of track 2 to it too")
    #expect(try shop.movie("out.mov").tracks.map(\.id) == [1, 2, 3])
    #expect(try shop.movie("out.mov").tracks[1].references.isEmpty)
    let none = shop.run("remux @in.mov -o @none.mov --tracks timecode --tracks video")
    #expect(none.exitCode == .usage)
    #expect(none.errors.first?.hasPrefix("movtool remux: --tracks timecode matches no track: id:1 is video") == true)
    #expect(try shop.folder.names() == ["en.srt", "in.mov", "out.mov"])
  }

  @Test func removedDefaultIsAWarning() throws {
    let shop = try Workshop(.talk)
    let outcome = shop.run("remux @in.mov -o @out.mov --tracks video --tracks audio:es --strict")
    #expect(outcome.exitCode == .no)
    #expect(
      outcome.errors.first == "warning: in.mov: track 2 was the default of group 1; track 3 is now, and enabled")
  }

  @Test func outputIsNeverTheInputNorOverwrittenUnasked() throws {
    let shop = try Workshop(Self.movie)
    let old = try shop.folder.read("in.mov")
    let same = shop.run("remux @in.mov -o @in.mov --force")
    #expect(same.exitCode == .usage)
    #expect(same.errors.first == "movtool remux: -o in.mov is the input in.mov")
    try shop.folder.write([1], as: "out.mov")
    #expect(shop.run("remux @in.mov -o @out.mov").exitCode == .cannotCreate)
    #expect(try shop.folder.read("out.mov") == [1])
    #expect(shop.run("remux @in.mov -o @out.mov --force --sync").exitCode == .done)
    #expect(try shop.folder.read("in.mov") == old)
  }

  @Test func fragmentedMovieIsRefusedUnlessDefragmented() throws {
    let shop = try Workshop()
    let fragment = TestFragment([.init(id: 1, runs: [.init(.pictures(4, around: 40, duration: 50))])])
    try shop.folder.write(TestMovie.simple.initial.bytes(fragments: [fragment]), as: "in.mp4")
    let outcome = shop.run("remux @in.mp4 -o @out.mp4 --fast-start")
    #expect(outcome.exitCode == .badData && outcome.errors.count == 1)
    #expect(
      outcome.errors.first?.hasSuffix("the movie is fragmented; --defragment writes it without fragments") == true)
    #expect(try shop.folder.names() == ["en.srt", "in.mp4"])
  }

  @Test(arguments: [
    ("", UsageError.Code.missingOperand), ("a.mov", .missingOperand), ("a.mov --fast-start", .missingOperand),
    ("a.mov b.mov -o c.mov", .unexpectedOperand), ("a.mov -o - --force", .conflict), ("a.mov -o=", .missingValue),
    ("a.mov -o b.mov --tracks", .missingValue), ("a.mov -o b.mov --tracks sound", .invalidValue),
    ("a.mov -o b.mov --append", .unknownOption), ("a.mov --force", .missingOperand),
  ])
  func refusesWhatMakesNoSense(line: String, code: UsageError.Code) throws {
    let words = line.split(separator: " ").map(String.init)
    let error = try #require(throws: UsageError.self) { try RemuxCommand.parse(words) }
    #expect(error.code == code && error.command == "remux")
  }
}
