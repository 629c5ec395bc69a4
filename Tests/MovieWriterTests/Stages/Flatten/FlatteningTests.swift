import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Samples of fragments in the tables of a movie without fragments, in an independent reader.
struct FlatteningTests {
  private let pictures: [TestSample] = .pictures(6, around: 20, duration: 50)
  private let sound: [TestSample] = .varied(8, around: 9, duration: 30)

  /// Checks the samples of the tables.
  private func expect(
    _ movie: Flattened, _ id: UInt32, _ samples: [TestSample], contents: [[UInt8]],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let read = try movie.samples(id)
    var time: Int64 = 0
    #expect(try movie.contents(id) == contents, sourceLocation: location)
    #expect(read.count == samples.count, sourceLocation: location)
    for (found, sample) in zip(read, samples) {
      #expect(found.decodeTime == time && Int(found.duration) == sample.duration, sourceLocation: location)
      #expect(found.presentationTime - found.decodeTime == Int64(sample.compositionOffset), sourceLocation: location)
      #expect(found.isSync == sample.isSync && found.description == 1, sourceLocation: location)
      time += Int64(sample.duration)
    }
  }

  @Test(arguments: [TestFragment.Base.movieFragment, .absolute, .implied])
  func convertsRunsAndTracksToTables(base: TestFragment.Base) throws {
    let fragment = TestFragment([
      .init(id: 1, runs: [.init(pictures), .init(pictures).with { $0.gap = 3 }]).with { $0.base = base },
      .init(id: 2, runs: [.init(sound)]).with { $0.base = base },
      .init(id: 1, runs: [.init(pictures)]).with { $0.base = base },
    ])
    let movie = try Flattened([fragment, fragment]) { _ = try $0.addSubtitles("en") }
    let six = contents(pictures, track: 1)
    let numbered = contents(pictures + pictures, track: 1)
    let once = numbered + six
    try expect(
      movie, 1, [TestSample](repeating: pictures[0], count: 0) + Array(repeating: pictures, count: 6).joined(),
      contents: once + once)
    try expect(movie, 2, sound + sound, contents: contents(sound, track: 2) + contents(sound, track: 2))
    #expect(movie.types == ["ftyp", "moov", "mdat", "mdat"])
    #expect(movie.new.atom("moov/mvex") == nil)
    #expect(movie.new.tracks.count == 3)
    #expect(movie.edit.notices.first?.kind == .flattened)
    #expect(movie.edit.notices.first?.message.contains("2 fragments") == true)
  }

  @Test func mergesAdjacentRunsIntoAChunk() throws {
    let touching = TestFragment([.init(id: 1, runs: [.init(pictures), .init(pictures)])])
    let apart = TestFragment([.init(id: 1, runs: [.init(pictures), .init(pictures).with { $0.gap = 1 }, .init([])])])
    #expect(try Flattened([touching]).samples(1).map(\.chunk) == Array(repeating: 0, count: 12))
    #expect(try Set(Flattened([apart]).samples(1).map(\.chunk)) == [0, 1])
    // Chunks with equal numbers of samples share an entry.
    let many = try Flattened([touching, touching, touching])
    #expect(try many.content(1, "stsc") == movieContent { u32(0, 1, 1, 12, 1) })
    #expect(try Set(many.samples(1).map(\.chunk)) == [0, 1, 2])
  }

