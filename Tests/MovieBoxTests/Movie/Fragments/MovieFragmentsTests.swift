import MovieBox
import TestSupport
import Testing

@Suite struct MovieFragmentsTests {
  private let pictures: [TestSample] = .pictures(4, around: 20, duration: 50)

  private func fragments(_ count: Int) -> [TestFragment] {
    (0..<count).map { number in
      var fragment = TestFragment([.init(id: 1, runs: [.init(pictures)])])
      fragment.sequenceNumber = number + 1
      return fragment
    }
  }

  @Test func readsHeadersAndNumbers() throws {
    let movie = initialMovie.with {
      $0.movieAtoms = atom("mvex") { fullAtom("mehd") { u32(77) } }
    }
    let read = try ReadFragments(movie.bytes(fragments: fragments(3), extends: [2: [1, 2, 3, 0x1_0000]]))
    #expect(read.fragments.header?.fragmentDuration == 77)
    #expect(read.fragments.extends.map(\.trackID) == [1, 2])
    #expect(read.fragments.extends.last?.sampleFlags.isNonSync == true)
    #expect(read.fragments.fragments.map(\.index) == [0, 1, 2])
    #expect(read.fragments.fragments.map(\.sequenceNumber) == [1, 2, 3])
    let places = read.movie.layout.atoms.filter { $0.type == "moof" }.map(\.range)
    #expect(read.fragments.fragments.map(\.range) == places)
    #expect(try read.fragments.fragments[1].tree().offset == places[1].offset)
  }

