import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Media just below 4 GiB that moves beyond this limit because the header is placed before it.
struct WideOffsetTests {
  /// Returns a movie with one early chunk in the first track, and three in the second, of which two are after a hole.
  private func movie(hole: UInt64, long: Bool = false) -> TestMovie {
    TestMovie(tracks: [
      TestTrack(.video, id: 1).with {
        $0.samples = [TestSample(100, duration: 1200)]
        $0.usesLongOffsets = long
      },
      TestTrack(.sound, id: 2).with {
        $0.samples = .varied(3, around: 30, duration: 5000)
        $0.chunking = [1]
      },
    ]).with { $0.layout = [.fileType, .media(.ordinary), .hole(hole), .media(.ordinary), .movie(.ordinary)] }
  }

  private func planned(_ movie: TestMovie) throws -> (new: Movie, plan: OutputPlan) {
    let source = SparseSource(movie)
    let plan = try MovieEdit.addingSubtitles(to: source).outputPlan(of: source, OutputLayout(isFastStart: true))
    return (try Movie(of: PlannedSource(plan, of: source)), plan)
  }

  private func lastOffset(_ movie: Movie) -> UInt64 {
    movie.track(2)?.samples.chunkOffsets.last ?? 0
  }

  /// Returns the hole for which the last chunk has the largest 32-bit offset.
  private func lastThatFits(long: Bool = false) throws -> UInt64 {
    let start: UInt64 = 1 << 31
    return start + UInt64(UInt32.max) - lastOffset(try planned(movie(hole: start, long: long)).new)
  }

  @Test func widensAtTheFirstPositionThatDoesNotFit() throws {
    let hole = try lastThatFits()
    let narrow = try planned(movie(hole: hole)).new
    #expect(lastOffset(narrow) == UInt64(UInt32.max))
    #expect(narrow.tracks.map(\.samples.chunkOffsets.isWide) == [false, false, false])
    let wide = try planned(movie(hole: hole + 1)).new
    #expect(lastOffset(wide) == 1 << 32 + 3 * 4)  // The wider table itself moves the media by 12 bytes.
    #expect(wide.tracks.map(\.samples.chunkOffsets.isWide) == [false, true, false])
    #expect(wide.track(2)?.samples.chunkOffsets.count == 3)
  }

  @Test func keepsSamplesOnBothSidesOf4GiB() throws {
    let hole = try lastThatFits()
    for shift in [0, 1, 1000] as [UInt64] {
      let test = movie(hole: hole + shift)
      let (new, plan) = try planned(test)
      let source = SparseSource(test)
      for id in [1, 2] as [UInt32] {
        let track = try #require(new.track(id))
        for (index, chunk) in track.samples.chunks.enumerated() {
          let bytes = try PlannedSource(plan, of: source).read(try #require(chunk.byteRange))
          #expect(bytes.array == test.tracks[Int(id) - 1].bytes(ofSample: index))
        }
      }
    }
  }

  @Test func neverNarrowsAWideTable() throws {
    let small = try planned(movie(hole: 100, long: true)).new
    #expect(small.tracks.map(\.samples.chunkOffsets.isWide) == [true, false, false])
    let far = try planned(movie(hole: try lastThatFits(long: true) + 1, long: true)).new
    #expect(far.tracks.map(\.samples.chunkOffsets.isWide) == [true, true, false])
  }

  @Test func keepsFlagsAndTailWhenWidening() throws {
    // Flags, and three odd bytes after the last entry.
    let stco = fullAtom("stco", flags: 5) { u32(2, 10, 20) + u8(7, 8, 9) }
    let moov = atom("moov") { atom("trak") { atom("mdia") { atom("minf") { atom("stbl") { stco } } } } }
    let source = TestMovie.simple.source
    var resolved = ResolvedEdit(try MovieStages(Movie(of: source)))
    let trak = try AtomTree(Bytes(moov), at: 0)
    resolved.edits.replace(
      try #require(resolved.movie.tree.index(at: "moov/trak[1]")), with: trak.bytes(of: 1).array)
    var writer = ByteWriter()
    try resolved.draft(wideTracks: [0]).write(to: &writer)
    let tree = try AtomTree(Bytes(writer.bytes), at: 0)
    let wide = try #require(tree.index(at: "moov/trak[1]/mdia/minf/stbl/co64"))
    #expect(tree.payload(of: wide).array == [0, 0, 0, 5] + u32(2) + u64(10, 20) + u8(7, 8, 9))
    #expect(tree.index(at: "moov/trak[2]/mdia/minf/stbl/co64") == nil)
  }

  @Test func rejectsAuxiliaryPositionsThatDoNotFit() throws {
    let hole = try lastThatFits()
    let test = movie(hole: hole).with { $0.tracks[1].auxiliaryByteCount = 1 }
    #expect { try planned(test) } throws: { isMovieError($0, .unsupported) }
  }
}
