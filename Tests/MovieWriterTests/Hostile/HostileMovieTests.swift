import TestSupport
import Testing

/// Inputs that have crashed other readers result in an error or a value.
struct HostileMovieTests {
  /// All operations together read each byte of a file about 19 times.
  private static let allowedReadings = 22.0

  @Test(arguments: HostileMovie.allCases)
  func survivesHostileMovies(kind: HostileMovie) throws {
    var answers: Set<String> = []
    for movie in try kind.movies() {
      let trial = HostileTrial("\(kind), \(movie.name)", movie.bytes)
      trial.runAll()
      #expect(trial.readingsOfEachByte < Self.allowedReadings, "\(kind), \(movie.name)")
      answers.insert(trial.editing.isEmpty ? trial.reading : trial.editing)
    }
    #expect(answers == kind.answers)
  }
}
