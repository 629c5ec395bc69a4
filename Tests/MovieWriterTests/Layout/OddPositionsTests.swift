import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Unusual positions: an edit relocates them or rejects them with a place, and never fails internally.
struct OddPositionsTests {
  /// Returns a movie with some bytes changed, at an offset in the payload of an atom.
  private func patched(_ bytes: [UInt8], _ path: String, _ offset: Int, _ new: [UInt8]) throws -> [UInt8] {
    let atom = try #require(SecondReader(bytes).atom(path))
    var bytes = bytes
    let start = Int(atom.offset) + 8 + offset
    bytes.replaceSubrange(start..<start + new.count, with: new)
    return bytes
  }

  private func remux(
    _ bytes: [UInt8], fastStart: Bool = true, limits: MovieLimits = MovieLimits()
  ) throws -> [UInt8] {
    let source = MemorySource(Bytes(bytes))
    var edit = try MovieEdit(of: Movie(of: source, limits: limits))
    _ = try edit.addSubtitles("en")
    return try edit.outputPlan(of: source, OutputLayout(isFastStart: fastStart)).rendered(from: source)
  }

  private func refusal(_ bytes: [UInt8], fastStart: Bool = true, limits: MovieLimits = MovieLimits()) -> MovieError? {
    #expect(throws: MovieError.self) { try remux(bytes, fastStart: fastStart, limits: limits) }
  }

  @Test func ignoresAMovieInsideTheMovieAtom() throws {
    let stray = atom("moov") {
      atom("trak") { atom("mdia") { atom("minf") { atom("stbl") { fullAtom("stco") { u32(1, 40) } } } } }
    }
    for movie in [TestMovie.talk.with { $0.atomsAfterHeader = stray }, TestMovie.talk.with { $0.movieAtoms = stray }] {
      let old = movie.bytes()
      let new = try remux(old)
      let allowed = AllowedChanges.adding(5).with {
        $0.movieMoved = true
        $0.freeSpace = false
      }
      #expect(try differences(old: old, new: new, allowing: allowed) == [])
      let inner = try #require(try SecondReader(new).atom("moov/moov"))
      #expect(try SecondReader(new).bytes(of: inner) == stray)
    }
  }

