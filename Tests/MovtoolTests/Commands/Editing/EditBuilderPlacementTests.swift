import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// The result satisfies all requests of a command for several tracks, or the command is rejected.
struct EditBuilderPlacementTests {
  private func shop(_ movie: TestMovie = .talk) throws -> Workshop {
    let shop = try Workshop(movie)
    try shop.write("b.fr.srt", ["Bonjour"])
    return shop
  }

  private func group(_ id: UInt32, _ shop: Workshop) throws -> UInt16 {
    try #require(try shop.movie().track(id)).alternateGroup
  }

  @Test func doesNotGroupUngroupedTracksIfTracksAreAdded() throws {
    // In any order. `simple` has no subtitles, so the others form the group.
    for (line, alone) in [
      ("@en.srt --group none @b.fr.srt", 3), ("@b.fr.srt @en.srt --group none", 4),
    ] as [(String, UInt32)] {
      let shop = try shop(.simple)
      let outcome = shop.run("add-subtitle @in.mov \(line)")
      #expect(outcome.output.contains { $0.contains(", no group, not the default") }, "\(outcome.output)")
      #expect(outcome.exitCode == .done && outcome.errors.isEmpty, "\(outcome.errors)")
      #expect(try group(alone, shop) == 0)
      #expect(try group(7 - alone, shop) != 0)
    }
  }

  @Test func movesOneTrackToAGroupOfItsOwn() throws {
    let shop = try shop(.talk.with { $0.tracks[3].group = 0 })
    let outcome = shop.run("add-subtitle @in.mov @en.srt --group 7 --default")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(try group(4, shop) == 0 && group(5, shop) == 7)
    #expect(try shop.movie().track(5)?.isEnabled == true)
  }

