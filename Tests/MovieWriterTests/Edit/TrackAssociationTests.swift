import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

struct TrackAssociationTests {
  private func references(_ edit: MovieEdit, _ id: UInt32) -> [FourCC: [UInt32]] {
    edit.track[id]?.references ?? [:]
  }

  @Test func addsEachReferenceToTheRightTrack() throws {
    let source = TestMovie(tracks: [
      TestTrack(.video, id: 1), TestTrack(.sound, id: 2), TestTrack(.sound, id: 3), TestTrack(.subtitle, id: 4),
      TestTrack(.subtitle, id: 5), TestTrack(.text, id: 6), TestTrack(.timecode, id: 7),
      TestTrack(.other(handler: "meta"), id: 8),
    ]).source
    let allowed: [(UInt32, UInt32, TrackAssociation)] = [
      (2, 4, .selectionFollower), (2, 3, .audioFallback), (1, 6, .chapterList),
      (2, 6, .chapterList), (8, 1, .metadataReferent), (1, 7, .timecode),
    ]
    let refused: [(UInt32, UInt32, TrackAssociation)] = [
      (4, 2, .selectionFollower), (2, 1, .selectionFollower), (1, 4, .selectionFollower), (2, 4, .forcedSubtitlesOnly),
      (4, 2, .forcedSubtitlesOnly), (4, 5, .forcedSubtitlesOnly), (1, 2, .audioFallback), (2, 4, .audioFallback),
      (1, 4, .chapterList),
      (1, 8, .metadataReferent), (7, 1, .timecode), (2, 2, .audioFallback), (2, 9, .selectionFollower),
      (9, 4, .selectionFollower),
    ]
    for (from, to, association) in allowed {
      var edit = try MovieEdit(of: source)
      try edit.link(from, to: to, association)
      #expect(references(edit, from) == [association.rawValue: [to]])
    }
    for (from, to, association) in refused {
      var edit = try MovieEdit(of: source)
      #expect { try edit.link(from, to: to, association) } throws: { isMovieError($0, .invalidEdit) }
      #expect(edit.isEmpty)
    }
  }

  @Test func replacesAFollowerAndAddsAFallback() throws {
    let source = TestMovie(
      tracks: [1, 2, 3].map { TestTrack(.sound, id: $0) } + [4, 5].map { TestTrack(.subtitle, id: $0) }
    ).source
    var edit = try MovieEdit(of: source)
    for id in [4, 5] as [UInt32] { try edit.link(1, to: id, .selectionFollower) }
    for id in [2, 3, 3] as [UInt32] { try edit.link(1, to: id, .audioFallback) }
    #expect(references(edit, 1) == ["folw": [5], "fall": [2, 3]])
  }

  @Test func keepsOtherReferences() throws {
    let movie = TestMovie.talk.with {
      $0.tracks[1].references = [
        TestReference("XXXX", 1, 0, 3), TestReference("folw", 0, 4), TestReference("fall", 3), TestReference("folw"),
      ]
    }
    let source = movie.source
    var edit = try MovieEdit(of: source)
    let id = try edit.addSubtitles("en")
    try edit.link(2, to: id, .selectionFollower)
    let new = try SecondReader(edit.outputPlan(of: source).rendered(from: source))
    #expect(new.track(2)?.references.map(\.type) == ["XXXX", "folw", "fall"])
    #expect(new.track(2)?.references.map(\.tracks) == [[1, 0, 3], [5], [3]])
  }

  @Test func placesNewReferencesBeforeTheMedia() throws {
    let source = TestMovie.talk.source
    var edit = try MovieEdit(of: source)
    try edit.link(2, to: 4, .selectionFollower)
    let movie = try Movie(of: PlannedSource(edit.outputPlan(of: source), of: source))
    let track = try #require(movie.track(2))
    #expect(movie.tree.children(of: track.atom).map { movie.tree[$0].type } == ["tkhd", "tref", "mdia"])
  }

  @Test func pairsForcedSubtitlesInAnyOrder() throws {
    for forcedFirst in [true, false] {
      var edit = try MovieEdit(of: TestMovie.simple.source)
      for isForced in [forcedFirst, !forcedFirst] {
        try edit.pairForcedSubtitles(try edit.addSubtitles("en", isForced: isForced))
      }
      let (regular, forced): (UInt32, UInt32) = forcedFirst ? (4, 3) : (3, 4)
      #expect(references(edit, regular) == ["forc": [forced]])
      #expect(references(edit, forced) == [:])
    }
  }

  @Test func pairsOnlyEqualLanguageTags() throws {
    var edit = try MovieEdit(of: TestMovie.simple.source)
    let ids = try ["en", "en-GB", "fr", nil].map { try edit.addSubtitles($0) }
    let forced = try edit.addSubtitles("en", isForced: true)
    try edit.pairForcedSubtitles(forced)
    #expect(ids.map { references(edit, $0) } == [["forc": [forced]], [:], [:], [:]])
    try edit.pairForcedSubtitles(try edit.addSubtitles(nil, isForced: true))
    #expect(references(edit, ids[3]) == [:])
  }

  @Test func pairsANewRegularTrackWithTheFirstForcedOne() throws {
    var edit = try MovieEdit(of: TestMovie.simple.source)
    let forced = try edit.addSubtitles("en", isForced: true)
    _ = try edit.addSubtitles("en", isForced: true)
    let regular = try edit.addSubtitles("en")
    try edit.pairForcedSubtitles(regular)
    #expect(references(edit, regular) == ["forc": [forced]])
    #expect(edit.notices.count == 1)
  }

