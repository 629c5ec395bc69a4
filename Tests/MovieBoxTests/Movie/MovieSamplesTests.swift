import MovieBox
import TestSupport
import Testing

struct MovieSamplesTests {
  /// Returns a movie whose second track has changed `stco` entries. `edit` receives the true ones.
  private func movie(
    layout: [TestMovie.Piece] = .movieLast, sizes: Int? = nil, _ edit: (inout [UInt64], SecondReader) -> Void
  ) throws -> Movie {
    let test = TestMovie.simple.with {
      $0.layout = layout
      if let sizes { $0.tracks[1].samples = [TestSample](repeating: TestSample(sizes, duration: 1000), count: 8) }
    }
    let built = test.build()
    var bytes = built.bytes
    let reader = try SecondReader(bytes)
    let stco = try #require(reader.atom("moov/trak#2/mdia/minf/stbl/stco"))
    var offsets = try #require(built.chunkOffsets[2])
    edit(&offsets, reader)
    bytes.replaceSubrange(Int(stco.contentOffset) + 8..<Int(stco.end), with: offsets.flatMap { u32(Int($0)) })
    return try Movie(of: MemorySource(Bytes(bytes)))
  }

  @Test func acceptsSamplesAtTheEndOfTheFile() throws {
    let layout: [TestMovie.Piece] = [.fileType, .movie(.ordinary), .media(.ordinary)]
    let fits = try movie(layout: layout, sizes: 10) { offsets, reader in offsets[1] = reader.store.count - 40 }
    #expect(fits.misplacedSamples() == [])
    let past = try movie(layout: layout, sizes: 10) { offsets, reader in offsets[1] = reader.store.count - 39 }
    let error = try #require(past.misplacedSamples().first)
    #expect(past.misplacedSamples().count == 1)
    #expect(error.path == "moov/trak[2]/mdia/minf/stbl/stco")
    #expect(error.reason.hasPrefix("chunk 2 (40 bytes"))
    #expect(error.reason.contains("past the end"))
  }

  @Test func reportsSamplesInTheMovieAtom() throws {
    func offset(_ shift: Int) throws -> [MovieError] {
      try movie(sizes: 10) { offsets, reader in
        offsets[0] = UInt64(Int(reader.atom("moov")?.offset ?? 0) + shift)
      }.misplacedSamples()
    }
    #expect(try offset(-40) == [])
    #expect(try offset(-39).first?.reason.hasSuffix("reaches into the movie atom") == true)
    #expect(try !offset(0).isEmpty)
  }

  @Test func ignoresEmptyChunks() throws {
    let movie = try movie(sizes: 0) { offsets, _ in offsets = offsets.map { _ in 0xFFFF_FFFF } }
    #expect(movie.misplacedSamples() == [])
  }

  @Test func ignoresMediaInAnotherFile() throws {
    let test = TestMovie.simple.with { $0.tracks[0].externalOffsets = [UInt64](repeating: 0xFFFF_0000, count: 6) }
    let movie = try Movie(of: MemorySource(Bytes(test.bytes())))
    #expect(movie.misplacedSamples() == [])
    let external = movie.tracks.map { track in
      let locator = ChunkLocator(track)
      return track.samples.chunks.map { locator.isExternal($0) }
    }
    #expect(external == [[Bool](repeating: true, count: 6), [Bool](repeating: false, count: 4)])
  }

  @Test func findsMediaAfterTheMovieAtom() throws {
    for (layout, expected) in [
      (.movieLast, false), (.movieFirst, true), (.movieBetween, true),
      ([.fileType, .media(.ordinary), .movie(.ordinary), .bytes(atom("mdat"))], true),
      ([.fileType, .media(.ordinary), .movie(.ordinary), .bytes(atom("XXXX")), .free(99)], false),
    ] as [([TestMovie.Piece], Bool)] {
      let movie = try Movie(of: MemorySource(Bytes(TestMovie.simple.with { $0.layout = layout }.bytes())))
      #expect(movie.hasMedia(after: movie.movieAtom.range.offset) == expected)
    }
  }

  @Test func findsMediaOutsideOfMediaAtoms() throws {
    // All samples of the second track have offsets in a `uuid` atom after the movie atom.
    var place: UInt64 = 0
    let movie = try movie(layout: .movieLast + [.bytes(atom("uuid") { zeros(200) })], sizes: 10) { offsets, reader in
      place = (reader.atom("uuid")?.contentOffset ?? 0) + 16
      offsets = offsets.map { _ in place }
    }
    #expect(movie.misplacedSamples() == [])
    #expect(movie.hasMedia(after: movie.movieAtom.range.offset))
    #expect(movie.hasMedia(after: place - 1) && !movie.hasMedia(after: place))
  }
}
