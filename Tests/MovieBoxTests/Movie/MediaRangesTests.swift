import MovieBox
import TestSupport
import Testing

struct MediaRangesTests {
  @Test func coversAllMediaDataByAllTracks() throws {
    let movie = try Movie(of: MemorySource(Bytes(TestMovie.simple.bytes())))
    let media = try #require(movie.layout.first("mdat")).payloadRange
    let all = MediaRanges(movie.tracks)
    #expect(all.ranges == [media] && all.byteCount == media.count)
    // Each byte belongs to one track.
    let parts = movie.tracks.map { MediaRanges([$0]) }
    #expect(parts.allSatisfy { $0.ranges.count > 1 })
    #expect(parts.reduce(0) { $0 + $1.byteCount } == media.count)
    #expect(MediaRanges([]).byteCount == 0 && MediaRanges([]).byteCount(in: media) == 0)
  }

  @Test func countsBytesOfARangeExactly() throws {
    let movie = try Movie(of: MemorySource(Bytes(TestMovie.simple.bytes())))
    let named = MediaRanges([movie.tracks[1]])
    let isNamed = (0..<movie.layout.identity.byteCount).map { byte in
      named.ranges.contains { $0.offset <= byte && byte < $0.end }
    }
    for start in stride(from: 0, to: isNamed.count, by: 7) {
      for end in stride(from: start, through: isNamed.count, by: 11) {
        let expected = isNamed[start..<end].count { $0 }
        #expect(named.byteCount(in: ByteRange(UInt64(start)..<UInt64(end))) == expected)
      }
    }
  }

  @Test func countsSharedMediaOnce() throws {
    let movie = try Movie(of: MemorySource(Bytes(TestMovie.simple.bytes())))
    #expect(MediaRanges([movie.tracks[0], movie.tracks[0]]) == MediaRanges([movie.tracks[0]]))
  }

  @Test func ignoresExternalMedia() throws {
    let test = TestMovie.simple.with { $0.tracks[1].externalOffsets = [0, 1000, 2000, 3000] }
    let movie = try Movie(of: MemorySource(Bytes(test.bytes())))
    #expect(MediaRanges([movie.tracks[1]]).ranges == [])
  }
}
