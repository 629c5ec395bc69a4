import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

struct MoviePlannerNewFileTests {
  /// Plans a new file, checks that old and new movie are equal except for the new track, and returns the new file.
  @discardableResult
  private func remux(_ movie: TestMovie, fastStart: Bool = false, adding: Bool = true) throws -> SecondReader {
    let source = movie.source
    let edit = adding ? try MovieEdit.addingSubtitles(to: source) : try MovieEdit(of: source)
    let new = try edit.outputPlan(of: source, OutputLayout(isFastStart: fastStart, interleaving: .none)).rendered(
      from: source)
    let id = (movie.tracks.map(\.id).max() ?? 0) + 1
    let allowed = (adding ? AllowedChanges.adding(id) : AllowedChanges()).with {
      $0.movieMoved = fastStart
      $0.freeSpace = false
    }
    #expect(try differences(old: movie.bytes(), new: new, allowing: allowed) == [])
    return try SecondReader(new)
  }

  private func types(_ reader: SecondReader) -> [String] { reader.topLevel.map(\.type) }

  @Test func keepsTheOrderOfEveryLayout() throws {
    let cases: [([TestMovie.Piece], [String])] = [
      (.movieLast, ["ftyp", "wide", "mdat", "mdat", "moov"]),
      (.movieFirst, ["ftyp", "moov", "mdat", "mdat"]),
      (.movieBetween, ["ftyp", "mdat", "moov", "mdat", "mdat"]),
      ([.movie(.ordinary), .wide, .media(.extended)], ["moov", "mdat", "wide", "mdat"]),
      (
        [
          .fileType, .free(20), .media(.ordinary), .bytes(atom("skip")), .media(.ordinary), .movie(.extended), .free(9),
        ],
        ["ftyp", "free", "mdat", "skip", "mdat", "mdat", "moov", "free"]
      ),
    ]
    for (layout, expected) in cases {
      #expect(types(try remux(TestMovie.talk.with { $0.layout = layout })) == expected)
    }
  }

  @Test func recognizesSpaceLeftByEdits() throws {
    func found(_ bytes: [UInt8]) throws -> Set<Int> {
      let source = MemorySource(Bytes(bytes))
      return try Movie(of: source).spaceLeftByEdits(in: source)
    }
    let (mark, header) = (FreeSpace.mark, atom("mvhd") { zeros(100) })
    let spaces = [
      atom("free") { mark + text("old") }, atom("skip") { header }, atom("free") { atom("udta") + header },
      // Zeros, data of another program, a movie header that is not at the start, and atoms that are not free space.
      atom("free") { zeros(40) }, atom("free") { text("somebody's data") }, atom("skip") { [1] + header }, atom("free"),
      atom("wide") { mark },
    ]
    let movie = TestMovie.simple.with {
      $0.layout = [.fileType] + spaces.map { .bytes($0) } + [.movie(.ordinary), .media(.ordinary)]
    }
    #expect(try found(movie.bytes()) == [1, 2, 3])
    // Bytes with samples are media, whatever they begin with.
    var bytes = movie.bytes()
    let media = try #require(try SecondReader(bytes).topLevel.last)
    bytes.replaceSubrange(Int(media.offset) + 4..<Int(media.offset) + 8 + mark.count, with: code("free") + mark)
    #expect(try found(bytes) == [1, 2, 3])
    // In a fragmented movie, no space is recognized.
    #expect(try found(Flattened.header.bytes(fragments: [TestFragment([])]) + spaces[0]) == [])
  }

  @Test func placesTheMovieAtomAfterTheFileTypeForFastStart() throws {
    let cases: [([TestMovie.Piece], [String])] = [
      (.movieLast, ["ftyp", "moov", "mdat", "wide", "mdat"]),
      (.movieBetween, ["ftyp", "moov", "mdat", "mdat", "mdat"]),
      ([.media(.ordinary), .movie(.toTheEnd)], ["moov", "mdat", "mdat"]),
      // The movie atom is already first, so the order is kept.
      (
        [.fileType, .bytes(atom("uuid") { zeros(16) }), .movie(.ordinary), .media(.ordinary)],
        ["ftyp", "uuid", "moov", "mdat", "mdat"]
      ),
    ]
    for (layout, expected) in cases {
      #expect(types(try remux(TestMovie.talk.with { $0.layout = layout }, fastStart: true)) == expected)
    }
  }