  @Test func listsSamplesOfTheMovieAtomFirst() throws {
    let whole = TestMovie.simple.with { $0.layout = .movieFirst }
    let old = whole.tracks[0].samples
    let fragment = TestFragment([.init(id: 1, runs: [.init(pictures)])])
    let movie = try Flattened([fragment], of: whole)
    let reader = try SecondReader(whole.bytes())
    let before = try reader.tracks[0].samples.map { try reader.bytes(of: $0) }
    try expect(movie, 1, old + pictures, contents: before + contents(pictures, track: 1))
    #expect(movie.new.track(2)?.samples.count == whole.tracks[1].samples.count)
    #expect(
      try movie.content(2, "stts") == reader.atom("moov/trak#2/mdia/minf/stbl/stts").map { try reader.content(of: $0) })
    #expect(movie.new.track(1)?.mediaDuration == UInt64((old + pictures).reduce(0) { $0 + $1.duration }))
  }

  /// FFmpeg 5.1 declares samples without text as dependent.
  @Test func clearsDependenciesOfText() throws {
    var empty = TestSample(content: u16(0), duration: 10)
    empty.isSync = false
    let header = Flattened.header.with { $0.tracks[1] = TestTrack(.subtitle, id: 2).with { $0.samples = [] } }
    let movie = try Flattened(
      [TestFragment([.init(id: 2, runs: [.init([empty, .timedText("Hi", duration: 20)])])])], of: header)
    #expect(try movie.content(2, "stss") == nil)
    #expect(try movie.content(2, "sdtp") == [0, 0, 0, 0, 0x20, 0x20])
    #expect(try movie.samples(2).map(\.isSync) == [true, true])
  }

  @Test func removesMvexWithoutFragments() throws {
    let movie = try Flattened([], of: TestMovie.simple)
    #expect(movie.new.tracks.map(\.samples.count) == TestMovie.simple.tracks.map(\.samples.count))
    #expect(movie.edit.flattens && !movie.edit.isEmpty)
  }

  @Test func appliesDefaultsOfRuns() throws {
    let plain = [TestSample](repeating: TestSample(7, duration: 40, isSync: false), count: 5)
    let run = TestFragment.Run(plain, fields: []).with { $0.firstSampleFlags = 0x0200_0000 }
    let one = try Flattened(
      [TestFragment([.init(id: 1, runs: [run])])], extends: [1: [1, 40, 7, 0x0101_0000]])
    let expected = plain.enumerated().map { index, sample in
      TestSample(7, duration: 40, isSync: index == 0)
    }
    try expect(one, 1, expected, contents: contents(plain, track: 1))
    let two = try Flattened([
      TestFragment([
        .init(id: 1, runs: [run]).with { ($0.duration, $0.size, $0.flags) = (40, 7, 0x0101_0000) }
      ])
    ])
    try expect(two, 1, expected, contents: contents(plain, track: 1))
    #expect(try one.content(1, "stsz") == movieContent { u32(0, 7, 5) })
  }

  @Test func listsSizesOfCompressedAudio() throws {
    func stsz(_ duration: Int) throws -> [UInt8]? {
      let samples = [TestSample](repeating: TestSample(4, duration: duration), count: 3)
      return try Flattened([TestFragment([.init(id: 2, runs: [.init(samples)])])]).content(2, "stsz")
    }
    #expect(try stsz(1) == movieContent { u32(0, 4, 3) })
    #expect(try stsz(2) == movieContent { u32(0, 0, 3, 4, 4, 4) })
  }

  @Test func writesNegativeOffsetsAsSigned() throws {
    let shifted = [TestSample(5, duration: 50, compositionOffset: -20), TestSample(5, duration: 50)]
    let movie = try Flattened([
      TestFragment([.init(id: 1, runs: [.init(shifted)]), .init(id: 2, runs: [.init(sound)])])
    ])
    try expect(movie, 1, shifted, contents: contents(shifted, track: 1))
    #expect(try movie.content(1, "ctts")?.first == 1)
    #expect(try movie.content(2, "ctts") == nil)
    #expect(try Flattened([TestFragment([.init(id: 1, runs: [.init(pictures)])])]).content(1, "ctts")?.first == 0)
  }

  @Test func handlesSyncSamplesPastTheEnd() throws {
    // Readers walk the table along with the samples. While they wait for sample 99, they find no later one.
    let whole = TestMovie.simple.with {
      $0.layout = .movieFirst
      $0.tracks[0].samples = [false, true, true].map { TestSample(4, duration: 10, isSync: $0) }
    }
    let old = whole.bytes(fragments: [TestFragment([.init(id: 1, runs: [.init(pictures)])])])
    let stss = try #require(SecondReader(old).atom("moov/trak#1/mdia/minf/stbl/stss"))
    for (numbers, syncs) in [([2, 3], [2, 3]), ([99, 3], []), ([2, 99], [2]), ([3, 2], [3])] {
      var odd = old
      let start = Int(stss.contentOffset) + 8
      odd.replaceSubrange(start..<start + 8, with: numbers.flatMap { u32($0) })
      let samples = try Flattened(odd).samples(1).prefix(3)
      #expect(samples.indices.filter { samples[$0].isSync }.map { $0 + 1 } == syncs)
    }
  }

  @Test func rejectsAnItemInARemovedFragment() throws {
    func bytes(_ position: Int) -> [UInt8] {
      let meta = itemMeta(.iso, position: UInt64(position), byteCount: 10, usesBase: false)
      return Flattened.header.with { $0.layout.insert(.bytes(meta), at: 1) }
        .bytes(fragments: [TestFragment([.init(id: 1, runs: [.init(pictures)])])])
    }
    let moof = try #require(SecondReader(bytes(0)).topLevel.first { $0.type == "moof" })
    for position in [Int(moof.offset), Int(moof.end) - 1] {
      let error = #expect(throws: MovieError.self) { try Flattened(bytes(position)) }
      #expect(error?.code == .unsupported && error?.path == "meta/iloc")
      #expect(error?.reason.contains("refers to bytes of the omitted moof at byte \(moof.offset)") == true)
    }
    // The samples begin 8 bytes after the `moof`. An item that refers to them moves with them.
    let media = Int(moof.end) + 8
    let moved = try Flattened(bytes(media))
    let place = try #require(try moved.samples(1).first).offset
    let meta = try #require(moved.new.topLevel.first { $0.type == "meta" })
    #expect(place != media)
    #expect(
      try moved.new.bytes(of: meta) == itemMeta(.iso, position: UInt64(place), byteCount: 10, usesBase: false))
  }

  /// ISO/IEC 14496-12 8.6.1.4: the shift of composition offsets, their minimum and maximum, and the presentation times of the
  /// first sample's start and the last sample's end.
  @Test(arguments: [
    ([0], 10, [0, 0, 0, 0, 10]), ([-20, 30, 0], 10, [20, -20, 30, -20, 50]), ([20, 50, 10], 10, [0, 10, 50, 20, 70]),
  ])
  func computesTheCompositionShift(offsets: [Int], duration: Int, expected: [Int]) throws {
    let whole = TestMovie.simple.initial.with {
      $0.dialect = .iso
      $0.tracks[0].sampleTableAtoms = fullAtom("cslg") { zeros(20) }
    }
    let samples = offsets.map { TestSample(4, duration: duration, compositionOffset: $0) }
    let movie = try Flattened([TestFragment([.init(id: 1, runs: [.init(samples)])])], of: whole)
    let hasOffsets = offsets != [0]
    #expect(try movie.content(1, "cslg") == (hasOffsets ? movieContent { u32(0) + expected.flatMap { u32($0) } } : nil))
  }

  @Test func listsSyncSamplesUnlessAllAreSync() throws {
    func stss(_ syncs: [Bool]) throws -> [UInt8]? {
      let samples = syncs.map { TestSample(4, duration: 10, isSync: $0) }
      return try Flattened([TestFragment([.init(id: 1, runs: [.init(samples)])])]).content(1, "stss")
    }
    #expect(try stss([true, true]) == nil)
    #expect(try stss([false, true, false, true]) == movieContent { u32(0, 2, 2, 4) })
    #expect(try stss([false, false]) == movieContent { u32(0, 0) })
  }

  @Test func keepsDependenciesOfSamples() throws {
    let movie = try Flattened([TestFragment([.init(id: 1, runs: [.init(Array(pictures[..<3]))])])])
    #expect(try movie.content(1, "sdtp") == [0, 0, 0, 0, 0x20, 0x10, 0x10])
    let own = TestFragment.Track(id: 1, runs: [.init(Array(pictures[..<3]))]).with {
      $0.atoms = fullAtom("sdtp") { u8(0x24, 0x18, 0x14) }
    }
    #expect(try Flattened([TestFragment([own])]).content(1, "sdtp") == [0, 0, 0, 0, 0x24, 0x18, 0x14])
  }

  @Test func computesDurationsFromSamples() throws {
    let header = Flattened.header.with { $0.duration = 0 }
    let long = [TestSample](repeating: TestSample(3, duration: 0x4000_0000), count: 5)
    let movie = try Flattened(
      [TestFragment([.init(id: 1, runs: [.init(long)]), .init(id: 2, runs: [.init(sound)])])], of: header)
    let ticks = UInt64(5 * 0x4000_0000)
    #expect(movie.movie.header.duration == ticks && movie.movie.header.version == 1)
    #expect(movie.movie.tracks[0].header.duration == ticks && movie.movie.tracks[0].header.version == 1)
    #expect(movie.movie.tracks[0].mediaHeader.duration == ticks && movie.movie.tracks[0].mediaHeader.version == 1)
    let scale = UInt64(movie.movie.tracks[1].mediaHeader.timeScale)
    #expect(movie.movie.tracks[1].mediaHeader.duration == 240)
    #expect(movie.movie.tracks[1].header.duration == (240 * 600 + scale - 1) / scale)
  }

  @Test func extendsNewSubtitlesToTheEndOfTheFragments() throws {
    let movie = try Flattened([TestFragment([.init(id: 1, runs: [.init(.pictures(40, around: 9, duration: 60))])])]) {
      _ = try $0.addSubtitles("en")
    }
    #expect(movie.movie.durationInMovieTicks == 2400)
    #expect(movie.new.tracks.last?.mediaDuration == 4000)
  }

  @Test func removesFragmentAtomsOnly() throws {
    let header = Flattened.header.with {
      $0.layout += [
        .bytes(atom("sidx") { zeros(24) }), .bytes(atom("ssix")), .bytes(atom("styp") { code("msdh") + u32(0) }),
      ]
      $0.layout += [
        .bytes(atom("prft")), .free(20), .bytes(atom("emsg") { zeros(30) }), .bytes(atom("uuid") { zeros(20) }),
      ]
    }
    let fragment = TestFragment([.init(id: 1, runs: [.init(pictures)])])
    let movie = try Flattened([fragment], of: header, after: atom("mfra") { atom("mfro") })
    #expect(movie.types == ["ftyp", "moov", "free", "emsg", "uuid", "mdat"])
    #expect(movie.warnings.count == 1 && movie.warnings[0].contains("emsg"))
  }

  @Test func movesProtectionHeadersToTheMovieAtomOnce() throws {
    var fragment = TestFragment([.init(id: 1, runs: [.init(pictures)])])
    fragment.atoms = fullAtom("pssh") { zeros(20) } + atom("meta") { zeros(4) }
    let movie = try Flattened([fragment, fragment])
    #expect(movie.new.atoms.count { $0.path == "moov/pssh" } == 1)
    #expect(movie.warnings == ["unknown atoms in the fragments are dropped: 2 meta"])
  }

  @Test func warnsOfUnknownAtomsAndTracks() throws {
    let fragment = TestFragment([
      .init(id: 1, runs: [.init(pictures)]).with { $0.atoms = atom("what") + atom("csgp") },
      .init(id: 9, runs: [.init(sound)]),
    ])
    let movie = try Flattened([fragment])
    #expect(movie.warnings.count == 2)
    #expect(movie.warnings[0] == "unknown atoms in the fragments are dropped: 1 csgp, 1 what")
    #expect(movie.warnings[1].hasPrefix("samples of track 9 are dropped"))
  }

  @Test func dropsACutOffFragmentWithAWarning() throws {
    let fragment = TestFragment([.init(id: 1, runs: [.init(pictures)])])
    let bytes = Flattened.header.bytes(fragments: [fragment])
    let movie = try Flattened(bytes + fragment.bytes(at: UInt64(bytes.count)).prefix(40))
    #expect(movie.new.track(1)?.samples.count == 6)
    #expect(movie.warnings.count == 1 && movie.warnings[0].contains("cut off"))
    #expect(movie.types == ["ftyp", "moov", "mdat"])
  }

  @Test func rejectsDamagedFragments() {
    func code(_ bytes: [UInt8]) -> MovieError.Code? {
      let source = MemorySource(Bytes(bytes))
      do {
        var edit = try MovieEdit(of: Movie(of: source), from: source)
        edit.flatten()
        _ = try edit.outputPlan(of: source)
        return nil
      } catch {
        return (error as? MovieError)?.code
      }
    }
    let fragment = TestFragment([.init(id: 1, runs: [.init(pictures)])])
    let bytes = Flattened.header.bytes(fragments: [fragment])
    #expect(code(bytes) == nil)
    let wrong = TestFragment([.init(id: 1, runs: [.init(pictures).with { $0.claimedOffset = 9_000 }])])
    #expect(code(Flattened.header.bytes(fragments: [wrong])) == .truncated)
    #expect(code(bytes + atom("moof") { atom("traf") }) == .malformed)
    #expect(code(Flattened.header.bytes(fragments: [])) == .unsupported)
    var limits = MovieLimits()
    limits.movieByteCount = 1_500
    let many = Flattened.header.bytes(fragments: [
      TestFragment([.init(id: 1, runs: [.init(.varied(400, around: 3, duration: 7))])])
    ])
    let source = MemorySource(Bytes(many))
    #expect {
      try MovieEdit(of: Movie(of: source, limits: limits), from: source)
    } throws: {
      isMovieError($0, .limit)
    }
  }

  /// Uncompressed audio has one sample per frame, with a common size.
  @Test func storesACommonSizeWithoutATable() throws {
    var limits = MovieLimits()
    limits.movieByteCount = 2_100
    func convert(_ samples: [TestSample]) throws -> Movie {
      let source = MemorySource(
        Bytes(Flattened.header.bytes(fragments: [TestFragment([.init(id: 2, runs: [.init(samples)])])])))
      return try MovieEdit(of: Movie(of: source, limits: limits), from: source).movie
    }
    let frames = Array(repeating: TestSample(4, duration: 1), count: 1_000)
    #expect(try convert(frames).track(2)?.samples.sampleSizes.layout == .uniform(4))
    // A sample with a different size, empty samples, and compressed audio each require a table of sizes.
    for samples in [
      frames + [TestSample(3, duration: 1)], Array(repeating: TestSample(0, duration: 1), count: 1_000),
      Array(repeating: TestSample(4, duration: 2), count: 1_000),
    ] {
      #expect { try convert(samples) } throws: { isMovieError($0, .limit) }
    }
  }

  @Test(arguments: [OutputLayout.Interleaving.none, .newSamples, .all], [false, true])
  func keepsSamplesInEveryLayout(interleaving: OutputLayout.Interleaving, isCompact: Bool) throws {
    let fragment = TestFragment([
      .init(id: 1, runs: [.init(pictures)]).with {
        $0.atoms = TestSupport.movie {
          fullAtom("saiz") { u8(4) + u32(6) }
          fullAtom("saio") { u32(1, 8) }
        }
      },
      .init(id: 2, runs: [.init(sound)]),
    ])
    let layout = OutputLayout(isFastStart: true, interleaving: interleaving, isCompact: isCompact)
    let movie = try Flattened([fragment, fragment], of: Flattened.header, layout) {
      _ = try $0.addSubtitles("en")
    }
    try expect(movie, 1, pictures + pictures, contents: contents(pictures, track: 1) + contents(pictures, track: 1))
    try expect(movie, 2, sound + sound, contents: contents(sound, track: 2) + contents(sound, track: 2))
  }
}

/// Returns the bytes of an atom's content.
func movieContent(@MovieBuilder _ content: () -> [UInt8]) -> [UInt8] { content() }
