import MovieBox
import Synchronization
import TestSupport
import Testing

@testable import MovtoolCommands

/// The number of tracks, atoms and metadata items that commands visit. A small file can contain thousands, and a pass for
/// each of them would occupy a service for minutes.
struct ListPassTests {
  private func visits(_ line: String, _ movie: TestMovie, exitCodes: Set<ExitCode> = [.done]) throws -> Int {
    let count = Mutex(0)
    let visit: @Sendable (Int) -> Void = { visited in count.withLock { $0 += visited } }
    let shop = try Workshop(movie)
    let outcome = ListPass.$didVisit.withValue(visit) { shop.run(line) }
    #expect(exitCodes.contains(outcome.exitCode), "\(line): \(outcome.errors.suffix(1))")
    return count.withLock { $0 }
  }

  /// Checks that eight times as many elements cause little more than eight times as many visits. A pass for each element
  /// would cause 64 times as many.
  private func expectBounded(_ few: Int, _ many: Int, _ line: String) {
    #expect(few > 0 && many < 12 * few, "\(line): \(few) visits of a movie of 500, \(many) of one of 4000")
  }

  @Test(
    arguments: [
      "inspect @in.mov", "inspect @in.mov --json", "select @in.mov",
      "diff @in.mov @in.mov", "set @in.mov --track id:2 --language fr --default -o @out.mov",
      "remove @in.mov --track video --all -o @out.mov", "remove @in.mov --track audio --all",
      "remux @in.mov -o @out.mov --track audio", "remux @in.mov -o @out.mp4", "link @in.mov --auto -o @out.mov",
      "retime @in.mov --track subtitle --offset 0.1 -o @out.mov", "add-subtitle @in.mov @en.srt -o @out.mov",
      "chapters @in.mov --remove", "metadata @in.mov --for-sharing -o @out.mov",
    ])
  func commandsVisitEachTrackAFewTimes(_ line: String) throws {
    expectBounded(try visits(line, .tracks(500)), try visits(line, .tracks(4_000)), line)
  }

  @Test(arguments: ["validate @in.mov", "validate @in.mov --fix -o @out.mov"])
  func validationVisitsEachTrackAFewTimes(_ line: String) throws {
    let codes: Set<ExitCode> = [.done, .no]
    expectBounded(
      try visits(line, .tracks(500), exitCodes: codes), try visits(line, .tracks(4_000), exitCodes: codes), line)
  }

  @Test func presentationsVisitEachSoundAFewTimes() throws {
    func movie(_ count: Int) -> TestMovie {
      let sounds = (0..<count).map { index in
        StreamableMovie.sound(id: UInt32(index + 2), ["eng", "deu", "fra", "spa"][index % 4], packetCount: 2)
      }
      return TestMovie(tracks: [StreamableMovie.picture(id: 1, frameCount: 2)] + sounds)
        .with { $0.storesTrackAfterTrack = true }
    }
    let line = "hls @in.mov -o @stream --dry-run"
    expectBounded(try visits(line, movie(500)), try visits(line, movie(4_000)), line)
  }

  /// Each fact is looked up directly.
  @Test func findsItemsWithoutSearchingAll() throws {
    let sets = (0..<100).map { "--set mdta/com.example.item\($0)=other" }.joined(separator: " ")
    let line = "metadata @in.mov \(sets) --set title=Home -o @out.mov"
    expectBounded(try visits(line, .items(500)), try visits(line, .items(4_000)), line)
    let facts = try visits("metadata @in.mov --set title=Home -o @out.mov", .items(4_000))
    let more = try visits(line, .items(4_000))
    #expect(more < 2 * facts, "\(facts) visits for one fact, \(more) for 101")
  }

  /// New facts are not compared with one another.
  @Test func manyNewFactsAreSetInAFewPasses() throws {
    func line(_ count: Int) -> String {
      "metadata @in.mov " + (0..<count).map { "--set mdta/com.example.new\($0)=x" }.joined(separator: " ")
        + " -o @out.mov"
    }
    expectBounded(try visits(line(500), .items(1)), try visits(line(4_000), .items(1)), "metadata --set, repeated")
  }

  @Test func aReportOfManyTextsFindsTheEndOnce() throws {
    func movie(_ count: Int) -> TestMovie {
      TestMovie(
        tracks: [StreamableMovie.picture(id: 1, frameCount: 2)]
          + (0..<count).map { TestTrack(.subtitle, id: UInt32($0 + 2)) }
      ).with { $0.storesTrackAfterTrack = true }
    }
    let line = "html @in.mov --report -o @page.html"
    expectBounded(try visits(line, movie(50)), try visits(line, movie(400)), line)
  }

  @Test func copiesMetadataOfAnotherMovieInAFewPasses() throws {
    let line = "metadata @in.mov --copy-from @in.mov -o @out.mov"
    expectBounded(try visits(line, .items(500)), try visits(line, .items(4_000)), line)
  }

  @Test func comparedRecordingsFindTheirStartOnce() throws {
    func visits(_ count: Int) throws -> Int {
      let header = TestMovie.tracks(count).initial.with { $0.dialect = .iso }
      let fragment = TestFragment(
        header.tracks.map { track in
          .init(
            id: track.id, decodeTime: 100_000, runs: [.init([TestSample(content: u16(2) + text("Hi"), duration: 1000)])]
          )
        })
      let shop = try Workshop()
      try shop.folder.write(header.bytes(fragments: [fragment]), as: "in.mp4")
      let written = shop.run("remux @in.mp4 --flatten -o @out.mp4")
      #expect(written.exitCode == .done, "\(written.errors)")
      let count = Mutex(0)
      let visit: @Sendable (Int) -> Void = { visited in count.withLock { $0 += visited } }
      let outcome = ListPass.$didVisit.withValue(visit) { shop.run("diff @in.mp4 @out.mp4") }
      #expect([.done, .no].contains(outcome.exitCode), "\(outcome.errors)")
      return count.withLock { $0 }
    }
    expectBounded(try visits(500), try visits(4_000), "diff of a recording with its flattened file")
  }

  @Test func factsInManyLanguagesAreJudgedForSharingInAFewPasses() throws {
    func movie(_ count: Int) -> TestMovie {
      let titles = (0..<count).flatMap { number in
        // Three letters of five bits each, none of them 0.
        let code = [number / 676, number / 26 % 26, number % 26].reduce(UInt16(0)) { $0 << 5 | UInt16($1 + 1) }
        return u16(1, Int(code)) + text("T")
      }
      return .simple.with { $0.movieAtoms = atom("udta") { atom("©nam") { titles } } }
    }
    let line = "metadata @in.mov --for-sharing --copy-from @in.mov -o @out.mp4"
    expectBounded(try visits(line, movie(500)), try visits(line, movie(4_000)), line)
  }

  @Test func audioDoesNotMoveAlongAChainOfReferences() throws {
    func movie(_ count: Int) -> TestMovie {
      var movie = TestMovie.tracks(count)
      let subtitles = stride(from: 2, to: count, by: 3)
      for (place, next) in zip(subtitles, subtitles.dropFirst()) {
        movie.tracks[place].references = [TestReference("forc", movie.tracks[next].id)]
        movie.tracks[place].language = .packed("eng")
      }
      for place in stride(from: 1, to: count, by: 3) {
        movie.tracks[place].references = [TestReference("folw", movie.tracks[2].id)]
      }
      return movie
    }
    let line = "link @in.mov --auto -o @out.mov"
    expectBounded(try visits(line, movie(500)), try visits(line, movie(4_000)), line)
  }
}
