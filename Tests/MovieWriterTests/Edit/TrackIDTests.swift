import TestSupport
import Testing

@testable import MovieBox
@testable import MovieWriter

struct TrackIDTests {
  private func ids(
    _ tracks: [UInt32], next: UInt32?, references: [TestReference] = [], adding count: Int = 1
  ) throws -> (added: [UInt32], next: UInt32) {
    let movie = TestMovie(tracks: tracks.map { TestTrack(.sound, id: $0) }).with {
      $0.nextTrackID = next
      $0.tracks[0].references = references
    }
    let source = movie.source
    var edit = try MovieEdit(of: source)
    let added = try (0..<count).map { _ in try edit.addSubtitles(nil) }
    let planned = try Movie(of: PlannedSource(edit.outputPlan(of: source), of: source))
    #expect(planned.tracks.map(\.id) == tracks + added)
    return (added, planned.header.nextTrackID)
  }

  @Test func assignsTheNextTrackID() throws {
    #expect(try ids([1, 2], next: 3) == ([3], 4))
    #expect(try ids([1, 2], next: 3, adding: 2) == ([3, 4], 5))
    #expect(try ids([1, 2], next: 10) == ([10], 11))
  }

  @Test func assignsAnIDAboveAllUsedOnes() throws {
    #expect(try ids([1, 7], next: 2) == ([8], 9))
    #expect(try ids([1, 7], next: 0) == ([8], 9))
  }

  @Test func assignsAnIDAboveAllReferencedOnes() throws {
    #expect(try ids([1, 2], next: 3, references: [TestReference("folw", 0, 40)]) == ([41], 42))
  }

  @Test func assignsTheLowestFreeIDForAHeaderOfAllOnes() throws {
    #expect(try ids([1, 2, 4], next: .max) == ([3], .max))
    #expect(try ids([1, 2, 4], next: .max, adding: 2) == ([3, 5], .max))
    #expect(try ids([2], next: .max, references: [TestReference("folw", 1)]) == ([3], .max))
  }

  @Test func assignsTheLowestFreeIDIfHigherOnesAreUsed() throws {
    #expect(try ids([1, .max - 2], next: .max - 1) == ([.max - 1], .max))
    #expect(try ids([1, .max - 1], next: 2) == ([2], .max))
    #expect(try ids([1, .max - 2], next: 2, adding: 2) == ([.max - 1, 2], .max))
  }

  @Test func assignsEachIDOnce() throws {
    let source = TestMovie.talk.source
    var edit = try MovieEdit(of: source)
    try edit.remove(4)
    #expect(try edit.addSubtitles("en") == 5)
    var full = try MovieEdit(of: TestMovie.talk.with { $0.nextTrackID = .max }.source)
    try full.remove(2)
    #expect(try full.addSubtitles("en") == 5)
  }
}