  @Test func reportsSamplesOfUnknownTracksOnce() throws {
    let strange = TestFragment([
      .init(id: 9, runs: [.init(pictures)]),
      .init(id: 1, runs: [.init(pictures)]).with {
        $0.base = .implied
        $0.runs[0].hasDataOffset = false
      },
    ])
    let read = try ReadFragments(initialMovie.bytes(fragments: [strange, strange]))
    #expect(read.fragments.defects.map(\.path) == ["moof/traf[1]/tfhd"])
    #expect(read.fragments.defects.first?.reason == "has samples for track 9, which does not exist in the movie")
    // The data of the unknown track still precedes the data of the next track.
    #expect(
      read.contents(try read.samples(1))
        == contents(pictures + pictures, track: 1).enumerated().map {
          $0 < 4 ? $1 : contents(pictures, track: 1)[$0 - 4]
        })
  }

  @Test func reportsATrackWithoutDefaults() throws {
    let bare = initialMovie
    var bytes = bare.bytes()
    bytes += fragments(1)[0].bytes(at: UInt64(bytes.count))
    let read = try ReadFragments(bytes)
    #expect(read.fragments.defects.map(\.reason) == ["has samples for track 1, which has no defaults (trex)"])
    #expect(try read.samples(1).map(\.sampleDescriptionIndex) == [1, 1, 1, 1])
  }

  @Test func dropsACutOffFragment() throws {
    let bytes = initialMovie.bytes(fragments: fragments(2))
    let whole = try ReadFragments(bytes)
    let last = whole.fragments.fragments[1].range
    let read = try ReadFragments(Array(bytes[..<Int(last.end - 1)]))
    #expect(read.fragments.fragments.count == 1)
    #expect(read.fragments.defects.map(\.offset) == [last.offset])
    #expect(read.fragments.defects.map(\.code) == [.truncated])
  }

  @Test func rejectsDamagedFragments() throws {
    func error(_ moof: [UInt8]) throws -> MovieError? {
      let start = initialMovie.bytes(fragments: [])
      return movieError { _ = try ReadFragments(start + moof) }
    }
    let start = UInt64(initialMovie.bytes(fragments: []).count)
    let headless = try #require(try error(atom("moof") { atom("traf") }))
    #expect(headless.path == "moof/traf")
    #expect(headless.offset == start + 8)
    let lying = try #require(
      try error(
        atom("moof") {
          atom("traf") {
            fullAtom("tfhd") { u32(1) }
            fullAtom("trun", flags: 0x200) { u32(2, 5) }
          }
        }))
    #expect(lying.path == "moof/traf/trun")
    #expect(lying.offset == start + 8 + 8 + 16 + 12)
    #expect(lying.code == .malformed)
    #expect(try error(atom("moof") { atom("traf", claiming: 99) })?.code == .malformed)
    // An empty header is harmless.
    #expect(try error(atom("moof")) == nil)
  }

  @Test func limitsSamplesWithoutMediaBytes() throws {
    func read(_ count: Int, size: Int, limit: Int) throws -> ReadFragments {
      var limits = MovieLimits()
      limits.implicitSampleCount = limit
      let run = TestFragment.Run([], fields: []).with { $0.claimedCount = count }
      let part = TestFragment.Track(id: 1, runs: [run]).with { $0.size = size }
      return try ReadFragments(initialMovie.bytes(fragments: [TestFragment([part])]), limits: limits)
    }
    #expect(try read(1000, size: 0, limit: 1000).fragments.track(1)?.sampleCount == 1000)
    #expect(movieError { _ = try read(1001, size: 0, limit: 1000) }?.code == .limit)
    #expect(movieError { _ = try read(Int(UInt32.max), size: 1, limit: 1000) }?.code == .limit)
    // With media bytes, the number of samples may equal the size of the file.
    let size = try read(0, size: 1, limit: 0).bytes.count
    #expect(try read(size, size: 1, limit: 0).fragments.track(1)?.sampleCount == size)
    #expect(movieError { _ = try read(size + 1, size: 1, limit: 0) }?.path == "moof/traf/trun")
  }

  @Test func appliesTheLimitToAllFragmentsTogether() throws {
    let run = TestFragment.Run([], fields: []).with { $0.claimedCount = 600 }
    let part = TestFragment([.init(id: 1, runs: [run])])
    var limits = MovieLimits()
    limits.implicitSampleCount = 1200
    #expect(try ReadFragments(initialMovie.bytes(fragments: [part, part]), limits: limits).samples(1).count == 1200)
    limits.implicitSampleCount = 1199
    #expect(
      movieError { _ = try ReadFragments(initialMovie.bytes(fragments: [part, part]), limits: limits) }?.code == .limit)
  }

  @Test func limitsTheTotalSizeOfFragmentHeaders() throws {
    let bytes = initialMovie.bytes(fragments: fragments(3))
    let size = try ReadFragments(bytes).fragments.fragments.reduce(0) { $0 + $1.range.count }
    var limits = MovieLimits()
    limits.fragmentByteCount = size
    #expect(try ReadFragments(bytes, limits: limits).fragments.fragments.count == 3)
    limits.fragmentByteCount = size - 1
    #expect(movieError { _ = try ReadFragments(bytes, limits: limits) }?.code == .limit)
  }

  @Test func rejectsAnotherSource() throws {
    let bytes = initialMovie.bytes(fragments: fragments(1))
    let movie = try Movie(of: MemorySource(Bytes(bytes)))
    let other = MemorySource(Bytes(bytes + [0]))
    #expect(movieError { _ = try movie.readFragments(of: other) }?.code == .sourceChanged)
  }

  @Test func readsEachFragmentOnceAndNoMedia() throws {
    let large: [TestSample] = .varied(4, around: 40_000, duration: 50)
    let parts = (0..<5).map { _ in TestFragment([.init(id: 1, runs: [.init(large)])]) }
    let source = CountingSource(initialMovie.bytes(fragments: parts))
    let movie = try Movie(of: source)
    let reads = source.reads
    let fragments = try movie.readFragments(of: source).fragments
    #expect(source.reads == reads)
    // The first fragment is part of the initial read. Each other read begins with a fragment and ends soon after it.
    let fragmentReads = reads.dropFirst(reads.count - 4)
    #expect(fragmentReads.map(\.offset) == fragments.dropFirst().map(\.range.offset))
    for (read, fragment) in zip(fragmentReads, fragments.dropFirst()) {
      #expect(read.contains(fragment.range) && read.count <= fragment.range.count * 9 / 8 + 32)
    }
  }

  @Test func readsFragmentsOfVeryDifferentSizes() throws {
    let parts = [1, 2_000, 1, 3, 500, 2].map { count in
      TestFragment([.init(id: 1, runs: [.init(.varied(count, around: 90_000 / count + 70, duration: 50))])])
    }
    let bytes = initialMovie.bytes(fragments: parts)
    let fragments = try ReadFragments(bytes).fragments
    #expect(fragments.tracks.first?.sampleCount == 2_507)
    for fragment in fragments.fragments {
      let start = Int(fragment.range.offset)
      let tree = try fragment.tree()
      #expect(tree.bytes.array == Array(bytes[start..<start + Int(fragment.range.count)]))
    }
  }
}
