import TestSupport
import Testing

@testable import MovieBox

/// The bounded search for services of captions.
struct MovieCaptionServicesTests {
  /// Pictures of which some carry captions, in chunks with a number of pictures.
  private func movie(_ count: Int, byteCount: Int, captionsIn captioned: Range<Int>, chunking: Int) -> TestMovie {
    TestMovie(tracks: [
      StreamableMovie.picture().with {
        $0.samples = (0..<count).map { index in
          let triples: [CaptionedPicture.Triple] =
            captioned.contains(index) ? [(0, 0x94, 0x20), (0, 0xC8, 0x49)] : [(0, 0x80, 0x80)]
          return TestSample(
            content: CaptionedPicture(triples).with { $0.sliceByteCount = byteCount }.bytes, duration: 512)
        }
        $0.chunking = [chunking]
        $0.edits = []
      }
    ]).with { $0.dialect = .iso }
  }

  private func search(_ bytes: [UInt8]) throws -> (names: [String]?, reads: [ByteRange]) {
    let source = CountingSource(bytes)
    let movie = try Movie(of: source)
    let fragments = movie.isFragmented ? try movie.readFragments(of: source) : nil
    let before = source.reads.count
    let services = try movie.captionServices(fragments, in: source)
    return (services?.allNames, Array(source.reads.dropFirst(before)))
  }

  @Test(arguments: [1, 3, 50, 100, 200], [100, 10_000])
  func findsCaptionsAtTheStartInTheMiddleAndAtTheEnd(_ chunking: Int, _ byteCount: Int) throws {
    for captioned in [0..<3, 98..<110, 150..<200] {
      let (names, reads) = try search(
        movie(200, byteCount: byteCount, captionsIn: captioned, chunking: chunking).bytes())
      #expect(names == ["CC1"], "\(captioned)")
      #expect(reads.count <= 3 && reads.allSatisfy { $0.count <= 64 << 10 })
    }
  }

  @Test func findsNothingInMoviesWithoutCaptions() throws {
    let (names, reads) = try search(movie(600, byteCount: 1_000, captionsIn: 0..<0, chunking: 25).bytes())
    #expect(names == [] && reads.count == 3, "\(reads)")
    let short = try search(movie(2, byteCount: 10, captionsIn: 0..<1, chunking: 25).bytes())
    #expect(short.names == ["CC1"] && short.reads.count <= 3)
  }

  @Test func searchesFragments() throws {
    let captioned = movie(600, byteCount: 1_000, captionsIn: 590..<600, chunking: 1)
    let runs = stride(from: 0, to: 600, by: 10).map { start in
      TestFragment([
        .init(
          id: 1, decodeTime: UInt64(start * 512),
          runs: [.init(Array(captioned.tracks[0].samples[start..<start + 10]))])
      ])
    }
    let (names, reads) = try search(captioned.initial.bytes(fragments: runs))
    #expect(names == ["CC1"] && reads.count == 3)
  }

  @Test func readsNothingOfOtherFormats() throws {
    let other = movie(20, byteCount: 10, captionsIn: 0..<20, chunking: 4).with {
      $0.tracks[0].sampleEntries = [SampleEntry.video("mp4v", width: 64, height: 36, extensions: SampleEntry.avcC)]
    }
    let (names, reads) = try search(other.bytes())
    #expect(names == nil && reads.isEmpty)
  }

  @Test func damagedPicturesHaveNoCaptions() throws {
    let bytes = movie(20, byteCount: 10, captionsIn: 0..<20, chunking: 4).bytes()
    for count in stride(from: bytes.count - 1, to: bytes.count - 600, by: -7) {
      do { _ = try search(Array(bytes.prefix(count))) } catch is MovieError {}
    }
  }
}
