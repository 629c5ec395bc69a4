import TestSupport
import Testing

/// The checks of real movies, applied to movies that exist on every machine.
struct ReadyMovieTests {
  @Test(arguments: ReadyMovies.built)
  func addsATrackToBuiltMoviesByEveryStrategy(_ built: ReadyMovies.Built) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(built.movie, as: "movie.mov")
    let outcome = try MovieTrial(name: built.description, path: path).run()
    #expect(outcome.refusal == nil)
    #expect((outcome.obstacle == nil) == built.isEditableInPlace, "\(outcome.obstacle ?? "in place")")
  }

  @Test(arguments: ReadyMovies.files)
  func addsATrackToTestMediaByEveryStrategy(_ name: String) throws {
    let outcome = try MovieTrial(name: name, path: TestMedia.path(name)).run()
    #expect(outcome.refusal == nil)
    #expect((outcome.obstacle == nil) == name.hasSuffix(".mov"), "\(outcome.obstacle ?? "in place")")
  }
}
