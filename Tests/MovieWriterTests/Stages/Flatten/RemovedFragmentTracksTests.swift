import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Removing tracks from a fragmented movie keeps it fragmented. Parts of the removed tracks become free space.
struct RemovedFragmentTracksTests {
  private static let pictures: [TestSample] = .pictures(6, around: 20, duration: 50)
  private static let sound: [TestSample] = .varied(8, around: 9, duration: 30)

  private static func fragment(_ base: TestFragment.Base = .movieFragment) -> TestFragment {
    TestFragment([
      .init(id: 1, runs: [.init(pictures), .init(pictures).with { $0.gap = 3 }]).with { $0.base = base },
      .init(id: 2, runs: [.init(sound)]).with { $0.base = base },
    ])
  }

  private static func movie(_ base: TestFragment.Base = .movieFragment, after: [UInt8] = []) -> [UInt8] {
    Flattened.header.bytes(fragments: [fragment(base), fragment(base)]) + after
  }

  private func removing(_ id: UInt32, from bytes: [UInt8]) throws -> FragmentedMovieTrial {
    try FragmentedMovieTrial(bytes) { try $0.remove(id) }
  }

  private func expectKept(_ trial: FragmentedMovieTrial, without id: UInt32, _ changed: Set<String> = []) throws {
    #expect(!trial.edit.flattens && trial.edit.notices.allSatisfy { $0.kind != .flattened })
    let allowed = AllowedChanges().with {
      $0.removedTracks = [id]
      $0.changedAtoms = changed
    }
    #expect(try differences(old: trial.old, new: trial.new, allowing: allowed) == [])
    let movie = try Movie(of: MemorySource(Bytes(trial.new)))
    #expect(movie.isFragmented && movie.track(id) == nil)
  }

