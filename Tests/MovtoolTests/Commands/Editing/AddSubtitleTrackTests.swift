import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

/// The tracks that `add-subtitle` makes: languages, roles, groups, associations.
struct AddSubtitleTrackTests {
  /// Returns the track with this ID in `in.mov`.
  private func track(_ id: UInt32, _ shop: Workshop) throws -> Track {
    try #require(try shop.movie().track(id))
  }

  @Test func englishJoinsTheSpanishGroupAndFollowsTheEnglishAudio() throws {
    let shop = try Workshop(.talk)
    let outcome = shop.run("add-subtitle @in.mov @en.srt --sdh")
    #expect(
      outcome.output.first
        == "added English SDH: track 5 from en.srt, 2 cues, group 2, not the default; audio track 2 selects it")
    let movie = try shop.movie()
    #expect(movie.track(2)?.referenced("folw") == [5])
    #expect(movie.track(4)?.isEnabled == true)
    let new = try track(5, shop)
    #expect(new.isSDH && !new.isEnabled && new.alternateGroup == 2 && new.language?.description == "en")
    let menu = movie.mediaSelectionGroups.first { $0.kind == .legible }
    #expect(menu?.options.map(\.displayName) == ["Spanish", "English SDH"])
    #expect(menu?.defaultOption?.trackID == 4)
  }

  @Test func acceptsTheOptionsOfSet() throws {
    let shop = try Workshop(.talk)
    try shop.write("b.fr.srt", ["Bonjour"])
    let outcome = shop.run(
      "add-subtitle @in.mov --autoselect off @en.srt --role easy-to-read --group 7 @b.fr.srt --role forced --enabled on"
    )
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    let (first, second) = (try track(5, shop), try track(6, shop))
    #expect(first.taggedCharacteristics == [.easyToRead] && first.alternateGroup == 7 && !first.isEnabled)
    #expect(second.containsOnlyForcedSubtitles && second.alternateGroup == 2 && second.isEnabled)
    #expect(first.isExcludedFromAutomaticSelection && second.isExcludedFromAutomaticSelection)
    // Explicit tags are added to those of a role. A role option overrides the role in the file name.
    try shop.write("c.de.sdh.srt", ["Hallo"])
    #expect(
      shop.run("add-subtitle @in.mov @c.de.sdh.srt --role commentary --characteristic public.easy-to-read").exitCode
        == .done)
    let third = try track(7, shop)
    #expect(Set(third.taggedCharacteristics) == [.auxiliaryContent, .easyToRead])
    #expect(third.isExcludedFromAutomaticSelection && third.alternateGroup == 2)
  }

  /// Flags and `--role` add up, however they are written.
  @Test(arguments: [
    ("--sdh --forced", true, MediaCharacteristic.sdh), ("--sdh --role forced", true, MediaCharacteristic.sdh),
    ("--role sdh --forced", true, MediaCharacteristic.sdh), ("--role sdh --sdh", false, MediaCharacteristic.sdh),
    ("--forced --role commentary", true, [.auxiliaryContent]),
    ("--sdh --role commentary", false, MediaCharacteristic.sdh + [.auxiliaryContent]),
    ("--sdh --role easy-to-read", false, MediaCharacteristic.sdh + [.easyToRead]),
    ("--forced --role original", true, [.originalContent]),
  ])
  func rolesAddUp(_ options: String, _ isForced: Bool, _ tags: [MediaCharacteristic]) throws {
    let shop = try Workshop(.talk)
    let outcome = shop.run("add-subtitle @in.mov @en.srt --language de " + options)
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    let track = try #require(try shop.movie().tracks.last)
    #expect(track.containsOnlyForcedSubtitles == isForced && Set(track.taggedCharacteristics) == Set(tags))
    #expect(track.isExcludedFromAutomaticSelection == tags.contains(.auxiliaryContent))
  }

  /// Only `--default` makes a commentary the default.
  @Test func ignoresDefaultInTheNameOfACommentary() throws {
    let shop = try Workshop(.talk)
    try shop.write("in.en.commentary.default.srt", ["One"])
    try shop.write("in.fr.default.srt", ["Un"])
    func lastIsEnabled() throws -> Bool? { try shop.movie().tracks.last?.isEnabled }
    let named = shop.run("add-subtitle @in.mov @in.en.commentary.default.srt")
    #expect(try lastIsEnabled() == false)
    #expect(
      named.errors.contains { $0.hasSuffix("\"default\" in its name has no effect; --default enables the track") })
    let tagged = shop.run("add-subtitle @in.mov @in.fr.default.srt --characteristic public.auxiliary-content")
    #expect(try lastIsEnabled() == false)
    #expect(tagged.errors.contains { $0.contains("has no effect") })
    let role = shop.run("add-subtitle @in.mov @in.fr.default.srt --role commentary --title Other")
    #expect(try lastIsEnabled() == false && role.errors.contains { $0.contains("has no effect") })
    #expect(
      shop.run("add-subtitle @in.mov @in.fr.default.srt --title Third").errors.allSatisfy { !$0.contains("effect") })
    #expect(try lastIsEnabled() == true)
    #expect(shop.run("add-subtitle @in.mov @in.en.commentary.default.srt --default --title X").exitCode == .done)
    #expect(try lastIsEnabled() == true)
  }

  @Test(arguments: [
    ("--role regular --sdh", "use one option"), ("--role regular --forced", "use one option"),
    ("--role commentary --sdh --default", "use one option"),
    ("--role dub", "cannot have the role dub"),
    ("--role nothing", "use one of regular"), ("--group 40000", "from 1 to 32767"), ("--group 1", "cannot mix kinds"),
    ("--enabled maybe", "on or off"), ("--default --enabled off", "use one option"),
    ("--forced-for subtitle:es --role regular", "the role forced"),
  ])
  func rejectsContradictorySettings(_ options: String, _ words: String) throws {
    let shop = try Workshop(.talk)
    let before = try shop.folder.read("in.mov")
    let outcome = shop.run("add-subtitle @in.mov @en.srt " + options)
    #expect(outcome.exitCode == .usage && outcome.errors.first?.contains(words) == true, "\(outcome.errors)")
    #expect(try shop.folder.read("in.mov") == before)
  }

  @Test func titleIsShownByMediaInfo() throws {
    let mediaInfo = try Witness.require("mediainfo")
    for dialect in [TestMovie.Dialect.quickTime, .iso] {
      let shop = try Workshop(TestMovie.playable.with { $0.dialect = dialect })
      #expect(shop.run("add-subtitle @in.mov @en.srt --title Legendas").exitCode == .done)
      let shown = try mediaInfo.run(["--Inform=Text;%Title%", shop.folder.file("in.mov")])
      #expect(shown.outputText.contains("Legendas"), "\(shown.outputText)")
      #expect(shop.run("set @in.mov --track subtitle:1 --title Anders").exitCode == .done)
      let changed = try mediaInfo.run(["--Inform=Text;%Title%", shop.folder.file("in.mov")])
      #expect(changed.outputText.contains("Anders"), "\(changed.outputText)")
    }
  }

  @Test func appliesOptionsToTheNewTrack() throws {
    let shop = try Workshop(.talk)
    try shop.write("words.srt", ["[door creaks]", "Who is there?"])
    let outcome = shop.run(
      "add-subtitle @in.mov @words.srt --language pt_br --title Legendas --default --characteristic public.easy-to-read "
        + "--follow none --offset 0.25")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors == ["note: track 4 is no longer the default and was disabled"])
    let new = try track(5, shop)
    #expect(new.language?.description == "pt-BR" && new.title == "Legendas" && new.isEnabled)
    #expect(new.taggedCharacteristics == [.easyToRead])
    #expect(try track(4, shop).isEnabled == false)
    #expect(try shop.movie().tracks.allSatisfy { $0.referenced("folw").isEmpty })
    #expect(new.samples.timeToSample.first?.duration == 350)
  }

  @Test func languageAndRoleComeFromTheFileName() throws {
    let shop = try Workshop(.simple)
    try shop.write("film.pt-BR.sdh.srt", ["a"])
    try shop.write("film.srt", ["b"])
    let outcome = shop.run("add-subtitle @in.mov @film.pt-BR.sdh.srt @film.srt")
    #expect(
      outcome.output.prefix(2).map { String($0.prefix { $0 != ":" }) } == [
        "added Portuguese (Brazil) SDH", "added Unknown language",
      ])
    #expect(
      outcome.errors == [
        "warning: film.srt: the language is unknown, so \"und\" is written; --language sets it, movtool set afterwards"
      ])
    #expect(try track(4, shop).language == nil)
  }

  @Test func pairsForcedSubtitlesWithTheirLanguageInAnyOrder() throws {
    for order in ["@en.srt @film.en.forced.srt", "@film.en.forced.srt @en.srt"] {
      let shop = try Workshop(.talk)
      try shop.write("film.en.forced.srt", ["Sign"])
      let outcome = shop.run("add-subtitle @in.mov \(order)")
      #expect(outcome.exitCode == .done)
      let movie = try shop.movie()
      let forced = try #require(movie.tracks.first { $0.containsOnlyForcedSubtitles })
      let regular = try #require(
        movie.tracks.first { $0.mediaType == .subtitle && $0.language?.language == "en" && $0.id != forced.id })
      #expect(regular.referenced("forc") == [forced.id])
      #expect(movie.track(2)?.referenced("folw") == [forced.id])
      #expect(outcome.output.contains { $0.contains("contains the forced subtitles of track \(regular.id)") })
    }
  }

  @Test func forcedForSelectsTheRegularTrack() throws {
    let shop = try Workshop(.talk)
    let outcome = shop.run("add-subtitle @in.mov @en.srt --forced-for subtitle:es")
    #expect(outcome.exitCode == .done)
    #expect(
      outcome.errors == [
        "warning: in.mov: track 5 contains the forced subtitles of track 4, but is in English, not in Spanish",
        "note: en.srt becomes a forced-only track because of --forced-for, and is shown even if subtitles are off",
      ])
    #expect(try track(4, shop).referenced("forc") == [5])
    #expect(try track(5, shop).containsOnlyForcedSubtitles)
  }

  @Test func followSelectsTheAudio() throws {
    let shop = try Workshop(.talk)
    #expect(shop.run("add-subtitle @in.mov @en.srt --follow audio:2").exitCode == .done)
    #expect(try track(3, shop).referenced("folw") == [5])
    #expect(try track(2, shop).referenced("folw").isEmpty)
  }

  @Test func listsTracksForASelectorThatMatchesNoneOrSeveral() throws {
    let shop = try Workshop(.talk)
    let old = try shop.folder.read("in.mov")
    let none = shop.run("add-subtitle @in.mov @en.srt --follow audio:fr")
    #expect(none.exitCode == .usage)
    #expect(
      none.errors == [
        "movtool add-subtitle: --follow audio:fr matches no audio track: id:2 is audio, English; id:3 is audio, "
          + "Spanish",
        "see movtool help add-subtitle",
      ])
    #expect(shop.run("add-subtitle @in.mov @en.srt --follow audio").exitCode == .usage)
    #expect(shop.run("add-subtitle @in.mov @en.srt --follow id:4").exitCode == .usage)
    #expect(shop.run("add-subtitle @in.mov @en.srt --forced-for video").exitCode == .usage)
    let json = shop.run("add-subtitle @in.mov @en.srt --follow audio --json")
    #expect((json.json["error"] as? [String: Any])?["code"] as? String == "ambiguous")
    #expect(try shop.folder.read("in.mov") == old)
  }

  @Test func sameLanguageAndRoleIsAddedWithAWarning() throws {
    let shop = try Workshop(.talk)
    try shop.write("words.srt", ["[door creaks]", "Who is there?"])
    let outcome = shop.run("add-subtitle @in.mov @words.srt --language es")
    #expect(outcome.exitCode == .done)
    #expect(
      outcome.errors == [
        "warning: words.srt: track 4 of in.mov has the same language and role; --replace replaces that track"
      ])
    #expect(try shop.movie().tracks.map(\.id) == [1, 2, 3, 4, 5])
    let twice = shop.run("add-subtitle @in.mov @en.srt @en.srt --replace")
    #expect(
      twice.errors.filter { $0.hasPrefix("warning: ") }
        == ["warning: en.srt: track 6 of en.srt has the same language and role; added by the same command"])
  }

  @Test func replaceTakesOverGroupDefaultAndReferences() throws {
    let movie = TestMovie.talk.with {
      $0.tracks[2].references = [TestReference("folw", 4)]
      $0.tracks[3].references = [TestReference("ZZZZ", 1)]
    }
    let shop = try Workshop(movie)
    try shop.write("words.srt", ["[door creaks]", "Who is there?"])
    let outcome = shop.run("add-subtitle @in.mov @words.srt --language es --replace")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors == ["note: track 4 was removed; track 5 replaces it"])
    #expect(
      outcome.output.first
        == "added Spanish: track 5 from words.srt, 2 cues, group 2, the default; audio track 3 selects it")
    #expect(try shop.movie().tracks.map(\.id) == [1, 2, 3, 5])
    #expect(try track(3, shop).referenced("folw") == [5])
    let new = try track(5, shop)
    #expect(new.isEnabled && new.alternateGroup == 2 && new.referenced("ZZZZ") == [1])
  }

  @Test func aReplacementFollowsNoAudioOnRequest() throws {
    let movie = TestMovie.talk.with {
      $0.tracks[2].references = [TestReference("folw", 4), TestReference("ZZZZ", 4)]
    }
    for (options, expected) in [("", [5]), ("--follow none", []), ("--follow auto", [5])] as [(String, [UInt32])] {
      let shop = try Workshop(movie)
      try shop.write("words.srt", ["[door creaks]", "Who is there?"])
      #expect(shop.run("add-subtitle @in.mov @words.srt --language es --replace \(options)").exitCode == .done)
      #expect(try track(3, shop).referenced("folw") == expected, "\(options)")
      #expect(try track(3, shop).referenced("ZZZZ") == [5])
    }
  }

  @Test func keepsTitleAndAutomaticSelectionOfAReplacedTrack() throws {
    let shop = try Workshop(.talk)
    try shop.write("words.srt", ["[door creaks]", "Who is there?"])
    #expect(shop.run("set @in.mov --track id:4 --title Otro --autoselect off").exitCode == .done)
    let outcome = shop.run("add-subtitle @in.mov @words.srt --language es --replace --json")
    #expect(try track(5, shop).title == "Otro" && track(5, shop).isExcludedFromAutomaticSelection)
    #expect((outcome.json["tracks"] as? [[String: Any]])?.first?["title"] as? String == "Otro")
    let next = shop.run("add-subtitle @in.mov @words.srt --language es --replace --title Neu --autoselect on")
    #expect(next.errors == ["note: track 5 was removed; track 6 replaces it"])
    #expect(try track(6, shop).title == "Neu" && !track(6, shop).isExcludedFromAutomaticSelection)
    let told = shop.run("add-subtitle @in.mov @words.srt --language es --replace")
    #expect(told.errors == ["note: track 6 was removed; track 7 replaces it and inherits the title \"Neu\""])
  }

  @Test func reportsPropertiesThatAReplacementLoses() throws {
    let titled = TestMovie.talk.with {
      $0.tracks[3].userData = TestSupport.movie {
        atom("tagc") { text("com.acme.x") }
        atom("name") { text("Uno") }
        atom("©aut") { text("Jo") }
      }
    }
    let shop = try Workshop(titled)
    let outcome = shop.run("add-subtitle @in.mov @en.srt --language es --replace --title Dos")
    #expect(outcome.exitCode == .done)
    #expect(
      outcome.errors.first
        == "warning: in.mov: track 5 does not inherit from track 4: com.acme.x, ©aut in its user data")
    #expect(try shop.movie().tracks.map(\.id) == [1, 2, 3, 5])
  }

  @Test func replacesOnlyTracksOfTheSameRole() throws {
    let shop = try Workshop(.talk)
    try shop.write("words.srt", ["[door creaks]", "Who is there?"])
    let outcome = shop.run("add-subtitle @in.mov @words.srt --language es --sdh --replace")
    #expect(outcome.errors == ["note: --replace has no effect: no track has the language and role of words.srt"])
    #expect(try shop.movie().tracks.count == 5)
  }

  @Test func subtitlesOutsideTheMovieAreRefused() throws {
    let shop = try Workshop(.simple)
    let old = try shop.folder.read("in.mov")
    for offset in ["01:00:00", "-1"] {
      let outcome = shop.run("add-subtitle @in.mov @en.srt --offset \(offset)")
      #expect(outcome.exitCode == .badData)
      #expect(outcome.errors.first?.hasPrefix("en.srt: none of its 2 cues is shown: line ") == true)
      #expect(outcome.errors.last?.hasPrefix("--offset shifts all cues") == true)
    }
    let error = shop.run("add-subtitle @in.mov @en.srt --offset 01:00:00 --json").json["error"] as? [String: Any]
    #expect(error?["code"] as? String == "no-cue-shown")
    #expect(try shop.folder.read("in.mov") == old)
  }

  @Test func countsTheCuesOfTheFile() throws {
    let shop = try Workshop(.simple)
    try shop.write("some.en.srt", ["one", "", "two"] + Array(repeating: "late", count: 20))
    let outcome = shop.run("add-subtitle @in.mov @some.en.srt --dry-run --json")
    let track = (outcome.json["tracks"] as? [[String: Any]])?.first
    #expect(track?["cueCount"] as? Int == 23)
    let shown = try #require(track?["shownCueCount"] as? Int)
    #expect((2..<22).contains(shown))
    let text = shop.run("add-subtitle @in.mov @some.en.srt --dry-run").output.first
    let cues = "\(shown) of 23 cues (\(23 - shown) dropped: see the warnings), "
    #expect(text?.hasPrefix("would add English: track 3 from some.en.srt, " + cues) == true, "\(text ?? "")")
  }

  @Test func mergesNoticesInTextAndListsAllInJSON() throws {
    let shop = try Workshop(.simple)
    try shop.write("bad.en.srt", ["one", "{\\fad(1,1)}two", "{\\fad(1,1)}three", "{\\fad(1,1)}four"])
    let text = shop.run("add-subtitle @in.mov @bad.en.srt --dry-run")
    #expect(text.errors.count == 1)
    #expect(text.errors.first?.contains("(and 2 more like it: lines 11, 15)") == true, "\(text.errors)")
    let warnings = shop.run("add-subtitle @in.mov @bad.en.srt --dry-run --json").json["warnings"] as? [[String: Any]]
    #expect(warnings?.compactMap { $0["line"] as? Int } == [7, 11, 15])
  }
}
