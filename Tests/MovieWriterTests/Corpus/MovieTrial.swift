import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Adds two subtitle tracks to a movie on every strategy that is open to it; the second reader proves the outcome.
///
/// Holds that nothing but the edit changed, that the new track reads back, that equal inputs give equal bytes, and that
/// an edited movie can be edited again.
struct MovieTrial {
  /// What the movie is called in messages.
  let name: String
  /// The movie; it is only read.
  let path: String

  /// Which strategies the movie could not take.
  struct Outcome {
    /// Why it cannot be edited at all.
    var refusal: MovieError?
    /// Why it cannot be edited in place.
    var obstacle: String?
    /// The same after one edit in place, or in its own place.
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
    let start = try Movie(of: source).presented(from: source).start
    let allowed = AllowedChanges().with {
      $0.subtractedStart = start.map { (ticks: $0.ticks, timeScale: Int64($0.timeScale)) }
      $0.addedTracks = [result.trackID]
      $0.regroupedTracks = Set(legible.filter { $0.group == 0 }.map(\.id))
      for audio in old.tracks where audio.handler == "soun" { $0.references[audio.id] = ["folw"] }
      $0.flattened = old.isFragmented
      // A header that claims less than the tracks last.
      if result.notes.contains(where: { $0.kind == .movieLengthened }) { $0.changedAtoms = ["moov/mvhd"] }
      if strategy == .fastStart { $0.movieMoved = true }
      if strategy == .itself, result.obstacle == nil {
        $0.movieMoved = true
        // Media data comes to reach over an old movie atom that it followed, or whose header straddles two sectors.
        $0.mediaDataRearranged = true
      }
    }
    let found = try differences(old: old, new: new, allowing: allowed)
    #expect(found.isEmpty, "\(name), \(strategy.rawValue), \(track.tag)")
    try TrialChecks(name: "\(name), \(strategy.rawValue)", old: old, new: new, id: result.trackID, track: track).run()
    if strategy == .fastStart { #expect(TrialChecks.movieComesFirst(new), "\(name): no fast start") }
  }
}
