import MovieBox
import TestSupport
import Testing

struct InterleavingDistanceTests {
  private func distance(_ movie: TestMovie) throws -> InterleavingDistance {
    try Movie(of: MemorySource(Bytes(movie.bytes()))).interleavingDistance()
  }

  /// Returns two tracks of two samples, each of a second and ten bytes.
  private static func pair(chunking: Int, edits: [TestEdit] = []) -> TestMovie {
    TestMovie(
      tracks: [1, 2].map { id in
        TestTrack(.video, id: id).with {
          $0.samples = [TestSample](repeating: TestSample(10, duration: 600), count: 2)
          $0.chunking = [chunking]
          if id == 2 { $0.edits = edits }
        }
      })
  }

  @Test func acceptsSimultaneousChunksInAnyOrder() throws {
    #expect(try distance(Self.pair(chunking: 1)).byteCount == 0)
    #expect(try distance(Self.pair(chunking: 1)).trackIDs == [])
    // The second sample of the first track precedes the first sample of the second track.
    let apart = try distance(Self.pair(chunking: 2))
    #expect(apart.byteCount == 20 && apart.microseconds == 1_000_000 && apart.trackIDs == [1, 2])
  }

  @Test func comparesTimesOfTheMovie() throws {
    // If the second track is shown a second later, it is in order; a tick earlier, it is not.
    for (start, expected) in [(600, 0), (599, 20)] as [(Int, UInt64)] {
      let edits = [TestEdit(duration: start, mediaTime: -1), TestEdit(duration: 1200, mediaTime: 0)]
      #expect(try distance(Self.pair(chunking: 2, edits: edits)).byteCount == expected)
    }
  }

  @Test func ignoresChaptersAndTimeCode() throws {
    var movie = Self.pair(chunking: 1)
    movie.storesTrackAfterTrack = true
    movie.tracks = [movie.tracks[0], TestTrack(.timecode, id: 3), TestTrack(.text, id: 4)]
    #expect(try distance(movie).byteCount > 0)
    movie.tracks[0].references = [TestReference("chap", 4)]
    #expect(try distance(movie).byteCount == 0)
  }

  @Test func includesDisabledAndIgnoresExternalTracks() throws {
    var movie = Self.pair(chunking: 2)
    movie.tracks[1].isEnabled = false
    #expect(try distance(movie).byteCount == 20)
    movie.tracks[1].externalOffsets = [1000]
    #expect(try distance(movie).byteCount == 0)
  }

  @Test(arguments: [false, true])
  func reportsTheWorstPair(isApart: Bool) throws {
    for movie in [TestMovie.simple, .talk, .playable] {
      let movie = movie.with { $0.storesTrackAfterTrack = isApart }
      let chunks = try SecondReader(movie.bytes()).tracks.flatMap { track in
        Dictionary(grouping: track.samples, by: \.chunk).values.map { samples in
          let times = samples.map { UInt64($0.decodeTime) * 1_000_000 / UInt64(track.timeScale) }
          let offset = samples.map(\.offset).min() ?? 0
          return (offset: offset, start: times.min() ?? 0, last: times.max() ?? 0)
        }
      }
      var (byteCount, microseconds): (UInt64, UInt64) = (0, 0)
      for one in chunks {
        for other in chunks where one.offset < other.offset && one.last > other.start {
          byteCount = max(byteCount, other.offset - one.offset)
          microseconds = max(microseconds, one.last - other.start)
        }
      }
      let found = try distance(movie)
      #expect(found.byteCount == byteCount && found.microseconds == microseconds)
      #expect(found.trackIDs.count == 2)
    }
  }
}
