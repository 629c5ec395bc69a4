import TestSupport
import Testing

@testable import MovieBox
@testable import MovieWriter

struct MoviePlannerAppendTests {
  private func obstacle(_ layout: [TestMovie.Piece]) throws -> String? {
    try MovieEdit(of: TestMovie.simple.with { $0.layout = layout }.source).obstacleToAppending()
  }

  /// Edits in place, proves that old and new movie are the same but for the new track, and gives the new file.
  @discardableResult
  private func append(to movie: TestMovie) throws -> SecondReader {
    let old = movie.bytes()
    let source = MemorySource(Bytes(old))
    let plan = try MovieEdit.addingSubtitles(to: source).appendPlan(of: source)
    let new = try plan.rendered().rendered(from: source)
    let id = movie.nextTrackID ?? (movie.tracks.map(\.id).max() ?? 0) + 1
    let allowed = AllowedChanges.adding(id).with { $0.movieMoved = true }
    #expect(try differences(old: old, new: new, allowing: allowed) == [])
    // Until the header is written the old movie is all that a reader sees, with free space behind it.
    let before = try SecondReader(Array(old[..<Int(plan.keptByteCount)]) + plan.appendix.array)
    #expect(before.topLevel.last?.type == "free")
    #expect(try differences(old: SecondReader(old), new: before) == [])
    return try SecondReader(new)
  }

  @Test func theMovieHeaderMayStandLastOrBeforeWhatIsNoMedia() throws {
    let uuid = TestMovie.Piece.bytes(atom("uuid") { zeros(16) + text("vendor") })
    for tail in [
      [], [.free(50)], [uuid], [uuid, .free(8), .bytes(atom("XXXX")), .wide], [.bytes(atom("meta"))],
    ] as [[TestMovie.Piece]] {
      #expect(try obstacle(.movieLast + tail) == nil)
      let reader = try append(to: TestMovie.simple.with { $0.layout = .movieLast + tail })
      #expect(reader.topLevel.count { $0.type == "moov" } == 1)
      #expect(try reader.trailingBytes.isEmpty)
    }
  }

  @Test func mediaAfterTheHeaderIsAnObstacle() throws {
    #expect(try obstacle(.movieFirst)?.contains("fast start") == true)
    #expect(try obstacle(.movieBetween)?.contains("fast start") == true)
    #expect(try obstacle(.movieLast + [.bytes(atom("mdat"))])?.contains("fast start") == true)
  }

  @Test func aMovieHeaderWithoutASizeIsAnObstacle() throws {
    #expect(try obstacle([.fileType, .media(.ordinary), .movie(.toTheEnd)])?.contains("size is 0") == true)
    #expect(try obstacle([.fileType, .media(.ordinary), .movie(.extended)]) == nil)
  }

  @Test(arguments: [zeros(8), zeros(600), u32(3) + code("Samp"), text("SEFT trailer of a vendor")])
  func bytesAtTheEndThatAreNoAtomStayAtTheEnd(_ trailer: [UInt8]) throws {
    let tail = [TestMovie.Piece.bytes(atom("uuid") { zeros(16) }), .free(20), .bytes(trailer)]
    #expect(try obstacle(.movieLast + tail) == nil)
    let movie = TestMovie.simple.with { $0.layout = .movieLast + tail }
    let source = MemorySource(Bytes(movie.bytes()))
    let plan = try MovieEdit.addingSubtitles(to: source).appendPlan(of: source)
    let new = try plan.rendered().rendered(from: source)
    let id = movie.nextTrackID ?? (movie.tracks.map(\.id).max() ?? 0) + 1
    let allowed = AllowedChanges.adding(id).with { $0.movieMoved = true }
    #expect(try differences(old: movie.bytes(), new: new, allowing: allowed) == [])
    #expect(try SecondReader(new).trailingBytes == trailer)
    // Until the header is written the old movie is all that a reader sees.
    let between = try SecondReader(movie.bytes() + plan.appendix.array)
    #expect(between.topLevel.count { $0.type == "moov" } == 1)
    #expect(between.tracks.count == movie.tracks.count)
  }

