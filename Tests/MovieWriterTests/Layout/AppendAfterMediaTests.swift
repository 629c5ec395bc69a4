import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Edits in place of movies whose header precedes the media.
struct AppendAfterMediaTests {
  /// Edits in place, checks that old and new movie are equal except for the new track, and returns the new file.
  @discardableResult
  private func append(to movie: TestMovie) throws -> SecondReader {
    let old = movie.bytes()
    let source = MemorySource(Bytes(old))
    let edit = try MovieEdit.addingSubtitles(to: source)
    let media = edit.movie.layout.first("mdat")?.range.offset
    let hasMediaBefore = try #require(media) < edit.movie.movieAtom.range.offset
    #expect(try hasMediaBefore || edit.inPlaceBlocker(of: source)?.contains("fast start") == true)
    let plan = try edit.inPlacePlan(of: source, .afterMedia)
    let new = try plan.rendered().rendered(from: source)
    #expect(plan.form == .appendedAfterMedia && new.count == Int(plan.writeOffset) + plan.contentBytes.count)
    #expect(plan.byteCount < 50_000)
    let id = (movie.tracks.map(\.id).max() ?? 0) + 1
    let allowed = AllowedChanges.adding(id).with {
      $0.movieMoved = true
      $0.mediaDataRearranged = true
    }
    #expect(try differences(old: old, new: new, allowing: allowed) == [])
    // Before the header is written, readers see only the old movie.
    let before = try SecondReader(plan.renderedBeforeCommit().rendered(from: source))
    #expect(try differences(old: SecondReader(old), new: before) == [])
    return try SecondReader(new)
  }

  @Test func convertsTheOldMovieAtomToMediaData() throws {
    let uuid = TestMovie.Piece.bytes(atom("uuid") { zeros(16) + text("vendor") })
    let cases: [([TestMovie.Piece], [String])] = [
      (.movieFirst, ["ftyp", "mdat", "mdat", "moov"]),
      (.movieBetween, ["ftyp", "mdat", "mdat", "mdat", "moov"]),
      (
        [.fileType, .movie(.extended), .free(50), .media(.ordinary), uuid, .media(.extended), .free(9), .wide],
        ["ftyp", "mdat", "mdat", "moov", "uuid", "wide"]
      ),
      (
        [.fileType, uuid, .movie(.ordinary), uuid, .media(.ordinary)], ["ftyp", "uuid", "mdat", "mdat", "moov", "uuid"]
      ),
    ]
    for (layout, expected) in cases {
      for movie in [TestMovie.simple, .talk, .torture] {
        let reader = try append(to: movie.with { $0.layout = layout })
        #expect(reader.topLevel.map(\.type).filter { $0 != "free" } == expected)
      }
    }
  }

