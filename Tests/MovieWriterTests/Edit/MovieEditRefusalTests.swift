import MovieBox
import TestSupport
import Testing

@testable import MovieWriter

struct MovieEditRefusalTests {
  private func refusal(_ movie: TestMovie) -> String? {
    do {
      _ = try MovieEdit(of: Movie(of: movie.source))
      return nil
    } catch {
      return String(describing: error)
    }
  }

  private func withLayout(_ piece: TestMovie.Piece, at index: Int = 1) -> TestMovie {
    TestMovie.simple.with { $0.layout.insert(piece, at: index) }
  }

  @Test func acceptsOrdinaryMovies() {
    for movie in [TestMovie.simple, .talk, .torture, .playable] { #expect(refusal(movie) == nil) }
    #expect(refusal(TestMovie.simple.with { $0.brands = ["mp42", "mif1"] }) == nil)
  }

  @Test func rejectsSegmentsWithoutAHeader() throws {
    #expect(refusal(withLayout(.bytes(atom("moof")), at: 4))?.contains("fragmented") == true)
    let fragmented = TestMovie.simple.with {
      $0.movieAtoms = atom("mvex") { fullAtom("trex") { u32(1, 1, 0, 0, 0) } }
    }
    #expect(refusal(fragmented)?.contains("only together with its source") == true)
    #expect(refusal(fragmented.initial)?.contains("initialization segment") == true)
    // An initialization segment only supports edits of metadata.
    let source = fragmented.initial.source
    var edit = try MovieEdit(of: Movie(of: source), from: source)
    #expect(try edit.outputPlan(of: source).byteCount == source.bytes.count)
    try edit.setMetadata(#require(MetadataInput("common/title", "Home")))
    #expect(try edit.outputPlan(of: source).byteCount > source.bytes.count)
    edit.flatten()
    #expect { try edit.outputPlan(of: source) } throws: { isMovieError($0, .unsupported) }
  }

  @Test(arguments: ["avif", "avis", "heic", "mif1", "msf1", "crx "])
  func rejectsImages(brand: String) {
    #expect(refusal(TestMovie.simple.with { $0.brands = [brand, "isom"] })?.contains("brand \(brand)") == true)
  }

  @Test func acceptsMoviesWithCompatibleImageBrands() {
    func branded(_ track: TestTrack.Kind) -> TestMovie {
      TestMovie(tracks: [TestTrack(track, id: 1)]).with { $0.brands = ["isom", "mif1", "heic"] }
    }
    #expect(refusal(branded(.video)) == nil)
    #expect(refusal(branded(.sound)) == nil)
    #expect(refusal(branded(.timecode))?.contains("brand mif1") == true)
    #expect(refusal(TestMovie(tracks: [TestTrack(.timecode, id: 1)]).with { $0.brands = ["isom", "mp42"] }) == nil)
  }

  @Test func rejectsImageSequences() {
    let movie = TestMovie.simple.with { $0.tracks.append(TestTrack(.other(handler: "pict"), id: 3)) }
    #expect(refusal(movie)?.hasPrefix("moov/trak[3] at byte") == true)
  }

  @Test func rejectsMoviesWithoutTracksOrDuration() {
    #expect(refusal(TestMovie(tracks: []))?.contains("no tracks") == true)
    #expect(refusal(TestMovie(tracks: [TestTrack(.timecode, id: 1)])) == nil)
    #expect(refusal(TestMovie(tracks: []).with { $0.timeScale = 0 })?.contains("time scale is 0") == true)
  }

  @Test func rejectsTwoMovieAtoms() {
    #expect(refusal(TestMovie.simple.with { $0.layout.append(.movie(.ordinary)) })?.contains("more than one") == true)
  }

  @Test func rejectsSamplesOutsideTheFile() throws {
    // The trailing media has lost its last byte.
    var bytes = TestMovie.simple.with { $0.layout = .movieFirst }.bytes()
    #expect(throws: Never.self) { try MovieEdit(of: MemorySource(Bytes(bytes))) }
    bytes.removeLast()
    #expect { try MovieEdit(of: MemorySource(Bytes(bytes))) } throws: { isMovieError($0, .truncated) }
  }

  @Test func rejectsUnknownCompression() {
    let bytes = compressedMoov(algorithm: "lzma", zlib: [], inflatedByteCount: 0)
    #expect { try MovieEdit(of: MemorySource(Bytes(bytes))) } throws: { isMovieError($0, .unsupported) }
  }

  @Test func warnsOfASignature() throws {
    let name = u8(0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81)
    let signed = withLayout(.bytes(atom("uuid") { name }))
    #expect(try MovieEdit(of: signed.source).notices.map(\.kind) == [.signature])
    let other = withLayout(.bytes(atom("uuid") { name.reversed() }))
    #expect(try MovieEdit(of: other.source).notices.isEmpty)
  }
}
