import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Movies made by chance, by every road: what is not to change does not.
struct RandomMovieTests {
  /// Thousands in release; a debug build would take minutes.
  private static let count: UInt64 = {
    #if DEBUG
      200
    #else
      3000
    #endif
  }()

  private static let layouts: [RemuxLayout] = [false, true].flatMap { isFastStart in
    [RemuxLayout.Interleaving.none, .newSamples, .all].flatMap { interleaving in
      [false, true].map { RemuxLayout(isFastStart: isFastStart, interleaving: interleaving, isCompact: $0) }
    }
  }

  private static let rearranged = AllowedChanges().with {
    $0.movieMoved = true
    $0.mediaDataRearranged = true
  }

  /// What went wrong, with the seed that makes it go wrong again.
  private func check(_ seed: UInt64) throws {
    var chance = Chance(seed: seed)
    let movie = TestMovie.random(&chance)
    let old = movie.bytes()
    let source = MemorySource(Bytes(old))
    // The second reader does not look into compressed headers.
    let before = try SecondReader(movie.with { $0.hasCompressedHeader = false }.bytes())
    let wanted = Self.layouts.randomElement(using: &chance) ?? RemuxLayout()

    // Remuxed, and once more.
    let remuxed = try MovieEdit(of: source).remuxPlan(of: source, wanted).rendered(from: source)
    let again = MemorySource(Bytes(remuxed))
    #expect(try differences(old: before, new: SecondReader(remuxed), allowing: Self.rearranged) == [], "seed \(seed)")
    #expect(
      try MovieEdit(of: again).remuxPlan(of: again, wanted).rendered(from: again) == remuxed,
      "seed \(seed): \(wanted) changes its own output")

    // With a track more, by every road.
    let edit = try MovieEdit.addingSubtitles(to: source)
    let id = try #require(edit.tracks.last?.id)
    var files = [try edit.remuxPlan(of: source, wanted).rendered(from: source)]
    if edit.obstacleToAppending(.behindMedia) == nil {
      files.append(try edit.appendPlan(of: source, .behindMedia).rendered().rendered(from: source))
    }
    for new in files {
      let allowed = Self.rearranged.with { $0.addedTracks = [id] }
      #expect(try differences(old: before, new: SecondReader(new), allowing: allowed) == [], "seed \(seed)")
    }

    // With a track less.
    guard movie.tracks.count > 1, let gone = movie.tracks.randomElement(using: &chance)?.id else { return }
    var removal = try MovieEdit(of: source)
    try removal.remove(gone)
    let smaller = try SecondReader(removal.remuxPlan(of: source, wanted).rendered(from: source))
    let allowed = Self.rearranged.with { $0.removedTracks = [gone] }
    #expect(try differences(old: before, new: smaller, allowing: allowed) == [], "seed \(seed)")
  }

  @Test func whatIsNotToChangeDoesNot() throws {
    for seed in 0..<Self.count {
      do {
        try check(seed)
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }
}