  @Test func bytesAtTheEndThatMoreBytesCouldMakeAnAtomOfAreAnObstacle() throws {
    // Less than a header, and sizes that what is appended would fill.
    let wide = u32(1) + code("Samp")
    for stray in [[9], zeros(7), u32(99) + code("Samp"), u32(268_435_464) + code("Samp"), wide, wide + u64(100)] {
      #expect(try obstacle(.movieLast + [.bytes(stray)])?.contains("could be taken") == true)
    }
    #expect(try obstacle(.movieLast + [.bytes(u32(268_435_465) + code("Samp"))]) == nil)
    #expect(try obstacle(.movieLast + [.bytes(wide + u64(1 << 40))]) == nil)
  }

  @Test func largeMediaOfOtherMoviesTakesTheOtherRoad() throws {
    func obstacle(_ byteCount: UInt64, _ tail: [TestMovie.Piece]) throws -> String? {
      let source = TestMovie.simple.with { $0.layout = .movieLast + tail }.source
      var revision = MovieRevision(movie: try Movie(of: source))
      let time = MediaMap.Time(microseconds: 0, track: 0)
      revision.importedMedia = [MediaMap.Cell(range: ByteRange(0..<byteCount), time: time, use: .samples)]
      let planner = MoviePlanner(revision: revision, source: source)
      return planner.obstacleToAppending(.inOrder)
    }
    #expect(try obstacle(2 << 30, []) == nil)
    #expect(try obstacle(2 << 30 + 1, [])?.contains("one atom hides") == true)
    // Behind a trailer less may come, since it must not be taken for an atom; the movie header counts too.
    let trailer = [TestMovie.Piece.bytes(text("SEFT trailer"))]
    let header = UInt64(try Movie(of: TestMovie.simple.source).tree.bytes.count)
    #expect(try obstacle(128 << 20 - header, trailer) == nil)
    #expect(try obstacle(128 << 20 - header + 1, trailer)?.contains("no atom") == true)
  }

  @Test func theNewHeaderLiesInOneSectorToo() throws {
    for padding in stride(from: 0, to: 512, by: 6) {  // A header straddles at 7 places of 512.
      let movie = TestMovie.simple.with { $0.layout = .movieLast + [.free(8 + padding)] }
      let source = MemorySource(Bytes(movie.bytes()))
      let edit = try MovieEdit.addingSubtitles(to: source)
      guard edit.obstacleToAppending() == nil else { continue }
      let plan = try edit.appendPlan(of: source).rendered()
      let again = try MovieEdit.addingSubtitles(to: PlannedSource(plan, of: source))
      #expect(again.obstacleToAppending() == nil)
    }
  }

  @Test func anAtomWithoutAnEndOfItsOwnIsAnObstacle() throws {
    #expect(try obstacle(.movieLast + [.bytes(atom("uuid", header: .toTheEnd))])?.contains("no end") == true)
    #expect(try obstacle(.movieLast + [.bytes(atom("uuid", claiming: 500) { zeros(20) })])?.contains("no end") == true)
    #expect(try obstacle(.movieLast + [.bytes(atom("free", header: .toTheEnd))])?.contains("no end") == true)
  }

  @Test func aMebibyteAfterTheHeaderIsWrittenAgainAndNoMore() throws {
    #expect(try obstacle(.movieLast + [.free(1 << 20)]) == nil)
    #expect(try obstacle(.movieLast + [.free(1 << 20 + 1)])?.contains("1048577 bytes") == true)
  }

