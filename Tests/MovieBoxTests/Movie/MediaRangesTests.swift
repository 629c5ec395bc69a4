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

  /// Each chunk in turn is moved to the first byte, the last byte and the end of each chunk, and is compared with all
  /// chunks by a second reader.
  @Test(arguments: [false, true])
  func provesThatChunksAreSeparate(usesLongOffsets: Bool) throws {
    let test = TestMovie.simple.with { movie in
      for index in movie.tracks.indices { movie.tracks[index].usesLongOffsets = usesLongOffsets }
    }
    let bytes = test.bytes()
    let movie = try Movie(of: MemorySource(Bytes(bytes)))
    #expect(ChunksInFileOrder(movie.tracks).areChunksSeparate)
    let width = usesLongOffsets ? 8 : 4
    let targets = movie.tracks.flatMap { $0.samples.chunks.flatMap { [$0.offset, $0.offset + $0.byteCount - 1] } }
    var counts = (separate: 0, overlapping: 0)
    for track in movie.tracks {
      let table = try #require(
        movie.tree.descendant(of: track.atom, "mdia", "minf", "stbl", usesLongOffsets ? "co64" : "stco"))
      let start = try Int(#require(movie.layout.first("moov")).range.offset) + movie.tree[table].start + 16
      for chunk in 0..<track.samples.chunkCount {
        for target in targets {
          var changed = bytes
          for byte in 0..<width {
            changed[start + chunk * width + byte] = UInt8(truncatingIfNeeded: target >> UInt64(8 * (width - 1 - byte)))
          }
          let chunks = try SecondReader(changed).tracks.flatMap { track in
            Dictionary(grouping: track.samples, by: \.chunk).values.map { samples in
              let start = samples.map(\.offset).min() ?? 0
              return start..<start + samples.reduce(0) { $0 + UInt64($1.byteCount) }
            }
          }
          let areChunksSeparate = chunks.indices.allSatisfy { one in
            chunks[..<one].allSatisfy { !$0.overlaps(chunks[one]) }
          }
          let tracks = try Movie(of: MemorySource(Bytes(changed))).tracks
          let order = ChunksInFileOrder(tracks)
          #expect(order.areChunksSeparate == (areChunksSeparate && !order.needsSort))
          if areChunksSeparate { counts.separate += 1 } else { counts.overlapping += 1 }
        }
      }
    }
    #expect(counts.separate > 0 && counts.overlapping > 0)
  }

  @Test func provesNothingAboutChunksInOtherFiles() throws {
    let test = TestMovie.simple.with { $0.tracks[1].externalOffsets = [0, 1000, 2000, 3000] }
    let movie = try Movie(of: MemorySource(Bytes(test.bytes())))
    #expect(!ChunksInFileOrder(movie.tracks).areChunksSeparate)
  }
}
