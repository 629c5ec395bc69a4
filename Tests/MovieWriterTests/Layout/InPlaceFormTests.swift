import TestSupport
import Testing

@testable import MovieBox
@testable import MovieWriter

struct InPlaceFormTests {
  private func obstacle(_ layout: [TestMovie.Piece]) throws -> String? {
    let source = TestMovie.simple.with { $0.layout = layout }.source
    return try MovieEdit(of: source).inPlaceBlocker(of: source)
  }

  /// Edits in place, checks that old and new movie are equal except for the new track, and returns the new file.
  @discardableResult
  private func append(to movie: TestMovie) throws -> SecondReader {
    let old = movie.bytes()
    let source = MemorySource(Bytes(old))
    let plan = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source)
    let new = try plan.rendered().rendered(from: source)
    let id = movie.nextTrackID ?? (movie.tracks.map(\.id).max() ?? 0) + 1
    let allowed = AllowedChanges.adding(id).with {
      $0.movieMoved = true
      // Media data may have been extended over the old movie atom.
      $0.mediaDataRearranged = plan.commit.offset < (try? Movie(of: source).movieAtom.range.offset) ?? 0
    }
    #expect(try differences(old: old, new: new, allowing: allowed) == [])
    // Before the header is written, readers see only the old movie, followed by free space.
    let before = try SecondReader(plan.renderedBeforeCommit().rendered(from: source))
    #expect(before.topLevel.last?.type == "free" || plan.form == .inSpaceBefore)
    #expect(try differences(old: SecondReader(old), new: before) == [])
    return try SecondReader(new)
  }

  @Test func editsATrailingMovieAtomInPlace() throws {
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

  @Test func refusesToAppendToAFastStartMovie() throws {
    #expect(try obstacle(.movieFirst)?.contains("fast start") == true)
    // With media on both sides, there is no fast start to lose.
    #expect(try obstacle(.movieBetween) == nil)
    #expect(try obstacle(.movieLast + [.bytes(atom("mdat"))]) == nil)
  }

  @Test func rejectsAMovieAtomWithoutASize() throws {
    #expect(try obstacle([.fileType, .media(.ordinary), .movie(.toTheEnd)])?.contains("size is 0") == true)
    #expect(try obstacle([.fileType, .media(.ordinary), .movie(.extended)]) == nil)
  }

  @Test(arguments: [u32(3) + code("Samp"), text("SEFT trailer of a vendor")])
  func keepsTrailingBytesAtTheEnd(_ trailer: [UInt8]) throws {
    let tail = [TestMovie.Piece.bytes(atom("uuid") { zeros(16) }), .free(20), .bytes(trailer)]
    #expect(try obstacle(.movieLast + tail) == nil)
    let movie = TestMovie.simple.with { $0.layout = .movieLast + tail }
    let source = MemorySource(Bytes(movie.bytes()))
    let plan = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source)
    let new = try plan.rendered().rendered(from: source)
    let id = movie.nextTrackID ?? (movie.tracks.map(\.id).max() ?? 0) + 1
    let allowed = AllowedChanges.adding(id).with { $0.movieMoved = true }
    #expect(try differences(old: movie.bytes(), new: new, allowing: allowed) == [])
    #expect(try SecondReader(new).trailingBytes == trailer)
    // Before the header is written, readers see only the old movie.
    let between = try SecondReader(plan.renderedBeforeCommit().rendered(from: source))
    #expect(between.topLevel.count { $0.type == "moov" } == 1)
    #expect(between.tracks.count == movie.tracks.count)
  }

  @Test(arguments: [1, 7, 8, 600, 40_000])
  func overwritesTrailingZeros(_ count: Int) throws {
    let movie = TestMovie.simple.with {
      $0.layout = .movieLast + [.bytes(atom("uuid") { zeros(16) }), .bytes(zeros(count))]
    }
    let source = MemorySource(Bytes(movie.bytes()))
    let plan = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source)
    #expect(plan.form == .appended && plan.writeOffset == source.identity().byteCount - UInt64(count))
    let new = try SecondReader(plan.rendered().rendered(from: source))
    #expect(try new.trailingBytes.isEmpty)
    #expect(new.topLevel.last?.type == "uuid" && new.store.count >= source.bytes.count)
    let before = try SecondReader(plan.renderedBeforeCommit().rendered(from: source))
    #expect(try before.trailingBytes.isEmpty && before.topLevel.last?.type == "free")
  }

  @Test func rejectsTrailingBytesThatCouldBecomeAnAtom() throws {
    // Less than a header, and sizes that the appended bytes would complete.
    let wide = u32(1) + code("Samp")
    for stray in [[9], [0, 0, 1], u32(99) + code("Samp"), u32(268_435_464) + code("Samp"), wide, wide + u64(100)] {
      #expect(try obstacle(.movieLast + [.bytes(stray)])?.contains("could be mistaken") == true)
    }
    #expect(try obstacle(.movieLast + [.bytes(u32(268_435_465) + code("Samp"))]) == nil)
    #expect(try obstacle(.movieLast + [.bytes(wide + u64(1 << 40))]) == nil)
  }

  @Test func appendsNoLargeMediaOfOtherMovies() throws {
    func obstacle(_ byteCount: UInt64, _ tail: [TestMovie.Piece]) throws -> String? {
      let source = TestMovie.simple.with { $0.layout = .movieLast + tail }.source
      var resolved = ResolvedEdit(try MovieStages(Movie(of: source)))
      let time = MediaExtent.Time(microseconds: 0, track: 0)
      resolved.added.copiedMedia = [MediaExtent(range: ByteRange(0..<byteCount), time: time, use: .samples)]
      let planner = MoviePlanner(resolved: resolved, source: source)
      return try planner.inPlaceBlocker(.keepingFastStart)
    }
    // The header of the media has 8 bytes.
    #expect(try obstacle(2 << 30 - 8, []) == nil)
    #expect(try obstacle(2 << 30 - 7, [])?.contains("one 32-bit atom can cover") == true)
    // After a trailer the limit is lower, since the appended bytes must not be taken for an atom. The movie atom counts too.
    let trailer = [TestMovie.Piece.bytes(text("SEFT trailer"))]
    let header = UInt64(try Movie(of: TestMovie.simple.source).tree.bytes.count)
    #expect(try obstacle(128 << 20 - header - 8, trailer) == nil)
    #expect(try obstacle(128 << 20 - header - 7, trailer)?.contains("stray bytes") == true)
  }

  @Test func keepsTheNewHeaderInOneSectorInEveryForm() throws {
    var forms: Set<InPlacePlan.Form> = []
    for padding in 0..<512 {
      let movie = TestMovie.simple.with {
        $0.layout = [.fileType, .free(8 + padding), .media(.ordinary), .movie(.ordinary)]
      }
      var bytes = movie.bytes()
      for language in ["en", "fr", "de"] {
        let source = MemorySource(Bytes(bytes))
        let plan = try MovieEdit.addingSubtitles(to: source, language: language).inPlacePlan(of: source)
        #expect(plan.commit.isInOneSector, "\(padding), \(plan.form)")
        forms.insert(plan.form)
        bytes = try plan.rendered().rendered(from: source)
        let moov = try Movie(of: MemorySource(Bytes(bytes))).movieAtom.range.offset
        #expect(moov % 512 <= 504, "\(padding), \(plan.form)")
      }
    }
    // If the old header crosses a sector boundary, media is extended over it, and no space is left next to the new one.
    #expect(forms == [.appended, .appendedAfterMedia, .inSpaceBefore, .inSpaceAfter])
  }

  @Test func rejectsAnAtomThatExtendsToTheEnd() throws {
    #expect(
      try obstacle(.movieLast + [.bytes(atom("uuid", header: .toTheEnd))])?.contains("extends to the end of the file")
        == true)
    #expect(
      try obstacle(.movieLast + [.bytes(atom("uuid", claiming: 500) { zeros(20) })])?.contains(
        "extends to the end of the file") == true)
    // An empty free atom is overwritten.
    #expect(try obstacle(.movieLast + [.bytes(atom("free", header: .toTheEnd))]) == nil)
    #expect(
      try obstacle(.movieLast + [.bytes(atom("free", header: .toTheEnd) { [1] })])?.contains(
        "extends to the end of the file") == true)
  }

  @Test func repeatsUpToAMebibyteAfterTheMovieAtom() throws {
    func uuid(_ count: Int) -> TestMovie.Piece { .bytes(atom("uuid") { zeros(count - 8) }) }
    #expect(try obstacle(.movieLast + [uuid(1 << 20)]) == nil)
    #expect(try obstacle(.movieLast + [uuid(1 << 20 + 1)])?.contains("1048577 bytes") == true)
    #expect(try obstacle(.movieLast + [.free(4 << 20), uuid(1 << 20)]) == nil)
  }

  @Test func commitsByTheAtomBeforeAStraddlingHeader() throws {
    let uuid = TestMovie.Piece.bytes(atom("uuid") { zeros(16) })
    // The atoms before the movie atom, and the reason why they cannot be extended over it.
    let cases: [([TestMovie.Piece], String?)] = [
      ([.media(.ordinary)], nil), ([.media(.extended)], nil), ([.media(.ordinary), .free(40)], nil),
      ([.media(.ordinary), uuid], "straddles"),
      ([.media(.ordinary), .bytes(atom("free") { text("data") })], "straddles"),
    ]
    for (before, reason) in cases {
      for place in [504, 505, 508, 511] as [UInt64] {
        let plain = TestMovie.simple.with { $0.layout = [.fileType, .free(512)] + before + [.movie(.ordinary)] }
        let start = try #require(try SecondReader(plain.bytes()).atom("moov")).offset
        let movie = plain.with { $0.layout[1] = .free(512 + Int((place + 1024 - start % 512) % 512)) }
        let source = movie.source
        let edit = try MovieEdit.addingSubtitles(to: source)
        #expect(edit.movie.movieAtom.range.offset % 512 == place)
        let blocker = try edit.inPlaceBlocker(of: source)
        guard place > 504, let reason else {
          #expect(blocker == nil)
          try append(to: movie)
          continue
        }
        #expect(blocker?.contains(reason) == true)
      }
    }
  }

  @Test func limitsACommitToOneAtom() throws {
    // A movie atom of 3 GiB whose tree is small, because only the layout counts here.
    let small = try Movie(of: TestMovie(tracks: []).source)
    func obstacle(_ byteCount: UInt64, _ rest: Int) throws -> String? {
      let source = LargeHeader(byteCount: byteCount, rest: atom("XXXX") { zeros(rest - 8) })
      let layout = try FileLayout(of: source)
      #expect(layout.atoms.map(\.range.count) == [24, byteCount, UInt64(rest)])
      let movie = try Movie(layout: layout, tree: small.tree, fileType: nil, limits: MovieLimits())
      let planner = MoviePlanner(resolved: ResolvedEdit(MovieStages(movie)), source: source)
      return try planner.inPlaceBlocker(.keepingFastStart)
    }
    #expect(try obstacle(3 << 30, 100) == nil)
    #expect(try obstacle(1 << 32 - 1, 100)?.contains("would be larger than 4 GiB") == true)
    #expect(try obstacle(5 << 32, 100)?.contains("would be larger than 4 GiB") == true)
  }

  /// `mdat`, a `moov` of zeros with a 64-bit size, and the bytes after it.
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

  @Test func rejectsAPlanDespiteAnObstacle() throws {
    let source = TestMovie.simple.with { $0.layout = .movieFirst }.source
    #expect { try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source) } throws: {
      isMovieError($0, .invalidEdit)
    }
  }

  @Test func keepsAllFormsOfMediaBeforeTheMovieAtom() throws {
    for layout in [
      [.fileType, .media(.extended), .movie(.extended)], [.media(.ordinary), .movie(.ordinary)],
      [.fileType, .media(.ordinary), .free(20), .wide, .media(.ordinary), .bytes(atom("mdat")), .movie(.ordinary)],
    ] as [[TestMovie.Piece]] {
      try append(to: TestMovie.talk.with { $0.layout = layout })
    }
    try append(to: .torture)
  }

  @Test func keepsTrailingAtomsInOrder() throws {
    let atoms: [[UInt8]] = [
      atom("uuid") { zeros(20) }, atom("free") { zeros(9) }, atom("XXXX"), atom("uuid") { zeros(17) },
    ]
    let reader = try append(to: TestMovie.simple.with { $0.layout = .movieLast + atoms.map { .bytes($0) } })
    #expect(reader.topLevel.map(\.type) == ["ftyp", "wide", "mdat", "free", "moov", "mdat", "uuid", "XXXX", "uuid"])
    #expect(reader.topLevel.last?.byteCount == 25)
  }

  @Test func convertsTheOldEndToFreeSpace() throws {
    let movie = TestMovie.simple.with { $0.layout = .movieLast + [.free(30), .bytes(atom("XXXX"))] }
    let source = movie.source
    let plan = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source)
    let moov = try #require(try SecondReader(movie.bytes()).atom("moov"))
    let spare = Int(moov.byteCount) / 4 + 16384
    #expect(plan.form == .appended)
    #expect(plan.commit.offset == moov.offset)
    #expect(plan.commit.expected.array == u32(Int(moov.byteCount)) + code("moov"))
    #expect(plan.commit.replacement.array == u32(Int(moov.byteCount) + 38 + 24 + spare) + code("free"))
    #expect(plan.writeOffset == source.identity().byteCount)
    #expect(plan.contentBytes.load(at: 0, as: UInt32.self) == UInt32(plan.contentBytes.count))
    #expect(plan.byteCount == UInt64(plan.contentBytes.count) + 8)
  }

  @Test func alternatesBetweenFreeSpacesOfBothSides() throws {
    var bytes = TestMovie.simple.bytes()
    var forms: [InPlacePlan.Form] = []
    var sizes: Set<Int> = []
    for language in ["en", "fr", "de", "es", "it"] {
      let source = MemorySource(Bytes(bytes))
      let plan = try MovieEdit.addingSubtitles(to: source, language: language).inPlacePlan(of: source)
      let new = try plan.rendered().rendered(from: source)
      let id = try #require(try SecondReader(bytes).tracks.map(\.id).max()) + 1
      let allowed = AllowedChanges.adding(id).with {
        $0.movieMoved = true
        $0.mediaDataRearranged = true
      }
      #expect(try differences(old: bytes, new: new, allowing: allowed) == [])
      forms.append(plan.form)
      bytes = new
      sizes.insert(bytes.count)
    }
    #expect(forms == [.appended, .inSpaceBefore, .inSpaceAfter, .inSpaceBefore, .inSpaceAfter])
    #expect(sizes.count == 1)
  }

  @Test(arguments: [[TestMovie.Piece].movieFirst, .movieBetween, .movieLast], [100, 20_000, 200_000])
  func coversAnEmptyEnd(_ layout: [TestMovie.Piece], _ count: Int) throws {
    let tails: [[UInt8]] = [
      zeros(count), atom("free") { FreeSpace.mark + [UInt8](repeating: 7, count: count) },
      atom("free", claiming: UInt64(count + 500)) { FreeSpace.mark + [UInt8](repeating: 7, count: count) },
    ]
    for tail in tails {
      for shift in [0, 300, 505, 508] {
        let uuid = TestMovie.Piece.bytes(atom("uuid") { zeros(16 + shift) })
        let movie = TestMovie.simple.with { $0.layout = layout + [uuid, .bytes(tail)] }
        let source = movie.source
        let edit = try MovieEdit.addingSubtitles(to: source)
        guard let plan = try edit.possibleInPlacePlan(of: source, .afterMedia) else { continue }
        let new = try SecondReader(plan.rendered().rendered(from: source))
        #expect(try new.trailingBytes.isEmpty || new.trailingBytes.allSatisfy { $0 == 0 })
        #expect(new.topLevel.count { $0.type == "moov" } == 1 && new.tracks.count == 3)
      }
    }
  }

  @Test func treatsSpaceWithATornMarkAsEmpty() throws {
    for count in 0...16 {
      let place = Array(FreeSpace.mark.prefix(count)) + zeros(16 - count)
      #expect(FreeSpace.isIncompleteMark(place) == (count < 16))
      let payload = MemorySource(Bytes(place + zeros(9000)))
      let contents = try FreeSpace.contents(of: ByteRange(0..<9016), in: payload)
      #expect(contents == (count < 16 ? .zeros : .leftByEdit))
      let data = MemorySource(Bytes(place + zeros(5000) + [1] + zeros(3999)))
      #expect(try FreeSpace.contents(of: ByteRange(0..<9016), in: data) == (count < 16 ? .data : .leftByEdit))
    }
    for count in 1..<16 { #expect(FreeSpace.isIncompleteMark(zeros(count) + FreeSpace.mark.dropFirst(count))) }
    let wide = MemorySource(Bytes(u64(77) + FreeSpace.mark + [1, 2, 3]))
    #expect(try FreeSpace.contents(of: ByteRange(0..<27), in: wide) == .leftByEdit)
  }

  @Test func limitsTheFreeSpaceExamined() throws {
    let movie = TestMovie.simple.with { $0.layout = .movieLast + (0..<3000).map { .free(8 + $0 % 3) } }
    let source = CountingSource(movie.bytes())
    let edit = try MovieEdit.addingSubtitles(to: source)
    let before = source.reads.count
    _ = try MovieEdit.inPlaceBlocker(of: edit.movie, in: source)
    #expect(source.reads.count - before < 200)
  }

  @Test func marksZeroedSpaceBeforeWriting() throws {
    let source = TestMovie.simple.with { $0.layout.append(.free(5000)) }.source
    let plan = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source)
    let space = try FileLayout(of: source).atoms.last
    #expect(plan.form == .inSpaceAfter && plan.markOffset == space?.payloadRange.offset)
    let new = try plan.rendered().rendered(from: source)
    #expect(new.count == source.bytes.count)
    #expect(try FreeSpace.contents(of: #require(space).payloadRange, in: MemorySource(Bytes(new))) == .leftByEdit)
  }

  @Test(arguments: [text("Canon keeps this"), u32(16) + code("CNTH") + zeros(8), text("free for movtoo_")])
  func repeatsFreeSpaceWithData(_ data: [UInt8]) throws {
    for tail in [[], [.free(9)], [.free(9), .bytes(atom("uuid"))]] as [[TestMovie.Piece]] {
      let kept = atom("free") { data + zeros(5000) }
      let movie = TestMovie.simple.with { $0.layout = .movieLast + [.bytes(kept)] + tail }
      let source = movie.source
      let plan = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source)
      #expect(plan.form == .appended)
      let reader = try append(to: movie)
      #expect(
        try reader.topLevel.contains { try $0.type == "free" && reader.store.read($0.offset, kept.count) == kept })
    }
  }

  @Test(arguments: [3000, -1]) func keepsReferencedFreeSpace(_ place: Int) throws {
    // A sample is in the space, or reaches into it.
    let movie = TestMovie.simple.with { $0.layout = [.fileType, .media(.ordinary), .movie(.ordinary), .free(6000)] }
    var bytes = movie.bytes()
    let reader = try SecondReader(bytes)
    let stco = try #require(reader.atom("moov/trak#1/mdia/minf/stbl/stco"))
    let space = try #require(reader.topLevel.last)
    bytes.replaceSubrange(Int(stco.end) - 4..<Int(stco.end), with: u32(Int(space.offset) + place))
    let source = MemorySource(Bytes(bytes))
    let survey = try InPlaceFreeSpace(of: Movie(of: source), in: source)
    #expect(survey.spaceAfterMovie == nil && survey.emptyTail == nil)
    let untouched = movie.source
    #expect(try InPlaceFreeSpace(of: Movie(of: untouched), in: untouched).spaceAfterMovie != nil)
  }

  @Test(arguments: [atom("udta"), atom("uuid") { zeros(40) } + atom("free")])
  func recognizesARetiredMovieAtom(_ children: [UInt8]) throws {
    let header = atom("mvhd") { zeros(100) }
    func contents(_ bytes: [UInt8]) throws -> FreeSpace.Contents {
      try FreeSpace.contents(of: ByteRange(0..<UInt64(bytes.count)), in: MemorySource(Bytes(bytes)))
    }
    #expect(try contents(children + header) == .leftByEdit)
    #expect(try contents(children) == .data)
    #expect(try contents(children + header.dropLast(101)) == .data)
    #expect(try contents(u32(4) + children + header) == .data)
  }

  @Test(arguments: [8, 12, 30, 500])
  func overwritesTornFreeSpaceAtTheEnd(there: Int) throws {
    let torn = Array(atom("free", claiming: 60_000) { FreeSpace.mark + zeros(500) }.prefix(there))
    let source = TestMovie.simple.with { $0.layout.append(.bytes(torn)) }.source
    let edit = try MovieEdit.addingSubtitles(to: source)
    let plan = try edit.inPlacePlan(of: source)
    #expect(plan.writeOffset == source.identity().byteCount - UInt64(there))
    let clean = TestMovie.simple.source
    let other = try MovieEdit.addingSubtitles(to: clean).inPlacePlan(of: clean)
    #expect(plan.contentBytes == other.contentBytes && plan.commit == other.commit)
    #expect(try plan.rendered().rendered(from: source) == other.rendered().rendered(from: clean))
  }

  @Test func relocatesFileItemsInPlace() throws {
    // The item table is after the header, and one of its items after the table.
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

  @Test func followsARewrittenItem() throws {
    // The item is inside the table itself, which is after `moov` and is appended again.
    let layout: [TestMovie.Piece] = .movieLast + [.itemTable]
    let first = TestMovie.simple.with { $0.layout = layout }
    var bytes = first.bytes()
    let reader = try SecondReader(bytes)
    let iloc = try #require(reader.atom("meta/iloc"))
    let hdlr = try #require(reader.atom("meta/hdlr"))
    bytes.replaceSubrange(Int(iloc.end) - 8..<Int(iloc.end), with: u32(Int(hdlr.offset), Int(hdlr.byteCount)))
    let source = MemorySource(Bytes(bytes))
    let plan = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source)
    let new = try SecondReader(plan.rendered().rendered(from: source))
    let moved = try #require(new.atom("meta/iloc"))
    let place = try new.store.read(moved.end - 8, 4)
    #expect(place == u32(Int(try #require(new.atom("meta/hdlr")).offset)))
  }

  @Test func writesAWideTableForNewSamplesBeyond4GiB() throws {
    let movie = TestMovie.simple.with { $0.layout = [.fileType, .media(.ordinary), .hole(4 << 30), .movie(.ordinary)] }
    let source = SparseSource(movie)
    let plan = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source)
    let planned = try Movie(of: PlannedSource(plan.rendered(), of: source))
    #expect(planned.tracks.map(\.samples.chunkOffsets.isWide) == [false, false, true])
    let chunk = try #require(planned.track(3)?.samples.chunks.first { _ in true })
    #expect(plan.form == .appended && chunk.offset == planned.layout.atoms.last?.payloadRange.offset)
  }

  @Test func readsOnlyAtomsAfterTheMovieAtom() throws {
    let movie = TestMovie.simple.with { $0.layout = .movieLast + [.bytes(atom("XXXX") { zeros(100) })] }
    let source = CountingSource(movie.bytes())
    let edit = try MovieEdit.addingSubtitles(to: source)
    let before = source.reads.count
    _ = try edit.inPlacePlan(of: source)
    let rest = try #require(edit.movie.layout.first("XXXX"))
    #expect(source.reads.dropFirst(before).allSatisfy { read in rest.range.contains(read) || read.count <= 65536 })
    #expect(source.reads.dropFirst(before).contains(rest.range))
  }
}
