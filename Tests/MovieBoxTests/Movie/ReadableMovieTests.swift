import TestSupport
import Testing

@testable import MovieBox

/// Cut-off and damaged movies that are partly readable.
struct ReadableMovieTests {
  /// A movie whose movie atom ends with user data: a title, then a comment.
  private static let movie = TestMovie.simple.with {
    $0.layout = .movieLast
    $0.userData =
      atom("©nam") { u16(5, 0x15C7) + text("Title") }
      + fullAtom("meta") {
        fullAtom("hdlr") { zeros(4) + code("mdir") + zeros(13) }
        atom("ilst") {
          atom("©ART") { atom("data") { u32(1, 0) + text("Artist") } }
          atom("©cmt") { atom("data") { u32(1, 0) + text("Comment") } }
        }
      }
  }

  private func readable(_ bytes: [UInt8]) throws -> ReadableMovie { try ReadableMovie(of: MemorySource(Bytes(bytes))) }

  @Test func readsACompleteMovieWithoutError() throws {
    let whole = try readable(Self.movie.bytes())
    #expect(whole.error == nil && whole.movie.tracks.count == 2)
  }

  /// For any cut in the movie atom, incomplete values are omitted.
  @Test func readsCompletePartsOfACutOffMovie() throws {
    let bytes = Self.movie.bytes()
    let moov = try #require(try SecondReader(bytes).atom("moov"))
    var counts: [Int: Int] = [:]
    for end in Int(moov.offset) + 8..<bytes.count {
      let source = MemorySource(Bytes(Array(bytes[..<end])))
      let found: ReadableMovie
      do {
        found = try ReadableMovie(of: source)
      } catch let error as MovieError {
        #expect(error.code == .truncated)
        continue
      }
      #expect(found.error?.code == .truncated)
      let values = try found.movie.metadata(from: source).map(\.stringValue)
      #expect(values == Array(["Title", "Artist", "Comment"].prefix(values.count)))
      counts[values.count, default: 0] += 1
      for track in found.movie.tracks { #expect(track.samples.sampleCount > 0) }
    }
    #expect(Set(counts.keys) == [0, 1, 2])
  }

  @Test(arguments: ["stts", "stsc", "stsz", "stsd", "mdhd", "tkhd", "minf"])
  func readsOtherTracksBesideADamagedOne(_ type: String) throws {
    var bytes = Self.movie.bytes()
    let place = try #require(bytes.firstRange(of: text(type)))
    bytes.replaceSubrange(place, with: text("xxxx"))
    #expect(throws: MovieError.self) { try Movie(of: MemorySource(Bytes(bytes))) }
    let found = try readable(bytes)
    #expect(found.error != nil && found.movie.tracks.map(\.id) == [2])
    #expect(found.movie.metadata.map(\.stringValue) == ["Title", "Artist", "Comment"])
  }

  @Test func readsChaptersOfADamagedTrack() throws {
    var bytes = TestMovie.podcast().bytes()
    let source = MemorySource(Bytes(bytes))
    let whole = try Movie(of: source).chapters(from: source).chapters.map { $0.title() }
    try #require(!whole.isEmpty)
    // The first track, which refers to the chapters, lacks its sizes.
    let place = try #require(bytes.firstRange(of: text("stsz")))
    bytes.replaceSubrange(place, with: text("xxxx"))
    let broken = MemorySource(Bytes(bytes))
    let found = try ReadableMovie(of: broken)
    #expect(found.error != nil)
    #expect(try found.movie.chapters(from: broken).chapters.map { $0.title() } == whole)
  }

  @Test func rejectsOtherFilesAsMovies() {
    for bytes in [[], text("no movie at all, but a text"), atom("moov") { [] }, Array(Self.movie.bytes().prefix(60))] {
      #expect(throws: MovieError.self) { try readable(bytes) }
    }
  }
}
