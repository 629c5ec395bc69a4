import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Decode times between fragments, and the time before the first.
struct FragmentSeamTests {
  private func movie(
    _ times: [UInt64?], header: TestMovie = Flattened.header, between: [TestFragment.Track] = []
  ) throws -> Flattened {
    let samples = [TestSample(5, duration: 100), TestSample(6, duration: 100)]
    return try Flattened(
      times.map { TestFragment([.init(id: 1, decodeTime: $0, runs: [.init(samples)])] + between) }, of: header,
      keepingStart: true)
  }

  private func times(_ movie: Flattened) throws -> [Int64] { try movie.samples(1).map(\.decodeTime) }

  @Test func extendsTheSampleBeforeAGap() throws {
    let gap = try movie([0, 201, 401])
    #expect(try times(gap) == [0, 100, 201, 301, 401, 501])
    #expect(try gap.samples(1).map(\.duration) == [100, 101, 100, 100, 100, 100])
    #expect(gap.notices == ["track 1 has 1 gap between fragments; the sample before each gap is extended"])
    #expect(gap.warnings.isEmpty)
    #expect(try movie([0, 200, nil]).notices.isEmpty)
  }

  @Test func rejectsAGapLongerThanASampleCanBe() throws {
    #expect(try times(movie([0, 100 + UInt64(UInt32.max)])).last == 200 + Int64(UInt32.max))
    #expect { try movie([0, 101 + UInt64(UInt32.max)]) } throws: { isMovieError($0, .unsupported) }
  }

  @Test func shortensTheSampleBeforeAnOverlap() throws {
    let overlap = try movie([0, 199, 399])
    #expect(try times(overlap) == [0, 100, 199, 299, 399, 499])
    #expect(overlap.notices == ["track 1 has 1 overlap between fragments; the sample before each overlap is shortened"])
    #expect(overlap.warnings.isEmpty)
    #expect(try times(movie([0, 100])) == [0, 100, 100, 200])
  }

  @Test func followsDecreasingTimes() throws {
    let back = try movie([0, 99])
    #expect(try times(back) == [0, 100, 200, 300])
    #expect(back.warnings.count == 1 && back.warnings[0].contains("decrease 1 time"))
    // A recording that starts again: the following samples keep their distances, including gaps.
    let again = try movie([0, 200, 0, 200, 410])
    #expect(try times(again) == [0, 100, 200, 300, 400, 500, 600, 700, 810, 910])
    // Times that fit again are kept.
    #expect(try times(movie([0, 50, 1000])) == [0, 100, 200, 300, 1000, 1100])
  }

  @Test func treatsEmptyDurationsAsGaps() throws {
    let samples = [TestSample(5, duration: 100)]
    let empty = TestFragment([.init(id: 1, runs: []).with { ($0.isDurationEmpty, $0.duration) = (true, 30) }])
    let whole = TestFragment([.init(id: 1, runs: [.init(samples)])])
    let movie = try Flattened([whole, empty, TestFragment([]), whole, empty])
    #expect(try times(movie) == [0, 130])
    #expect(movie.new.track(1)?.mediaDuration == 230)
  }

