import MovieBox
import TestSupport
import Testing

/// Times, defaults and numbers of samples in fragments.
@Suite struct FragmentTimeTests {
  private let pictures: [TestSample] = .pictures(4, around: 20, duration: 50)

  private func read(
    _ parts: [TestFragment.Track], movie: TestMovie = initialMovie, extends: [UInt32: [Int]] = [:]
  ) throws -> ReadFragments {
    try ReadFragments(movie.bytes(fragments: parts.map { TestFragment([$0]) }, extends: extends))
  }

  @Test func continuesTimeFromTheFragmentBefore() throws {
    let read = try read([.init(id: 1, runs: [.init(pictures)]), .init(id: 1, runs: [.init(pictures)])])
    #expect(try read.samples(1).map(\.decodeTime) == [0, 50, 100, 150, 200, 250, 300, 350])
    #expect(read.fragments.track(1)?.endTime == 400)
  }

  @Test(arguments: [true, false])
  func keepsGapsBetweenFragments(usesLongTime: Bool) throws {
    let read = try read([
      .init(id: 1, decodeTime: 1000, runs: [.init(pictures)]).with { $0.usesLongTime = usesLongTime },
      .init(id: 1, decodeTime: 5000, runs: [.init(pictures)]).with { $0.usesLongTime = usesLongTime },
    ])
    let samples = try read.samples(1)
    #expect(samples.map(\.decodeTime) == [1000, 1050, 1100, 1150, 5000, 5050, 5100, 5150])
    #expect(samples.map(\.duration) == [50, 50, 50, 50, 50, 50, 50, 50])
    #expect(samples.map(\.presentationTime) == [1050, 1200, 1100, 1250, 5050, 5200, 5100, 5250])
    #expect(read.fragments.defects.isEmpty)
  }

  @Test func reportsDecreasingTimeOnce() throws {
    let read = try read((0..<3).map { _ in .init(id: 1, decodeTime: 100, runs: [.init(pictures)]) })
    #expect(try read.samples(1).map(\.decodeTime) == [100, 150, 200, 250, 100, 150, 200, 250, 100, 150, 200, 250])
    #expect(read.fragments.defects.map(\.path) == ["moof/traf"])
  }

  @Test func advancesTimeByAnEmptyDuration() throws {
    let read = try read(
      [
        .init(id: 1, runs: [.init(pictures)]),
        .init(id: 1, runs: []).with {
          $0.isDurationEmpty = true
          $0.duration = 600
        },
        .init(id: 1, runs: [.init(pictures)]),
        .init(id: 1, decodeTime: 2000, runs: []).with { $0.isDurationEmpty = true },
      ], extends: [1: [1, 7, 0, 0]])
    #expect(try read.samples(1).map(\.decodeTime) == [0, 50, 100, 150, 800, 850, 900, 950])
    #expect(read.fragments.track(1)?.endTime == 2007)
    #expect(read.fragments.fragments[1].trackFragments[0].header.isDurationEmpty)
  }