  @Test func ignoresASampleTableAmongDataReferences() throws {
    let stray = atom("stbl") { fullAtom("stco") { u32(1, 40) } }
    let old = TestMovie.talk.with { $0.tracks[0].dataReferences = [fullAtom("url ", flags: 1), stray] }.bytes()
    let new = try remux(old)
    let (before, after) = (try SecondReader(old), try SecondReader(new))
    let path = "moov/trak#1/mdia/minf/dinf/dref"
    #expect(
      try before.bytes(of: #require(before.atom(path))) == after.bytes(of: #require(after.atom(path))))
  }

  @Test func keepsSamplesInTruncatedFreeSpace() throws {
    var bytes = TestMovie.simple.with { $0.layout = .movieFirst }.bytes()
    let media = try #require(try SecondReader(bytes).topLevel.last)
    bytes.replaceSubrange(Int(media.offset)..<Int(media.contentOffset), with: u32(0x0100_0000) + code("free"))
    let source = MemorySource(Bytes(bytes))
    let edit = try MovieEdit.addingSubtitles(to: source)
    #expect(try edit.inPlaceBlocker(of: source) != nil)
    #expect(try edit.inPlaceBlocker(of: source, .afterMedia)?.contains("extends to the end of the file") == true)
  }

  @Test func rejectsAChunkInTheMovieAtom() throws {
    let bytes = TestMovie.simple.with { $0.layout = [.fileType, .movie(.ordinary), .media(.toTheEnd)] }.bytes()
    let media = try #require(try SecondReader(bytes).topLevel.last).offset
    for (offset, isRefused) in [(8, false), (7, true), (0, true)] {
      let odd = try patched(bytes, "moov/trak#1/mdia/minf/stbl/stco", 8, u32(Int(media) + offset))
      if isRefused {
        let error = refusal(odd)
        #expect(error?.code == .unsupported && error?.path == "moov/trak[1]" && error?.offset != nil)
      } else {
        #expect(throws: Never.self) { try remux(odd) }
      }
    }
  }

  @Test func rejectsAChunkWhoseAtomsMoveApart() throws {
    let bytes = TestMovie.simple.bytes()
    let fileType = try #require(try SecondReader(bytes).atom("ftyp"))
    // The chunk begins in `ftyp`, after which the movie atom is inserted, and continues in `wide` and `mdat`.
    let odd = try patched(bytes, "moov/trak#1/mdia/minf/stbl/stco", 8, u32(Int(fileType.end) - 1))
    #expect(refusal(odd)?.code == .unsupported)
    #expect(throws: Never.self) { try remux(odd, fastStart: false) }
    let whole = try patched(bytes, "moov/trak#1/mdia/minf/stbl/stco", 8, u32(Int(fileType.end)))
    #expect(throws: Never.self) { try remux(whole) }
  }

  /// Returns a top-level `meta` with item tables of one extent each.
  private func metadata(_ extents: [(position: Int, byteCount: Int)], beside content: [UInt8] = []) -> [UInt8] {
    atom("meta") {
      fullAtom("hdlr") { zeros(20) }
      for extent in extents {
        fullAtom("iloc") { u16(0x4400, 1, 1, 0, 1) + u32(extent.position, extent.byteCount) }
      }
      content
    }
  }

  private func movie(_ metadata: [UInt8]) -> [UInt8] {
    TestMovie.simple.with { $0.layout.insert(.bytes(metadata), at: 1) }.bytes()
  }

  @Test func relocatesEveryItemTable() throws {
    let media = try #require(try SecondReader(movie(metadata([(0, 0), (0, 0)]))).atom("mdat")).offset
    let old = movie(metadata([(Int(media) + 10, 5), (Int(media) + 30, 7)]))
    let new = try remux(old)
    let tables = try SecondReader(new).atoms.filter { $0.path == "meta/iloc" }
    let positions = tables.map { Int(Bytes(new).load(at: Int($0.end) - 8, as: UInt32.self) ?? 0) }
    #expect(positions.count == 2 && positions[1] - positions[0] == 20 && positions[0] != Int(media) + 10)
    for (position, item) in zip(positions, [(10, 5), (30, 7)]) {
      let start = Int(media) + item.0
      #expect(new[position..<position + item.1] == old[start..<start + item.1])
    }
  }

  @Test func rejectsItemsInTheMovieAtom() throws {
    let file = try SecondReader(movie(metadata([(0, 0)])))
    let media = try #require(file.atom("mdat"))
    #expect(throws: Never.self) { try remux(movie(metadata([(Int(media.end) - 9, 9)]))) }
    let error = refusal(movie(metadata([(Int(media.end) - 9, 10)])))
    #expect(error?.code == .unsupported && error?.path == "meta/iloc" && error?.offset != nil)
    // Past the end of the file there are no bytes to keep together.
    #expect(throws: Never.self) { try remux(movie(metadata([(Int(media.end) - 9, 1 << 30)]))) }
  }

  @Test func locatesSplitItemsInTheOldFile() throws {
    let movie = TestMovie.simple.with { $0.movieItem = text("an item of the movie") }
    let bytes = movie.bytes()
    let file = try SecondReader(bytes)
    let table = try #require(file.atom("moov/meta/iloc"))
    var odd = bytes
    let place = Int(table.end) - 4..<Int(table.end)
    odd.replaceSubrange(place, with: u32(21))
    let error = refusal(odd)
    #expect(error?.code == .unsupported && error?.path == "moov/meta/iloc")
    #expect(error?.offset.map { (table.offset..<table.end).contains($0) } == true)
  }

  @Test func rejectsOversizedMetadata() throws {
    let bytes = movie(metadata([(0, 0)], beside: atom("idat") { zeros(20_000) }))
    let size = try #require(try SecondReader(bytes).atom("meta")).byteCount
    var limits = MovieLimits()
    limits.movieByteCount = size
    #expect(throws: Never.self) { try remux(bytes, limits: limits) }
    limits.movieByteCount = size - 1
    #expect(refusal(bytes, limits: limits)?.code == .limit)
    // Bytes to which it may refer are not treated as empty or unused either.
    let source = MemorySource(Bytes(bytes))
    let large = try Movie(of: source, limits: limits)
    let error = #expect(throws: MovieError.self) {
      try large.otherReferencedBytes(by: [PositionTable](), in: Bytes(), [ItemLocations](), of: source)
    }
    #expect(error?.code == .limit)
    var named = ReferencedBytes(of: large, in: source)
    let mayHold = named.mayOverlap(in: ByteRange(0..<8))
    #expect(mayHold)
  }

