import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// The groups of tracks from other movies.
struct AlternativeTests {
  private func added(
    _ movie: TestMovie, _ other: TestMovie = .dub, taking place: Int = 0, asDefault: Bool = false
  ) throws -> (edit: MovieEdit, id: UInt32) {
    var trial = try ImportTrial(movie, other, taking: [place])
    try trial.edit.addAlternative(trial.ids[0], asDefault: asDefault)
    try trial.check(trial.remuxed()) {
      if trial.edit.notices.contains(where: { $0.kind == .movieLengthened }) { $0.changedAtoms = ["moov/mvhd"] }
      $0.regroupedTracks = Set(trial.edit.movie.tracks.map(\.id))
      for track in trial.edit.movie.tracks { $0.references[track.id] = ["chap"] }
    }
    return (trial.edit, trial.ids[0])
  }

  @Test func addsAudioToTheGroupOfAudio() throws {
    let (edit, id) = try added(.talk)
    #expect(edit.track[id]?.alternateGroup == 1 && edit.track[id]?.isEnabled == false)
    #expect(edit.track[2]?.isEnabled == true && edit.track[3]?.alternateGroup == 1)
    #expect(!edit.notices.contains { $0.kind == .joinedGroup || $0.kind == .disabled })
  }

  @Test func groupsUngroupedAudio() throws {
    let (edit, id) = try added(.simple)
    #expect(edit.track[id]?.alternateGroup == 1 && edit.track[2]?.alternateGroup == 1)
    #expect(edit.track[2]?.isEnabled == true && edit.track[id]?.isEnabled == false)
    #expect(edit.track[1]?.alternateGroup == 0)
    #expect(edit.notices.contains { $0.kind == .joinedGroup && $0.trackID == 2 })
  }

  @Test func makesTheNewTrackTheDefaultOnRequest() throws {
    let (edit, id) = try added(.simple, asDefault: true)
    #expect(edit.track[2]?.isEnabled == false && edit.track[id]?.isEnabled == true)
    #expect(edit.notices.contains { $0.kind == .disabled && $0.trackID == 2 })
  }

  @Test func enablesTheOnlyAudioTrackWithoutAGroup() throws {
    let (edit, id) = try added(.simple.with { $0.tracks.removeLast() })
    #expect(edit.track[id]?.alternateGroup == 0 && edit.track[id]?.isEnabled == true)
  }

  @Test func keepsSimultaneousAudioEnabled() throws {
    let movie = TestMovie.simple.with {
      $0.tracks.append(TestTrack(.sound, id: 3))
      $0.tracks.append(TestTrack(.sound, id: 4).with { $0.isEnabled = false })
    }
    let (edit, id) = try added(movie)
    #expect([2, 4, id].map { edit.track[$0]?.alternateGroup } == [1, 1, 1])
    #expect(edit.track[3]?.alternateGroup == 0 && edit.track[3]?.isEnabled == true)
    #expect(edit.notices.contains { $0.kind == .otherGroup && $0.trackID == 3 && $0.isWarning })
  }

  @Test func groupsCameraAnglesWithTheVideo() throws {
    let angle = TestMovie(tracks: [TestTrack(.video, id: 31)])
    let (edit, id) = try added(.talk, angle)
    #expect(edit.track[id]?.alternateGroup == 3 && edit.track[1]?.alternateGroup == 3)
    #expect(edit.track[1]?.isEnabled == true && edit.track[id]?.isEnabled == false)
  }

  @Test func groupsSubtitles() throws {
    let other = TestMovie.talk.with { $0.tracks[3].id = 44 }
    let (edit, id) = try added(.talk, other, taking: 3)
    #expect(edit.track[id]?.alternateGroup == 2 && edit.track[4]?.isEnabled == true)
    #expect(edit.track[id]?.isEnabled == false)
  }

  private static let chapters = TestMovie(tracks: [
    TestTrack(.sound, id: 51).with { $0.references = [TestReference("chap", 52)] }, TestTrack(.text, id: 52),
  ])

  @Test func addsReferencesToChaptersFromVideoAndAudio() throws {
    let (edit, id) = try added(.talk, Self.chapters, taking: 1)
    #expect(edit.track[id]?.alternateGroup == 0 && edit.track[id]?.isEnabled == false)
    #expect([1, 2, 3, 4].map { edit.track[$0]?.references["chap"] } == [[id], [id], nil, nil])
  }

  @Test func addsReferencesToChaptersFromAllTracksIfNoneIsEnabled() throws {
    let movie = TestMovie.simple.with { for place in $0.tracks.indices { $0.tracks[place].isEnabled = false } }
    let (edit, id) = try added(movie, Self.chapters, taking: 1)
    #expect([1, 2].allSatisfy { edit.track[$0]?.references["chap"] == [id] })
  }

  @Test func keepsExistingChapters() throws {
    let movie = TestMovie.simple.with {
      $0.tracks[0].references = [TestReference("chap", 3)]
      $0.tracks.append(TestTrack(.text, id: 3).with { $0.isEnabled = false })
    }
    let (edit, id) = try added(movie, Self.chapters, taking: 1)
    #expect(edit.track[1]?.references["chap"] == [3] && edit.track[2]?.references["chap"] == [id])
    #expect(edit.notices.contains { $0.kind == .association && $0.isWarning && $0.trackID == 1 })
  }

  @Test func leavesOtherKindsUngrouped() throws {
    let (edit, id) = try added(.simple, .torture, taking: 3)
    #expect(edit.track[id]?.alternateGroup == 0 && edit.track[id]?.isEnabled == false)
  }
}