  @Test(arguments: [TestFragment.Base.movieFragment, .absolute], [1, 2] as [UInt32])
  func keepsOtherTracksInTheirFragments(base: TestFragment.Base, id: UInt32) throws {
    let trial = try removing(id, from: Self.movie(base))
    try expectKept(trial, without: id, base == .absolute ? ["moof"] : [])
    #expect(try trial.types == ["ftyp", "moov", "moof", "mdat", "moof", "mdat"])
    let (before, after) = try trial.atoms("moof")
    #expect(before.map(\.byteCount) == after.map(\.byteCount))
    #expect(
      after.map { $0.children.map(\.type) }
        == Array(repeating: ["mfhd"] + (id == 1 ? ["free", "traf"] : ["traf", "free"]), count: 2))
    if base == .movieFragment {
      // A byte of the type of each fragment's part.
      for (one, other) in zip(before, after) {
        let old = Array(trial.old[Int(one.offset)..<Int(one.end)])
        #expect(zip(old, trial.bytes(of: other)).count { $0 != $1 } == 3)  // `traf` and `free` share a letter.
      }
    }
    #expect(try SecondReader(trial.new).tracks.map(\.samples.count) == [id == 1 ? 16 : 24])
  }

  @Test func removesDeclarationsOfARemovedTracksFragments() throws {
    let trial = try removing(2, from: Self.movie())
    let reader = try SecondReader(trial.new)
    #expect(reader.atom("moov/mvex")?.children.map { try? number(reader.content(of: $0)) } == [1])
  }

  private func number(_ content: [UInt8]) -> Int { content[4..<8].reduce(0) { $0 << 8 | Int($1) } }

  @Test func removesSeveralTracksAndChangesLabels() throws {
    let header = Flattened.header.with { movie in
      movie.tracks.append(movie.tracks[1].with { $0.id = 5 })
    }
    let fragment = TestFragment(([1, 2, 5] as [UInt32]).map { .init(id: $0, runs: [.init(Self.sound)]) })
    let trial = try FragmentedMovieTrial(header.bytes(fragments: [fragment])) {
      try $0.remove([1, 5])
      try $0.setTitle("Sound", of: 2)
    }
    #expect(!trial.edit.flattens)
    let movie = try Movie(of: MemorySource(Bytes(trial.new)))
    #expect(movie.tracks.map(\.id) == [2] && movie.track(2)?.title == "Sound" && movie.isFragmented)
    #expect(
      try SecondReader(trial.new).topLevel.first { $0.type == "moof" }?.children.map(\.type) == [
        "mfhd", "free", "traf", "free",
      ])
    // The next edit meets no obstacle.
    let next = try FragmentedMovieTrial(trial.new) { try $0.setTitle("Another title", of: 2) }
    #expect(!next.edit.flattens)
  }

  @Test func removesSamplesOfTheMovieAtomButNotTheirMedia() throws {
    let whole = TestMovie.simple.with { $0.layout = .movieFirst }
    let trial = try removing(2, from: whole.bytes(fragments: [Self.fragment()]))
    try expectKept(trial, without: 2)
    #expect(try trial.atoms("mdat").old.map(\.byteCount) == trial.atoms("mdat").new.map(\.byteCount))
  }

  // MARK: - Fragments without remaining parts

  @Test func convertsAnEmptyFragmentToFreeSpace() throws {
    let fragments = ([1, 2, 1] as [UInt32]).map { TestFragment([.init(id: $0, runs: [.init(Self.sound)])]) }
    let trial = try removing(2, from: Flattened.header.bytes(fragments: fragments))
    try expectKept(trial, without: 2)
    #expect(try trial.types == ["ftyp", "moov", "moof", "mdat", "free", "mdat", "moof", "mdat"])
  }

  @Test func keepsAFragmentWithOtherContents() throws {
    var fragment = TestFragment([.init(id: 2, runs: [.init(Self.sound)])])
    fragment.atoms = fullAtom("pssh") { zeros(16) + u32(0) }
    let other = TestFragment([.init(id: 1, runs: [.init(Self.sound)])])
    let trial = try removing(2, from: Flattened.header.bytes(fragments: [fragment, other]))
    try expectKept(trial, without: 2)
    #expect(
      try trial.atoms("moof").new.map { $0.children.map(\.type) } == [["mfhd", "free", "pssh"], ["mfhd", "traf"]])
  }

  // MARK: - Indexes

  private func index(_ id: Int, _ entries: [(place: UInt64, part: Int)], as type: String = "tfra") -> [UInt8] {
    fullAtom(type, version: 1) {
      u32(id, 0b01_00_00, entries.count)
      for (time, entry) in entries.enumerated() { u64(UInt64(time), entry.place) + u16(entry.part) + u8(1, 1) }
    }
  }

  @Test func removesTheTracksIndexAndRenumbersParts() throws {
    let plain = Self.movie()
    let places = try SecondReader(plain).topLevel.filter { $0.type == "moof" }.map(\.offset)
    // The second entry of track 2 refers to a part of track 1, as some writers do. Its intended meaning is unknown.
    func mfra(_ first: [UInt8], _ places: [UInt64], part: Int) -> [UInt8] {
      let second = index(2, [(places[0], part), (places[1], 1)])
      return atom("mfra") { first + second + fullAtom("mfro") { u32(8 + first.count + second.count + 16) } }
    }
    let first = index(1, [(places[0], 1)])
    let trial = try removing(1, from: plain + mfra(first, places, part: 2))
    try expectKept(trial, without: 1, ["mfra"])
    let moved = try trial.atoms("moof").new.map(\.offset)
    #expect(moved != places)
    let freed = Array(first[..<4]) + code("free") + first[8...]
    #expect(try trial.bytes(of: #require(trial.atoms("mfra").new.first)) == mfra(freed, moved, part: 1))
    // The first track's parts keep their number.
    let other = try removing(2, from: plain + mfra(first, places, part: 2))
    try expectKept(other, without: 2, ["mfra"])
    #expect(
      try other.bytes(of: #require(other.atoms("mfra").new.first))[8...].prefix(first.count)
        == index(1, [(try #require(other.atoms("moof").new.first).offset, 1)])[...])
  }

  @Test func convertsSegmentIndexesOfTheTrackToFreeSpace() throws {
    let start = UInt64(Flattened.header.bytes(fragments: []).count)
    let size = Self.fragment().bytes(at: 0).count
    func sidx(_ id: Int, _ distance: Int) -> [UInt8] {
      fullAtom("sidx") { u32(id, 600, 0, distance) + u16(0, 1) + u32(size, 300, 0) }
    }
    func time(_ id: Int) -> [UInt8] { fullAtom("prft", version: 1) { u32(id) + u64(2, 3) } }
    let parts = fullAtom("ssix") { u32(0) }
    let between = sidx(1, 140) + parts + sidx(2, 80) + parts + time(1) + time(2)
    let media = Self.fragment().bytes(at: start + UInt64(between.count))
    let trial = try removing(1, from: Flattened.header.bytes(fragments: []) + between + media)
    try expectKept(trial, without: 1)
    #expect(
      try trial.types == ["ftyp", "moov", "free", "free", "sidx", "ssix", "free", "prft", "moof", "mdat"])
  }

  @Test func removesTheFirstOfSeveralIndexes() throws {
    let start = UInt64(Flattened.header.bytes(fragments: []).count)
    let sidx = fullAtom("sidx") { u32(1, 600, 0, 0) + u16(0, 0) }
    let rest = fullAtom("ssix") { u32(0) }
    for between in [rest + rest, fullAtom("sidx") + rest] {
      let bytes = Flattened.header.bytes(fragments: []) + sidx + between + Self.fragment().bytes(at: start)
      let trial = try removing(1, from: bytes)
      #expect(try !trial.edit.flattens && trial.types[2] == "free" && trial.types[4] == "ssix")
    }
  }

  @Test func countsPartsOnceForManyEntries() throws {
    let count = 5_000
    let others = [TestFragment.Track](repeating: .init(id: 1, runs: []), count: count - 1)
    let parts = [TestFragment.Track(id: 2, runs: [.init(Self.sound)])] + others
    let plain = Flattened.header.bytes(fragments: [TestFragment(parts)])
    let place = try #require(try SecondReader(plain).topLevel.first { $0.type == "moof" }).offset
    let table = index(1, (0..<count).map { _ in (place, count) })
    let trial = try removing(2, from: plain + atom("mfra") { table + fullAtom("mfro") { u32(24 + table.count) } })
    let mfra = try trial.bytes(of: #require(trial.atoms("mfra").new.first))
    #expect(mfra.suffix(20).prefix(4) == (u16(count - 1) + u8(1, 1))[...])
  }

  @Test func removesFragmentsWithoutTracks() throws {
    let header = Flattened.header.with { movie in
      movie.tracks.append(movie.tracks[1].with { ($0.id, $0.samples) = (5, []) })
    }
    let trial = try FragmentedMovieTrial(header.bytes(fragments: [Self.fragment()])) { try $0.remove([1, 2]) }
    #expect(trial.edit.notices.contains { $0.message.hasSuffix("no other track has samples in fragments") })
    let movie = try Movie(of: MemorySource(Bytes(trial.new)))
    #expect(!movie.isFragmented && movie.tracks.map(\.id) == [5])
    _ = try MovieEdit(of: movie)
  }

  // MARK: - Durations

  @Test func computesTheMoviesDurationFromItsLongestTrack() throws {
    // 12 pictures of 50 ticks, and 8 samples of 30 ticks, at 600 and 8000 ticks per second.
    let plain = try SecondReader(Self.movie())
    let scale = try Movie(of: MemorySource(Bytes(Self.movie()))).header.timeScale
    let durations = try ([1, 2] as [UInt32]).map { id -> UInt64 in
      let track = try #require(plain.track(id))
      let end = try #require(track.samples.last)
      let ticks = UInt64(end.decodeTime) + UInt64(end.duration)
      return (ticks * UInt64(scale) + UInt64(track.timeScale) - 1) / UInt64(track.timeScale)
    }
    #expect(durations[0] > durations[1] + 1)
    func mehd(_ before: UInt64, without id: UInt32) throws -> UInt64? {
      let header = Flattened.header.with { movie in
        movie.movieAtoms += atom("mvex") { fullAtom("mehd", version: 1) { u64(before) } }
      }
      let trial = try removing(id, from: header.bytes(fragments: [Self.fragment(), Self.fragment()]))
      try expectKept(trial, without: id, ["moov/mvex/mehd"])
      let reader = try SecondReader(trial.new)
      return try reader.atom("moov/mvex/mehd").map {
        try reader.content(of: $0)[4...].reduce(0) { $0 << 8 | UInt64($1) }
      }
    }
    #expect(try mehd(durations[0], without: 1) == durations[1])
    #expect(try mehd(durations[0] + 1, without: 1) == durations[1])
    #expect(try mehd(durations[0] - 1, without: 1) == durations[1])
    #expect(try mehd(durations[0], without: 2) == durations[0])
    // A different duration has an unknown reason and is kept.
    #expect(try mehd(durations[0] + 2, without: 1) == durations[0] + 2)
    #expect(try mehd(0, without: 1) == 0)
  }

  // MARK: - Obstacles to keeping fragments

  @Test func removesFragmentsForDataAfterARemovedTracks() throws {
    let bytes = Self.movie(.implied)
    let place = try #require(SecondReader(bytes).topLevel.first { $0.type == "moof" }).offset
    let trial = try removing(1, from: bytes)
    #expect(trial.edit.flattens)
    #expect(
      trial.edit.notices.contains {
        $0.message
          == "the fragments could not be kept, although no samples are added: the data offset of the fragment at byte \(place) "
          + "depends on the data of a removed track"
      })
    #expect(try !Movie(of: MemorySource(Bytes(trial.new))).isFragmented)
    // No data follows the data of the second track.
    try expectKept(removing(2, from: bytes), without: 2)
  }

  @Test func ignoresAPartWithoutData() throws {
    let fragment = TestFragment([
      .init(id: 1, runs: []), .init(id: 2, runs: [.init(Self.sound)]).with { $0.base = .implied },
    ])
    try expectKept(removing(1, from: Flattened.header.bytes(fragments: [fragment])), without: 1)
  }

  // MARK: - Notices

  @Test func countsUnusedMedia() throws {
    let trial = try removing(2, from: Self.movie())
    let writer = try MovieFileWriter(trial.edit, to: .stream(StreamSink { _ in }))
    let bytes = UInt64(2 * Self.sound.reduce(0) { $0 + $1.byteCount })
    #expect(writer.isFragmented && writer.removedMediaByteCount == bytes)
    #expect(writer.unusedByteCount == bytes + 2 * 3)  // And the gaps.
    #expect(writer.notices == trial.edit.notices && writer.notices.map(\.kind).contains(.removed))
  }

  @Test func reportsLayoutsThatMoveMedia() throws {
    let compact = OutputLayout(isCompact: true)
    let trial = try FragmentedMovieTrial(Self.movie(), compact) { try $0.remove(2) }
    #expect(try !Movie(of: MemorySource(Bytes(trial.new))).isFragmented)
    #expect(trial.edit.flattens(for: compact) && !trial.edit.flattens)
    let told = trial.edit.notices(for: compact)
    #expect(told.contains { $0.kind == .flattened })
    #expect(
      told.contains {
        $0.message
          == "the fragments could not be kept, although no samples are added: removal of unused bytes was requested"
      })
    let writer = try MovieFileWriter(trial.edit, to: .stream(StreamSink { _ in }), compact)
    #expect(writer.notices == told && !writer.isFragmented && writer.removedMediaByteCount == 0)
    // The header is already first.
    let fast = OutputLayout(isFastStart: true)
    #expect(!trial.edit.flattens(for: fast) && trial.edit.notices(for: fast) == trial.edit.notices)
    #expect(trial.edit.flattens(for: OutputLayout(interleaving: .all)))
  }

  // MARK: - The checker

  @Test func detectsRemainsOfATrack() throws {
    let plain = Self.movie()
    let places = try SecondReader(plain).topLevel.filter { $0.type == "moof" }.map(\.offset)
    let indexes = fullAtom("sidx") { u32(1, 600, 0, 0) + u16(0, 0) }
    let bytes =
      plain + atom("mfra") { index(1, [(places[0], 1)]) + index(2, [(places[0], 2), (places[1], 2)]) } + indexes
    let trial = try removing(1, from: bytes)
    let moof = try #require(trial.atoms("moof").new.first)
    let mfra = try #require(trial.atoms("mfra").new.first)
    let sidx = try #require(SecondReader(trial.new).topLevel.last)
    #expect(sidx.type == "free")
    #expect(try !trial.isRefused(moof) { _ in } && !trial.isRefused(mfra) { _ in })
    let part = Int(moof.children[1].offset - moof.offset)
    let other = Int(moof.children[2].offset - moof.offset)
    func expectRefused(_ atom: ReadAtom, _ what: Comment, _ spoil: (inout [UInt8]) throws -> Void) throws {
      #expect(try trial.isRefused(atom, spoil), what)
    }
    try expectRefused(moof, "its part is there") { $0.replaceSubrange(part + 4..<part + 8, with: code("traf")) }
    try expectRefused(moof, "its part is something else") {
      $0.replaceSubrange(part + 4..<part + 8, with: code("skip"))
    }
    try expectRefused(moof, "its part has other bytes") { $0[part + 20] ^= 1 }
    try expectRefused(moof, "another part went") { $0.replaceSubrange(other + 4..<other + 8, with: code("free")) }
    try expectRefused(moof, "the whole fragment went") { $0.replaceSubrange(4..<8, with: code("free")) }
    try expectRefused(mfra, "its index is there") { $0.replaceSubrange(12..<16, with: code("tfra")) }
    try expectRefused(mfra, "the number of a part is the old one") { $0[$0.count - 3] = 2 }
    try expectRefused(sidx, "its segment index is there") { $0.replaceSubrange(4..<8, with: code("sidx")) }
    let moov = try #require(trial.atoms("moov").new.first)
    let mvex = try #require(moov.child("mvex"))
    try expectRefused(moov, "its defaults are there") {
      $0.resize(by: 32)
      $0.resize(by: 32, at: Int(mvex.offset - moov.offset))
      $0.insert(contentsOf: fullAtom("trex") { u32(1, 1, 0, 0, 0) }, at: Int(mvex.offset - moov.offset) + 8)
    }
  }

  @Test func detectsAWrongDuration() throws {
    let header = Flattened.header.with { movie in
      movie.movieAtoms += atom("mvex") { fullAtom("mehd") { u32(77_777) } }
    }
    let trial = try removing(1, from: header.bytes(fragments: [Self.fragment()]))
    let mehd = try #require(SecondReader(trial.new).atom("moov/mvex/mehd"))
    #expect(try !trial.isRefused(mehd) { _ in })
    #expect(try trial.isRefused(mehd) { $0[15] ^= 1 })
  }
}
