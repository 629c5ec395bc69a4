import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieWriter

/// Requests with several steps: if a step fails, the plan and the notices of the edit are those before the request.
struct AtomicRequestTests {
  private func expectUnchanged(
    _ movie: TestMovie, after request: (inout MovieEdit) throws -> Void, at location: SourceLocation = #_sourceLocation
  ) throws {
    var edit = try MovieEdit(of: movie.source)
    try edit.setTitle("Old", of: 1)
    try expectUnchanged(edit, after: request, at: location)
    try expectUnchanged(try MovieEdit(of: movie.source), after: request, at: location)
  }

  private func expectUnchanged(
    _ edit: MovieEdit, after request: (inout MovieEdit) throws -> Void, at location: SourceLocation
  ) throws {
    var changed = edit
    #expect(throws: (any Error).self, sourceLocation: location) { try request(&changed) }
    #expect(try changed.outputPlan() == edit.outputPlan(), sourceLocation: location)
    #expect(changed.notices == edit.notices, sourceLocation: location)
    #expect(changed.isEmpty == edit.isEmpty, sourceLocation: location)
  }

  /// The type cannot contain the only track. The conversion finds that out after it has replaced the movie.
  @Test func restoresTheEditAfterAFailedConversion() throws {
    try expectUnchanged(TestMovie(tracks: [TestTrack(.other(handler: "hint"), id: 1)])) { try $0.convert(to: .mp4) }
  }

  @Test func restoresTheEditAfterAConflictOfPlacements() throws {
    try expectUnchanged(TestMovie.talk) { edit in
      try edit.place([TrackPlacement(trackID: 1, alternateGroup: 7), TrackPlacement(trackID: 99, isDefault: true)])
    }
  }

  @Test func restoresTracksAndNoticesAfterAFailedStep() throws {
    try expectUnchanged(TestMovie.talk) { edit in
      try edit.atomically { edit in
        try edit.setAlternateGroup(9, of: 1)
        edit.recordOnce(.movieAtomInflated)
        throw MovieError(.invalidEdit, "the second step")
      }
    }
  }

  /// The second track of the request belongs to another movie.
  @Test func restoresTheEditAfterAFailedImport() throws {
    let other = TestMovie.talk.source
    try expectUnchanged(TestMovie.simple) { edit in
      let movie = try Movie(of: other)
      let foreign = try Movie(of: TestMovie.torture.source)
      try edit.addTracks(
        [TrackInput(movie.tracks[0]), TrackInput(try #require(foreign.tracks.last))], of: movie, from: other)
    }
  }

  @Test func restoresTheEditAfterTimedMetadataOfAMissingTrack() throws {
    let key = try #require(MetadataIdentifier("mdta/com.example.rate"))
    let item = try #require(MetadataItem(key, .integer(72), typeCode: 67))
    try expectUnchanged(TestMovie.talk) { edit in
      try edit.addTimedMetadata(
        [TimedMetadataGroup(microseconds: 0..<1_000, items: [item])], describing: [1, 99])
    }
  }
}
