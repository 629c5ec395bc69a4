import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

struct TrackGroupTests {
  private func subtitle(_ id: UInt32, group: Int, enabled: Bool = false) -> TestTrack {
    TestTrack(.subtitle, id: id).with {
      $0.group = group
      $0.isEnabled = enabled
    }
  }

  private func edit(_ tracks: TestTrack...) throws -> MovieEdit {
    try MovieEdit(
      of: TestMovie(tracks: [TestTrack(.video, id: 1), TestTrack(.sound, id: 2).with { $0.group = 1 }] + tracks).source)
  }

  private func groups(_ edit: MovieEdit) -> [UInt16] { edit.tracks.map(\.alternateGroup) }
  private func enabled(_ edit: MovieEdit) -> [UInt32] {
    edit.tracks.filter { $0.isEnabled && $0.mediaType.isLegible }.map(\.id)
  }

  @Test func assignsTheLowestFreeGroup() throws {
    var edit = try edit(subtitle(3, group: 0), subtitle(4, group: 0))
    let id = try edit.addSubtitles("en")
    try edit.addToSubtitleGroup(id, asDefault: false)
    #expect(groups(edit) == [0, 1, 2, 2, 2])
    #expect(edit.notices.filter { $0.kind == .joinedGroup }.map(\.trackID) == [3, 4])
    #expect(enabled(edit) == [])
  }

  @Test func joinsTheGroupOfTheEnabledTrack() throws {
    var edit = try edit(subtitle(3, group: 5), subtitle(4, group: 6, enabled: true), subtitle(5, group: 0))
    let id = try edit.addSubtitles("en")
    try edit.addToSubtitleGroup(id, asDefault: false)
    #expect(groups(edit) == [0, 1, 5, 6, 6, 6])
    #expect(enabled(edit) == [4])
    #expect(edit.notices.filter { $0.kind == .otherGroup }.map(\.trackID) == [3])
    #expect(edit.notices.filter { $0.kind == .otherGroup }.map(\.isWarning) == [true])
    #expect(edit.notices.filter { $0.kind == .joinedGroup }.map(\.trackID) == [5])
  }

  @Test func joinsTheFirstGroupIfNoTrackIsEnabled() throws {
    var edit = try edit(subtitle(3, group: 0), subtitle(4, group: 9), subtitle(5, group: 7))
    let id = try edit.addSubtitles("en")
    try edit.addToSubtitleGroup(id, asDefault: false)
    #expect(groups(edit) == [0, 1, 9, 9, 7, 9])
  }

  @Test func keepsTheDefaultUnlessAnotherIsRequested() throws {
    var stays = try edit(subtitle(3, group: 2, enabled: true), subtitle(4, group: 2))
    try stays.addToSubtitleGroup(try stays.addSubtitles("en"), asDefault: false)
    #expect(enabled(stays) == [3])
    var changes = try edit(subtitle(3, group: 2, enabled: true), subtitle(4, group: 2))
    let id = try changes.addSubtitles("en")
    try changes.addToSubtitleGroup(id, asDefault: true)
    #expect(enabled(changes) == [id])
    #expect(changes.notices.map(\.kind) == [.disabled])
  }

  @Test func enablesTheFirstSubtitlesOnlyOnRequest() throws {
    for (asked, expected) in [(false, [] as [UInt32]), (true, [3])] {
      var edit = try edit()
      try edit.addToSubtitleGroup(try edit.addSubtitles("en"), asDefault: asked)
      #expect(enabled(edit) == expected)
      #expect(groups(edit) == [0, 1, 2])
    }
  }

  @Test func keepsOneMemberEnabled() throws {
    var edit = try edit(subtitle(3, group: 2, enabled: true), subtitle(4, group: 2, enabled: true))
    try edit.addToSubtitleGroup(try edit.addSubtitles("en"), asDefault: false)
    #expect(enabled(edit) == [3])
    #expect(edit.notices.map(\.trackID) == [4])
  }

  @Test func leavesChaptersUngrouped() throws {
    let chapters = TestTrack(.text, id: 3).with { $0.isEnabled = false }
    let source = TestMovie(tracks: [
      TestTrack(.video, id: 1).with { $0.references = [TestReference("chap", 3)] }, chapters,
    ]).source
    var edit = try MovieEdit(of: source)
    try edit.addToSubtitleGroup(try edit.addSubtitles("en"), asDefault: false)
    #expect(groups(edit) == [0, 0, 1])
    // A chapter list that this edit adds counts as well.
    var other = try MovieEdit(of: TestMovie(tracks: [TestTrack(.video, id: 1), chapters]).source)
    try other.link(1, to: 3, .chapterList)
    #expect(other.legibleGroup.members == [])
  }

  @Test func rejectsGroupsOfSeveralKinds() throws {
    var edit = try edit(subtitle(3, group: 0))
    #expect { try edit.group(TrackGroup(members: [2, 3])) } throws: { isMovieError($0, .invalidEdit) }
    #expect { try edit.group(TrackGroup(members: [])) } throws: { isMovieError($0, .invalidEdit) }
    #expect { try edit.group(TrackGroup(members: [3, 99])) } throws: { isMovieError($0, .invalidEdit) }
    #expect { try edit.group(TrackGroup(members: [3], defaultMember: 2)) } throws: { isMovieError($0, .invalidEdit) }
    #expect(edit.isEmpty)
    try edit.group(TrackGroup(members: [3], defaultMember: 3))
    #expect(groups(edit) == [0, 1, 2] && enabled(edit) == [3])
  }

  @Test func leavesAudioUngrouped() throws {
    let source = TestMovie.talk.source
    var edit = try MovieEdit(of: source)
    try edit.addToSubtitleGroup(try edit.addSubtitles("en"), asDefault: true)
    #expect(edit.tracks.prefix(3).allSatisfy { !$0.hasChanged })
    #expect(groups(edit) == [0, 1, 1, 2, 2])
  }

  @Test func warnsOfATrackOutsideTheGroupOfItsKind() throws {
    var split = try edit(subtitle(3, group: 2), subtitle(4, group: 2))
    try split.setAlternateGroup(9, of: 4)
    let warnings = split.notices.filter { $0.kind == .splitGroup }
    #expect(warnings.map(\.trackID) == [4] && warnings.allSatisfy(\.isWarning))
    #expect(warnings.first?.message.contains("add the track to group 2") == true)
    // All of a kind in one group, or in none, are fine.
    try split.setAlternateGroup(9, of: 3)
    #expect(!split.notices.contains { $0.kind == .splitGroup })
    try split.setAlternateGroup(0, of: 3)
    #expect(!split.notices.contains { $0.kind == .splitGroup })
    // A movie that is split already has no warning about tracks that were not asked for.
    var old = try edit(subtitle(3, group: 2), subtitle(4, group: 3))
    try old.setTitle("English", of: 3)
    #expect(!old.notices.contains { $0.kind == .splitGroup })
  }
}
