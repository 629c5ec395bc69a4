import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

struct SetCommandTests {
  @Test func severalTracksChangeInOneEditInPlace() throws {
    let shop = try Workshop(.talk)
    let outcome = shop.run(
      "set @in.mov --track subtitle:es --language pt-BR --title Novo --role sdh --track audio:2 --default")
    #expect(outcome.exitCode == .done)
    #expect(
      outcome.output.prefix(2) == [
        "subtitle, Portuguese (Brazil) SDH: track 4: language pt-BR (was es), title \"Novo\", "
          + "+public.accessibility.transcribes-spoken-dialog, +public.accessibility.describes-music-and-sound",
        "audio, Spanish: track 3: enabled",
      ])
    #expect(outcome.output.contains { $0.hasPrefix("edited in.mov in place: ") })
    #expect(outcome.errors == ["note: track 2 is no longer the default and was disabled"])
    let movie = try shop.movie()
    #expect(movie.track(4)?.language == LanguageTag("pt-BR") && movie.track(4)?.title == "Novo")
    #expect(movie.track(4)?.isSDH == true)
    #expect(movie.tracks.filter(\.isEnabled).map(\.id) == [1, 3, 4])
  }

  @Test func appliesOptionsBeforeTheFirstTrackToAllTracks() throws {
    let shop = try Workshop(.talk)
    let outcome = shop.run("set @in.mov --language de --track audio:1 --track audio:2 --language fr -o @out.mov --json")
    #expect(outcome.exitCode == .done)
    #expect(try shop.movie("out.mov").tracks.dropFirst().prefix(2).map { $0.language?.description } == ["de", "fr"])
    #expect(try shop.movie().track(2)?.language == LanguageTag("en"))
    let changed = try #require(outcome.json["changedTracks"] as? [[String: Any]])
    #expect(changed.map { $0["changes"] as? [String] } == [["language"], ["language"]])
  }

  @Test func leavesTheFileUnchangedIfNothingChanges() throws {
    let shop = try Workshop(.talk)
    let old = try shop.folder.read("in.mov")
    let outcome = shop.run("set @in.mov --track id:4 --language es --enabled on --group 2")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(
      outcome.output == ["subtitle, Spanish: track 4: unchanged", "nothing to change: in.mov is unchanged"])
    #expect(try shop.folder.read("in.mov") == old)
    #expect(shop.run("set @in.mov --track id:4 --language es --json").json["isWritten"] as? Bool == false)
  }

  @Test func addsAndRemovesTags() throws {
    let shop = try Workshop(.talk)
    #expect(
      shop.run("set @in.mov --track id:4 --characteristic +public.easy-to-read --characteristic=com.acme.x").exitCode
        == .done)
    #expect(
      shop.run("set @in.mov --track id:4 --characteristic -public.easy-to-read --autoselect off").exitCode == .done)
    let track = try shop.movie().track(4)
    #expect(track?.taggedCharacteristics.map(\.rawValue) == ["com.acme.x"])
    #expect(track?.isExcludedFromAutomaticSelection == true)
  }

  @Test(arguments: [
    ("", UsageError.Code.missingOperand), ("a.mov", .missingOperand), ("a.mov --track video", .missingOperand),
    ("a.mov --language en", .missingOperand), ("a.mov --track video --language 9x", .invalidValue),
    ("a.mov --track video --role sdj", .invalidValue), ("a.mov --track video --group 32768", .invalidValue),
    ("a.mov --track video --group none --group 1", .repeatedOption),
    ("a.mov --track video --enabled yes", .invalidValue),
    ("a.mov --track video --default --enabled off", .conflict),
    ("a.mov --track audio:1 --default --autoselect off", .conflict),
    ("a.mov --track audio:1 --default --role commentary", .conflict),
    ("a.mov --default --track audio:1 --autoselect off --track audio:2", .conflict),
    ("a.mov --track video --characteristic +x", .invalidValue),
    ("a.mov --track video --characteristic +a.b --characteristic -a.b", .conflict),
    ("a.mov --track video --default --append -o b.mov", .conflict),
  ])
  func rejectsInvalidOptions(line: String, code: UsageError.Code) throws {
    let words = line.split(separator: " ").map(String.init)
    let error = try #require(throws: UsageError.self) { try SetCommand.parse(words) }
    #expect(error.code == code && error.command == "set", "\(error)")
  }

  @Test(arguments: [
    ("id:6 --role regular", "but track 6 is not forced-only"),
    ("id:5 --role forced", "but track 5 is not a full subtitle track"),
  ])
  func warnsOfABrokenForcedPair(_ change: String, _ words: String) throws {
    let shop = try Workshop(.right)
    let outcome = shop.run("set @in.mov --track " + change)
    #expect(outcome.exitCode == .done)
    let warning = "warning: in.mov: track 5 has track 6 as its forced subtitles (forc), " + words
    #expect(outcome.errors.contains(warning), "\(outcome.errors)")
    #expect(try shop.movie().track(5)?.referenced("forc") == [6])
  }

  @Test func reportsChangesThatTracksForbidAsUsageErrors() throws {
    let shop = try Workshop(.talk)
    let old = try shop.folder.read("in.mov")
    for (options, words) in [
      (
        "--track id:4 --group 1",
        "a group cannot mix kinds of tracks: track 4 is subtitle, and track 2 of group 1 is audio"
      ),
      ("--track audio:1 --role sdh", "track 2 cannot have the role sdh: its media is audio"),
    ] {
      let outcome = shop.run("set @in.mov " + options)
      #expect(outcome.exitCode == .usage)
      #expect(outcome.errors.first == "movtool set: " + words, "\(outcome.errors)")
    }
    #expect(try shop.folder.read("in.mov") == old)
  }
}