  @Test func reportsItemTablesAmongOtherBytes() throws {
    let hidden = atom("XXXX", claiming: 9999) + fullAtom("iloc") { u16(0x4400, 1, 1, 0, 1) + u32(40, 5) }
    let error = refusal(movie(metadata([], beside: hidden)))
    #expect(error?.code == .malformed && error?.path == "meta")
    let source = MemorySource(Bytes(movie(metadata([], beside: hidden))))
    var named = ReferencedBytes(of: try Movie(of: source), in: source)
    let mayHold = named.mayOverlap(in: ByteRange(0..<8))
    #expect(mayHold)
    let inside = TestMovie.simple.with { $0.movieAtoms = metadata([], beside: hidden) }
    #expect(
      try MovieEdit(of: inside.source).movie.newFileWarnings(keepsTrailingBytes: true).map(\.kind) == [.vendorPosition])
    #expect(throws: Never.self) { try remux(inside.bytes()) }
  }

  /// Bytes to which many items refer are read once.
  @Test func readsSharedItemBytesOnce() throws {
    let count = 20_000
    let items = (0..<count).map { (Int($0) % 1000, 50_000) }
    func file(_ position: Int) -> [UInt8] {
      let table = fullAtom("iloc") { u16(0x4400, 1, 1, 0, count) + items.flatMap { u32(position + $0.0, $0.1) } }
      return TestMovie.simple.with {
        $0.layout.append(.bytes(metadata([], beside: table + atom("idat") { zeros(60_000) })))
      }.bytes()
    }
    let data = try #require(try SecondReader(file(0)).atom("meta/idat")).offset + 8
    let bytes = file(Int(data))
    let source = CountingSource(bytes)
    _ = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source)
    #expect(source.reads.reduce(0) { $0 + $1.count } < 8 * UInt64(bytes.count))
  }

  @Test func removesAReferenceBetweenTwoReferences() throws {
    let movie = TestMovie.talk.with {
      $0.tracks[1].references = [TestReference("cdsc", 1), TestReference("folw", 4), TestReference("fall", 3)]
    }
    let source = movie.source
    var edit = try MovieEdit(of: source)
    try edit.remove(4)
    let new = try SecondReader(edit.outputPlan(of: source).rendered(from: source))
    #expect(new.atoms.filter { $0.path.hasPrefix("moov/trak#2/tref/") }.map(\.type) == ["cdsc", "fall"])
  }

  /// An unused reference to another file neither moves nor prevents anything.
  @Test func relocatesPositionsBesideAnUnusedExternalReference() throws {
    let movie = TestMovie.simple.with {
      $0.tracks[0].auxiliaryByteCount = 2
      $0.tracks[0].mediaInformationAtoms = atom("XXXX") { zeros(4) }
    }
    let old = movie.bytes()
    let file = try SecondReader(old)
    let path = "moov/trak#1/mdia/minf"
    // The atom after the sample table is replaced by a second entry of equal size.
    let references = try #require(file.atom(path + "/dinf"))
    let filler = try #require(file.atom(path + "/XXXX"))
    let more = atom("dinf") {
      fullAtom("dref") { u32(2) + fullAtom("url ", flags: 1) + fullAtom("url ") }
    }
    #expect(more.count == Int(references.byteCount) + 12 && filler.byteCount == 12)
    var odd = Array(old[..<Int(references.offset)]) + more
    odd += old[Int(references.end)..<Int(filler.offset)]
    odd += old[Int(filler.end)...]
    #expect(odd.count == old.count)
    #expect(
      try Movie(of: MemorySource(Bytes(odd))).tracks[0].dataReferences?.entries.map(\.isSelfContained) == [true, false])
    let new = try SecondReader(remux(odd))
    let position = try new.store.read(try #require(new.atom(path + "/stbl/saio")).end - 4, 4)
    let before = try file.store.read(try #require(file.atom(path + "/stbl/saio")).end - 4, 4)
    #expect(position != before)
  }
}
