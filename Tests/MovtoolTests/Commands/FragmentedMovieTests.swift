import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// Fragmented movies on the command line.
struct FragmentedMovieTests {
  private let pictures: [TestSample] = .pictures(12, around: 20, duration: 100)

  private func workshop() throws -> Workshop {
    let shop = try Workshop()
    let fragments = [TestFragment([.init(id: 1, runs: [.init(pictures)])])]
    try shop.folder.write(TestMovie.simple.initial.bytes(fragments: fragments), as: "in.mp4")
    return shop
  }

  @Test func reportsTheRewriteOfAFragmentedMovie() throws {
    let shop = try workshop()
    let planned = shop.run("add-subtitle @in.mp4 @en.srt --dry-run")
    #expect(planned.output.contains { $0.hasPrefix("would rewrite in.mp4, because the movie is fragmented: ") })
    #expect(
      shop.run("inspect @in.mp4").output.contains(
        "Editing   the file is rewritten and replaced: the movie is fragmented"))
    let outcome = shop.run("add-subtitle @in.mp4 @en.srt")
    #expect(outcome.exitCode == .done)
    #expect(outcome.output.contains { $0.hasPrefix("rewrote in.mp4, because the movie is fragmented: ") })
    let note = "note: the movie is no longer fragmented: the movie atom now lists the samples of 1 fragment"
    #expect(outcome.errors.contains(note))
    let movie = try shop.movie("in.mp4")
    #expect(!movie.isFragmented && movie.tracks.map(\.samples.sampleCount) == [12, 0, 5])
    // The result is not fragmented.
    #expect(shop.run("add-subtitle @in.mp4 @en.srt --language fr").errors.allSatisfy { !$0.contains("fragmented") })
    #expect(try shop.folder.names() == ["en.srt", "in.mp4"])
  }

  @Test func doesNotDescribeAMovieWithoutFragmentsAsFragmented() throws {
    let shop = try workshop()
    let announcing = TestMovie.simple.bytes(fragments: [])
    try shop.folder.write(announcing, as: "none.mp4")
    try #require(Movie(of: MemorySource(Bytes(announcing))).isFragmented)
    #expect(shop.run("inspect --layout @none.mp4").output.allSatisfy { !$0.contains("samples are in fragments") })
    let outcome = shop.run("remux @none.mp4 -o @flat.mp4 --flatten")
    let note = "note: the movie is no longer fragmented: it declared fragments, but contained none"
    #expect(outcome.exitCode == .done && outcome.errors.contains(note), "\(outcome.errors)")
  }

  @Test func keepsFragmentsForHeaderChanges() throws {
    let shop = try workshop()
    let command = "set @in.mp4 --track id:1 --title Pictures"
    let planned = shop.run(command + " --dry-run")
    #expect(planned.output.contains { $0.hasPrefix("would rewrite in.mp4, because the movie is fragmented: ") })
    let outcome = shop.run(command)
    #expect(outcome.exitCode == .done && outcome.errors == [])
    #expect(outcome.output.contains { $0.hasPrefix("rewrote in.mp4, because the movie is fragmented: ") })
    let movie = try shop.movie("in.mp4")
    #expect(movie.isFragmented && movie.track(1)?.title == "Pictures")
    #expect(shop.run(command).output.last?.contains("is unchanged") == true)
  }

  @Test func reportsImpossibleAppendingForEveryEdit() throws {
    let warning =
      "warning: in.mp4: --append is not possible, because the movie is fragmented; the movie is rewritten"
    for line in [
      "add-subtitle @in.mp4 @en.srt", "set @in.mp4 --track id:1 --title Pictures", "remove @in.mp4 --track id:2",
    ] {
      let shop = try workshop()
      let before = try shop.folder.read("in.mp4")
      let strict = shop.run(line + " --append --strict")
      #expect(strict.exitCode == .no && strict.errors.contains(warning), "\(strict.errors)")
      #expect(try shop.folder.read("in.mp4") == before)
      #expect(shop.run(line + " --append").errors.contains(warning))
    }
    // An edit that changes nothing does not append.
    #expect(try workshop().run("set @in.mp4 --track id:1 --enabled on --append").errors.isEmpty)
  }

  @Test func keepsFragmentsWhenRemovingATrack() throws {
    let shop = try Workshop()
    let sound: [TestSample] = .varied(40, around: 300, duration: 30)
    let fragment = TestFragment([.init(id: 1, runs: [.init(pictures)]), .init(id: 2, runs: [.init(sound)])])
    let bytes = TestMovie.simple.initial.bytes(fragments: [fragment])
    try shop.folder.write(bytes, as: "in.mp4")
    let unused = sound.reduce(0) { $0 + $1.byteCount }
    let command = "remove @in.mp4 --track id:2"
    let warning = "warning: in.mp4: no audio track remains"
    let planned = shop.run(command + " --dry-run")
    #expect(planned.exitCode == .done)
    #expect(planned.errors == [warning])
    #expect(planned.output.contains { $0.hasPrefix("would rewrite in.mp4, because the movie is fragmented: ") })
    #expect(
      planned.output.contains {
        $0.contains("would be used by nothing")
          && $0.hasSuffix("in.mp4 --flatten --compact -o OUT removes them")
      })
    let answer = shop.run(command + " --json --dry-run").json
    #expect(answer["bytesOfRemovedMedia"] as? Int == unused && answer["bytesUnused"] as? Int == unused)
    #expect((answer["notes"] as? [[String: Any]])?.allSatisfy { $0["code"] as? String != "flattened" } == true)
    #expect(try shop.folder.read("in.mp4") == bytes)
    let outcome = shop.run(command)
    #expect(outcome.exitCode == .done && outcome.errors == [warning])
    let movie = try shop.movie("in.mp4")
    #expect(movie.isFragmented && movie.tracks.map(\.id) == [1])
    // The command in the summary works.
    #expect(shop.run("remux @in.mp4 -o @out.mp4 --flatten --compact").exitCode == .done)
    #expect(try shop.folder.read("out.mp4").count < bytes.count - unused)
  }

  @Test func keepsFragmentsWhenFixing() throws {
    let shop = try Workshop()
    let header = TestMovie.simple.initial.with { $0.nextTrackID = 1 }
    try shop.folder.write(
      header.bytes(fragments: [TestFragment([.init(id: 1, runs: [.init(pictures)])])]), as: "in.mp4")
    let outcome = shop.run("validate --fix @in.mp4")
    #expect(!outcome.errors.contains { $0.contains("no longer fragmented") })
    let movie = try shop.movie("in.mp4")
    #expect(movie.isFragmented && movie.header.nextTrackID == 3)
  }

  @Test func theNoteHasACodeForPrograms() throws {
    let shop = try workshop()
    let answer = shop.run("add-subtitle --json @in.mp4 @en.srt -o @out.mp4").json
    let notes = answer["notes"] as? [[String: Any]]
    #expect(notes?.contains { $0["code"] as? String == "flattened" } == true)
    #expect(answer["strategy"] as? String == "rewrite")
  }

  @Test func rejectsASegmentWithoutItsHeader() throws {
    let shop = try Workshop()
    let segment = atom("styp") { code("msdh") + u32(0) } + TestFragment([]).bytes(at: 16)
    try shop.folder.write(segment, as: "clip.m4s")
    for command in ["add-subtitle @clip.m4s @en.srt", "inspect @clip.m4s"] {
      let outcome = shop.run(command)
      #expect(outcome.exitCode == .badData)
      #expect(outcome.errors.count == 1)
      #expect(outcome.errors[0].hasPrefix("clip.m4s: is a media segment without a movie atom (moov)"))
    }
    #expect(try shop.folder.read("clip.m4s") == segment)
  }

  @Test func rejectsAnInitializationSegment() throws {
    let shop = try Workshop()
    try shop.folder.write(TestMovie.simple.initial.bytes(fragments: []), as: "init.mp4")
    let outcome = shop.run("add-subtitle @init.mp4 @en.srt")
    #expect(outcome.exitCode == .badData)
    #expect(outcome.errors.count == 1 && outcome.errors[0].contains("an initialization segment"))
  }

  @Test func endsTheLastChapterWithTheFragments() throws {
    let shop = try Workshop()
    let header = TestMovie.simple.initial.with { movie in
      movie.userData = fullAtom("chpl", version: 1) {
        u32(0) + u8(2) + u64(0) + pascalString("One") + u64(10_000_000) + pascalString("Two")
      }
    }
    try shop.folder.write(
      header.bytes(fragments: [TestFragment([.init(id: 1, runs: [.init(pictures)])])]), as: "in.mp4")
    let lines = shop.run("chapters @in.mp4").output
    #expect(lines.contains { $0.contains("00:00:01.000  00:00:02.000  Two") }, "\(lines)")
    #expect(shop.run("chapters @in.mp4 --export ffmetadata").output.contains("END=2000"))
  }
}