  @Test func keepsAnEnabledTrackEnabledWhenAnotherIsAdded() throws {
    let shop = try shop()
    let outcome = shop.run("add-subtitle @in.mov @en.srt --enabled on @b.fr.srt --enabled off")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    #expect(outcome.errors == ["note: track 4 is no longer the default and was disabled"])
    #expect(try shop.movie().tracks.suffix(3).map(\.isEnabled) == [false, true, false])
    // In separate groups, both can be enabled.
    #expect(
      shop.run("add-subtitle @in.mov @en.srt --enabled on --group 8 @b.fr.srt --enabled on --group 9").exitCode
        == .done)
    #expect(try shop.movie().tracks.suffix(2).map(\.isEnabled) == [true, true])
  }

  @Test(arguments: [
    (
      "add-subtitle @in.mov @en.srt --enabled on @b.fr.srt --enabled on", "--enabled on for en.srt and --enabled on for"
    ),
    ("add-subtitle @in.mov @en.srt --default @b.fr.srt --enabled on", "--default for en.srt and --enabled on for b.fr"),
    ("add-subtitle @in.mov @en.srt --default @b.fr.srt --default", "--default for en.srt and --default for b.fr.srt"),
    ("add-subtitle @in.mov @en.srt --default --group none", "--default requires a group"),
    ("add-subtitle @in.mov @en.srt --follow id:3 @b.fr.srt --follow audio:es", "--follow id:3 for en.srt and --follow"),
    (
      "add-subtitle @in.mov @en.srt --forced-for id:4 @b.fr.srt --forced-for id:4",
      "--forced-for id:4 for en.srt and --forced-for id:4 for b.fr.srt"
    ),
    (
      "set @in.mov --track audio:1 --default --track audio:2 --enabled on", "--default for audio:1 and --enabled on for"
    ),
    (
      "set @in.mov --enabled on --track audio:1 --track audio:2",
      "--enabled on for audio:1 and --enabled on for audio:2"
    ),
    (
      "set @in.mov --track id:4 --language fr --track subtitle:es --language de",
      "--language fr for id:4 and --language de for subtitle:es: both are track 4"
    ),
    (
      "set @in.mov --track id:4 --characteristic a.b --track subtitle --characteristic -a.b",
      "--characteristic a.b for id:4 and --characteristic -a.b for subtitle"
    ),
    ("set @in.mov --track id:4 --default --track subtitle --enabled off", "--default enables the track"),
    ("set @in.mov --track id:4 --default --track subtitle --autoselect off", "but --autoselect off prevents this"),
    ("set @in.mov --track id:4 --role commentary --track subtitle --default", "but --role commentary prevents this"),
    (
      "set @in.mov --track id:4 --group none --track subtitle --group 1",
      "--group none for id:4 and --group 1 for subtitle: both are track 4"
    ),
    (
      "link @in.mov --follow audio:1=id:4 --clear id:2=subtitle",
      "--clear id:2=subtitle and --follow audio:1=id:4: one change undoes the other"
    ),
  ])
  func namesBothOptionsOfAContradiction(_ line: String, _ words: String) throws {
    let shop = try shop()
    let before = try shop.folder.read("in.mov")
    let outcome = shop.run(line)
    #expect(outcome.exitCode == .usage)
    let error = try #require(outcome.errors.first?.replacing(shop.folder.path + "/", with: ""))
    #expect(error.contains(words), "\(error)")
    #expect(try shop.folder.read("in.mov") == before)
  }

  @Test(arguments: [
    "--group none --track subtitle --group 0", "--language en --track subtitle --language eng",
    "--language pt-BR --track subtitle --language pt_br", "--characteristic a.b --track subtitle --characteristic +a.b",
    "--default --role commentary --autoselect on",
  ])
  func acceptsEquivalentRequests(_ options: String) throws {
    let outcome = try shop().run("set @in.mov --track id:4 " + options)
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
  }

  /// The words of a file name are not a request: they yield to options.
  @Test(arguments: [
    ("@a.en.default.srt --role commentary", nil), ("@a.en.commentary.srt --default", "en"),
    ("@a.en.default.srt @b.fr.srt --enabled on", "fr"),
  ])
  func namesYieldToOptions(_ words: String, _ enabled: String?) throws {
    let shop = try shop()
    for name in ["a.en.default.srt", "a.en.commentary.srt", "b.fr.srt"] { try shop.write(name, ["Hello"]) }
    let outcome = shop.run("add-subtitle @in.mov \(words)")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    let new = try shop.movie().tracks.filter { $0.id > 4 && $0.isEnabled }
    #expect(new.map(\.language?.description) == (enabled.map { [$0] } ?? []))
  }

  @Test func checksTwoRequestsForOneTrackTogether() throws {
    let line = "set @in.mov --track id:2 --role commentary --track audio:1 --default --autoselect on"
    #expect(try shop().run(line).exitCode == .done)
    #expect(try shop().run("set @in.mov --track id:2 --role commentary --track audio:1 --default").exitCode == .usage)
  }

  @Test func associatesCommentaryAudioWithCommentarySubtitles() throws {
    for order in ["@a.en.srt @b.en.commentary.srt", "@b.en.commentary.srt @a.en.srt"] {
      let shop = try shop()
      for name in ["a.en.srt", "b.en.commentary.srt"] { try shop.write(name, ["Hello"]) }
      #expect(shop.run("set @in.mov --track audio:1 --language en --role commentary").exitCode == .done)
      #expect(shop.run("add-subtitle @in.mov \(order)").exitCode == .done)
      let tracks = try shop.movie().tracks
      let commentary = try #require(
        tracks.first { $0.mediaType == .subtitle && $0.taggedCharacteristics.contains(.auxiliaryContent) })
      let sound = try #require(tracks.first { $0.mediaType == .audio })
      #expect(sound.referenced("folw") == [commentary.id])
    }
  }

  @Test func namesTheFilesOfConflictingDefaults() throws {
    let shop = try shop()
    try shop.write("a.en.default.srt", ["Hello"])
    try shop.write("a.de.default.srt", ["Hallo"])
    let line = "add-subtitle @in.mov @a.en.default.srt @a.de.default.srt"
    let outcome = shop.run(line)
    #expect(outcome.exitCode == .usage)
    #expect(
      outcome.errors.first
        == "movtool add-subtitle: the name a.en.default.srt and the name a.de.default.srt: only one track of group 2 "
        + "can be "
        + "enabled; select one with --default")
    #expect(shop.run(line + " --default").exitCode == .done)
    #expect(try shop.movie().tracks.suffix(2).map(\.isEnabled) == [false, true])
  }

  @Test func rejectsASecondReferenceOfOneType() throws {
    let shop = try shop(.talk.with { $0.tracks[3].group = 2 })
    #expect(shop.run("add-subtitle @in.mov @b.fr.srt").exitCode == .done)
    let outcome = shop.run("link @in.mov --follow audio:1=id:4 --follow audio:1=id:5")
    #expect(outcome.exitCode == .usage)
    #expect(outcome.errors.first?.contains("--follow audio:1=id:4 and --follow audio:1=id:5: ") == true)
    // Existing references yield.
    #expect(shop.run("link @in.mov --follow audio:1=id:4").exitCode == .done)
    #expect(shop.run("link @in.mov --clear audio:1=id:4 --follow audio:1=id:5").exitCode == .done)
  }

  @Test func prefersARequestedPairToPairsByLanguage() throws {
    let shop = try shop()
    #expect(
      shop.run("add-subtitle @in.mov @en.srt --forced-for id:4 @b.fr.srt --language es --forced").exitCode == .done)
    #expect(try shop.movie().track(4)?.referenced("forc") == [5])
  }

  @Test func acceptsSeveralReferencesToOneTrack() throws {
    let shop = try shop()
    let outcome = shop.run(
      "set @in.mov --track id:4 --language fr --characteristic a.b --track subtitle:es --title Neuf --characteristic "
        + "c.d"
    )
    #expect(outcome.exitCode == .done)
    #expect(outcome.output.first == "subtitle, French: track 4: language fr (was es), title \"Neuf\", +a.b, +c.d")
  }

  @Test func reportsChangesOfOtherTracks() throws {
    let shop = try shop(.talk.with { for index in 1...2 { $0.tracks[index].group = 0 } })
    let outcome = shop.run("set @in.mov --track audio:1 --default --track audio:2 --group 1")
    #expect(outcome.exitCode == .done)
    #expect(
      outcome.output.prefix(2) == [
        "audio, English: track 2: group 1 (was none)", "audio, Spanish: track 3: group 1 (was none)",
      ])
  }

  @Test func reportsAnUnchangedTrackAsUnchanged() throws {
    let outcome = try shop().run("set @in.mov --track audio:1 --default --track audio:2 --title Otro")
    #expect(outcome.output.first == "audio, English: track 2: unchanged", "\(outcome.output)")
  }
}
