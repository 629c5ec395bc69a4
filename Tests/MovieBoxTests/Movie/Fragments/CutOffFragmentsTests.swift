import MovieBox
import TestSupport
import Testing

/// A cut-off recording keeps every complete sample, and reports the missing ones.
@Suite struct CutOffFragmentsTests {
  private let pictures: [TestSample] = .pictures(6, around: 20, duration: 50)
  private let sound: [TestSample] = .varied(5, around: 10, duration: 60)

  /// Returns two fragments. In the second, the audio data is between two runs of pictures.
  private func recording(_ base: TestFragment.Base = .movieFragment) -> [UInt8] {
    func fragment(_ number: Int) -> TestFragment {
      TestFragment([
        .init(id: 1, decodeTime: UInt64(300 * number), runs: [.init(Array(pictures[..<2]))]).with { $0.base = base },
        .init(id: 2, decodeTime: UInt64(300 * number), runs: [.init(sound)]).with { $0.base = base },
        .init(id: 1, decodeTime: UInt64(300 * number + 100), runs: [.init(Array(pictures[2...]))]).with {
          ($0.base, $0.firstNumber) = (base, 3)
        },
      ])
    }
    return initialMovie.bytes(fragments: [fragment(0), fragment(1)])
  }

  private func lastFragment(of bytes: [UInt8]) throws -> Int {
    Int(try #require(try ReadFragments(bytes).fragments.fragments.last).range.offset)
  }

  @Test(arguments: [TestFragment.Base.movieFragment, .absolute, .implied])
  func keepsCompleteSamplesAtEveryCut(base: TestFragment.Base) throws {
    let bytes = recording(base)
    let whole = try ReadFragments(bytes)
    let mediaStart = try whole.samples(1)[6].byteRange?.offset ?? 0
    for cut in try lastFragment(of: bytes)..<bytes.count {
      let read = try ReadFragments(Array(bytes[..<cut]))
      for id: UInt32 in [1, 2] {
        let samples = try read.samples(id)
        // Of each part of a fragment, the samples before the first incomplete one.
        let there = try whole.samples(id).filter { ($0.byteRange?.end ?? 0) <= UInt64(cut) }
        let expected = UInt64(cut) <= mediaStart ? try whole.samples(id).filter { $0.decodeTime < 300 } : there
        #expect(samples.map(\.decodeTime) == expected.map(\.decodeTime), "cut at \(cut)")
        #expect(read.contents(samples) == whole.contents(expected), "cut at \(cut)")
      }
      #expect(read.fragments.misplacedSamples(in: read.movie).isEmpty, "cut at \(cut)")
    }
  }

  @Test func timesLossesFromTheStartOfTheRecording() throws {
    func missing(from clock: UInt64) throws -> [MissingSamples] {
      let fragments = [0, 1].map { number in
        TestFragment([
          .init(id: 1, decodeTime: (clock + number) * 600, runs: [.init(pictures)]).with { $0.usesLongTime = true },
          .init(id: 2, decodeTime: (clock + number) * 8_000, runs: [.init(sound)]).with { $0.usesLongTime = true },
        ])
      }
      return try ReadFragments(Array(initialMovie.bytes(fragments: fragments).dropLast(30))).fragments.missingSamples
    }
    let expected = try missing(from: 0)
    #expect(!expected.isEmpty && expected.allSatisfy { $0.startMilliseconds < 3_000 })
    #expect(try missing(from: 1_785_000_000) == expected)
  }

  @Test func listsMissingSamplesByTrack() throws {
    let bytes = recording()
    let whole = try ReadFragments(bytes)
    // Cut in the second run of pictures: the audio is complete.
    let end = try #require(whole.samples(1).last?.byteRange?.offset)
    let missing = try ReadFragments(Array(bytes[..<Int(end)])).fragments.missingSamples
    #expect(missing.map(\.trackID) == [1] && missing.map(\.sampleCount) == [1])
    // Cut in the audio: all but the first two pictures of the fragment are missing too.
    let place = try #require(whole.samples(2)[7].byteRange?.offset)
    let both = try ReadFragments(Array(bytes[..<Int(place)])).fragments.missingSamples
    #expect(both.map(\.trackID) == [1, 2] && both.map(\.sampleCount) == [4, 3])
    let scale = try Int64(#require(whole.movie.track(2)).mediaTimeScale)
    #expect(both[1].startMilliseconds == (300 + 2 * 60) * 1000 / scale)
    #expect(both[1].description.contains("track 2 is incomplete from"))
    #expect(whole.fragments.missingSamples.isEmpty)
  }

  @Test func endsAllTracksAtAFragmentWithACutOffHeader() throws {
    let bytes = recording()
    let start = try lastFragment(of: bytes)
    let read = try ReadFragments(Array(bytes[..<(start + 30)]))
    #expect(read.fragments.missingSamples.map(\.trackID) == [1, 2])
    #expect(read.fragments.missingSamples.allSatisfy { $0.sampleCount == nil })
    let scale = try Int64(#require(read.movie.track(2)).mediaTimeScale)
    #expect(read.fragments.missingSamples[1].startMilliseconds == 300 * 1000 / scale)
  }

  @Test func readsNothingToRecognizeACompleteFile() throws {
    let source = MemorySource(Bytes(recording()))
    let movie = try Movie(of: source)
    #expect(movie.layout.cutOffset == nil)
    #expect(try movie.missingSamples(readingFragmentsOf: source).isEmpty)
  }

  /// A wrong position does not indicate a cut-off file, which may have the samples elsewhere.
  @Test func reportsSamplesPastTheEndOfACompleteFileAsMisplaced() throws {
    let wrong = TestFragment([.init(id: 1, runs: [.init(pictures).with { $0.claimedOffset = 9000 }])])
    let read = try ReadFragments(initialMovie.bytes(fragments: [wrong]))
    #expect(read.fragments.missingSamples.isEmpty)
    #expect(read.fragments.misplacedSamples(in: read.movie).map(\.code) == [.truncated])
  }

  /// A position before the cut is wrong too if it points past the end.
  @Test func reportsAWrongPositionInACutOffFileAsMisplaced() throws {
    let wrong = TestFragment([
      .init(id: 1, runs: [.init(pictures).with { $0.claimedOffset = 30 }]).with { $0.size = 1 << 20 }.with {
        $0.runs[0].fields = [.duration, .flags, .compositionOffset]
      }
    ])
    let bytes = initialMovie.bytes(fragments: [wrong])
    let read = try ReadFragments(Array(bytes.dropLast(3)))
    #expect(read.fragments.missingSamples.isEmpty)
    #expect(!read.fragments.misplacedSamples(in: read.movie).isEmpty)
  }

  @Test func truncatesEncryptionInformationWithTheSamples() throws {
    let information = movie {
      fullAtom("saiz") {
        u8(0)
        u32(6)
        u8(8, 9, 10, 11, 12, 13)
      }
      fullAtom("saio", version: 1) {
        u32(1)
        u64(0)
      }
    }
    let bytes = initialMovie.bytes(fragments: [
      TestFragment([.init(id: 1, runs: [.init(pictures)]).with { $0.atoms = information }])
    ])
    let whole = try ReadFragments(bytes)
    let cut = try #require(whole.samples(1)[3].byteRange?.end)
    let read = try ReadFragments(Array(bytes[..<Int(cut)]))
    let part = read.fragments.fragments[0].trackFragments[0]
    let found = try part.auxiliaryInformation(in: read.fragments.fragments[0].tree())
    #expect(found.map { Array($0.sizes) } == [[8, 9, 10, 11]])
    #expect(found.first?.ranges.map(\.count) == [38])
  }

  /// Without `saiz`, the boundaries of samples in `senc` are unknown.
  @Test func dropsAPartWithIndivisibleEncryptionInformation() throws {
    let senc = movie {
      fullAtom("senc") {
        u32(6)
        zeros(48)
      }
    }
    let bytes = initialMovie.bytes(fragments: [
      TestFragment([.init(id: 1, runs: [.init(pictures)]).with { $0.atoms = senc }])
    ])
    let read = try ReadFragments(Array(bytes.dropLast(1)))
    #expect(try read.samples(1).isEmpty)
    #expect(read.fragments.missingSamples.map(\.sampleCount) == [6])
  }

  @Test(arguments: [0, 1, 5, 7])
  func rejectsTwoConcatenatedMoviesWithTheirBoundary(extra: Int) throws {
    let first = recording()
    let joined = first + recording()
    let error = #expect(throws: MovieError.self) { try ReadFragments(joined + [UInt8](repeating: 1, count: extra)) }
    #expect(error?.code == .unsupported && error?.offset == UInt64(first.count))
    let second = try ReadFragments(Array(joined[first.count...]))
    #expect(try second.samples(1).count == 12)
  }
}
