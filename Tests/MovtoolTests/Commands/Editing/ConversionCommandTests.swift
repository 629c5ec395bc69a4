import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// The commands that convert a movie, and their messages.
struct ConversionCommandTests {
  private static let movie = TestMovie.talk

  private func shop(_ movie: TestMovie = ConversionCommandTests.movie, as name: String = "in.mov") throws -> Workshop {
    try Workshop(movie, as: name)
  }

  private func type(_ shop: Workshop, _ name: String) throws -> MovieType { try shop.movie(name).type }

  @Test(arguments: MovieType.allCases.filter { !$0.isQuickTime && $0 != .m4a && $0 != .m4b })
  func derivesTheTypeFromTheOutputName(_ wanted: MovieType) throws {
    let shop = try shop()
    // The audio of the movie is PCM, which only MP4 supports.
    let track = wanted == .mp4 ? "" : " --track video"
    let outcome = shop.run("remux @in.mov -o @out.\(wanted.rawValue)" + track)
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    #expect(try type(shop, "out." + wanted.rawValue) == wanted)
    #expect(outcome.output.contains("converted a QuickTime movie to \(wanted.name)"))
  }

  @Test(arguments: [
    "set @in.mov --track video --title A", "remove @in.mov --track video", "add-subtitle @in.mov @en.srt",
  ])
  func convertsInEveryEditingCommand(_ line: String) throws {
    let shop = try shop()
    #expect(shop.run(line + " -o @out.mp4").exitCode == .done)
    #expect(try type(shop, "out.mp4") == .mp4)
    #expect(shop.run(line + " -o @out.mov").exitCode == .done)
    #expect(try type(shop, "out.mov") == .quickTime)
    #expect(shop.run(line + " -o @plain").exitCode == .done)
    #expect(try type(shop, "plain") == .quickTime)
  }

  /// A list in user data becomes a track that no selector can name; and a track becomes a list.
  @Test func keepsChaptersOfChosenTracksInAConversion() throws {
    let list = atom("chpl") { u32(0x0100_0000, 0) + [1] + u64(0) + [3] + text("One") }
    let shop = try shop(
      TestMovie.talk.with {
        $0.dialect = .iso
        $0.userData = list
      }, as: "in.mp4")
    #expect(shop.run("remux @in.mp4 -o @out.mov --track video").exitCode == .done)
    #expect(shop.run("chapters @out.mov").output.contains { $0.contains("One") })
    #expect(shop.run("remux @out.mov -o @back.m4v --track video").exitCode == .done)
    #expect(shop.run("chapters @back.m4v").output.contains { $0.contains("One") })
  }

  /// Many files have brands that contradict their names. An edit of such a file must not convert it.
  @Test(arguments: [
    "remux @IN -o @OUT", "set @IN --track video --title A -o @OUT", "add-subtitle @IN @en.srt -o @OUT",
    "metadata @IN --for-sharing -o @OUT", "chapters @IN --remove -o @OUT",
  ])
  func keepsTheTypeForAnUnchangedExtension(_ line: String) throws {
    let withChapters = TestMovie.talk.with {
      $0.userData = atom("chpl") { u32(0x0100_0000, 0) + [1] + u64(0) + [1, 65] }
    }
    for (dialect, name, out) in [
      (TestMovie.Dialect.iso, "in.mov", "out.mov"), (.iso, "in.MOV", "out.mov"), (.iso, "in.qt", "out.QT"),
      (.quickTime, "in.mp4", "out.Mp4"), (.quickTime, "in.m4v", "out.m4v"), (.quickTime, "in.3gp", "out.3gp"),
    ] {
      let shop = try shop(withChapters.with { $0.dialect = dialect }, as: name)
      let words = line.replacingOccurrences(of: "IN", with: name).replacingOccurrences(of: "OUT", with: out)
      let outcome = shop.run(words)
      #expect(outcome.exitCode == .done, "\(words): \(outcome.errors)")
      #expect(try shop.movie(out).fileType == shop.movie(name).fileType)
      let kept = dialect == .iso ? "an MP4 file" : "a QuickTime movie"
      #expect(outcome.errors.contains { $0.hasPrefix("note: \(out) keeps the type of \(name), \(kept), ") }, "\(words)")
      #expect(outcome.errors.allSatisfy { !$0.contains("--keep-type") })
    }
  }

