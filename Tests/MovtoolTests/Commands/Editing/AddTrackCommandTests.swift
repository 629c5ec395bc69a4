import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

struct AddTrackCommandTests {
  private static let dub = TestMovie(tracks: [
    TestTrack(.sound, id: 21).with { $0.language = .packed("fra") },
    TestTrack(.sound, id: 22).with { $0.samples = .varied(30, around: 25, duration: 500) },
  ])

  private func shop(_ movie: TestMovie = .talk) throws -> Workshop {
    let shop = try Workshop(movie)
    try shop.folder.write(Self.dub, as: "dub.mov")
    return shop
  }

  /// Checks that track `id` has the samples of track `old` in `dub.mov`.
  private func expectSamples(_ id: UInt32, of old: UInt32, in file: String, _ shop: Workshop) throws {
    let (before, after) = (
      try SecondReader(path: shop.folder.file("dub.mov")), try SecondReader(path: shop.folder.file(file))
    )
    let (one, other) = (try #require(before.track(old)), try #require(after.track(id)))
    #expect(one.samples.count == other.samples.count)
    for (left, right) in zip(one.samples, other.samples) {
      #expect(try left.decodeTime == right.decodeTime && before.bytes(of: left) == after.bytes(of: right))
    }
  }

  @Test func trackIsAddedInPlace() throws {
    let shop = try shop()
    let old = try shop.folder.read("in.mov")
    let outcome = shop.run("add-track @in.mov @dub.mov --track audio:fr --dub --title Doublage")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    let new = try shop.folder.read("in.mov")
    #expect(
      outcome.output.prefix(2) == [
        "added audio, French: track 5 from track 21 of dub.mov, group 1, not the default",
        "edited in.mov in place: \(Quantity.exactBytes(UInt64(new.count - old.count + 8))) written",
      ])
    try expectSamples(5, of: 21, in: "in.mov", shop)
    #expect(try differences(old: old, new: new, allowing: .adding(5)) == [])
    let track = try #require(shop.movie().track(5))
    #expect(track.title == "Doublage")
    #expect(track.taggedCharacteristics == [.dubbedTranslation, .translation])
    #expect(try shop.folder.read("dub.mov") == Self.dub.bytes())
  }

  @Test func theVideoRefersToAddedCaptions() throws {
    let captions = TestCaptions.track(
      id: 9, [TestCaptions.sample(TestCaptions.load("Hello!") + TestCaptions.endOfCaption, duration: 30_000)])
    let shop = try Workshop(.talk)
    try shop.folder.write(TestMovie.talk.with { $0.tracks.append(captions) }, as: "other.mov")
    let outcome = shop.run("add-track @in.mov @other.mov --track caption")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    #expect(try shop.movie().track(1)?.referenced("clcp") == [5])
  }

  /// A track of an MP4 file gets the handler of QuickTime movies, so that no finding is left.
  @Test func writesTheHandlerOfQuickTimeMovies() throws {
    let shop = try Workshop(.right)
    try shop.folder.write(Self.dub.with { $0.dialect = .iso }, as: "dub.m4a")
    let outcome = shop.run("add-track @in.mov @dub.m4a --track id:21 --dub")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    let track = try #require(try shop.movie().tracks.last)
    #expect(track.handler?.componentType == "mhlr" && track.handler?.name == "Test Media Handler")
    #expect(shop.run("validate @in.mov").output.allSatisfy { !$0.contains("brand.iso-handler") })
    try expectHandler(in: "dub.m4a", ofTrack: 21, isQuickTime: false, shop)
  }

  private func expectHandler(in file: String, ofTrack id: UInt32, isQuickTime: Bool, _ shop: Workshop) throws {
    let handler = try shop.movie(file).track(id)?.handler
    #expect(handler?.componentType == (isQuickTime ? "mhlr" : FourCC(rawValue: 0)))
  }

