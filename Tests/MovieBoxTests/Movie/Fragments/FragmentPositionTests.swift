import MovieBox
import TestSupport
import Testing

/// The positions of samples in fragments.
@Suite struct FragmentPositionTests {
  private let pictures: [TestSample] = .pictures(6, around: 20, duration: 50)
  private let sound: [TestSample] = .varied(5, around: 10, duration: 1000)

  private func fragment(_ number: Int, _ change: (inout TestFragment.Track) -> Void) -> TestFragment {
    var fragment = TestFragment([
      .init(id: 1, runs: [.init(Array(pictures[..<2])), .init(Array(pictures[2...]))]).with {
        $0.firstNumber = 6 * number + 1
      },
      .init(id: 2, runs: [.init(sound)]).with { $0.firstNumber = 5 * number + 1 },
    ])
    fragment.sequenceNumber = number + 1
    for index in fragment.tracks.indices { change(&fragment.tracks[index]) }
    return fragment
  }

  private func check(_ fragments: [TestFragment], at location: SourceLocation = #_sourceLocation) throws {
    let read = try ReadFragments(initialMovie.bytes(fragments: fragments))
    #expect(read.fragments.defects.isEmpty, sourceLocation: location)
    #expect(read.fragments.misplacedSamples(in: read.movie).isEmpty, sourceLocation: location)
    let count = fragments.count
    let first = try read.samples(1, at: location)
    let second = try read.samples(2, at: location)
    let allPictures = (0..<count).flatMap { _ in pictures }
    let allSound = (0..<count).flatMap { _ in sound }
    #expect(read.contents(first) == contents(allPictures, track: 1), sourceLocation: location)
    #expect(read.contents(second) == contents(allSound, track: 2), sourceLocation: location)
    #expect(first.map(\.isSync) == allPictures.map(\.isSync), sourceLocation: location)
    #expect(first.map { Int($0.compositionOffset) } == allPictures.map(\.compositionOffset), sourceLocation: location)
    // Of six samples in two runs, two are in the first.
    let runs: [Int] = first.indices.map { $0 / 6 * 2 + ($0 % 6 < 2 ? 0 : 1) }
    #expect(first.map(\.chunkIndex) == runs, sourceLocation: location)
  }

  @Test(arguments: [TestFragment.Base.absolute, .movieFragment, .implied])
  func locatesSamplesForEveryBase(base: TestFragment.Base) throws {
    try check((0..<3).map { fragment($0) { $0.base = base } })
  }

  @Test func placesRunsWithoutAnOffsetAfterTheRunBefore() throws {
    try check([
      fragment(0) { track in
        for index in track.runs.indices.dropFirst() { track.runs[index].hasDataOffset = false }
      }
    ])
  }

  @Test func placesTheFirstRunWithoutAnOffsetAtTheBase() throws {
    try check([
      fragment(0) { track in
        track.base = .absolute
        for index in track.runs.indices { track.runs[index].hasDataOffset = false }
      }
    ])
    // Neither base nor offset: the data of a later track follows the data of the previous track.
    try check([
      fragment(0) { track in
        track.base = .implied
        if track.id == 2 { track.runs[0].hasDataOffset = false }
      }
    ])
  }

  @Test func followsGapsAndNegativeOffsets() throws {
    try check([
      fragment(0) { track in
        track.base = track.id == 1 ? .absolute : .implied
        for index in track.runs.indices { track.runs[index].gap = 7 }
      }
    ])
  }

  @Test func joinsTwoPartsOfATrackInOneFragment() throws {
    let whole = TestFragment([
      .init(id: 1, decodeTime: 0, runs: [.init(Array(pictures[..<2]))]),
      .init(id: 2, runs: [.init(sound)]),
      .init(id: 1, runs: [.init(Array(pictures[2...]))]).with {
        $0.base = .implied
        $0.firstNumber = 3
      },
    ])
    let read = try ReadFragments(initialMovie.bytes(fragments: [whole]))
    let samples = try read.samples(1)
    #expect(read.contents(samples) == contents(pictures, track: 1))
    #expect(samples.map(\.decodeTime) == [0, 50, 100, 150, 200, 250])
    #expect(read.fragments.fragments[0].trackFragments.map(\.runs) == [0..<1, 0..<1, 1..<2])
  }