  @Test func notesAKeptTypeAndConvertsForOtherExtensions() throws {
    let shop = try shop(.rightISO, as: "in.mov")
    let answer = shop.run("remux @in.mov -o @out.mov --strict --json")
    let notes = answer.json["notes"] as? [[String: Any]]
    #expect(answer.exitCode == .done && notes?.contains { $0["code"] as? String == "type-kept" } == true)
    #expect(answer.json["conversion"] is NSNull)
    #expect(shop.run("remux @in.mov -o @out.qt").exitCode == .done)
    #expect(try type(shop, "out.qt") == .quickTime)
    #expect(shop.run("remux @in.mov -o @typed.mov --type mov").exitCode == .done)
    #expect(try type(shop, "typed.mov") == .quickTime)
    let right = try self.shop()
    #expect(right.run("remux @in.mov -o @out.mov").errors.allSatisfy { !$0.contains("stays") })
  }

  @Test func keepsTheTypeOnRequest() throws {
    let shop = try shop()
    let outcome = shop.run("remux @in.mov -o @out.mp4 --keep-type")
    #expect(outcome.exitCode == .done)
    #expect(
      outcome.errors.contains { $0.contains("the extension is for an MP4 file, but the output is a QuickTime movie") })
    #expect(try shop.folder.read("out.mp4") == shop.folder.read("in.mov"))
  }

  @Test func convertsToTheRequestedType() throws {
    let shop = try shop()
    #expect(shop.run("remux @in.mov -o @out.bin --type mp4").exitCode == .done)
    #expect(try type(shop, "out.bin") == .mp4)
    #expect(
      shop.run("remux @in.mov -o - --type mp4 --dry-run --json").json["conversion"] as? [String: String]
        == ["from": "mov", "to": "mp4"])
    #expect(shop.run("remux @in.mov -o - --dry-run --json").json["conversion"] is NSNull)
  }

  @Test func filesOfOneFamilyKeepTheirBrands() throws {
    let shop = try shop(.rightISO, as: "in.m4v")
    let brands = try shop.movie("in.m4v").fileType
    #expect(shop.run("remux @in.m4v -o @out.m4v").exitCode == .done)
    #expect(try shop.movie("out.m4v").fileType == brands)
    #expect(shop.run("remux @in.m4v -o @out.mp4").exitCode == .done)
    #expect(try shop.movie("out.mp4").fileType == brands)
  }

  /// A file with another extension and another major brand has another type, although MP4 is a compatible brand.
  @Test(arguments: [("M4A ", "m4a"), ("3gp5", "3gp"), ("M4V ", "m4v")])
  func convertsBetweenTypesOfOneFamily(_ brand: String, _ name: String) throws {
    let shop = try shop(.rightISO.with { $0.brands = [brand, brand, "mp42", "isom"] }, as: "in." + name)
    #expect(shop.run("remux @in.\(name) -o @same.\(name)").output.allSatisfy { !$0.contains("converted") })
    #expect(try shop.movie("same." + name).fileType == shop.movie("in." + name).fileType)
    let outcome = shop.run("remux @in.\(name) -o @out.mp4")
    #expect(outcome.output.contains { $0.hasPrefix("converted") && $0.hasSuffix("to an MP4 file") })
    #expect(try type(shop, "out.mp4") == .mp4)
  }

  @Test func reportsNoConversionToTheSameType() throws {
    let output = try shop().run("remux @in.mov -o @out.mov --type mov").output
    #expect(output.contains("the movie is already a QuickTime movie; rewrote its headers and metadata for this type"))
  }

  /// Tracks that the new type cannot contain can be selected, to confirm that they are dropped.
  @Test func selectsTracksThatAConversionDrops() throws {
    let shop = try shop(
      Self.movie.with { $0.tracks = [$0.tracks[0], TestTrack(.other(handler: "hint"), id: 90)] })
    let removed = shop.run("remove @in.mov --track id:90 -o @out.mp4 --strict")
    #expect(
      removed.exitCode == .done && removed.output.contains { $0.hasPrefix("removed ") && $0.contains("track 90") })
    #expect(try shop.movie("out.mp4").tracks.map(\.id) == shop.movie().tracks.dropLast().map(\.id))
    let kept = shop.run("remux @in.mov -o @out2.mp4 --track video --track id:90 --strict")
    #expect(kept.exitCode == .no && kept.errors.contains { $0.contains("track 90 is omitted") })
  }

  /// PCM has another format code in MP4 files, which not all players support.
  @Test func suggestsARemedyForUnsupportedAudio() throws {
    let shop = try shop(
      Self.movie.with { $0.tracks = [$0.tracks[0], TestMovie.playable.tracks[1], $0.tracks[3]] })
    let outcome = shop.run("remux @in.mov -o @out.m4v")
    let refusal = "track 2 is PCM (sowt), which is not registered for an M4V file"
    #expect(outcome.exitCode == .badData && outcome.errors.first?.hasSuffix(refusal) == true)
    #expect(
      outcome.errors.last
        == "movtool remux --track id:1 --track id:4 omits the track; an MP4 file (.mp4) can contain the track")
    #expect(shop.run("remux @in.mov -o @out.m4v --track id:1 --track id:4").exitCode == .done)
    let known = shop.run("remux @in.mov -o @out.mp4")
    #expect(known.exitCode == .done && known.errors.contains { $0.contains("ipcm") })
  }

  @Test func writesThe3GPPHandlerForSubtitles() throws {
    let shop = try shop(Self.movie.with { $0.tracks = [$0.tracks[0], $0.tracks[3]] })
    // Apple's players then omit the subtitles from menus.
    let strict = shop.run("remux @in.mov -o @out.3gp --strict")
    #expect(
      strict.exitCode == .no
        && strict.errors.contains { $0.contains("the menus of Apple's players list this track only") })
    #expect(shop.run("remux @in.mov -o @out.3gp").exitCode == .done)
    #expect(try shop.movie("out.3gp").tracks[1].mediaType == .text)
    let rules = shop.run("validate @out.3gp").output
    #expect(rules.allSatisfy { !$0.contains("subtitle.text-handler") })
    #expect(rules.contains { $0.contains("subtitle.3gp-handler") })
    #expect(shop.run("remux @out.3gp -o @out.mp4 --strict").exitCode == .done)
    #expect(try shop.movie("out.mp4").tracks[1].mediaType == .subtitle)
  }

  @Test(arguments: ["mkv", "srt", "mp3", "jpg"])
  func refusesAnOutputWithTheExtensionOfAnotherFileType(_ name: String) throws {
    let shop = try shop()
    let outcome = shop.run("remux @in.mov -o @out.\(name)")
    #expect(outcome.exitCode == .usage)
    #expect(outcome.errors.first?.contains(".\(name) is not a movie type; movtool writes .mov .mp4") == true)
    #expect(try !shop.folder.names().contains("out." + name))
  }

  @Test(arguments: [
    "remux @in.mov -o @out.mp4 --type mkv", "remux @in.mov -o @out.mp4 --type mp4 --keep-type",
    "set @in.mov --track video --title A --type mp4", "set @in.mov --track video --title A --keep-type",
  ])
  func optionsThatDoNotFitAreRefused(_ line: String) throws {
    #expect(try shop().run(line).exitCode == .usage)
  }

  @Test func listsDroppedContentsAndRejectsThemUnderStrict() throws {
    let shop = try shop(Self.movie.with { $0.movieAtoms = atom("ctab") { zeros(16) } })
    let strict = shop.run("remux @in.mov -o @out.mp4 --strict")
    #expect(strict.exitCode == .no)
    #expect(strict.errors.contains { $0.contains("the color table (ctab) is omitted") })
    #expect(try !shop.folder.names().contains("out.mp4"))
    #expect(shop.run("remux @in.mov -o @out.mp4").exitCode == .done)
    let warnings = shop.run("remux @in.mov -o @out2.mp4 --json").json["warnings"] as? [[String: Any]]
    #expect(warnings?.contains { $0["code"] as? String == "left-out" } == true)
  }

  @Test func trackOfAnotherFormatIsRefusedWithItsNumber() throws {
    let shop = try shop(
      Self.movie.with { $0.tracks[0].sampleEntries = [SampleEntry.video("apch", width: 64, height: 36)] })
    let outcome = shop.run("remux @in.mov -o @out.mp4")
    #expect(outcome.exitCode == .badData)
    let id = try shop.movie().tracks[0].id
    #expect(outcome.errors.first?.hasSuffix("track \(id) is in apch, which is not registered for an MP4 file") == true)
    #expect(
      outcome.errors.last
        == "movtool remux --track audio keeps only the audio; a QuickTime movie (.mov) can contain all tracks")
    #expect(try !shop.folder.names().contains("out.mp4"))
    #expect(shop.run("remux @in.mov -o @out.mp4 --track audio").exitCode == .done)
  }

  /// Tracks that the new type cannot contain cause no warning if they were not selected.
  @Test func warnsOnlyOfDroppedTracksThatWereChosen() throws {
    let shop = try shop(
      Self.movie.with { $0.tracks.append(TestTrack(.other(handler: "hint"), id: 90)) })
    let strict = shop.run("remux @in.mov -o @out.mp4 --strict")
    #expect(strict.exitCode == .no && strict.errors.contains { $0.contains("track 90 is omitted") })
    let chosen = shop.run("remux @in.mov -o @out.mp4 --track video")
    #expect(chosen.exitCode == .done && !chosen.errors.contains { $0.contains("track 90") })
  }

  @Test func warnsOfAMisleadingExtension() throws {
    let outcome = try shop().run("remux @in.mov -o @out.mov --type mp4")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors.contains { $0.contains("for a QuickTime movie, but the output is an MP4 file because") })
  }
}
