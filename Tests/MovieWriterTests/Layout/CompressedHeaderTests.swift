import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

struct CompressedHeaderTests {
  /// Checks that the new movie is the old one with an additional track, whatever its layout.
  private func expectAdded(
    _ plan: OutputPlan, of source: MemorySource, to twin: TestMovie, isInPlace: Bool = false
  ) throws {
    let new = try plan.rendered(from: source)
    let reader = try SecondReader(new)
    #expect(reader.topLevel.count { $0.type == "moov" } == 1 && reader.atom("moov/cmov") == nil)
    let id = (twin.tracks.map(\.id).max() ?? 0) + 1
    let allowed = AllowedChanges.adding(id).with {
      $0.movieMoved = true
      $0.mediaDataRearranged = isInPlace  // It may reach over an old movie atom.
    }
    #expect(try differences(old: twin.bytes(), new: new, allowing: allowed) == [])
  }

  @Test(arguments: [TestMovie.simple, .talk, .torture])
  func writesAPlainMovieAtomByBothStrategies(twin: TestMovie) throws {
    let source = twin.with { $0.hasCompressedMovieAtom = true }.source
    let edit = try MovieEdit.addingSubtitles(to: source)
    try expectAdded(edit.inPlacePlan(of: source).rendered(), of: source, to: twin, isInPlace: true)
    for fastStart in [false, true] {
      try expectAdded(edit.outputPlan(of: source, OutputLayout(isFastStart: fastStart)), of: source, to: twin)
    }
  }

  @Test(arguments: [HeaderForm.ordinary, .extended, .toTheEnd])
  func replacesEveryFormOfCompressedMovieAtom(form: HeaderForm) throws {
    let twin = TestMovie.simple.with { $0.layout = [.fileType, .media(.ordinary), .movie(form)] }
    let source = twin.with { $0.hasCompressedMovieAtom = true }.source
    let edit = try MovieEdit.addingSubtitles(to: source)
    for fastStart in [false, true] {
      try expectAdded(edit.outputPlan(of: source, OutputLayout(isFastStart: fastStart)), of: source, to: twin)
    }
    // The size of a header's size field is that of the inflated atom.
    #expect(
      try MovieEdit(of: source).outputPlan(of: source, OutputLayout(isFastStart: true)).byteCount
        < source.identity().byteCount)
  }

  @Test(arguments: [HeaderForm.ordinary, .extended])
  func comparesTheCommitWithTheFile(form: HeaderForm) throws {
    let movie = TestMovie.simple.with {
      $0.hasCompressedMovieAtom = true
      $0.layout = [.fileType, .media(.ordinary), .movie(form), .free(30)]
    }
    let source = movie.source
    let edit = try MovieEdit.addingSubtitles(to: source)
    let plan = try edit.inPlacePlan(of: source)
    let range = edit.movie.movieAtom.range
    #expect(try plan.commit.expected == source.read(ByteRange(range.offset..<range.offset + 8)))
    #expect(plan.commit.expected != edit.movie.tree.bytes.slice(at: 0, count: 8))
    #expect(plan.commit.replacement.array == u32(Int(range.count) + 24 + Int(range.count) / 4 + 16384) + code("free"))
  }

  @Test func editsMovieAtomsCompressedByZlib() throws {
    let python = try Witness.require("python3")
    for layout in [TestMovie.torture.layout, .movieFirst, .movieBetween] as [[TestMovie.Piece]] {
      let twin = TestMovie.torture.with { $0.layout = layout }
      let source = MemorySource(Bytes(try withCompressedHeader(twin.bytes()) { try python.zlib($0) }))
      let edit = try MovieEdit.addingSubtitles(to: source)
      try expectAdded(edit.outputPlan(of: source), of: source, to: twin)
      try expectAdded(edit.outputPlan(of: source, OutputLayout(isFastStart: true)), of: source, to: twin)
      if let plan = try edit.possibleInPlacePlan(of: source) {
        try expectAdded(plan.rendered(), of: source, to: twin, isInPlace: true)
      }
    }
  }

  @Test func widensPositionsOfAnInflatedMovieAtom() throws {
    let movie = TestMovie.simple.with {
      $0.hasCompressedMovieAtom = true
      $0.layout = [.fileType, .media(.ordinary), .hole(4 << 30), .movie(.ordinary)]
    }
    let source = SparseSource(movie)
    let plan = try MovieEdit.addingSubtitles(to: source).inPlacePlan(of: source)
    let planned = try Movie(of: PlannedSource(plan.rendered(), of: source))
    #expect(planned.tracks.map(\.samples.chunkOffsets.isWide) == [false, false, true])
    #expect(!planned.hasCompressedMovieAtom)
  }

  @Test func reportsThatTheMovieAtomIsNoLongerCompressed() throws {
    let edit = try MovieEdit(of: TestMovie.simple.with { $0.hasCompressedMovieAtom = true }.source)
    #expect(edit.notices.map(\.kind) == [.movieAtomInflated] && edit.notices.allSatisfy { !$0.isWarning })
    #expect(try MovieEdit(of: TestMovie.simple.source).notices.isEmpty)
  }
}
