import MovieBox
import TestSupport
import Testing

/// Automatic selection by a player, with the reasons.
struct AutomaticSelectionTests {
  typealias Rule = AutomaticMediaSelection.Rule

  /// Audio in English (2, the default), English with audio description (3), French (4); a French commentary (5), which is
  /// never selected automatically. Subtitles in English (10), SDH (11), Spanish (12) and forced Spanish (13).
  private var film: TestMovie {
    TestMovie(tracks: [
      TestTrack(.video, id: 1), sound(2, "eng", isEnabled: true),
      sound(3, "eng", tags: ["public.accessibility.describes-video"]), sound(4, "fra"),
      sound(5, "fra", tags: ["public.auxiliary-content"]), text(10, "eng"),
      text(11, "eng", tags: MediaCharacteristic.sdh.map(\.rawValue)),
      text(12, "spa", references: [TestReference("forc", 13)]), text(13, "spa", isForced: true),
    ])
  }

  private func sound(
    _ id: UInt32, _ language: String, isEnabled: Bool = false, tags: [String] = [], references: [TestReference] = []
  ) -> TestTrack {
    track(.sound, id, language, group: 1, isEnabled, tags, references)
  }

  private func text(
    _ id: UInt32, _ language: String, isEnabled: Bool = false, tags: [String] = [], isForced: Bool = false,
    references: [TestReference] = []
  ) -> TestTrack {
    track(.subtitle, id, language, group: 2, isEnabled, tags, references).with {
      if isForced { $0.sampleEntries = [SampleEntry.timedText(displayFlags: 0xC000_0000)] }
    }
  }

  private func track(
    _ kind: TestTrack.Kind, _ id: UInt32, _ language: String, group: Int, _ isEnabled: Bool, _ tags: [String],
    _ references: [TestReference]
  ) -> TestTrack {
    TestTrack(kind, id: id).with {
      $0.language = .packed(language)
      $0.group = group
      $0.isEnabled = isEnabled
      $0.references = references
      if !tags.isEmpty {
        $0.userData = TestSupport.movie { for tag in tags { atom("tagc") { TestSupport.text(tag) } } }
      }
    }
  }

  private func choice(
    _ movie: TestMovie, _ set: (inout MediaSelectionCriteria) -> Void = { _ in }
  ) throws -> AutomaticMediaSelection {
    var criteria = MediaSelectionCriteria()
    set(&criteria)
    return try Movie(of: MemorySource(Bytes(movie.bytes()))).automaticSelection(for: criteria)
  }

  private func languages(_ tags: String...) -> [LanguageTag] { tags.compactMap { LanguageTag($0) } }

  @Test func selectsTheDefaultAudioAndItsLanguageWithoutPreferences() throws {
    let selection = try choice(film)
    #expect(selection.audible.trackID == 2 && selection.audible.steps.last?.rule == .defaultOption)
    #expect(selection.legible.trackID == 10 && selection.legible.steps.last?.rule == .audioLanguage)
  }

  @Test func prefersPreferredLanguages() throws {
    let selection = try choice(film) { $0.preferredLanguages = languages("de", "fr", "es") }
    #expect(selection.audible.trackID == 4)  // Not 5, an auxiliary track.
    #expect(selection.legible.trackID == 12)
    #expect(selection.legible.steps.map(\.isDecisive) == [false, false, true])
    #expect(Set(selection.legible.steps.map(\.rule)) == [.preferredLanguage])
  }

  @Test func appliesAccessibilitySettingsWithinTheLanguage() throws {
    #expect(try choice(film) { $0.prefersSDH = true }.legible.trackID == 11)
    #expect(try choice(film) { $0.prefersAudioDescription = true }.audible.trackID == 3)
    let spanish = try choice(film) {
      $0.prefersSDH = true
      $0.preferredLanguages = languages("es")
    }
    #expect(spanish.legible.trackID == 12)  // The language counts for more.
  }

  @Test func prefersAPickedAuxiliaryTrack() throws {
    let selection = try choice(film) {
      $0.pickedAudible = 5
      $0.pickedLegible = 11
      $0.preferredLanguages = languages("en")
    }
    #expect(selection.audible.trackID == 5 && selection.legible.trackID == 11)
    #expect(selection.legible.steps.map(\.rule) == [.picked])
  }

  @Test func ignoresAPickOutsideTheMenu() throws {
    let selection = try choice(film) { $0.pickedLegible = 13 }
    #expect(selection.legible.trackID == 10)
    #expect(selection.legible.steps.first?.rule == .picked)
  }

