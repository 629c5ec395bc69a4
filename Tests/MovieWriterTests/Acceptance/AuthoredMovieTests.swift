import SubtitleTestSupport
import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// A reader finds the properties that an author assigns to a movie's tracks.
struct AuthoredMovieTests {
  private func cue(_ text: String) -> Cue {
    Cue(startMilliseconds: 200, endMilliseconds: 900, text: StyledText(text))
  }

  private func movie(_ edit: MovieEdit, _ source: MemorySource) throws -> Movie {
    try Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source))))
  }

  /// The movie of the talk on subtitle tracks (WWDC 2013, "What's New in AVFoundation"): English and Spanish audio, and
  /// Spanish subtitles. English SDH is added, Spanish is the default of the group, and each audio track has a follower.
  ///
  /// A player's subtitle menu has four entries. Two are options of the group: Spanish and English SDH. Two exist for every
  /// group that may be empty (`allowsEmptySelection`): Off, and Auto, which chooses by the audio and the viewer's languages.
  /// The audio menu contains only its options.
  @Test func buildsASubtitleMenuOfFourEntriesForTheTalk() throws {
    let source = TestMovie.talk.source
    var edit = try MovieEdit(of: Movie(of: source))
    var input = SubtitleInput(cues: [cue("[door creaks]")], language: LanguageTag("en"))
    input.mediaCharacteristics = MediaCharacteristic.sdh
    let english = try edit.add(input)
    try edit.group(TrackGroup(members: [4, english], defaultMember: 4))
    try edit.link(2, to: english, .selectionFollower)
    try edit.link(3, to: 4, .selectionFollower)

    let new = try movie(edit, source)
    let menus = new.mediaSelectionGroups
    let audible = try #require(menus.first { $0.kind == .audible })
    #expect(audible.options.map(\.displayName) == ["English", "Spanish"] && !audible.allowsEmptySelection)
    let legible = try #require(menus.first { $0.kind == .legible })
    let entries = (legible.allowsEmptySelection ? ["Off", "Auto"] : []) + legible.options.map(\.displayName)
    #expect(entries == ["Off", "Auto", "Spanish", "English SDH"])
    #expect(legible.defaultOption?.trackID == 4 && legible.options.map(\.isDefault) == [true, false])
    // The options with and without certain tags.
    let sdh = try #require(legible.options.last)
    #expect(sdh.taggedCharacteristics == MediaCharacteristic.sdh)
    #expect(sdh.inferredCharacteristics == [.mainProgramContent])
    #expect(sdh.characteristics == MediaCharacteristic.sdh + [.mainProgramContent])
    #expect(sdh.has(.transcribesSpokenDialog) && sdh.has(.mainProgramContent) && !sdh.has(.easyToRead))
    #expect(legible.options.first?.taggedCharacteristics == [])

    // Auto selects the follower of the audio. Off selects none, because there are no forced subtitles.
    for (sound, subtitles) in [(2 as UInt32, english), (3, 4)] {
      var criteria = MediaSelectionCriteria()
      criteria.pickedAudible = sound
      #expect(new.automaticSelection(for: criteria).legible.trackID == subtitles)
      criteria.showsSubtitles = false
      #expect(new.automaticSelection(for: criteria).legible.trackID == nil)
      #expect(new.track(sound)?.referenced("folw") == [subtitles])
    }
  }

  @Test(arguments: [TestMovie.Dialect.quickTime, .iso])
  func readsBackEveryAuthoredFeature(_ dialect: TestMovie.Dialect) throws {
    let source = TestMovie.talk.with { $0.dialect = dialect }.source
    var edit = try MovieEdit(of: Movie(of: source))
    var ids: [UInt32] = []
    for (tag, title, role) in [
      ("en", nil, .regular), ("en", "Forced", .forced), ("en", nil, .sdh), ("pt-BR", "Fácil", .easyToRead),
      ("zh-Hant", "評論", .commentary), ("nb", nil, .original),
    ] as [(String, String?, TrackRole)] {
      var input = SubtitleInput(cues: [cue(tag)], language: LanguageTag(tag), title: title)
      input.mediaCharacteristics = [MediaCharacteristic(rawValue: "org.example.\(tag)")]
      let id = try edit.add(input)
      try edit.setRole(role, of: id)
      try edit.addToSubtitleGroup(id, asDefault: role == .sdh)
      ids.append(id)
    }
    // The properties of existing tracks change.
    try edit.setLanguage(LanguageTag("es-419"), of: 4)
    try edit.setTitle("Diálogos", of: 4)
    try edit.setRole(.describesVideo, of: 3)
    try edit.setExcludedFromAutomaticSelection(true, of: 3)
    try edit.makeDefault(3)
    try edit.link(ids[0], to: ids[1], .forcedSubtitlesOnly)
    try edit.link(ids[2], to: ids[1], .forcedSubtitlesOnly)
    try edit.link(2, to: ids[0], .selectionFollower)
    try edit.link(3, to: 4, .selectionFollower)
    try edit.link(3, to: 2, .audioFallback)
    #expect(edit.notices.allSatisfy { !$0.isWarning })

    let new = try movie(edit, source)
    let read = try MovieEdit(of: new)
    #expect(read.tracks.map(\.id) == edit.tracks.map(\.id))
    for (written, found) in zip(edit.tracks, read.tracks) {
      #expect(written.labels.isEquivalent(to: found.labels), "track \(written.id)")
      #expect(written.mediaType == found.mediaType && written.formats == found.formats, "track \(written.id)")
      #expect(written.isEnabled == found.isEnabled, "track \(written.id)")
      #expect(written.alternateGroup == found.alternateGroup, "track \(written.id)")
      #expect(written.references == found.references, "track \(written.id)")
    }
    #expect(read.isEmpty && new.header.nextTrackID == (ids.max() ?? 0) + 1)
    // The audio refers to the forced-only partner of its requested follower.
    #expect(new.track(2)?.referenced("folw") == [ids[1]])
    let menu = try #require(new.mediaSelectionGroups.first { $0.kind == .legible })
    #expect(menu.options.map(\.trackID) == [4] + ids.filter { $0 != ids[1] } && menu.defaultOption?.trackID == ids[2])
  }
}
