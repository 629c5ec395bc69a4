import MovieBox
import MovieStreaming
import TestSupport
import Testing

/// Audio priming in fragments before the start (a negative `tfdt`) is streamed as with an edit list.
struct NegativeTimeTests {
  private struct Times: Equatable {
    let decodeTime: UInt64
    let presentationTime: Int64
  }

  /// Returns the decode and presentation times of a rendition's samples.
  private func times(_ streamed: Streamed, _ folder: String) throws -> [Times] {
    let source = MemorySource(Bytes(try streamed.joined(folder)))
    let track = try #require(Movie(of: source).readFragments(of: source).tracks.first)
    return track.samples.map { Times(decodeTime: $0.decodeTime, presentationTime: $0.presentationTime) }
  }

  @Test func treatsPrimingBeforeTheStartLikeAnEditList() throws {
    let plain = StreamableMovie.talk.with { movie in
      movie.tracks = Array(movie.tracks.filter { $0.id == 1 || $0.id == 2 })
      movie.tracks[0].edits = []
      movie.tracks[1].edits = [TestEdit(duration: 0, mediaTime: 1_024)]
    }
    let header = plain.initial.with { movie in
      movie.dialect = .iso
      for index in movie.tracks.indices { movie.tracks[index].edits = [] }
    }
    let fragment = TestFragment([
      .init(id: 1, decodeTime: 0, runs: [.init(plain.tracks[0].samples)]),
      .init(id: 2, decodeTime: UInt64(bitPattern: -1_024), runs: [.init(plain.tracks[1].samples)]),
    ])
    let fragmented = try Streamed(header.bytes(fragments: [fragment]))
    let expected = try Streamed(plain)
    let folders = Set(
      expected.plan.files.filter { $0.kind == .media }.compactMap { $0.path.split(separator: "/").first })
    #expect(folders.count == 2)
    for folder in folders.map(String.init) {
      #expect(try times(fragmented, folder) == times(expected, folder), "\(folder)")
    }
  }
}
