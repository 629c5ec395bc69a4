import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Edits that do not move samples keep a movie fragmented.
struct KeptFragmentsTests {
  private static let pictures: [TestSample] = .pictures(6, around: 20, duration: 50)
  private static let sound: [TestSample] = .varied(8, around: 9, duration: 30)

  private static func movie(_ base: TestFragment.Base = .movieFragment, after: [UInt8] = []) -> [UInt8] {
    let fragment = TestFragment([
      .init(id: 1, runs: [.init(pictures), .init(pictures).with { $0.gap = 3 }]).with { $0.base = base },
      .init(id: 2, runs: [.init(sound)]).with { $0.base = base },
    ])
    return Flattened.header.bytes(fragments: [fragment, fragment]) + after
  }

  /// Returns the edited movie and the edit.
  private func edited(
    _ bytes: [UInt8], _ layout: OutputLayout = OutputLayout(),
    _ change: (inout MovieEdit) throws -> Void = { try $0.setTitle("A title that is long", of: 2) }
  ) throws -> (bytes: [UInt8], edit: MovieEdit) {
    let source = MemorySource(Bytes(bytes))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try change(&edit)
    return (try edit.outputPlan(of: source, layout).rendered(from: source), edit)
  }

  private func allowed(_ more: Set<String> = []) -> AllowedChanges {
    AllowedChanges().with {
      $0.addedAtoms = ["moov/trak#2/udta", "moov/trak#2/udta/name", "moov/trak#2/udta/tnam", "moov/trak#2/udta/titl"]
      $0.changedAtoms = more
    }
  }

  @Test(arguments: [TestFragment.Base.movieFragment, .absolute, .implied])
  func keepsSamplesForEveryOffsetBase(base: TestFragment.Base) throws {
    let old = Self.movie(base)
    let (new, edit) = try edited(old)
    #expect(!edit.flattens && !edit.isEmpty && edit.changesTracks && edit.notices.isEmpty)
    let isAbsolute = base != .movieFragment && base != .implied
    #expect(try differences(old: old, new: new, allowing: allowed(isAbsolute ? ["moof"] : [])) == [])
    let movie = try Movie(of: MemorySource(Bytes(new)))
    #expect(movie.isFragmented && movie.track(2)?.title == "A title that is long")
    #expect(movie.layout.atoms.map(\.type) == ["ftyp", "moov", "moof", "mdat", "moof", "mdat"])
    #expect(new.count > old.count)
  }

  @Test func movesNothingForEqualSizes() throws {
    let old = Self.movie(.absolute)
    let (new, _) = try edited(old) { try $0.setEnabled(false, of: 2) }
    #expect(new.count == old.count && zip(new, old).count { $0 != $1 } == 1)
  }

  @Test func plansAnEmptyEdit() throws {
    let old = Self.movie()
    let (new, edit) = try edited(old) { _ in }
    #expect(new == old && edit.isEmpty && edit.notices.isEmpty && !edit.flattens)
  }

  /// Returns an index of fragments, with numbers of 1, 2 and 3 bytes.
  private func index(_ places: [UInt64], isWide: Bool) -> [UInt8] {
    atom("mfra") {
      fullAtom("tfra", version: isWide ? 1 : 0) {
        u32(1, 0b00_01_10, places.count)
        for (time, place) in places.enumerated() {
          isWide ? u64(UInt64(time), place) : u32(time, Int(place))
          u8(1) + u16(1) + u8(0, 0, 1)
        }
      }
      fullAtom("mfro") { u32(16 + 24 + places.count * (isWide ? 22 : 14)) }
    }
  }

  @Test(arguments: [false, true]) func updatesTheFragmentIndex(isWide: Bool) throws {
    let plain = Self.movie()
    let places = try SecondReader(plain).topLevel.filter { $0.type == "moof" }.map(\.offset)
    let (new, _) = try edited(plain + index(places, isWide: isWide))
    let moved = try SecondReader(new).topLevel.filter { $0.type == "moof" }.map(\.offset)
    #expect(moved != places && moved.count == 2)
    #expect(Array(new.suffix(index(places, isWide: isWide).count)) == index(moved, isWide: isWide))
  }

