import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Adds two subtitle tracks to a movie by every available strategy, and checks the results with the second reader.
///
/// Nothing else may change, the new track must be readable, equal inputs must give equal bytes, and the edited movie must
/// be editable again.
struct MovieTrial {
  /// The name of the movie in messages.
  let name: String
  /// The path of the movie, which is only read.
  let path: String

  /// The obstacles to strategies.
  struct Outcome {
    /// The reason why the movie cannot be edited, or `nil` if it can.
    var refusal: MovieError?
    /// The reason why the movie cannot be edited in place, or `nil` if it can.
    var obstacle: String?
    /// The obstacle after one edit of the file itself.
    var laterObstacle: String?
  }

  func run() throws -> Outcome {
    var outcome = Outcome()
    do {
      let source = try FileSource(path: path)
      let movie = try Movie(of: source)
      _ = try MovieEdit(of: movie, from: source)
      guard !movie.isInitializationSegment else {
        throw MovieError(.unsupported, at: 0, "an initialization segment, which takes metadata alone")
      }
    } catch let error as MovieError {
      outcome.refusal = error
      return outcome
    }
    for strategy in EditStrategy.allCases {
      do {
        try run(strategy, &outcome)
      } catch {
        Issue.record(error, "\(name), \(strategy.rawValue)")
      }
    }
    return outcome
  }

  private func run(_ strategy: EditStrategy, _ outcome: inout Outcome) throws {
    let folder = try TemporaryFolder()
    let first = try strategy.add(.english, to: path, in: folder, as: "first")
    try check(first, .english, strategy, old: path)
    let again = try strategy.add(.english, to: path, in: folder, as: "again")
    #expect(try data(first.path) == data(again.path), "\(name), \(strategy.rawValue): twice the same gives other bytes")
    let second = try strategy.add(.french, to: first.path, in: folder, as: "second")
    try check(second, .french, strategy, old: first.path)
    if strategy == .itself {
      outcome.obstacle = first.obstacle
      outcome.laterObstacle = second.obstacle
      if first.obstacle != nil {
        let plain = try strategy.add(.english, to: path, in: folder, as: "plain", padding: 0)
        let other = try EditStrategy.keptOrder.add(.english, to: path, in: folder, as: "other")
        #expect(try data(plain.path) == data(other.path), "\(name): replaced and new file differ")
      }
    }
  }

  private func data(_ path: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: path))
  }

  private func check(_ result: EditStrategy.Result, _ track: TrialTrack, _ strategy: EditStrategy, old path: String)
    throws
  {
    let old = try SecondReader(path: path)
    let new = try SecondReader(path: result.path)
    let legible = TrialChecks.legibleTracks(of: old)
    let source = try FileSource(path: path)
    let start = try Movie(of: source).includingFragments(from: source).start
    let allowed = AllowedChanges().with {
      $0.subtractedStart = start.map { (ticks: $0.ticks, timeScale: Int64($0.timeScale)) }
      $0.addedTracks = [result.trackID]
      $0.regroupedTracks = Set(legible.filter { $0.group == 0 }.map(\.id))
      for audio in old.tracks where audio.handler == "soun" { $0.references[audio.id] = ["folw"] }
      $0.flattened = old.isFragmented
      // A header that declares a duration shorter than the tracks.
      if result.notices.contains(where: { $0.kind == .movieLengthened }) { $0.changedAtoms = ["moov/mvhd"] }
      if strategy == .fastStart { $0.movieMoved = true }
      if strategy == .itself, result.obstacle == nil {
        $0.movieMoved = true
        // Media data is extended over the old movie atom after it, or over one whose header crosses a sector boundary.
        $0.mediaDataRearranged = true
      }
    }
    let found = try differences(old: old, new: new, allowing: allowed)
    #expect(found.isEmpty, "\(name), \(strategy.rawValue), \(track.tag)")
    try TrialChecks(name: "\(name), \(strategy.rawValue)", old: old, new: new, id: result.trackID, track: track).run()
    if strategy == .fastStart { #expect(TrialChecks.movieComesFirst(new), "\(name): no fast start") }
  }
}
