import MovieBox
import MovieWriter
import Subtitles
import TestSupport
import Testing

struct ReplacedTrackTests {
  private let cue = Cue(startMilliseconds: 0, endMilliseconds: 500, text: StyledText("Hola"))

  private func edit(_ movie: TestMovie) throws -> MovieEdit {
    try MovieEdit(of: Movie(of: MemorySource(Bytes(movie.bytes()))))
  }

  @Test func transfersGroupDefaultAndReferencesToTheNewTrack() throws {
    var edit = try edit(
      .talk.with {
        $0.tracks[2].references = [TestReference("folw", 4), TestReference("XXXX", 1, 4)]
        $0.tracks[3].references = [TestReference("YYYY", 1)]
      })
    let new = try edit.add(SubtitleInput(cues: [cue], language: LanguageTag("es")))
    try edit.replace(4, with: new)
    let track = try #require(edit.tracks.first { $0.id == new })
    #expect(track.isEnabled && track.alternateGroup == 2 && track.references == ["YYYY": [1]])
    #expect(edit.tracks.first { $0.id == 3 }?.references == ["folw": [new], "XXXX": [1, new]])
    #expect(edit.tracks.map(\.id) == [1, 2, 3, new])
    #expect(edit.notices.map(\.kind) == [.removed])
  }

  @Test func enablesOnlyTheNewTrackOfTheGroup() throws {
    var edit = try edit(
      .talk.with {
        var other = $0.tracks[3]
        (other.id, other.isEnabled) = (5, false)
        $0.tracks.append(other)
      })
    let new = try edit.add(SubtitleInput(cues: [cue], language: LanguageTag("es")))
    try edit.setEnabled(true, of: new)
    try edit.replace(5, with: new)
    #expect(edit.tracks.filter { $0.alternateGroup == 2 && $0.isEnabled }.map(\.id) == [new])
    #expect(edit.notices.contains { $0.kind == .disabled && $0.trackID == 4 })
  }

  @Test func removesReferencesBetweenOldAndNewTrack() throws {
    var edit = try edit(.talk)
    let new = try edit.add(SubtitleInput(cues: [cue], language: LanguageTag("es")))
    try edit.link(4, to: new, TrackAssociation(rawValue: "XXXX"))
    try edit.link(new, to: 4, TrackAssociation(rawValue: "YYYY"))
    try edit.replace(4, with: new)
    #expect(edit.tracks.first { $0.id == new }?.references == [:])
  }

  @Test func rejectsTracksOfDifferentKindsAndMissingOnes() throws {
    var edit = try edit(.talk)
    let before = edit.tracks.map(\.id)
    for (old, new) in [(1, 4), (4, 4), (9, 4), (4, 9)] as [(UInt32, UInt32)] {
      #expect(throws: MovieError.self) { try edit.replace(old, with: new) }
    }
    #expect(edit.tracks.map(\.id) == before)
  }

  @Test func countsShownCuesOfNewTracks() throws {
    var edit = try edit(.talk)
    let late = Cue(startMilliseconds: 9_000_000, endMilliseconds: 9_000_500, text: StyledText("Adiós"), line: 7)
    let new = try edit.add(SubtitleInput(cues: [cue, late], language: LanguageTag("es")))
    let track = try #require(edit.tracks.first { $0.id == new })
    #expect(track.shownCueCount == 1)
    #expect(track.subtitleNotices.map(\.line) == [7])
    #expect(edit.tracks.first?.shownCueCount == nil)
  }
}
