import MovieBox
import MovieWriter
import TestSupport
import Testing

@testable import MovtoolCommands

struct RemoveCommandTests {
  private static let movie = TestMovie.talk.with { $0.tracks[2].references = [TestReference("folw", 4)] }

  @Test func removesTracksInPlace() throws {
    let shop = try Workshop(Self.movie)
    let old = try shop.folder.read("in.mov")
    let outcome = shop.run("remove @in.mov --track subtitle:es")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    let new = try shop.folder.read("in.mov")
    let text = try MediaRanges(Movie(of: MemorySource(Bytes(old))).tracks.suffix(1)).byteCount
    #expect(outcome.output.count == 3)
    #expect(
      outcome.output.prefix(2) == [
        "removed subtitle, Spanish: track 4; also removed: the folw reference of track 3 to it",
        "edited in.mov in place: \(Quantity.exactBytes(UInt64(new.count - old.count + 8))) written",
      ])
    let free = Quantity.bytes(UInt64(new.count - old.count))  // The old movie atom, but for its header.
    #expect(outcome.output.last?.contains(" are used by nothing: \(text) bytes of media and ") == true, "\(free)")
    #expect(outcome.output.last?.hasSuffix("in.mov --compact -o OUT removes them") == true)
    let allowed = AllowedChanges().with {
      $0.removedTracks = [4]
      $0.references = [3: ["folw"]]
    }
    // The media and everything else is unchanged.
    #expect(
      try differences(old: old, new: new, allowing: allowed.with { $0.removedAtoms = ["moov/trak#3/tref"] }) == [])
    #expect(try shop.folder.names() == ["en.srt", "in.mov"])
  }

  @Test func omitsMediaOfRemovedTracksFromANewFile() throws {
    let shop = try Workshop(Self.movie)
    let old = try shop.folder.read("in.mov")
    let outcome = shop.run("remove @in.mov --track audio:1 --track=id:4 -o @out.mov --json")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(try shop.folder.read("in.mov") == old)
    let movie = try shop.movie("out.mov")
    #expect(movie.tracks.map(\.id) == [1, 3])
    #expect(movie.layout.first("mdat")?.payloadRange.count == MediaRanges(movie.tracks).byteCount)
    #expect(outcome.json["command"] as? String == "remove" && outcome.json["bytesOfRemovedMedia"] as? Int == 0)
    let removed = try #require(outcome.json["removedTracks"] as? [[String: Any]])
    #expect(removed.map { $0["id"] as? Int } == [2, 4])
    #expect(removed.map { ($0["references"] as? [[String: Any]])?.count } == [0, 1])
  }

  @Test func removesAllMatchesOnRequest() throws {
    let shop = try Workshop(Self.movie)
    let old = try shop.folder.read("in.mov")
    let refused = shop.run("remove @in.mov --track audio")
    #expect(refused.exitCode == .usage)
    #expect(refused.errors.first?.contains("matches several tracks: id:2 is ") == true)
    #expect(refused.errors.first?.hasSuffix("; --all removes all of them") == true)
    #expect(try shop.folder.read("in.mov") == old)
    #expect(shop.run("remove @in.mov --track audio --all -o @out.mov").exitCode == .done)
    #expect(try shop.movie("out.mov").tracks.map(\.id) == [1, 4])
    #expect(shop.run("remove @in.mov --track caption --all").errors.first?.contains("matches no track") == true)
  }

  @Test func removedDefaultIsAWarning() throws {
    let shop = try Workshop(Self.movie)
    let old = try shop.folder.read("in.mov")
    let warning = "warning: in.mov: track 2 was the default of group 1; track 3 is now enabled instead"
    let strict = shop.run("remove @in.mov --track audio:en --strict")
    #expect(strict.exitCode == .no && strict.errors.first == warning && strict.output.isEmpty)
    #expect(try shop.folder.read("in.mov") == old)
    let outcome = shop.run("remove @in.mov --track audio:en")
    #expect(outcome.exitCode == .done && outcome.errors == [warning])
    #expect(try shop.movie().track(3)?.isEnabled == true)
  }

  @Test func rewritesAFastStartMovieUnlessAppending() throws {
    for (options, place) in [("", MovieReport.MovieAtomPlace.first), (" --append", .last)] {
      let shop = try Workshop(Self.movie.with { $0.layout = .movieFirst })
      let outcome = shop.run("remove @in.mov --track subtitle --json" + options)
      #expect(outcome.json["strategy"] as? String == (place == .first ? "rewrite" : "in-place"))
      #expect(shop.movieAtomPlace() == place)
      #expect(try shop.movie().tracks.map(\.id) == [1, 2, 3])
    }
  }

  @Test func dryRunShowsThePlanAndWritesNothing() throws {
    let shop = try Workshop(Self.movie)
    let old = try shop.folder.read("in.mov")
    let outcome = shop.run("remove @in.mov --track video --dry-run")
    #expect(outcome.output.first == "would remove video: track 1")
    #expect(outcome.output.contains { $0.hasPrefix("would edit in.mov in place: ") })
    #expect(outcome.output.contains { $0.contains(" would be used by nothing: ") })
    #expect(try shop.folder.read("in.mov") == old)
  }

  @Test(arguments: [
    ("", UsageError.Code.missingOperand), ("a.mov", .missingOperand), ("a.mov b.mov --track video", .unexpectedOperand),
    ("- --track video", .notSupported), ("a.mov --track sound", .invalidValue), ("a.mov --track", .missingValue),
    ("a.mov --track video --force", .conflict), ("a.mov --track video --append -o b.mov", .conflict),
    ("a.mov --track video --fast-start", .unknownOption),
  ])
  func rejectsInvalidOptions(line: String, code: UsageError.Code) throws {
    let words = line.split(separator: " ").map(String.init)
    let error = try #require(throws: UsageError.self) { try RemoveCommand.parse(words) }
    #expect(error.code == code && error.command == "remove")
  }

  @Test func rejectsSelectorsOfNoSeveralOrAllTracks() throws {
    let shop = try Workshop(Self.movie)
    let old = try shop.folder.read("in.mov")
    for (options, words) in [
      ("--track audio", "--track audio matches several tracks: id:2 is audio, English; id:3 is audio, Spanish"),
      ("--track subtitle:fr", "--track subtitle:fr matches no track: id:1 is video; "),
      (
        "--track video --track audio:1 --track audio:2 --track subtitle",
        "cannot remove every track: a movie needs at least one"
      ),
    ] {
      let outcome = shop.run("remove @in.mov " + options)
      #expect(outcome.exitCode == .usage)
      #expect(outcome.errors.first?.hasPrefix("movtool remove: " + words) == true, "\(outcome.errors)")
    }
    #expect(try shop.folder.read("in.mov") == old)
    #expect(shop.run("remove @in.mov --track video --track id:1").exitCode == .done)
  }

  @Test func keepsTheOldMovieWhenInterruptedAnywhere() throws {
    let shop = try Workshop(Self.movie)
    let old = try shop.folder.read("in.mov")
    for stops in 0..<100 {
      let console = Console(isOnDisk: true)
      console.stopsAfter = stops
      let outcome = shop.run("remove @in.mov --track subtitle", console)
      if outcome.exitCode == .done { return }
      #expect(outcome.exitCode == .interrupted)
      #expect(try shop.folder.read("in.mov") == old)
      #expect(try shop.folder.names() == ["en.srt", "in.mov"])
    }
    Issue.record("never done")
  }
}