  /// The first audio of a movie is enabled, but not a commentary.
  @Test func enablesACommentaryOnlyOnRequest() throws {
    let silent = TestMovie(tracks: [TestTrack(.video, id: 1)])
    for (options, isEnabled) in [
      ("--commentary", false), ("--role commentary", false), ("--dub", true), ("--commentary --default", true),
      ("--role commentary --enabled on", true), ("--characteristic public.auxiliary-content", false),
    ] {
      let shop = try shop(silent)
      let outcome = shop.run("add-track @in.mov @dub.mov --track audio:fr \(options)")
      #expect(outcome.exitCode == .done, "\(options): \(outcome.errors)")
      #expect(try shop.movie().tracks.last?.isEnabled == isEnabled, "\(options)")
      #expect(outcome.errors.contains { $0.contains("is a commentary and therefore not enabled") } == !isEnabled)
    }
  }

  @Test func warnsIfADefaultBecomesACommentary() throws {
    let shop = try shop()
    let outcome = shop.run("set @in.mov --track audio:1 --role commentary")
    let warning = "track 2 is a commentary now and still enabled"
    #expect(outcome.errors.contains { $0.contains(warning) }, "\(outcome.errors)")
    #expect(
      shop.run("set @in.mov --track audio:2 --role commentary").errors.allSatisfy { !$0.contains("still enabled") })
  }

  /// A dub that is much longer than the film may belong to another film.
  @Test(arguments: [(1500, true), (1499, false), (1200, false)])
  func warnsOfADubLongerThanTheFilm(_ duration: Int, _ isWarning: Bool) throws {
    let film = TestMovie.talk.with { $0.duration = 1200 }
    let shop = try Workshop(film)
    try shop.folder.write(
      TestMovie(tracks: [
        TestTrack(.sound, id: 1).with {
          $0.timeScale = 600
          $0.samples = .varied(1, around: 25, duration: duration)
        }
      ]), as: "dub.mov")
    let outcome = shop.run("add-track @in.mov @dub.mov --language fr")
    let line = outcome.errors.first { $0.contains("the movie's duration") }
    #expect((line?.contains("warning: ") ?? false) == isWarning, "\(outcome.errors)")
    if duration > 1200 { #expect(line?.contains("instead of 2.000 s, because track") == true, "\(outcome.errors)") }
  }

  @Test func writesANewFileAndKeepsBothMovies() throws {
    let shop = try shop(.talk.with { $0.layout = .movieFirst })
    let old = try shop.folder.read("in.mov")
    let line =
      "add-track @in.mov @dub.mov --track id:22 --track id:21 --language de --describes-video -o @out.mov --json"
    let outcome = shop.run(line)
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(try shop.folder.read("in.mov") == old)
    let tracks = try #require(outcome.json["importedTracks"] as? [[String: Any]])
    #expect(tracks.map { $0["id"] as? Int } == [5, 6] && tracks.map { $0["sourceTrack"] as? Int } == [22, 21])
    #expect(tracks.map { $0["language"] as? String } == ["de", "de"])
    try expectSamples(5, of: 22, in: "out.mov", shop)
    try expectSamples(6, of: 21, in: "out.mov", shop)
    #expect(try shop.movie("out.mov").track(6)?.taggedCharacteristics == [.describesVideo])
  }

  @Test func planNamesTheFileOfEachRange() throws {
    let shop = try shop()
    let outcome = shop.run("add-track @in.mov @dub.mov --track audio:fr --dry-run")
    #expect(outcome.output.contains { $0.contains("copied from byte") && $0.hasSuffix("dub.mov") })
    #expect(outcome.output.contains { $0.hasSuffix("stays") })
    #expect(outcome.output.first?.hasPrefix("would add audio, French: track 5") == true)
  }

  @Test func warnsOfADuplicateAndAMissingLanguage() throws {
    let shop = try shop()
    let unknown = shop.run("add-track @in.mov @dub.mov --track id:22 --strict")
    #expect(unknown.exitCode == .no)
    #expect(
      unknown.errors.first == "warning: dub.mov: the language of track 5 is unknown; --language sets it")
    let same = shop.run("add-track @in.mov @dub.mov --track id:22 --language es")
    #expect(same.exitCode == .done)
    #expect(
      same.errors == ["warning: dub.mov: track 3 of in.mov has the same language and role; --title distinguishes them"])
  }

  @Test func acceptsTheOptionsOfSet() throws {
    let shop = try shop()
    let outcome = shop.run("add-track @in.mov @dub.mov --track audio:1 --role commentary --group 9 --language de")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    let track = try #require(try shop.movie().tracks.last)
    #expect(track.taggedCharacteristics == [.auxiliaryContent] && track.isExcludedFromAutomaticSelection)
    #expect(track.alternateGroup == 9 && track.language?.description == "de")
  }

  @Test func transfersTheDefault() throws {
    let shop = try shop()
    let outcome = shop.run("add-track @in.mov @dub.mov --track audio:fr --default")
    #expect(outcome.errors == ["note: track 2 is no longer the default and was disabled"])
    #expect(try shop.movie().tracks.filter { $0.mediaType == .audio }.map(\.isEnabled) == [false, false, true])
  }

  @Test func errorsNameTheOtherMovie() throws {
    let shop = try shop()
    try shop.folder.write(Self.dub.initial.with { $0.movieAtoms = atom("mvex") {} }, as: "init.mov")
    let initial = shop.run("add-track @in.mov @init.mov --track audio:1")
    #expect(initial.exitCode == .badData)
    #expect(initial.errors.first?.hasPrefix("init.mov: moov at byte") == true)
    #expect(shop.run("add-track @in.mov @none.mov --track audio").exitCode == .noInput)
    #expect(shop.run("add-track @in.mov @en.srt --track audio").exitCode == .badData)
    let several = shop.run("add-track @in.mov @dub.mov --track audio")
    #expect(several.exitCode == .usage && several.errors.first?.contains("matches several tracks of dub.mov: ") == true)
    let none = shop.run("add-track @in.mov @dub.mov --track timecode")
    #expect(none.exitCode == .usage && none.errors.first?.contains("matches no track of dub.mov: ") == true)
  }

  @Test func copiesTracksOfFragmentedMovies() throws {
    let shop = try shop()
    let sound: [TestSample] = .varied(9, around: 20, duration: 512)
    let id = Self.dub.tracks[0].id
    let fragments = [nil, 9 * 512 + 7].map { TestFragment([.init(id: id, decodeTime: $0, runs: [.init(sound)])]) }
    try shop.folder.write(Self.dub.initial.bytes(fragments: fragments), as: "live.mp4")
    let outcome = shop.run("add-track @in.mov @live.mp4 --track id:\(id)")
    #expect(outcome.exitCode == .done)
    let gap = "in its original movie, track \(id) has 1 gap between fragments; the sample before each gap is extended"
    #expect(outcome.errors.contains("note: " + gap))
    #expect(try shop.movie().tracks.last?.samples.sampleCount == 18)
  }

  @Test(arguments: [
    ("add-track", "specify a movie, and another movie"), ("add-track a.mov", "specify a movie to add tracks from"),
    ("add-track a b c --track audio", "tracks from, not 3"),
    ("add-track a b --track audio --track video --default", "--default requires a single --track"),
    ("add-track a b --track audio --append --fast-start", "use one option"),
    ("add-track a b --track audio --role sdhh", "did you mean sdh?"),
    ("add-track a b --track audio --default --enabled off", "use one option"),
    ("add-track a b --track audio --language 1", "specify a BCP 47 tag"),
    ("add-track a b --track audio -o b", "is the input b"),
  ])
  func rejectsInvalidUsage(_ line: String, _ words: String) throws {
    let outcome = try Workshop().run(line)
    #expect(outcome.exitCode == .usage)
    #expect(outcome.errors.first?.contains(words) == true, "\(outcome.errors)")
  }
}
