import MovieBox
import MovieWriter
import TestSupport

/// The comparison of two movies in memory, in lines that tests can tell apart.
struct ComparedMovies {
  let comparison: MovieComparison

  init(_ old: [UInt8], _ new: [UInt8]) throws {
    comparison = try MovieComparison(MemorySource(Bytes(old)), MemorySource(Bytes(new)))
  }

  init(_ old: TestMovie, _ change: (inout TestMovie) -> Void) throws {
    try self.init(old.bytes(), old.with(change).bytes())
  }

  /// `changed language@2` for each difference, `added track@3 …` with an arrow where it follows from tracks.
  var lines: [String] {
    comparison.differences.map { difference in
      let track = difference.trackID.map { "@\($0)" } ?? ""
      let cause = difference.followsFromTracks.map { " <- \($0.rawValue)" } ?? ""
      return "\(difference.kind.rawValue) \(difference.topic.rawValue)\(track)\(cause)"
    }
  }

  var descriptions: [String] { comparison.differences.map(\.description) }
  var remarks: [String] { comparison.remarks.map(\.kind.rawValue) }

  /// Whether nothing differs but what is expected.
  func isAsExpected(_ expected: [String], allowing allowed: [String] = []) throws -> Bool {
    let verdict = comparison.verdict(
      expecting: try expected.map { try MovieComparison.Expectation($0) },
      allowing: try allowed.map { try MovieComparison.Expectation($0) })
    return verdict.missing.isEmpty && verdict.isExpected.allSatisfy { $0 }
  }
}

/// A change of a track, and how a comparison tells of it.
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
