import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Edit lists that end before the fragments.
struct FlattenedEditEndTests {
  private let pictures: [TestSample] = .pictures(12, around: 20, duration: 50)

  /// Returns 24 pictures in the movie atom, which end at tick 1200 and are shown until tick 1300, and 12 in a fragment.
  private func movie(_ edits: [TestEdit]) throws -> Flattened {
    let whole = TestMovie.simple.with { movie in
      (movie.dialect, movie.layout) = (.iso, .movieFirst)
      movie.tracks[0].edits = edits
    }
    return try Flattened([TestFragment([.init(id: 1, runs: [.init(pictures)])])], of: whole)
  }

  private func entry(_ duration: Int, _ time: Int64) -> EditList.Entry {
    .init(segmentDuration: UInt64(duration), mediaTime: time)
  }

  @Test(arguments: [(1_200, 0), (1_300, 0), (1_150, 50), (1_250, 50), (1_200, 50), (1_201, 0)])
  func extendsAnEditOverTheFragments(duration: Int, mediaTime: Int) throws {
    let movie = try movie([.init(duration: duration, mediaTime: mediaTime)])
    #expect(movie.edits(1) == [entry(1_900 - mediaTime, Int64(mediaTime))])
    #expect(movie.notices.count == 1 && movie.notices[0].contains("extended to the end of the fragments"))
    #expect(movie.warnings.isEmpty)
    // The old edit would hide all samples of the fragment, and is rejected.
    #expect(try movie.error(withEdits: [entry(duration, Int64(mediaTime))], of: 1)?.code == .planCheckFailed)
  }

  @Test func extendsTheLastOfSeveralEdits() throws {
    let movie = try movie([
      .init(duration: 100, mediaTime: -1), .init(duration: 50, mediaTime: 0), .init(duration: 1_100, mediaTime: 100),
    ])
    #expect(movie.edits(1) == [entry(100, -1), entry(50, 0), entry(1_800, 100)])
  }

  @Test func keepsAnEditThatHidesTheLastSamples() throws {
    for duration in [900, 1_150, 1_210, 1_850] {
      let movie = try movie([.init(duration: duration, mediaTime: 0)])
      #expect(movie.edits(1) == [entry(duration, 0)])
      #expect(movie.notices.count == 1 && movie.notices[0].contains("so the last samples are not shown"), "\(duration)")
    }
    // No complete picture is hidden.
    #expect(try movie([.init(duration: 1_860, mediaTime: 0)]).notices.isEmpty)
    #expect(try movie([.init(duration: 0, mediaTime: 0)]).notices.isEmpty)
    #expect(try movie([]).notices.isEmpty)
  }

  @Test func extendsReportAndTextsOfARecording() throws {
    let movie = try movie([.init(duration: 1_200, mediaTime: 0)])
    let source = movie.source
    #expect(try Movie(of: source).durationInMovieTicks(readingFragmentsOf: source) == 1_900)
  }
}