  @Test func findsSegmentsAfterTheirIndex() throws {
    let start = UInt64(Flattened.header.bytes(fragments: []).count)
    let segment = TestFragment([.init(id: 1, runs: [.init(Self.pictures)])])
    let size = segment.bytes(at: 0).count
    let sidx = fullAtom("sidx") { u32(1, 600, 0, 0) + u16(0, 1) + u32(size, 300, 0) }
    let old =
      Flattened.header.bytes(fragments: []) + sidx + segment.bytes(at: start + UInt64(sidx.count))
    let (new, edit) = try edited(old)
    #expect(!edit.flattens)
    #expect(try differences(old: old, new: new, allowing: allowed()) == [])
    #expect(Array(new[(new.count - size - sidx.count)...].prefix(sidx.count)) == sidx)
  }

  @Test func relocatesUnknownSamplesAndAuxiliaryInformation() throws {
    let information = movieContent {
      fullAtom("saiz") { u8(4) + u32(6) }
      fullAtom("saio") { u32(1, 8) }
    }
    let fragment = TestFragment([
      .init(id: 1, runs: [.init(Self.pictures)]).with {
        $0.base = .absolute
        $0.atoms = information
      },
      .init(id: 9, runs: [.init(Self.sound)]).with { $0.base = .movieFragment },
    ])
    let old = Flattened.header.bytes(fragments: [fragment])
    let (new, edit) = try edited(old)
    #expect(!edit.flattens)
    #expect(try differences(old: old, new: new, allowing: allowed(["moof"])) == [])
    #expect(new.suffix(140) == old.suffix(140))
  }

  /// The base of an unknown track, or of no data, is not checked by any sample.
  @Test func removesFragmentsForUncheckedBases() throws {
    let stranger = TestFragment([
      .init(id: 1, runs: [.init(Self.pictures)]),
      .init(id: 9, runs: [.init(Self.sound)]).with { $0.base = .position(0) },
    ])
    let empty = TestFragment([
      .init(id: 1, runs: [.init(Self.pictures)]), .init(id: 2, runs: []).with { $0.base = .absolute },
    ])
    let beforeHeader = TestFragment([.init(id: 1, runs: [.init(Self.pictures)]).with { $0.base = .position(0) }])
    for fragment in [stranger, empty, beforeHeader] {
      #expect(try edited(Flattened.header.bytes(fragments: [fragment])).edit.flattens)
    }
  }

  @Test func removesFragmentsForALastAtomWithoutASize() throws {
    let start = UInt64(Flattened.header.bytes(fragments: []).count)
    let segment = TestFragment([.init(id: 1, runs: [.init(Self.pictures)])]).bytes(at: start)
    var index = index([start], isWide: true)
    #expect(try !edited(Flattened.header.bytes(fragments: []) + segment + index).edit.flattens)
    index.replaceSubrange(0..<4, with: [0, 0, 0, 0])
    #expect(try edited(Flattened.header.bytes(fragments: []) + segment + index).edit.flattens)
  }

