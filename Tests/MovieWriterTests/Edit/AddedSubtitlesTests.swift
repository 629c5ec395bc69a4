import MovieBox
import SubtitleTestSupport
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

struct AddedSubtitlesTests {
  private static let text = Array("1\n00:00:00,500 --> 00:00:01,500\nWho is there?\n".utf8)

  private func addition(_ name: String) throws -> SubtitleInput {
    SubtitleInput(try SubtitleFile.read(Self.text, named: name), named: name, besideMovie: "talk.mov")
  }

  private func track(_ edit: MovieEdit, _ added: MovieEdit.AddedSubtitles) throws -> EditedTrack {
    try #require(edit.tracks.first { $0.id == added.trackID })
  }

  @Test func readsLanguageAndRoleFromNames() throws {
    let sdh = try addition("talk.pt-BR.sdh.srt")
    #expect(sdh.language?.description == "pt-BR" && sdh.mediaCharacteristics == MediaCharacteristic.sdh)
    let commentary = try addition("talk.en.commentary.default.srt")
    #expect(commentary.isSelectedAutomatically == false && !commentary.becomesDefault)
    #expect(try addition("talk.fr.forced.srt").containsOnlyForcedSubtitles)
    let byDefault = try addition("talk.fr.default.srt")
    #expect(byDefault.isDefault && byDefault.yieldsAsDefault)
  }

  @Test func pairsSubtitlesInAnyOrder() throws {
    for names in [["talk.fr.forced.srt", "talk.fr.srt"], ["talk.fr.srt", "talk.fr.forced.srt"]] {
      var edit = try MovieEdit(of: TestMovie.talk.source)
      let added = try edit.addSubtitles(names.map(addition))
      let tracks = try added.map { try track(edit, $0) }
      let regular = try #require(tracks.first { !$0.containsOnlyForcedSubtitles })
      let forced = try #require(tracks.first { $0.containsOnlyForcedSubtitles })
      #expect(regular.references == ["forc": [forced.id]])
      #expect(regular.alternateGroup == forced.alternateGroup && regular.alternateGroup != 0)
    }
  }

