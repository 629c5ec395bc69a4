import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Real movies from the folder to which `MOVTOOL_CORPUS` refers.
@Suite struct CorpusTests {
  /// The complete movies with video or audio that are rejected nevertheless, with reasons.
  static let refusals: [String: String] = [:]

  /// The movies with a trailing `moov` that cannot be edited in place nevertheless, with reasons.
  static let obstacles: [String: String] = [:]

  /// The features in the manifest of files that are not complete movies and are rejected.
  static let otherFiles: Set<String> = ["moof", "mvex", "no_moov", "no_tracks", "avif", "heif", "jp2sig", "cr3"]

  @Test(.timeLimit(.minutes(5))) func addsATrackToRealMoviesByEveryStrategy() throws {
    let corpus = try HeavyTests.corpus()
    var report: [String] = []
    var refused: [String: String] = [:]
    var obstructed: [String: String] = [:]
    var edited = 0
    for entry in corpus.movies where try isWholeMovie(entry) {
      let outcome = try MovieTrial(name: entry.name, path: entry.path).run()
      if let refusal = outcome.refusal {
        refused[entry.name] = refusal.description
        report.append("\(entry.name): no strategy: \(refusal)")
        continue
      }
      edited += 1
      if let obstacle = outcome.obstacle {
        report.append("\(entry.name): not in place: \(obstacle)")
        if !obstacle.contains("fast start") { obstructed[entry.name] = obstacle }
      } else if let obstacle = outcome.laterObstacle {
        report.append("\(entry.name): in place once, the second time not: \(obstacle)")
      }
    }
    print("\(edited) movies from the wild took two tracks on every strategy, but:")
    for line in report { print("  " + line) }
    #expect(refused == Self.refusals)
    #expect(obstructed == Self.obstacles)
    #expect(edited > 0)
  }

  @Test(.timeLimit(.minutes(5))) func rejectsIncompleteRealMovies() throws {
    let corpus = try HeavyTests.corpus()
    let codes: Set<MovieError.Code> = [.unsupported, .notAMovie]
    for entry in corpus.movies where !entry.features.isDisjoint(with: Self.otherFiles) {
      do {
        _ = try MovieEdit(of: Movie(of: FileSource(path: entry.path)))
        Issue.record("\(entry.name) was not refused")
      } catch let error as MovieError {
        // A file without tracks lacks `mvhd` too.
        let isBroken = error.code == .malformed && entry.features.contains("no_tracks")
        #expect(codes.contains(error.code) || isBroken, "\(entry.name): \(error)")
        #expect(!error.reason.isEmpty)
      }
    }
  }

  /// Damaged files that can be edited nevertheless lose nothing.
  @Test(.timeLimit(.minutes(5))) func losesNothingOfDamagedMovies() throws {
    let corpus = try HeavyTests.corpus()
    var edited: [String] = []
    for path in corpus.broken {
      let name = String(path.split(separator: "/").last ?? "")
      do {
        // Losses of recordings are covered by other tests, and such files are not edited in place.
        let source = try FileSource(path: path)
        guard try Movie(of: source).missingSamples(readingFragmentsOf: source).isEmpty else { continue }
        let outcome = try MovieTrial(name: name, path: path).run()
        if outcome.refusal == nil { edited.append(name) }
      } catch let error as MovieError {
        print("  \(name): \(error)")
      }
    }
    print("broken movies that took two tracks on every strategy: \(edited.joined(separator: ", "))")
    #expect(!edited.isEmpty)
  }

  private func isWholeMovie(_ entry: Corpus.Entry) throws -> Bool {
    guard entry.features.isDisjoint(with: Self.otherFiles) else { return false }
    guard !entry.name.hasSuffix(".srt") else { return false }
    return try SecondReader(path: entry.path).tracks.contains { ["vide", "soun"].contains($0.handler) }
  }
}