  @Test func makesTheNextEditInPlace() throws {
    let source = TestMovie.talk.with { $0.layout = .movieFirst }.source
    let first = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source, .afterMedia).rendered()
    let again = PlannedSource(first, of: source)
    #expect(try MovieEdit.addingSubtitles(to: again, language: "fr").inPlaceBlocker(of: again) == nil)
  }

  @Test func dropsUnusedBytesInsideMediaData() throws {
    let movie = TestMovie.talk.with { $0.layout = .movieFirst }
    let source = movie.source
    let edit = try MovieEdit.addingSubtitles(to: source)
    let whole = try edit.inPlacePlan(of: source, .afterMedia).rendered().rendered(from: source)
    let appended = MemorySource(Bytes(whole))
    let compact = try MovieEdit(of: appended)
      .outputPlan(of: appended, OutputLayout(isFastStart: true, isCompact: true)).rendered(from: appended)
    let direct = try edit.outputPlan(of: source, OutputLayout(interleaving: .none)).rendered(from: source)
    #expect(compact.count <= direct.count)
    let allowed = AllowedChanges().with {
      $0.movieMoved = true
      $0.mediaDataRearranged = true
    }
    #expect(try differences(old: whole, new: compact, allowing: allowed) == [])
  }

  @Test func writesA16ByteHeaderBeyond4GiB() throws {
    // The header starts at byte 20. Everything from there to the end of the new header is counted.
    for (hole, headerByteCount) in [(1 << 32 - 20_000, 8), (1 << 32, 16)] as [(UInt64, Int)] {
      let movie = TestMovie.simple.with {
        $0.layout = [.fileType, .movie(.ordinary), .mediaHole(hole), .media(.ordinary)]
        for index in $0.tracks.indices { $0.tracks[index].usesLongOffsets = true }
      }
      let source = SparseSource(movie)
      let plan = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source, .afterMedia)
      #expect(plan.commit.replacement.count == headerByteCount && plan.commit.expected.count == headerByteCount)
      #expect(plan.commit.expected == (try source.read(ByteRange(20..<20 + UInt64(headerByteCount)))))
      let planned = try Movie(of: PlannedSource(plan.rendered(), of: source))
      let media = try #require(planned.layout.first("mdat"))
      #expect(media.headerByteCount == headerByteCount)
      #expect(media.range == ByteRange(20..<plan.writeOffset + 24))
    }
  }

  @Test func keepsTheCommittedHeaderInOneSector() throws {
    func obstacle(_ place: Int, _ hole: UInt64) throws -> String? {
      let source = SparseSource(
        TestMovie.simple.with {
          $0.layout = [
            .fileType, .bytes(atom("uuid") { zeros(512 + place - 28) }), .movie(.ordinary), .mediaHole(hole),
            .media(.ordinary),
          ]
          for index in $0.tracks.indices { $0.tracks[index].usesLongOffsets = true }
        })
      let edit = try MovieEdit(of: source)
      #expect(edit.movie.movieAtom.range.offset % 512 == UInt64(place % 512))
      return try edit.inPlaceBlocker(of: source, .afterMedia)
    }
    for (place, hole) in [(504, 100), (512, 100), (496, 1 << 32), (512, 1 << 32)] as [(Int, UInt64)] {
      #expect(try obstacle(place, hole) == nil)
    }
    for (place, hole) in [(505, 100), (511, 100), (511, 1 << 32)] as [(Int, UInt64)] {
      #expect(try obstacle(place, hole)?.contains("straddles") == true)
    }
    // The 16 bytes cross a sector boundary, although the first 8 do not.
    #expect(try obstacle(497, 1 << 32)?.contains("would be larger than 4 GiB") == true)
  }

  @Test func countsTheOldMovieAtomAsUnused() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(TestMovie.talk.with { $0.layout = .movieFirst }.bytes(), as: "film.mov")
    let source = try FileSource(path: path)
    let edit = try MovieEdit.addingSubtitles(to: source)
    let old = edit.movie.movieAtom.range.count
    let writer = try MovieFileWriter(edit, to: .sourceFile(path), movieAtom: .afterMedia)
    // Including the header that hid the new bytes, but not the space for later edits.
    let dead = 24 + old
    #expect(writer.unusedByteCount >= dead && writer.unusedByteCount <= dead + 32)
  }

  @Test func reportsRemainingObstacles() throws {
    func obstacle(_ layout: [TestMovie.Piece]) throws -> String? {
      let source = TestMovie.simple.with { $0.layout = layout }.source
      return try MovieEdit(of: source).inPlaceBlocker(of: source, .afterMedia)
    }
    #expect(
      try obstacle([.fileType, .movie(.ordinary), .media(.toTheEnd)])?.contains("extends to the end of the file")
        == true)
    // The samples are found there, but the atom is not media data.
    let unknown = try TestMovie.simple.with { $0.layout = .movieFirst }.bytes().patched("mdat", -4, code("XXXX"))
    #expect(
      try MovieEdit(of: MemorySource(Bytes(unknown))).inPlaceBlocker(of: MemorySource(Bytes(unknown)), .afterMedia)?
        .contains("outside media data") == true)
    let large = TestMovie.Piece.bytes(atom("uuid") { zeros(1 << 20) })
    #expect(try obstacle(.movieFirst + [large])?.contains("bytes follow") == true)
    #expect(try obstacle(.movieFirst + [.free(2 << 20)]) == nil)
  }
}