  @Test func pairsARequestedForcedTrackOnlyAsRequested() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let german = try edit.addSubtitles([addition("talk.de.srt")])[0].trackID
    var forced = try addition("talk.fr.forced.srt")
    forced.fullTrackID = german
    let added = try edit.addSubtitles([forced, addition("talk.fr.srt")])
    #expect(try track(edit, added[1]).references["forc"] == nil)
    #expect(edit.tracks.first { $0.id == german }?.references == ["forc": [added[0].trackID]])
  }

  @Test func prefersARequestedDefaultToOneByName() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    var other = try addition("talk.de.srt")
    other.isEnabled = true
    let added = try edit.addSubtitles([addition("talk.fr.default.srt"), other])
    #expect(try added.map { try track(edit, $0).isEnabled } == [false, true])
  }

  @Test func rejectsConflictingRequestsWithoutChanges() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let before = edit.tracks.map(\.id)
    func conflict(_ additions: [SubtitleInput]) -> MovieEdit.Conflict? {
      do {
        _ = try edit.addSubtitles(additions)
        return nil
      } catch {
        return error as? MovieEdit.Conflict
      }
    }
    var (one, two) = (try addition("talk.fr.srt"), try addition("talk.de.srt"))
    (one.isDefault, two.isDefault) = (true, true)
    guard case .enabledTwice(let ids, _) = try #require(conflict([one, two])) else {
      Issue.record("another conflict")
      return
    }
    #expect(ids.count == 2)
    (one, two) = (try addition("talk.fr.srt"), try addition("talk.de.srt"))
    let audio = try #require(edit.tracks.first { $0.mediaType == .audio }).id
    (one.follow, two.follow) = (.tracks([audio]), .tracks([audio]))
    guard case .references("folw", audio, _) = try #require(conflict([one, two])) else {
      Issue.record("another conflict")
      return
    }
    one.timing.offsetMilliseconds = 10_000_000
    guard case .noCueShown = try #require(conflict([one])) else {
      Issue.record("another conflict")
      return
    }
    #expect(edit.tracks.map(\.id) == before && edit.isEmpty)
  }

  @Test func replacesOneMatchingTrack() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let first = try edit.addSubtitles([addition("talk.fr.srt")])[0]
    #expect(first.matchingTrackIDs == [] && first.replacedTrackID == nil)
    let second = try edit.addSubtitles([addition("talk.fr.srt")])[0]
    #expect(second.matchingTrackIDs == [first.trackID])
    var third = try addition("talk.fr.srt")
    third.existingTrackPolicy = .replace
    #expect(throws: MovieEdit.Conflict.severalToReplace(trackIDs: [first.trackID, second.trackID])) {
      _ = try edit.addSubtitles([third])
    }
    try edit.remove([second.trackID])
    let replacement = try edit.addSubtitles([third])[0]
    #expect(replacement.replacedTrackID == first.trackID && replacement.isAdded)
    third.existingTrackPolicy = .skip
    let (count, leftOut) = (edit.tracks.count, try edit.addSubtitles([third])[0])
    #expect(!leftOut.isAdded && leftOut.trackID == replacement.trackID && edit.tracks.count == count)
  }

  @Test func prefersRequestedSettingsToADefaultByName() throws {
    for keep: (inout SubtitleInput) -> Void in [
      { $0.isEnabled = false }, { $0.alternateGroup = 0 }, { $0.role = .commentary },
      { $0.isSelectedAutomatically = false },
    ] {
      var (byName, byOption) = (try addition("talk.fr.default.srt"), try addition("talk.fr.default.srt"))
      #expect(byName.becomesDefault)
      keep(&byName)
      byOption.yieldsAsDefault = false
      keep(&byOption)
      #expect(!byName.becomesDefault && byOption.becomesDefault)
    }
  }

  @Test func readsTheLanguageOfAWebVTTHeaderInAnySpelling() throws {
    let vtt = Array("WEBVTT\nLanguage: pt_BR\n\n00:01.000 --> 00:02.000\nSim.\n".utf8)
    let file = try SubtitleFile.read(vtt, named: "talk.vtt")
    let addition = SubtitleInput(file, named: "talk.vtt", besideMovie: "talk.mov")
    #expect(addition.language?.description == "pt-BR")
  }

  @Test func addsOneInputLikeSeveralInputs() throws {
    var (one, several) = (try MovieEdit(of: TestMovie.talk.source), try MovieEdit(of: TestMovie.talk.source))
    for name in ["talk.fr.srt", "talk.fr.forced.srt", "talk.de.default.srt"] {
      let added = try one.addSubtitles(addition(name))
      #expect(try several.addSubtitles([addition(name)]) == [added])
    }
    #expect(one.tracks.map(\.references) == several.tracks.map(\.references))
    #expect(one.tracks.map(\.alternateGroup) == several.tracks.map(\.alternateGroup))
    #expect(one.tracks.map(\.isEnabled) == several.tracks.map(\.isEnabled))
  }

  @Test func followsTheRequestedAudioTracks() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let audio = edit.tracks.filter { $0.mediaType == .audio }.map(\.id)
    var input = try addition("talk.fi.srt")
    input.follow = .tracks(audio)
    let added = try edit.addSubtitles(input)
    let followed = edit.tracks.filter { $0.references["folw"] == [added.trackID] }
    #expect(!audio.isEmpty && followed.map(\.id) == audio)
    input.follow = .tracks([added.trackID])
    #expect(throws: MovieError.self) { try edit.addSubtitles(input) }
    input = try addition("talk.en.srt")
    input.follow = .nothing
    let silent = try edit.addSubtitles(input)
    #expect(!edit.tracks.contains { $0.references["folw"]?.contains(silent.trackID) ?? false })
  }

  @Test func subtitlesOfAnotherMovieArePairedAndFollowedAsRequested() throws {
    var source = try MovieEdit(of: TestMovie.talk.source)
    let id = try source.addSubtitles(addition("talk.fr.forced.srt")).trackID
    let other = try source.plannedSource()
    let movie = try Movie(of: other)
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let full = try edit.addSubtitles(addition("talk.de.srt")).trackID
    let audio = try #require(edit.tracks.first { $0.mediaType == .audio }).id
    var input = TrackInput(try #require(movie.track(id)))
    (input.fullTrackID, input.follow) = (full, .tracks([audio]))
    let added = try edit.addTrack(input, of: movie, from: other)
    #expect(edit.tracks.first { $0.id == full }?.references["forc"] == [added])
    #expect(edit.tracks.first { $0.id == audio }?.references["folw"] == [added])
    // The edit knows both sources.
    let output = try Movie(of: edit.plannedSource())
    #expect(output.track(added)?.containsOnlyForcedSubtitles == true)
  }
}