  @Test func showsForcedSubtitlesOfTheAudioWithSubtitlesOff() throws {
    var movie = film
    movie.tracks.append(sound(6, "spa"))
    let off = try choice(movie) { $0.showsSubtitles = false }
    #expect(off.legible.trackID == nil && off.legible.steps.last?.rule == AutomaticMediaSelection.Rule.none)
    let spanish = try choice(movie) {
      $0.showsSubtitles = false
      $0.pickedAudible = 6
    }
    #expect(spanish.legible.trackID == 13)
  }

  @Test func selectsTheFollowerIfLanguagesCannotMatch() throws {
    // Norwegian audio is tagged `no`, its subtitles `nb`.
    let movie = TestMovie(tracks: [
      sound(2, "nor", isEnabled: true, references: [TestReference("folw", 4)]),
      text(3, "nob", references: [TestReference("forc", 4)]), text(4, "nob", isForced: true),
    ])
    let on = try choice(movie)
    #expect(on.legible.trackID == 3 && on.legible.steps.last?.rule == .selectionFollower)
    let off = try choice(movie) { $0.showsSubtitles = false }
    #expect(off.legible.trackID == 4 && off.legible.steps.last?.rule == .selectionFollower)
  }

  @Test func showsForcedSubtitlesIfTheLanguageHasNoFullSubtitles() throws {
    // Subtitles are on, but in the language of the audio there are only forced ones.
    var movie = TestMovie(tracks: [sound(2, "eng", isEnabled: true), text(3, "spa"), text(4, "eng", isForced: true)])
    let forced = try choice(movie).legible
    #expect(
      forced.trackID == 4 && forced.steps.last?.description == "forced subtitles in English, the language of the audio")
    #expect(try choice(movie) { $0.preferredLanguages = languages("es") }.legible.trackID == 3)
    movie.tracks[1].isEnabled = true
    #expect(try choice(movie).legible.trackID == 3)
    movie.tracks.remove(at: 1)
    #expect(try choice(movie).legible.trackID == 4)
    movie.tracks.remove(at: 1)
    #expect(try choice(movie).legible.steps.map(\.description) == ["the movie has no subtitles to select"])
  }

  @Test func explainsTracksThatWereNotSelected() throws {
    let movie = TestMovie(tracks: [
      sound(2, "eng", isEnabled: true), sound(5, "fra", tags: ["public.auxiliary-content"]), text(10, "deu"),
      text(13, "spa", isForced: true), text(14, "eng", isForced: true),
    ])
    let selection = try choice(movie) { $0.preferredLanguages = languages("fr", "es", "it") }
    #expect(
      selection.audible.steps.prefix(3).map(\.description) == [
        "no audio in French, which the viewer prefers, but track 5, which is never selected automatically",
        "no audio in Spanish, which the viewer prefers", "no audio in Italian, which the viewer prefers",
      ])
    #expect(
      selection.legible.steps.prefix(4).map(\.description) == [
        "no subtitles in French, which the viewer prefers",
        "no subtitles in Spanish, which the viewer prefers, but track 13, which contains only forced subtitles",
        "no subtitles in Italian, which the viewer prefers",
        "no subtitles in English, the language of the audio, but track 14, which contains only forced subtitles",
      ])
    #expect(selection.legible.trackID == 14)
    let silent = TestMovie(tracks: [text(13, "spa", isForced: true)])
    #expect(
      try choice(silent).legible.steps.last?.description
        == "the movie has no subtitles to select, but track 13, which contains only forced subtitles")
  }

  @Test func explainsAForcedFollower() throws {
    let movie = TestMovie(tracks: [
      sound(2, "nor", isEnabled: true, references: [TestReference("folw", 4)]), text(3, "eng"),
      text(4, "nob", isForced: true),
    ])
    let steps = try choice(movie).legible.steps
    #expect(
      steps.map(\.description) == [
        "no subtitles in Norwegian, the language of the audio",
        "track 4, which follows the audio (folw), contains only forced subtitles",
        "forced subtitles that follow the audio (folw)",
      ])
    let auxiliary = try choice(
      movie.with { $0.tracks[2] = text(4, "eng", tags: ["public.auxiliary-content"]) }
    ).legible.steps
    #expect(auxiliary[1].description == "track 4, which follows the audio (folw), is never selected automatically")
  }

  @Test func namesGroups() throws {
    let words = try choice(film).audible.steps.last?.description
    #expect(words == "the enabled track of the group")
    let alone = try choice(TestMovie(tracks: [sound(2, "eng", isEnabled: true).with { $0.group = 0 }]))
    #expect(alone.audible.steps.last?.description == "the enabled track")
    let first = try choice(TestMovie(tracks: [sound(2, "eng").with { $0.group = 0 }]))
    #expect(first.audible.steps.last?.description == "the first track")
  }

  @Test func listsEachRuleOnce() throws {
    let movie = TestMovie(tracks: [sound(2, "eng", isEnabled: true), text(3, "spa")])
    let steps = try choice(movie) { $0.preferredLanguages = languages("en") }.legible.steps
    #expect(steps.map(\.rule) == [.preferredLanguage, .selectionFollower, .none])
    let silent = try choice(TestMovie(tracks: [text(3, "spa")])).legible.steps
    #expect(
      silent.map(\.description) == ["there is no audio", "no rule selects subtitles, and no subtitles are enabled"])
  }

  @Test func reportsTracksThatApplesPlayersDoNotList() throws {
    let vtt = atom("wvtt") {
      zeros(6)
      u16(1)
    }
    var movie = TestMovie(tracks: [sound(2, "eng", isEnabled: true), text(3, "eng")])
    #expect(try !choice(movie).legible.steps.map(\.rule).contains(.unlisted))
    movie.tracks[1].sampleEntries = [vtt]
    let steps = try choice(movie).legible.steps
    #expect(steps.map(\.rule) == [.unlisted, .audioLanguage] && steps.map(\.isDecisive) == [false, true])
    #expect(
      steps[0].description
        == "track 3 has samples of wvtt, not tx3g: QuickTime Player, iPhone and Apple TV do not list it")
    movie.tracks[1].kind = .text
    movie.tracks[1].sampleEntries = [SampleEntry.text()]
    #expect(try choice(movie) { $0.pickedLegible = 3 }.legible.steps.map(\.rule) == [.unlisted, .picked])
  }

  @Test func neverSelectsAnExcludedTrack() throws {
    let movie = TestMovie(tracks: [
      sound(2, "eng").with { $0.trackAtoms = TestSupport.movie { atom("txas") {} } }, sound(3, "eng"),
    ])
    let selection = try choice(movie) { $0.preferredLanguages = languages("en") }
    #expect(selection.audible.trackID == 3)
    let alone = try choice(TestMovie(tracks: [movie.tracks[0]]))
    #expect(alone.audible.trackID == nil)
  }

  @Test func selectsTheNearestRegionButNotAnotherScript() throws {
    func tagged(_ id: UInt32, _ tag: String) -> TestTrack {
      sound(id, "und").with { $0.extendedLanguage = tag }
    }
    let movie = TestMovie(tracks: [
      tagged(2, "pt-PT"), tagged(3, "pt-BR"), tagged(4, "zh-Hans"), sound(5, "eng", isEnabled: true),
    ])
    #expect(try choice(movie) { $0.preferredLanguages = languages("pt-BR") }.audible.trackID == 3)
    #expect(try choice(movie) { $0.preferredLanguages = languages("pt") }.audible.trackID == 2)
    #expect(try choice(movie) { $0.preferredLanguages = languages("zh-Hant") }.audible.trackID == 5)
  }

  @Test func selectsDefaultSubtitlesOrNoneWithoutAMatch() throws {
    let movie = TestMovie(tracks: [sound(2, "jpn", isEnabled: true), text(3, "eng"), text(4, "fra", isEnabled: true)])
    #expect(try choice(movie).legible.trackID == 4)
    let none = try choice(movie.with { $0.tracks[2].isEnabled = false })
    #expect(none.legible.trackID == nil)
    #expect(try choice(TestMovie(tracks: [TestTrack(.video, id: 1)])).audible.steps.map(\.rule) == [.none])
  }

  @Test func distinguishesInferredFromTagged() throws {
    let tracks = try Movie(of: MemorySource(Bytes(film.bytes()))).tracks
    #expect(tracks[1].inferredCharacteristics == [.mainProgramContent])
    #expect(tracks[4].taggedCharacteristics == [.auxiliaryContent] && tracks[4].inferredCharacteristics.isEmpty)
    #expect(tracks[8].inferredCharacteristics == [.containsOnlyForcedSubtitles, .mainProgramContent])
    #expect(tracks[8].characteristics == tracks[8].inferredCharacteristics)
  }

  @Test func selectsTheFirstOfTwoTracksWithEqualIDs() throws {
    let twins = TestMovie(tracks: [sound(2, "eng", isEnabled: true), sound(2, "fra")])
    let selection = try choice(twins) { $0.preferredLanguages = languages("en") }
    #expect(selection.audible.trackID == 2 && selection.audible.steps.last?.rule == .preferredLanguage)
  }
}
