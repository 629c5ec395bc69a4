import MovieBox
import MovieWriter
import TestSupport

/// A comparison of two movies in memory, in lines for tests.
struct ComparedMovies {
  let comparison: MovieComparison

  init(_ old: [UInt8], _ new: [UInt8]) throws {
    comparison = try MovieComparison(MemorySource(Bytes(old)), MemorySource(Bytes(new)))
  }

  init(_ old: TestMovie, _ change: (inout TestMovie) -> Void) throws {
    try self.init(old.bytes(), old.with(change).bytes())
  }

  /// The differences as `changed language@2`, or `added track@3 …` with an arrow for a difference that follows from tracks.
  var lines: [String] {
    comparison.differences.map { difference in
      let track = difference.trackID.map { "@\($0)" } ?? ""
      let cause = difference.followsFromTracks.map { " <- \($0.rawValue)" } ?? ""
      return "\(difference.kind.rawValue) \(difference.topic.rawValue)\(track)\(cause)"
    }
  }

  var descriptions: [String] { comparison.differences.map(\.description) }
  var remarks: [String] { comparison.remarks.map(\.kind.rawValue) }

  /// Returns whether all differences are expected.
  func isAsExpected(_ expected: [String], allowing allowed: [String] = []) throws -> Bool {
    let verdict = comparison.verdict(
      expecting: try expected.map { try MovieComparison.Expectation($0) },
      allowing: try allowed.map { try MovieComparison.Expectation($0) })
    return verdict.missing.isEmpty && verdict.isExpected.allSatisfy { $0 }
  }
}

/// A change of a track, and its description in a comparison.
struct TrackChange: Sendable, CustomStringConvertible {
  let line: String
  let description: String
  let change: @Sendable (inout TestTrack) -> Void

  init(_ line: String, _ words: String, _ change: @escaping @Sendable (inout TestTrack) -> Void) {
    self.line = line
    self.change = change
    description = words
  }
}