  @Test func theHeaderLiesInOneSector() throws {
    let start = try #require(try SecondReader(TestMovie.simple.bytes()).atom("moov")).offset
    func at(_ place: UInt64) throws -> String? {
      let padding = Int((place + 1024 - start % 512) % 512) + 512
      let movie = TestMovie.simple.with { $0.layout.insert(.free(padding), at: 0) }
      let edit = try MovieEdit(of: movie.source)
      #expect(edit.movie.movieAtom.range.offset % 512 == place)
      return edit.obstacleToAppending()
    }
    for place in [0, 1, 503, 504] as [UInt64] { #expect(try at(place) == nil) }
    for place in [505, 511] as [UInt64] { #expect(try at(place)?.contains("straddles") == true) }
  }

  @Test func theOldHeaderAndWhatFollowsFitsOneFreeAtom() throws {
    // A header of 4 GiB, of which the tree sees a small one: only the layout counts here.
    let small = try Movie(of: TestMovie(tracks: []).source)
    func obstacle(_ byteCount: UInt64, _ rest: Int) throws -> String? {
      let source = LargeHeader(byteCount: byteCount, rest: atom("XXXX") { zeros(rest - 8) })
      let layout = try FileLayout(of: source)
      #expect(layout.atoms.map(\.range.count) == [24, byteCount, UInt64(rest)])
      let movie = try Movie(layout: layout, tree: small.tree, fileType: nil, limits: MovieLimits())
      let planner = MoviePlanner(revision: MovieRevision(movie: movie), source: source)
      return planner.obstacleToAppending(.inOrder)
    }
    #expect(try obstacle(1 << 32 - 1 - 8 - 100, 100) == nil)
    #expect(try obstacle(1 << 32 - 8 - 100, 100)?.contains("too large") == true)
    #expect(try obstacle(5 << 32, 100)?.contains("too large") == true)
  }

  /// `mdat`, a `moov` of zeros with a 64-bit size, and what follows it.
  private struct LargeHeader: RandomAccessSource {
    let byteCount: UInt64
    let rest: [UInt8]

    func identity() -> SourceIdentity {
      SourceIdentity(byteCount: 24 + byteCount + UInt64(rest.count), tag: "large")
    }

    func read(_ range: ByteRange) -> Bytes {
      let start = atom("mdat") { zeros(16) } + u32(1) + code("moov") + u64(byteCount)
      return Bytes(
        (range.offset..<range.end).map { place in
          if place < start.count { return start[Int(place)] }
          return place < 24 + byteCount ? 0 : rest[Int(place - 24 - byteCount)]
        })
    }
  }

  @Test func aPlanDespiteAnObstacleIsRefused() throws {
    let source = TestMovie.simple.with { $0.layout = .movieFirst }.source
    #expect { try MovieEdit.addingSubtitles(to: source).appendPlan(of: source) } throws: {
      isMovieError($0, .invalidEdit)
    }
  }

  @Test func allFormsOfMediaBeforeTheHeaderStay() throws {
    for layout in [
      [.fileType, .media(.extended), .movie(.extended)], [.media(.ordinary), .movie(.ordinary)],
      [.fileType, .media(.ordinary), .free(20), .wide, .media(.ordinary), .bytes(atom("mdat")), .movie(.ordinary)],
    ] as [[TestMovie.Piece]] {
      try append(to: TestMovie.talk.with { $0.layout = layout })
    }
    try append(to: .torture)
  }

  @Test func whatStoodLastStaysLastAndInOrder() throws {
    let atoms: [[UInt8]] = [
      atom("uuid") { zeros(20) }, atom("free") { zeros(9) }, atom("XXXX"), atom("uuid") { zeros(17) },
    ]
    let reader = try append(to: TestMovie.simple.with { $0.layout = .movieLast + atoms.map { .bytes($0) } })
    #expect(reader.topLevel.map(\.type) == ["ftyp", "wide", "mdat", "free", "mdat", "moov", "uuid", "XXXX", "uuid"])
    #expect(reader.topLevel.last?.byteCount == 25)
  }

  @Test func theCommitTurnsAllOfTheOldEndIntoFreeSpace() throws {
    let movie = TestMovie.simple.with { $0.layout = .movieLast + [.free(30), .bytes(atom("XXXX"))] }
    let source = movie.source
    let plan = try MovieEdit.addingSubtitles(to: source).appendPlan(of: source)
    let moov = try #require(try SecondReader(movie.bytes()).atom("moov"))
    #expect(plan.commit.offset == moov.offset)
    #expect(plan.commit.expected.array == u32(Int(moov.byteCount)) + code("moov"))
    #expect(plan.commit.replacement.array == u32(Int(moov.byteCount) + 38 + 8) + code("free"))
    #expect(plan.keptByteCount == source.identity().byteCount)
    #expect(plan.appendix.load(at: 0, as: UInt32.self) == UInt32(plan.appendix.count))
    #expect(plan.byteCount == UInt64(plan.appendix.count) + 8)
  }

  @Test func freeSpaceThatAnEarlierEditLeftIsSwallowed() throws {
    let plain = try append(to: .simple)
    let leftover = try append(to: TestMovie.simple.with { $0.layout.append(.free(5000)) })
    #expect(leftover.topLevel.map(\.type) == plain.topLevel.map(\.type))
    #expect(leftover.store.count == plain.store.count + 5000)
  }

  @Test(arguments: [8, 12, 500])
  func tornFreeSpaceAtTheEndIsCut(there: Int) throws {
    let torn = atom("free", claiming: 1000) { zeros(there - 8) }
    let source = TestMovie.simple.with { $0.layout.append(.bytes(torn)) }.source
    let edit = try MovieEdit.addingSubtitles(to: source)
    #expect(edit.obstacleToAppending() == nil)
    let plan = try edit.appendPlan(of: source)
    #expect(plan.keptByteCount == source.identity().byteCount - UInt64(there))
    let clean = TestMovie.simple.source
    let other = try MovieEdit.addingSubtitles(to: clean).appendPlan(of: clean)
    #expect(plan.appendix == other.appendix && plan.commit == other.commit)
    #expect(try plan.rendered().rendered(from: source) == other.rendered().rendered(from: clean))
  }

  @Test func itemsOfTheFileAfterTheHeaderMoveInPlace() throws {
    // The item table stands behind the header, and one of its items behind that.
    let movie = TestMovie.simple.with {
      $0.fileItem = text("an item of the file")
      $0.layout = .movieLast + [.itemTable, .bytes(atom("XXXX"))]
    }
    let reader = try append(to: movie)
    #expect(reader.topLevel.suffix(2).map(\.type) == ["meta", "XXXX"])
    for dialect in [TestMovie.Dialect.quickTime, .iso] {
      try append(
        to: TestMovie.simple.with {
          $0.dialect = dialect
          $0.movieItem = text("an item of the movie")
          $0.tracks[1].item = text("an item of a track")
          $0.tracks[0].auxiliaryByteCount = 3
        })
    }
  }

  @Test func anItemThatIsWrittenAgainIsFollowed() throws {
    // The item lies inside the table itself, which stands after `moov` and is appended again.
    let layout: [TestMovie.Piece] = .movieLast + [.itemTable]
    let first = TestMovie.simple.with { $0.layout = layout }
    var bytes = first.bytes()
    let reader = try SecondReader(bytes)
    let iloc = try #require(reader.atom("meta/iloc"))
    let hdlr = try #require(reader.atom("meta/hdlr"))
    bytes.replaceSubrange(Int(iloc.end) - 8..<Int(iloc.end), with: u32(Int(hdlr.offset), Int(hdlr.byteCount)))
    let source = MemorySource(Bytes(bytes))
    let plan = try MovieEdit.addingSubtitles(to: source).appendPlan(of: source)
    let new = try SecondReader(plan.rendered().rendered(from: source))
    let moved = try #require(new.atom("meta/iloc"))
    let place = try new.store.read(moved.end - 8, 4)
    #expect(place == u32(Int(try #require(new.atom("meta/hdlr")).offset)))
  }

  @Test func newSamplesBeyond4GiBGetALongTableOfTheirOwn() throws {
    let movie = TestMovie.simple.with { $0.layout = [.fileType, .media(.ordinary), .hole(4 << 30), .movie(.ordinary)] }
    let source = SparseSource(movie)
    let plan = try MovieEdit.addingSubtitles(to: source).appendPlan(of: source)
    let planned = try Movie(of: PlannedSource(plan.rendered(), of: source))
    #expect(planned.tracks.map(\.samples.chunkOffsets.isWide) == [false, false, true])
    let chunk = try #require(planned.track(3)?.samples.chunks.first { _ in true })
    #expect(chunk.offset == plan.keptByteCount + 16)
  }

  @Test func nothingIsReadButWhatStandsAfterTheHeader() throws {
    let movie = TestMovie.simple.with { $0.layout = .movieLast + [.bytes(atom("XXXX") { zeros(100) })] }
    let source = CountingSource(movie.bytes())
    let edit = try MovieEdit.addingSubtitles(to: source)
    let before = source.reads.count
    _ = try edit.appendPlan(of: source)
    let rest = try #require(edit.movie.layout.first("XXXX"))
    #expect(source.reads.dropFirst(before).allSatisfy { read in rest.range.contains(read) || read.count <= 65536 })
    #expect(source.reads.dropFirst(before).contains(rest.range))
  }
}