  @Test func prefersDefaultsOfTheTrackFragment() throws {
    let plain: [TestSample] = .varied(3, around: 9, duration: 1).map {
      var sample = $0
      sample.byteCount = 9
      return sample
    }
    let run = TestFragment.Run(plain, fields: [])
    let movie = initialMovie
    let extends: [UInt32: [Int]] = [1: [3, 40, 9, 0x0101_0000]]
    let read = try read(
      [
        .init(id: 1, runs: [run]),
        .init(id: 1, runs: [run]).with { ($0.description, $0.duration, $0.size, $0.flags) = (2, 30, 9, 0) },
        .init(id: 1, runs: [run.with { $0.firstSampleFlags = 0x0200_0000 }]),
        .init(id: 1, runs: [run.with { $0.fields = [.duration, .flags] }]),
      ], movie: movie, extends: extends)
    let samples = try read.samples(1)
    #expect(samples.map(\.sampleDescriptionIndex) == [3, 3, 3, 2, 2, 2, 3, 3, 3, 3, 3, 3])
    #expect(samples.map(\.duration) == [40, 40, 40, 30, 30, 30, 40, 40, 40, 1, 1, 1])
    #expect(
      samples.map(\.isSync) == [
        false, false, false, true, true, true, true, false, false, true, true, true,
      ])
    #expect(samples.allSatisfy { $0.byteRange?.count == 9 })
    let number = [1, 2, 3]
    let expected = number.map { TestSample.pattern(track: 1, number: $0, byteCount: 9) }
    #expect(read.contents(samples) == expected + expected + expected + expected)
  }

  @Test func readsCompositionOffsetsOfVersion0AsSigned() throws {
    var samples = pictures
    samples[1].compositionOffset = -25
    let run = TestFragment.Run(samples).with { $0.version = 0 }
    let read = try read([.init(id: 1, runs: [run])])
    #expect(try read.samples(1).map(\.compositionOffset) == [50, -25, 0, 100])
    #expect(try read.samples(1).map(\.presentationTime) == [50, 25, 100, 250])
  }

  @Test func listsSamplesOfTheMovieAtomFirst() throws {
    // 24 pictures of 50 ticks in 6 chunks, then two fragments.
    let movie = TestMovie.simple.with { ($0.layout, $0.dialect) = (.movieFirst, .iso) }
    let read = try read(
      [
        .init(id: 1, runs: [.init(pictures)]).with { $0.firstNumber = 25 },
        .init(id: 1, decodeTime: 2000, runs: [.init(pictures)]).with { $0.firstNumber = 29 },
      ], movie: movie)
    let samples = try read.samples(1)
    let track = try #require(read.movie.track(1))
    #expect(Array(samples[..<24]) == Array(track.samples.samples))
    #expect(samples[24...].map(\.decodeTime) == [1200, 1250, 1300, 1350, 2000, 2050, 2100, 2150])
    #expect(samples[24...].map(\.chunkIndex) == [6, 6, 6, 6, 7, 7, 7, 7])
    #expect(read.contents(samples) == contents(movie.tracks[0].samples + pictures + pictures, track: 1))
    // The audio has no fragments, only samples in `moov`.
    #expect(try read.samples(2).count == 16)
    #expect(read.fragments.misplacedSamples(in: read.movie).isEmpty)
  }

  @Test func acceptsRunsWithoutSamples() throws {
    let read = try read([
      .init(id: 1, runs: [.init([]), .init(pictures), .init([]), .init([])]), .init(id: 1, runs: []),
      .init(id: 1, runs: [.init(pictures), .init([])]),
    ])
    #expect(try read.samples(1).map(\.chunkIndex) == [1, 1, 1, 1, 4, 4, 4, 4])
  }

  @Test func returnsSamplesOfAMovieWithoutFragments() throws {
    let read = try ReadFragments(TestMovie.simple.bytes())
    #expect(read.fragments.fragments.isEmpty && read.fragments.extends.isEmpty)
    #expect(try read.samples(1).count == 24)
    #expect(read.fragments.track(1)?.endTime == 1200)
    #expect(read.fragments.track(9) == nil)
  }

  @Test func handlesTheLargestPresentationTimes() throws {
    let last = UInt64(Int64.max)
    let read = try read([.init(id: 1, decodeTime: last - 60, runs: [.init(pictures)])])
    #expect(try read.samples(1).map(\.decodeTime) == [last - 60, last - 10, last + 40, last + 90])
    #expect(try read.samples(1).map(\.presentationTime) == [.max - 10, .max, .max, .max])
  }

  @Test(arguments: [61, 1024, 1 << 40] as [Int64])
  func reads64BitTimesAsSigned(ticks: Int64) throws {
    let read = try read([
      .init(id: 1, decodeTime: UInt64(bitPattern: -ticks), runs: [.init(pictures)]),
      .init(id: 1, decodeTime: UInt64(bitPattern: 200 - ticks), runs: [.init(pictures)]),
    ])
    // Times are relative to the first sample, which is decoded before the media begins.
    #expect(read.fragments.track(1)?.ticksBeforeStart == ticks.magnitude)
    #expect(try read.samples(1).map(\.decodeTime) == [0, 50, 100, 150, 200, 250, 300, 350])
    #expect(read.fragments.defects.isEmpty)
    let track = try #require(read.movie.track(1))
    // Movie and media ticks have equal lengths. Media decoded before the start is hidden.
    let edits = try #require(
      read.fragments.track(1)?.flattenedEditList(of: track, movieTimeScale: track.mediaTimeScale))
    #expect(edits.entries.map(\.mediaTime) == [ticks])
  }

  @Test func reads32BitTimesAsUnsigned() throws {
    let read = try read([
      .init(id: 1, decodeTime: 0xFFFF_FF00, runs: [.init(pictures)]).with { $0.usesLongTime = false }
    ])
    #expect(read.fragments.track(1)?.ticksBeforeStart == 0)
    #expect(try read.samples(1).first?.decodeTime == 0xFFFF_FF00)
  }

  @Test func returnsToTheStartForALaterNegativeTime() throws {
    let read = try read([
      .init(id: 1, decodeTime: 0, runs: [.init(pictures)]),
      .init(id: 1, decodeTime: UInt64(bitPattern: -100), runs: [.init(pictures)]),
    ])
    #expect(read.fragments.track(1)?.ticksBeforeStart == 0)
    #expect(try read.samples(1).map(\.decodeTime) == [0, 50, 100, 150, 0, 50, 100, 150])
    #expect(read.fragments.defects.map(\.path) == ["moof/traf"])
  }
}
