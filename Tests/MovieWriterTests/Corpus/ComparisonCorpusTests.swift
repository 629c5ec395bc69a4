import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Comparisons of real movies with edited and remuxed copies.
@Suite struct ComparisonCorpusTests {
  /// Returns the movies that can be edited.
  private func editable(_ corpus: Corpus) throws -> [(name: String, path: String)] {
    corpus.movies.compactMap { entry in
      do {
        let source = try FileSource(path: entry.path)
        let movie = try Movie(of: source)
        _ = try MovieEdit(of: movie, from: source)
        // Initialization segments only support edits of metadata.
        guard !movie.isInitializationSegment else { return nil }
        return (entry.name, entry.path)
      } catch {
        return nil  // Rejected movies are covered by ``CorpusTests``.
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func findsOnlyTheAddedTrackInEditedRealMovies() throws {
    let corpus = try HeavyTests.corpus()
    // The effects of grouping and of audio followers.
    let allowed = try ["changed:group", "changed:references"].map { try MovieComparison.Expectation($0) }
    var count = 0
    for (name, path) in try editable(corpus) {
      for strategy in EditStrategy.allCases {
        let folder = try TemporaryFolder()
        let result = try strategy.add(.english, to: path, in: folder, as: "edited")
        let comparison = try MovieComparison(FileSource(path: path), FileSource(path: result.path))
        let verdict = comparison.verdict(
          expecting: [try MovieComparison.Expectation("added:track@\(result.trackID)")], allowing: allowed)
        let others = zip(comparison.differences, verdict.isExpected).filter { !$0.1 }.map(\.0)
        #expect(verdict.missing.isEmpty && others.isEmpty, "\(name), \(strategy.rawValue): \(others)")
        count += 1
      }
    }
    print("\(count) edited movies were compared with what they were made of")
    #expect(count > 0)
  }

  @Test(.timeLimit(.minutes(5))) func findsNoDifferenceInRemuxedRealMovies() throws {
    let corpus = try HeavyTests.corpus()
    var count = 0
    for (name, path) in try editable(corpus) {
      let source = try FileSource(path: path)
      var edit = try MovieEdit(of: Movie(of: source), from: source)
      edit.flatten()
      for layout in [
        OutputLayout(), OutputLayout(isFastStart: true), OutputLayout(interleaving: .all),
        OutputLayout(isFastStart: true, interleaving: .all, isCompact: true),
      ] {
        let copy = try PlannedSource(edit.outputPlan(of: source, layout), of: source)
        let comparison = try MovieComparison(source, copy)
        #expect(comparison.differences.isEmpty, "\(name), \(layout): \(comparison.differences)")
        let isPlain = !edit.movie.isFragmented
        #expect(comparison.remarks.contains { $0.kind == .fragments } != isPlain, "\(name)")
        count += 1
      }
    }
    print("\(count) remuxed movies were compared with what they were made of")
    #expect(count > 0)
  }
}