  @Test func copiesTheFileForAnEmptyEdit() throws {
    for movie in [TestMovie.talk, .torture, .simple.with { $0.layout = .movieBetween }] {
      let source = movie.source
      let edit = try MovieEdit(of: source)
      #expect(edit.isEmpty)
      #expect(try edit.outputPlan(of: source).rendered(from: source) == movie.bytes())
    }
  }

  @Test func writesTheSizeOfAMovedMovieAtom() throws {
    let movie = TestMovie.simple.with { $0.layout = [.fileType, .media(.ordinary), .movie(.toTheEnd)] }
    let reader = try remux(movie, fastStart: true, adding: false)
    #expect(types(reader) == ["ftyp", "moov", "mdat"])
    #expect(types(try remux(movie, adding: false)) == ["ftyp", "mdat", "moov"])
  }

  @Test func writesTheSizeOfMedia() throws {
    let movie = TestMovie.talk.with { $0.layout = [.fileType, .movie(.ordinary), .media(.toTheEnd)] }
    let reader = try remux(movie)
    #expect(types(reader) == ["ftyp", "moov", "mdat", "mdat"])
    let media = try #require(reader.topLevel.last)
    #expect(try reader.store.read(media.offset, 4) == u32(Int(media.byteCount)))
    let old = try #require(try SecondReader(movie.bytes()).topLevel.last)
    #expect(media.byteCount == old.byteCount && media.headerByteCount == 8)
  }

  @Test func writesA64BitSizeOfMediaBeyond4GiB() throws {
    // 16 samples of 300 MiB, which are not stored.
    let movie = TestMovie.simple.with { $0.layout = [.fileType, .movie(.ordinary), .media(.toTheEnd)] }
    for (hole, headerByteCount) in [(1 << 32 - 1, 8), (1 << 32, 16)] as [(UInt64, Int)] {
      let small = SparseSource(movie)
      let media = try #require(try SecondReader(movie.bytes()).topLevel.last)
      let source = LongEnd(base: small, byteCount: media.offset + hole)
      let plan = try MovieEdit.addingSubtitles(to: source).outputPlan(of: source, OutputLayout(interleaving: .none))
      let planned = try Movie(of: PlannedSource(plan, of: source))
      let last = try #require(planned.layout.atoms.last)
      #expect(last.headerByteCount == headerByteCount && last.sizeField == (headerByteCount == 8 ? .compact : .wide))
      #expect(last.payloadRange.count == hole - 8)
      #expect(planned.layout.trailing == nil)
    }
  }

  /// A source extended by zeros.
  private struct LongEnd: RandomAccessSource {
    let base: SparseSource
    let byteCount: UInt64

    func identity() -> SourceIdentity { SourceIdentity(byteCount: byteCount, tag: "long") }

    func read(_ range: ByteRange) throws -> Bytes {
      let there = base.built.byteCount
      guard range.end > there else { return try base.read(range) }
      let part = range.offset < there ? try base.read(ByteRange(range.offset..<there)).array : []
      return Bytes(part + zeros(Int(range.count) - part.count))
    }
  }