  @Test func returnsNoPositionBeforeTheFile() throws {
    let bad = fragment(0) { $0.runs[0].claimedOffset = -1_000_000 }
    let read = try ReadFragments(initialMovie.bytes(fragments: [bad]))
    let samples = try read.samples(1)
    #expect(samples.prefix(2).allSatisfy { $0.byteRange == nil })
    #expect(samples.dropFirst(2).allSatisfy { $0.byteRange != nil })
    let errors = read.fragments.misplacedSamples(in: read.movie)
    #expect(errors.map(\.code) == [.truncated, .truncated])
    #expect(errors.first?.offset == read.fragments.fragments[0].range.offset)
  }

  @Test func returnsNoPositionBeforeAnExternalFile() throws {
    let header = initialMovie.with { $0.tracks[0].externalOffsets = [] }
    for (offset, codes) in [(1_000_000, []), (-1_000_000, [.malformed])] as [(Int, [MovieError.Code])] {
      let there = fragment(0) { if $0.id == 1 { $0.runs[0].claimedOffset = offset } }
      let read = try ReadFragments(header.bytes(fragments: [there]))
      let errors = read.fragments.misplacedSamples(in: read.movie)
      #expect(errors.filter { $0.reason.contains("track 1") }.map(\.code) == codes)
    }
  }

  @Test func handlesTheLargestBase() throws {
    let whole = fragment(0) { $0.base = .absolute }
    var bytes = initialMovie.bytes(fragments: [whole])
    let header = try #require(find(code("tfhd"), in: bytes))
    bytes.replaceSubrange(header + 12..<header + 20, with: u64(.max - 3))
    let read = try ReadFragments(bytes)
    #expect(try read.samples(1).allSatisfy { $0.byteRange == nil })
    #expect(read.fragments.misplacedSamples(in: read.movie).first?.code == .truncated)
  }

  @Test func reportsSamplesPastTheEnd() throws {
    let whole = try ReadFragments(initialMovie.bytes(fragments: [fragment(0) { _ in }]))
    #expect(whole.fragments.misplacedSamples(in: whole.movie).isEmpty)
    let wrong = try ReadFragments(
      initialMovie.bytes(fragments: [fragment(0) { if $0.id == 2 { $0.runs[0].claimedOffset = 9_000 } }]))
    let errors = wrong.fragments.misplacedSamples(in: wrong.movie)
    #expect(errors.map(\.code) == [.truncated])
    #expect(errors.first?.reason.contains("track 2") == true)
  }

  @Test func reportsSamplesInHeadersAndOverlaps() throws {
    let inHeader = try ReadFragments(
      initialMovie.bytes(fragments: [fragment(0) { if $0.id == 2 { $0.runs[0].claimedOffset = 8 } }]))
    #expect(inHeader.fragments.misplacedSamples(in: inHeader.movie).map(\.code) == [.malformed])
    let shared = try ReadFragments(
      initialMovie.bytes(fragments: [
        fragment(0) { track in
          track.base = .absolute
          if track.id == 2 { track.runs[0].claimedOffset = -1 }
        }
      ]))
    let errors = shared.fragments.misplacedSamples(in: shared.movie)
    #expect(errors.map(\.code) == [.malformed])
    #expect(errors.first?.reason.contains("overlaps samples of track 1") == true)
  }

  private func find(_ needle: [UInt8], in bytes: [UInt8]) -> Int? {
    bytes.indices.first { bytes[$0...].starts(with: needle) }
  }
}