  @Test func writesAnEmptyEditBeforeTheFirstSample() throws {
    let late = try movie([600, nil])
    #expect(try times(late) == [0, 100, 200, 300])
    #expect(
      late.movie.tracks[0].editList?.entries == [
        .init(segmentDuration: 600, mediaTime: -1), .init(segmentDuration: 400, mediaTime: 0),
      ])
    #expect(late.movie.tracks[0].header.duration == 1000)
    #expect(late.movie.tracks[0].mediaHeader.duration == 400)
    #expect(late.notices == ["track 1 begins at 1.000 s, after an empty edit"])
    let first = late.new.atoms.map(\.path).filter {
      $0.hasPrefix("moov/trak#1/") && $0.split(separator: "/").count == 3
    }
    #expect(first.prefix(3) == ["moov/trak#1/tkhd", "moov/trak#1/edts", "moov/trak#1/mdia"])
    #expect(try movie([0]).movie.tracks[0].editList == nil)
    let coarse = try movie([601], header: Flattened.header.with { $0.timeScale = 100 })
    #expect(coarse.movie.tracks[0].editList?.entries[0].segmentDuration == 100)
    #expect(coarse.notices[0].hasSuffix("rounded to a tick of the movie"))
  }

  @Test func movesEditsWithTheMedia() throws {
    func edits(_ old: [TestEdit], first: UInt64 = 300) throws -> [EditList.Entry]? {
      let header = Flattened.header.with { $0.tracks[0].edits = old }
      return try movie([first, nil], header: header).movie.tracks[0].editList?.entries
    }
    func entry(_ duration: UInt64, _ time: Int64) -> EditList.Entry {
      .init(segmentDuration: duration, mediaTime: time)
    }
    // Up to the end of the track, from before, at and after its first sample.
    #expect(try edits([.init(duration: 0, mediaTime: 200)]) == [entry(100, -1), entry(400, 0)])
    #expect(try edits([.init(duration: 0, mediaTime: 300)]) == [entry(400, 0)])
    #expect(try edits([.init(duration: 0, mediaTime: 350)]) == [entry(350, 50)])
    #expect(try edits([.init(duration: 0, mediaTime: 20)], first: 0) == [entry(380, 20)])
    // Nothing is shown, which must not become everything.
    #expect(try edits([.init(duration: 0, mediaTime: -1)]) == [entry(0, -1)])
    // With a duration of its own.
    #expect(try edits([.init(duration: 150, mediaTime: 250)]) == [entry(50, -1), entry(100, 0)])
    #expect(
      try edits([
        .init(duration: 40, mediaTime: -1), .init(duration: 60, mediaTime: 0), .init(duration: 0, mediaTime: 310),
      ])
        == [entry(100, -1), entry(390, 10)])
    #expect(try edits([.init(duration: 77, mediaTime: 5)], first: 0) == [entry(77, 5)])
    // With an unknown duration: the last one extends to the end, others are unchanged and take no time.
    let unknown = UInt64(UInt32.max)
    #expect(try edits([.init(duration: Int(unknown), mediaTime: 200)]) == [entry(100, -1), entry(400, 0)])
    #expect(
      try edits([.init(duration: Int(unknown), mediaTime: 200), .init(duration: 0, mediaTime: 350)]) == [
        entry(350, 50)
      ])
    #expect(
      try edits([.init(duration: Int(unknown), mediaTime: -1), .init(duration: 0, mediaTime: 200)]) == [
        entry(100, -1), entry(400, 0),
      ])
  }

  @Test func extendsEditsToTheEndOfThePresentation() throws {
    let samples = [
      TestSample(5, duration: 100, compositionOffset: 40), TestSample(5, duration: 100, compositionOffset: 40),
    ]
    let header = Flattened.header.with { $0.tracks[0].edits = [.init(duration: 0, mediaTime: 40)] }
    let movie = try Flattened([TestFragment([.init(id: 1, runs: [.init(samples)])])], of: header)
    #expect(movie.movie.tracks[0].editList?.entries == [.init(segmentDuration: 200, mediaTime: 40)])
  }

  @Test func showsSamplesAfterDecreasingTimes() throws {
    let again = try movie([300, 500, 300])
    #expect(try times(again) == [0, 100, 200, 300, 400, 500])
    let track = again.movie.tracks[0]
    #expect(track.mediaHeader.duration == 600 && track.header.duration == 900)
    #expect(track.editList?.entries.map(\.segmentDuration) == [300, 600])
    // Times that fit again end the delay.
    let fits = try movie([0, 200, 0, 900, nil])
    #expect(fits.movie.tracks[0].mediaHeader.duration == 1300 && fits.movie.tracks[0].header.duration == 1300)
  }

  @Test func showsNothingForAnEditBeforeTheFirstSample() throws {
    func edits(_ old: [TestEdit]) throws -> [EditList.Entry]? {
      let header = Flattened.header.with { $0.tracks[0].edits = old }
      return try movie([300, nil], header: header).movie.tracks[0].editList?.entries
    }
    #expect(try edits([.init(duration: 100, mediaTime: 0)]) == [.init(segmentDuration: 100, mediaTime: -1)])
    #expect(
      try edits([.init(duration: 50, mediaTime: 400), .init(duration: 300, mediaTime: 0)]) == [
        .init(segmentDuration: 50, mediaTime: 100), .init(segmentDuration: 300, mediaTime: -1),
      ])
    // A time below -1 has no defined meaning.
    #expect(
      try edits([.init(duration: 50, mediaTime: -243), .init(duration: 90, mediaTime: 300)]) == [
        .init(segmentDuration: 50, mediaTime: -243), .init(segmentDuration: 90, mediaTime: 0),
      ])
  }

  @Test func reportsPresentationLostBeforeTheFirstDecodeTime() throws {
    func warnings(_ offset: Int, at time: UInt64) throws -> [String] {
      let samples = [TestSample(5, duration: 100), TestSample(5, duration: 100, compositionOffset: offset)]
      let fragment = TestFragment([.init(id: 1, decodeTime: time, runs: [.init(samples)])])
      return try Flattened([fragment], keepingStart: true).warnings
    }
    #expect(try warnings(-101, at: 300).first?.contains("up to 1 ticks before the first sample is decoded") == true)
    #expect(try warnings(-100, at: 300).isEmpty)
    #expect(try warnings(-101, at: 0).isEmpty)
  }
}
