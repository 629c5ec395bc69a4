import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// The commands that users type first and most often.
struct EverydayTests {
  @Test func subtitlesBesideTheMovieAreFound() throws {
    let shop = try Workshop(.simple, as: "film.mov")
    for name in [
      "film.en.srt", "film.es.sdh.srt", "film2.en.srt", "filming.fr.srt", "other.de.srt", "film.txt",
      "film 2.en.srt", "film - Extras.en.srt", "film-Making.of.en.srt", "film.3.en.srt",
    ] {
      try shop.write(name, ["One", "Two"])
    }
    try FileManager.default.createDirectory(atPath: shop.folder.file("film.fr.srt"), withIntermediateDirectories: false)
    let outcome = shop.run("add-subtitle @film.mov")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors.first == "found for film.mov: film.en.srt, film.es.sdh.srt")
    #expect(outcome.output.prefix(2).map { String($0.prefix { $0 != ":" }) } == ["added English", "added Spanish SDH"])
    // The files are added only once, even if the command is repeated.
    let once = try shop.folder.read("film.mov")
    let again = shop.run("add-subtitle @film.mov")
    #expect(again.exitCode == .done && again.output.last == "nothing to change: film.mov is unchanged")
    #expect(try shop.folder.read("film.mov") == once)
    let answer = shop.run("add-subtitle @film.mov --replace --dry-run --json")
    #expect((answer.json["tracks"] as? [Any])?.count == 2)
    // The stem of a hidden movie is its whole name, as for `extract`.
    let hidden = try Workshop(.simple, as: ".mov")
    for name in [".mov.en.srt", "other.de.srt"] { try hidden.write(name, ["One", "Two"]) }
    #expect(hidden.run("add-subtitle @.mov --dry-run").errors.first == "found for .mov: .mov.en.srt")
  }

  @Test func prefersRolesInNamesOfFoundFilesToOptions() throws {
    let shop = try Workshop(.simple, as: "film.mov")
    for name in ["film.en.srt", "film.es.forced.srt"] { try shop.write(name, ["One", "Two"]) }
    let outcome = shop.run("add-subtitle @film.mov --sdh")
    #expect(outcome.exitCode == .done)
    #expect(
      outcome.output.prefix(2).map { String($0.prefix { $0 != ":" }) } == [
        "added English SDH", "added Spanish, forced only",
      ])
    // For named files, the option overrides the role in the name.
    let named = shop.run("add-subtitle @film.mov @film.es.forced.srt --sdh --dry-run")
    #expect(named.output.first?.hasPrefix("would add Spanish SDH") == true)
  }

  @Test func reportsThatNoSubtitleFilesWereFound() throws {
    let shop = try Workshop(.simple, as: "film.mov")
    let outcome = shop.run("add-subtitle @film.mov")
    #expect(outcome.exitCode == .usage)
    #expect(
      outcome.errors.first
        == "movtool add-subtitle: SUB is missing: no .srt, .vtt, .scc or .mcc file in the folder has the name of film.mov"
    )
    #expect(shop.run("add-subtitle").exitCode == .usage)
    #expect(shop.run("add-subtitle @missing.mov").exitCode == .noInput)
  }

  @Test func skipsExistingSubtitles() throws {
    let shop = try Workshop(.simple)
    #expect(shop.run("add-subtitle @in.mov @en.srt --if-absent").exitCode == .done)
    let once = try shop.folder.read("in.mov")
    let again = shop.run("add-subtitle @in.mov @en.srt --if-absent --strict")
    #expect(again.exitCode == .done)
    #expect(again.errors.contains { $0.contains("en.srt is skipped: track 3 has the same language and role") })
    #expect(try shop.folder.read("in.mov") == once)
    // Only missing subtitles are added.
    try shop.write("en.sdh.srt", ["[rain]"])
    let more = shop.run("add-subtitle @in.mov @en.srt @en.sdh.srt --if-absent")
    #expect(more.output.first?.hasPrefix("added English SDH: track 4") == true)
    let answer = shop.run("add-subtitle @in.mov @en.srt --if-absent --json")
    #expect(answer.exitCode == .done && (answer.json["tracks"] as? [Any])?.isEmpty == true)
    #expect(shop.run("add-subtitle @in.mov @en.srt --if-absent --replace").exitCode == .usage)
    // Other requests are carried out nevertheless.
    let moved = shop.run("add-subtitle @in.mov @en.srt --if-absent --fast-start")
    #expect(moved.exitCode == .done && moved.output.contains { $0.hasPrefix("rewrote") })
  }

  /// Two tracks of unknown language may differ, so both are kept. All files of one command are added.
  @Test func addsSubtitlesOfUnknownLanguage() throws {
    let shop = try Workshop(.simple)
    for name in ["one.srt", "two.srt"] { try shop.write(name, [name]) }
    let outcome = shop.run("add-subtitle @in.mov @one.srt @two.srt --if-absent --json")
    #expect((outcome.json["tracks"] as? [Any])?.count == 2)
    let both = shop.run("add-subtitle @in.mov @one.srt --language en @two.srt --language en --if-absent --json")
    #expect((both.json["tracks"] as? [Any])?.count == 2)
  }

  @Test func rolesMayBeFlags() throws {
    let shop = try Workshop(.talk)
    #expect(shop.run("set @in.mov --track subtitle:es --sdh").exitCode == .done)
    #expect(shop.run("inspect @in.mov").output.contains { $0.contains("Spanish SDH") })
    let valued = shop.run("set @in.mov --track subtitle:es --sdh=yes")
    #expect(valued.exitCode == .usage && valued.errors.first?.contains("--sdh does not accept a value") == true)
    #expect(shop.run("set @in.mov --track subtitle:es -osdh").exitCode == .usage)
    #expect(shop.run("set @in.mov --track subtitle:es --role SDH").exitCode == .done)
    #expect(shop.run("set @in.mov --track subtitle:es,SDH --title Rain").exitCode == .done)
  }

  @Test(arguments: [
    ("info @in.mov", "did you mean inspect?"), ("version", "did you mean --version?"),
    ("check @in.mov", "did you mean validate?"), ("tag @in.mov", "did you mean metadata?"),
    ("set @in.mov --track audio:1 --role cc", "did you mean sdh?"),
    ("set @in.mov --track audio:1 --cc", "did you mean --sdh?"),
    ("add-subtitle @in.mov @en.srt --output x", "did you mean -o?"),
    ("add-subtitle @in.mov @en.srt --delay 1", "did you mean --offset?"),
    ("set @in.mov --track audio:1 --default off", "\"off\"; --enabled off disables a track"),
    ("add-subtitle @in.mov @en.srt --default no", "\"no\"; omit the option"),
    ("set @in.mov --track subtitle --sdh on", "\"on\"; write only --sdh"),
  ]) func suggestsOptionsForNamesOfOtherPrograms(_ line: String, _ words: String) throws {
    let outcome = try Workshop(.talk).run(line)
    #expect(outcome.exitCode == .usage && outcome.errors.first?.hasSuffix(words) == true, "\(outcome.errors)")
  }

  @Test(arguments: [
    "set @in.mov --track audio:1 --language zz", "add-track @in.mov @dub.m4a --language zz",
    "metadata @in.mov --set title=x --language en-YY",
  ]) func warnsOfAnUnregisteredLanguage(_ line: String) throws {
    let shop = try Workshop(.talk)
    try shop.folder.write(TestMovie.simple.with { $0.tracks.removeFirst() }, as: "dub.m4a")
    let outcome = shop.run(line + " --strict")
    #expect(outcome.exitCode == .no)
    #expect(outcome.errors.contains { $0.contains(" is not registered, so no player recognizes the language") })
  }

  @Test func onlyTrackNeedsNoSelector() throws {
    let shop = try Workshop(.talk)
    try shop.folder.write(TestMovie.simple.with { $0.tracks.removeFirst() }, as: "dub.m4a")
    let outcome = shop.run("add-track @in.mov @dub.m4a --language fr --dub")
    #expect(outcome.exitCode == .done && outcome.output.first?.contains("track 5") == true)
    let several = shop.run("add-track @in.mov @in.mov")
    #expect(several.exitCode == .usage)
    #expect(several.errors.first?.contains("--track SELECTOR; id:1 is video") == true)
  }

  @Test func reportsAFollowerInAnotherLanguage() throws {
    func warnings(_ line: String) throws -> [String] {
      let shop = try Workshop(TestMovie.talk.with { $0.tracks[2].references = [TestReference("folw", 4)] })
      let outcome = shop.run(line)
      #expect(outcome.exitCode == .done)
      return outcome.errors.filter { $0.contains("is still followed by") }
    }
    #expect(
      try warnings("set @in.mov --track subtitle:es --language fr").map { String($0.drop { $0 != "a" }.prefix(80)) }
        .count == 1)
    #expect(try warnings("set @in.mov --track audio:es --language fr").count == 1)
    #expect(try warnings("set @in.mov --track subtitle:es --language es-MX").isEmpty)
    for (one, other) in [("subtitle:es", "audio:es"), ("audio:es", "subtitle:es")] {
      #expect(try warnings("set @in.mov --track \(one) --language fr --track \(other) --language fr").isEmpty)
    }
  }

  @Test func appliesARepeatedRequestOnce() throws {
    let shop = try Workshop(.talk)
    let link = "link @in.mov --follow audio:es=subtitle:es --follow audio:es=subtitle:es"
    #expect(shop.run(link).exitCode == .done)
    #expect(shop.run("link @in.mov --clear audio:es=subtitle:es --clear audio:es=subtitle:es").exitCode == .done)
  }

  @Test func acceptsAnOptionsOldName() throws {
    let shop = try Workshop(.talk)
    shop.run("remux @in.mov -o @new.mov --track video")
    shop.run("remux @in.mov -o @old.mov --tracks video")
    #expect(try shop.folder.read("new.mov") == shop.folder.read("old.mov"))
  }

  @Test func checksTheNameOfTheNewFile() throws {
    let shop = try Workshop(.talk)
    for name in ["out.mkv", "out.srt", "out.SRT"] {
      let outcome = shop.run("remux @in.mov -o @\(name)")
      #expect(outcome.exitCode == .usage && outcome.errors.first?.contains("is not a movie type") == true)
    }
    for name in ["a.mov", "b.qt", "c", ".hidden", "d.2024"] {
      let outcome = shop.run("remux @in.mov -o @\(name)")
      #expect(outcome.exitCode == .done && outcome.errors.isEmpty, "\(name): \(outcome.errors)")
    }
  }

  @Test func suggestsTheTagForALanguageName() throws {
    let shop = try Workshop(.talk)
    for line in ["select @in.mov --language english", "set @in.mov --track subtitle --language english"] {
      #expect(shop.run(line).errors.first?.contains("use the tag en") == true)
    }
    #expect(shop.run("validate --explain nonsense").errors.first?.contains("--explain all lists the rules") == true)
    let wrongWay = shop.run("link @in.mov --follow subtitle:es=audio:es")
    #expect(wrongWay.errors.first?.contains("specify the audio track first") == true)
  }
}