  @Test func keepsMvexOfAnInitializationSegment() throws {
    let source = MemorySource(Bytes(TestMovie.simple.bytes(fragments: [])))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try edit.setTitle("A title that is long", of: 2)
    #expect(try !edit.flattens && edit.inPlaceBlocker(of: source) == "the movie is fragmented")
    let new = try Movie(of: MemorySource(Bytes(edit.outputPlan(of: source).rendered(from: source))))
    #expect(new.isFragmented && new.track(2)?.title == "A title that is long")
    // An edit that removes the promise is still made in place.
    edit.flatten()
    #expect(
      try !Movie(of: MemorySource(Bytes(edit.inPlacePlan(of: source).rendered().rendered(from: source)))).isFragmented)
  }

  // MARK: - Obstacles to keeping fragments

  @Test func removesFragmentsForOtherEdits() throws {
    let changes: [(String, (inout MovieEdit) throws -> Void)] = [
      ("a track is added", { _ = try $0.addSubtitles("en") }),
      ("it was asked for", { $0.flatten() }),
    ]
    for (name, change) in changes {
      let (new, edit) = try edited(Self.movie(), OutputLayout(), change)
      #expect(edit.flattens && edit.notices.contains { $0.kind == .flattened }, "\(name)")
      #expect(try !Movie(of: MemorySource(Bytes(new))).isFragmented, "\(name)")
    }
  }

  @Test func removesFragmentsForLayoutsThatMoveMedia() throws {
    var split = OutputLayout(interleaving: .all)
    split.splitsChunks = true
    for layout in [OutputLayout(interleaving: .all), OutputLayout(isCompact: true), split] {
      let (new, _) = try edited(Self.movie(), layout)
      #expect(try !Movie(of: MemorySource(Bytes(new))).isFragmented, "\(layout)")
    }
    // The header is already first.
    let (new, _) = try edited(Self.movie(), OutputLayout(isFastStart: true))
    #expect(try Movie(of: MemorySource(Bytes(new))).isFragmented)
  }

  @Test func keepsAFragmentWithItemsInPlace() throws {
    let items = atom("meta") {
      zeros(4) + fullAtom("hdlr") { zeros(4) + code("null") + zeros(13) } + fullAtom("iloc") { u16(0x4400, 0) }
    }
    var fragment = TestFragment([.init(id: 1, runs: [.init(Self.pictures)])])
    fragment.atoms = items
    let old = Flattened.header.bytes(fragments: [fragment])
    let (_, edit) = try edited(old)
    #expect(edit.flattens)
    let place = try #require(SecondReader(old).topLevel.first { $0.type == "moof" }).offset
    #expect(
      edit.notices.contains {
        $0.message
          == "the fragments could not be kept, although no samples are added: the fragment at byte \(place) contains item "
          + "offsets (iloc)"
      })
  }

  @Test func removesFragmentsForAnUnreadableIndex() throws {
    let broken = atom("mfra") { fullAtom("tfra") { u32(1, 0, 5) } }
    let (_, edit) = try edited(Self.movie(after: broken))
    #expect(edit.flattens && edit.notices.contains { $0.message.contains("(mfra)") })
    // A position where no fragment begins has no known meaning.
    #expect(try edited(Self.movie(after: index([1], isWide: false))).edit.flattens)
    #expect(try edited(Self.movie(after: index([1 << 40], isWide: true))).edit.flattens)
  }

  @Test func removesFragmentsForAMovieAtomBetweenFragmentAndSamples() throws {
    let header = Flattened.header.bytes(fragments: [])
    let sizeOfType = Int(header[3])
    let moov = Array(header[sizeOfType...])
    let media = Self.pictures.enumerated().flatMap { TestFragment.content($1, track: 1, number: $0 + 1) }
    let fragment = { (base: TestFragment.Base) in
      TestFragment([
        .init(id: 1, runs: [.init(Self.pictures).with { $0.position = UInt64(sizeOfType) + 8 }]).with { $0.base = base }
      ])
    }
    for (base, goes) in [(TestFragment.Base.movieFragment, true), (.absolute, false)] {
      let start = Array(header[..<sizeOfType]) + atom("mdat") { media } + moov
      let old = start + fragment(base).moof(at: UInt64(start.count))
      let (new, edit) = try edited(old)
      #expect(edit.flattens == goes, "\(base)")
      if !goes { #expect(try differences(old: old, new: new, allowing: allowed(["moof"])) == []) }
    }
  }

  // MARK: - The checker

  @Test func detectsACorruptedPlan() throws {
    let plain = Self.movie(.absolute)
    let places = try SecondReader(plain).topLevel.filter { $0.type == "moof" }.map(\.offset)
    let source = MemorySource(Bytes(plain + index(places, isWide: true)))
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    try edit.setTitle("A title that is long", of: 2)
    let plan = try edit.outputPlan(of: source)
    let kept = try #require(edit.keepingFragments(for: OutputLayout()))
    let resolved = try kept.resolved(isInterleaved: false)
    let output = try plan.rendered(from: source)
    let reader = try SecondReader(output)
    try PlanChecker.check(plan, of: resolved, strategy: .rewrite(OutputLayout()), source: source)
    let moof = try #require(reader.topLevel.first { $0.type == "moof" })
    let mfra = try #require(reader.topLevel.first { $0.type == "mfra" })
    let mvex = try #require(reader.atom("moov/mvex"))
    // The base of the first track, the flags of a sample, a position of the index, a default.
    for place in [moof.offset + 8 + 16 + 8 + 23, moof.end - 2, mfra.offset + 8 + 24 + 15, mvex.offset + 30] {
      var spoiled = Array(output[Int(place)...Int(place)])
      spoiled[0] ^= 1
      let before = plan.extents(in: ByteRange(0..<place)).map(\.content)
      let after = plan.extents(in: ByteRange(place + 1..<plan.byteCount)).map(\.content)
      let wrong = try OutputPlan(of: plan.source, before + [.generated(Bytes(spoiled))] + after)
      #expect("byte \(place)") {
        try PlanChecker.check(wrong, of: resolved, strategy: .rewrite(OutputLayout()), source: source)
      } throws: {
        isMovieError($0, .planCheckFailed)
      }
    }
  }
}
