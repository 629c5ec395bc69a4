import Foundation
import MovieBox
import MovieWriter
import TestSupport
import Testing

/// Every movie in every layout: the second reader finds all contents again.
@Suite struct RemuxCorpusTests {
  static let layouts: [OutputLayout] = {
    let plain = [false, true].flatMap { isFastStart in
      [OutputLayout.Interleaving.newSamples, .all].flatMap { interleaving in
        [false, true].map { OutputLayout(isFastStart: isFastStart, interleaving: interleaving, isCompact: $0) }
      }
    }
    var split = OutputLayout(interleaving: .all)
    split.splitsChunks = true
    return plain + [split]
  }()

  /// Remuxes a movie, and then the result.
  private func check(_ bytes: [UInt8], _ name: String) throws {
    let source = MemorySource(Bytes(bytes))
    let edit = try MovieEdit(of: Movie(of: source))
    let old = try SecondReader(bytes)
    for layout in Self.layouts {
      let allowed = AllowedChanges().with {
        ($0.mediaDataRearranged, $0.movieMoved, $0.chunksSplit) = (true, true, layout.splitsChunks)
        $0.spaceInMovieLeftOut = layout.isCompact
      }
      let once = try PlannedSource(edit.outputPlan(of: source, layout), of: source)
      let new = try once.readExactly(ByteRange(0..<once.plan.byteCount)).array
      #expect(try differences(old: old, new: SecondReader(new), allowing: allowed) == [], "\(name), \(layout)")
      let again = MemorySource(Bytes(new))
      let second = try MovieEdit(of: Movie(of: again)).outputPlan(of: again, layout)
      #expect(try PlannedSource(second, of: again).readExactly(ByteRange(0..<second.byteCount)).array == new, "\(name)")
      guard layout.interleaving == .all else { continue }
      // The distance of sorted chunks is at most the duration of the longest one. Chunks that cannot be moved stay in place.
      let (before, after) = (edit.movie.interleavingDistance(), try Movie(of: again).interleavingDistance())
      let bound = max(before.microseconds, Self.longestChunkInMicroseconds(old))
      #expect(after.microseconds <= bound, "\(name): \(before), \(after), longest chunk \(bound)")
    }
  }

  /// Returns the time from the first to the last sample of the longest chunk, rounded up.
  private static func longestChunkInMicroseconds(_ reader: SecondReader) -> UInt64 {
    let spans = reader.tracks.flatMap { track in
      Dictionary(grouping: track.samples, by: \.chunk).values.map { samples -> UInt64 in
        let times = samples.map { UInt64($0.decodeTime) }
        return ((times.max() ?? 0) - (times.min() ?? 0)) * 1_000_000 / UInt64(track.timeScale) + 1
      }
    }
    return spans.max() ?? 0
  }

  @Test(.timeLimit(.minutes(5))) func remuxesRealMoviesInEveryLayout() throws {
    let count = try Corpus.require().forEachEditable(withFragments: false, check)
    print("\(count) movies from the wild were remuxed in \(Self.layouts.count) layouts")
    #expect(count > 0)
  }

  @Test(arguments: ReadyMovies.built) func remuxesBuiltMoviesInEveryLayout(_ built: ReadyMovies.Built) throws {
    try check(built.movie.bytes(), built.description)
  }

  @Test(arguments: ReadyMovies.files) func remuxesTestMediaInEveryLayout(_ name: String) throws {
    try check([UInt8](Data(contentsOf: URL(fileURLWithPath: TestMedia.path(name)))), name)
  }
}