  @Test func keepsOtherBytesAtTheEnd() throws {
    for trailer in [[9], zeros(7), text("SEFT trailer of a vendor")] {
      for layout in [[TestMovie.Piece].movieLast, .movieFirst] {
        let movie = TestMovie.simple.with { $0.layout = layout + [.bytes(trailer)] }
        #expect(try remux(movie).trailingBytes == trailer)
        #expect(try remux(movie, fastStart: true).trailingBytes == trailer)
        #expect(
          try MovieEdit(of: movie.source).movie.newFileWarnings(keepsTrailingBytes: true).map(\.kind) == [
            .vendorPosition
          ])
      }
    }
  }

  @Test func warnsOfACamerasTable() throws {
    let movie = TestMovie.simple.with { $0.movieAtoms = atom("gps ") { zeros(16) } }
    #expect(
      try MovieEdit(of: movie.source).movie.newFileWarnings(keepsTrailingBytes: true).map(\.kind) == [.vendorPosition])
    #expect(try MovieEdit(of: TestMovie.simple.source).movie.newFileWarnings(keepsTrailingBytes: true).isEmpty)
  }

  @Test func warnsOfPositionsOfCanonCameras() throws {
    let canon = u8(0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48)
    func warnings(_ content: [UInt8]) throws -> [EditNotice] {
      try MovieEdit(of: TestMovie.simple.with { $0.movieAtoms = atom("uuid") { content } }.source).movie
        .newFileWarnings(keepsTrailingBytes: true)
    }
    let table = atom("CTBO") { u32(1, 1) + zeros(16) }
    let version = atom("CNCV") { text("CanonHEVC001") }
    #expect(try warnings(canon + version + table).map(\.kind) == [.vendorPosition])
    for other in [canon, canon + version, canon.reversed() + table, canon + u32(0) + table, canon + table.prefix(6)] {
      #expect(try warnings(other).isEmpty)
    }
  }

  @Test func relocatesItemsOfFileMovieAndTrack() throws {
    for dialect in [TestMovie.Dialect.quickTime, .iso] {
      let movie = TestMovie.simple.with {
        $0.dialect = dialect
        $0.fileItem = text("an item of the file")
        $0.movieItem = text("an item of the movie")
        $0.tracks[1].item = text("an item of a track")
        $0.tracks[0].auxiliaryByteCount = 3
      }
      for layout in [
        [.fileType, .itemTable, .media(.ordinary), .movie(.ordinary)],
        [.fileType, .media(.ordinary), .movie(.ordinary), .itemTable],
        [.fileType, .movie(.ordinary), .itemTable, .media(.ordinary)],
      ] as [[TestMovie.Piece]] {
        try remux(movie.with { $0.layout = layout })
        try remux(movie.with { $0.layout = layout }, fastStart: true)
      }
    }
  }

  @Test func preservesTablesAndUnknownAtomsWhenMediaMoves() throws {
    try remux(.torture, fastStart: true)
    try remux(.torture.with { $0.layout = .movieFirst })
  }

  @Test func keepsExternalChunks() throws {
    let movie = TestMovie.simple.with { $0.tracks[0].externalOffsets = [10, 20, 30, 40, 50, 60] }
    let reader = try remux(movie, fastStart: true)
    #expect(reader.track(1)?.samples.first?.offset == 10)
    #expect(try MovieEdit(of: movie.source).notices.map(\.kind) == [.externalMedia])
  }

  @Test func makesTheSameMovieByBothStrategies() throws {
    for movie in [
      TestMovie.talk, .torture,
      .simple.with { $0.layout = [.fileType, .media(.extended), .movie(.extended), .free(90)] },
    ] {
      let source = movie.source
      let edit = try MovieEdit.addingSubtitles(to: source)
      let inPlace = try SecondReader(edit.inPlacePlan(of: source).rendered().rendered(from: source))
      for fastStart in [false, true] {
        let new = try SecondReader(
          edit.outputPlan(of: source, OutputLayout(isFastStart: fastStart, interleaving: .none)).rendered(from: source))
        #expect(
          try differences(
            old: inPlace, new: new,
            allowing: AllowedChanges().with {
              $0.movieMoved = true
              $0.mediaDataRearranged = true
            }) == [])
        for (one, other) in zip(inPlace.tracks, new.tracks) {
          #expect(one.id == other.id && one.samples.count == other.samples.count)
        }
      }
    }
  }

  @Test func plansDeterministically() throws {
    let source = TestMovie.torture.source
    #expect(
      try MovieEdit.addingSubtitles(to: source).outputPlan(of: source)
        == MovieEdit.addingSubtitles(to: source).outputPlan(of: source))
  }

  @Test func readsNoMedia() throws {
    let source = CountingSource(
      TestMovie.talk.with { $0.layout = [.fileType, .free(70_000), .media(.ordinary), .movie(.ordinary)] }.bytes())
    let edit = try MovieEdit.addingSubtitles(to: source)
    _ = try edit.outputPlan(of: source, OutputLayout(isFastStart: true))
    let media = try #require(edit.movie.layout.first("mdat"))
    #expect(source.reads.allSatisfy { !$0.overlaps(media.payloadRange) || $0.count <= 32 })
  }
}