  @Test func followsAudioOfTheSameLanguage() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let id = try edit.addSubtitles("en-GB")
    try edit.followAudio(id)
    #expect(references(edit, 2) == ["folw": [id]] && references(edit, 3) == [:])
    try edit.followAudio(try edit.addSubtitles("en"))  // Another track already follows.
    #expect(references(edit, 2) == ["folw": [id]])
    try edit.followAudio(try edit.addSubtitles(nil))
    #expect(references(edit, 1) == [:])
  }

  @Test func followsACommentaryWithCommentarySubtitlesOnly() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let subtitles = try edit.addSubtitles("en")
    try edit.setRole(.commentary, of: subtitles)
    try edit.followAudio(subtitles)
    #expect(references(edit, 2) == [:])
    try edit.setRole(.commentary, of: 2)
    try edit.followAudio(subtitles)
    #expect(references(edit, 2) == ["folw": [subtitles]])
  }

  @Test func replacesOnlyItsPartnerAsFollowerByAForcedTrack() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let other = try edit.addSubtitles("es")
    try edit.link(3, to: other, .selectionFollower)
    let regular = try edit.addSubtitles("en")
    try edit.pairForcedSubtitles(regular)
    try edit.followAudio(regular)
    #expect(references(edit, 2) == ["folw": [regular]])
    let forced = try edit.addSubtitles("en", isForced: true)
    try edit.pairForcedSubtitles(forced)
    try edit.followAudio(forced)
    #expect(references(edit, 2) == ["folw": [forced]] && references(edit, regular) == ["forc": [forced]])
    #expect(references(edit, 3) == ["folw": [other]])
    // A regular track never takes over. Its forced partner remains the referenced one.
    let late = try edit.addSubtitles("en")
    try edit.pairForcedSubtitles(late)
    try edit.followAudio(late)
    #expect(references(edit, 2) == ["folw": [forced]] && references(edit, late) == ["forc": [forced]])
  }

  @Test func replacesItsPartnerAsFollowerInAnotherLanguage() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)  // English sound 2, Spanish sound 3.
    let regular = try edit.addSubtitles("fr")
    try edit.link(2, to: regular, .selectionFollower)
    let forced = try edit.addSubtitles("fr", isForced: true)
    try edit.pairForcedSubtitles(forced)
    try edit.followAudio(forced)
    #expect(references(edit, 2) == ["folw": [forced]] && references(edit, regular) == ["forc": [forced]])
  }

  @Test func refersToTheForcedTrackOfAPair() throws {
    var edit = try MovieEdit(of: TestMovie.simple.source)
    let forced = try edit.addSubtitles("en", isForced: true)
    let regular = try edit.addSubtitles("en")
    try edit.pairForcedSubtitles(regular)
    try edit.followAudio(regular)
    #expect(references(edit, 2) == ["folw": [forced]])
  }

  @Test func findsTracksOfEqualLanguageAndRole() throws {
    var edit = try MovieEdit(of: TestMovie.talk.source)
    let ids = try [
      edit.addSubtitles("es"), edit.addSubtitles("es", isForced: true), edit.addSubtitles("en"),
      edit.addSubtitles("es"),
    ]
    #expect(try ids.map { try edit.tracks(matching: $0) } == [[4, 8], [], [], [4, 5]])
  }

  @Test func matchesSubtitlesInTextMediaExceptChapters() throws {
    let timedText = SampleEntry.timedText(width: 640, height: 60, fontSize: 16, fontName: "Serif")
    let source = TestMovie(tracks: [
      TestTrack(.video, id: 1), TestTrack(.text, id: 2),
      TestTrack(.text, id: 3).with { $0.sampleEntries = [timedText] },
      TestTrack(.text, id: 4).with { $0.sampleEntries = [timedText] },
    ]).source
    var edit = try MovieEdit(of: source)
    try edit.link(1, to: 4, .chapterList)
    let new = try edit.add(SubtitleInput(cues: [], language: nil))
    #expect(try edit.tracks(matching: new) == [2, 3])
    #expect(try edit.tracks(matching: 3) == [2, 4, new])
  }

  @Test func warnsOfAPairOfTwoLanguagesOrGroups() throws {
    func warnings(_ language: String, grouped: Bool) throws -> [EditNotice.Kind] {
      var edit = try MovieEdit(of: TestMovie.talk.source)
      let forced = try edit.addSubtitles(language, isForced: true)
      if grouped { try edit.addToSubtitleGroup(forced, asDefault: false) }
      try edit.link(4, to: forced, .forcedSubtitlesOnly)
      return edit.tracks.pairWarnings.map(\.kind)
    }
    #expect(try warnings("es", grouped: true) == [])
    #expect(try warnings("es-MX", grouped: true) == [.association])
    #expect(try warnings("es", grouped: false) == [.otherGroup])
    #expect(try warnings("en", grouped: false) == [.association, .otherGroup])
  }

  @Test func ignoresAMissingPartner() throws {
    let movie = TestMovie.talk.with { $0.tracks[3].references = [TestReference("forc", 99, 1, 99)] }
    var edit = try MovieEdit(of: movie.source)
    try edit.followAudio(4)
    try edit.link(2, to: 4, .selectionFollower)
    #expect(references(edit, 2) == ["folw": [4]] && references(edit, 3) == ["folw": [4]])
    #expect(references(edit, 4) == ["forc": [99, 1, 99]])
    try edit.addToSubtitleGroup(4, asDefault: true)
    #expect(edit.tracks.pairWarnings.isEmpty)
  }

  @Test func warnsOnceOfARepeatedPartner() throws {
    let movie = TestMovie.talk.with { $0.tracks[3].references = [TestReference("forc", 5, 5, 5)] }
    var edit = try MovieEdit(of: movie.source)
    #expect(edit.tracks.pairWarnings.isEmpty)
    _ = try edit.group(TrackGroup(members: [4]))
    #expect(edit.tracks.pairWarnings.isEmpty)
  }
}
