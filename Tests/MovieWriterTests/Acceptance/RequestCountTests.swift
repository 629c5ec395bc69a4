import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

/// Reading a remote movie takes few requests, and never its media.
struct RequestCountTests {
  static let hole: UInt64 = 20 << 30

  @Test func readsALeadingMovieAtomInOneRequest() throws {
    let source = SegmentSource(TestMovie.torture.with { $0.layout = .movieFirst })
    #expect(try Movie(of: source).tracks.count == 4)
    #expect(source.takeRequests().count == 1)
  }

  @Test func readsATrailingMovieAtomInFewRequests() throws {
    let movie = TestMovie.torture.with { movie in
      movie.layout = [.fileType, .wide, .hole(Self.hole), .media(.ordinary), .movie(.ordinary)]
      for index in movie.tracks.indices { movie.tracks[index].usesLongOffsets = true }
    }
    let source = SegmentSource(movie)
    let read = try Movie(of: source)
    #expect(read.tracks.count == 4)
    // The start, the headers of `mdat` and `moov`, and all of `moov`.
    let requests = source.takeRequests()
    #expect(requests.count <= 4)
    #expect(requests.byteCount <= 64 << 10 + 64 + read.movieAtom.range.count)
  }

  @Test(arguments: [TestMovie.Piece.movie(.ordinary), .free(16)])
  func plansWithoutReadingMedia(_ first: TestMovie.Piece) throws {
    let isFastStart = if case .movie = first { true } else { false }
    let movie = TestMovie.simple.with { movie in
      movie.layout = [.fileType, first, .hole(Self.hole), .media(.ordinary)] + (isFastStart ? [] : [.movie(.ordinary)])
      for index in movie.tracks.indices { movie.tracks[index].usesLongOffsets = true }
    }
    let source = SegmentSource(movie)
    let edit = try CrashedMovie.edit(of: source)
    _ = source.takeRequests()
    if isFastStart {
      let plan = try edit.outputPlan(of: source)
      #expect(plan.byteCount > source.byteCount)
    } else {
      let plan = try edit.inPlacePlan(of: source)
      #expect(plan.byteCount < 64 << 10)
    }
    // The checker reads the start of the planned movie, which equals the source's, and headers of atoms.
    let requests = source.takeRequests()
    // One more request before an edit in place is committed, and one for free space next to the movie atom.
    #expect(requests.count <= 11)
    #expect(requests.byteCount <= 129 << 10)
  }
}
