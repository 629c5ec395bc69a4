import TestSupport
import Testing

@testable import MovieBox

/// Conversion of media times to movie times, at the limits of integers.
struct ShownSegmentTests {
  private func segments(_ edits: [TestEdit], movie: Int = 600, media: Int = 90_000) throws -> [ShownSegment] {
    let test = TestMovie(tracks: [
      TestTrack(.subtitle, id: 1).with {
        $0.timeScale = media
        $0.edits = edits
        $0.usesLongTimes = true
      }
    ]).with { $0.timeScale = movie }
    let movie = try Movie(of: MemorySource(Bytes(test.bytes())))
    return try movie.tracks[0].shownSegments(movieTimeScale: movie.header.timeScale)
  }

  @Test func roundsTimesToTheNearestMillisecond() throws {
    let whole = try #require(try segments([]).first)
    #expect(whole.shown(from: 44, to: 45) == 0..<1)  // 0.489 and 0.5 ms.
    #expect(whole.shown(from: 45, to: 134) == 1..<2)  // At least a millisecond.
    #expect(whole.shown(from: 90_000, to: 180_000) == 1_000..<2_000)
    #expect(whole.shown(from: 5, to: 5) == nil)
    #expect(!whole.hasEnded(at: Int64.max))
  }

  @Test func handlesTheLargestTimes() throws {
    let large = Int(Int64.max) / 2
    let segments = try segments(
      [TestEdit(duration: large, mediaTime: -1), TestEdit(duration: large, mediaTime: 5, rate: 1)],
      movie: 1, media: Int(UInt32.max))
    let segment = try #require(segments.first)
    #expect(segment.shown(from: 0, to: Int64.max) == nil)  // The start exceeds the range of milliseconds.
    let near = try #require(
      try self.segments([TestEdit(duration: large, mediaTime: 5, rate: 1)], movie: 1, media: 1).first)
    #expect(near.shown(from: 0, to: Int64.max) == 0..<Int64.max)
    #expect(segment.shown(from: 0, to: 5) == nil && !segment.hasEnded(at: 5))
    for rate in [Int(Int32.max), Int(Int32.min), -0x1_0000] {
      let odd = try #require(try self.segments([TestEdit(duration: 600, mediaTime: 0, rate: rate)]).first)
      _ = (odd.shown(from: 0, to: Int64.max), odd.shown(from: Int64.min, to: 1), odd.hasEnded(at: Int64.min))
    }
  }

  @Test func endsAnEditWithItsLastTick() throws {
    let segment = try #require(try segments([TestEdit(duration: 600, mediaTime: 9_000)]).first)
    #expect(segment.mediaStart == 9_000)
    #expect(segment.shown(from: 0, to: 18_000) == 0..<100)
    #expect(segment.shown(from: 98_000, to: 200_000) == 989..<1_000)
    #expect(segment.shown(from: 98_999, to: 200_000) == 1_000..<1_001)  // At least a millisecond.
    #expect(!segment.hasEnded(at: 98_999) && segment.hasEnded(at: 99_000))
    // Up to 149 more ticks are less than a movie tick.
    #expect(segment.shown(from: 90_000, to: 99_149) == 900..<1_002)
    #expect(segment.shown(from: 90_000, to: 99_150) == 900..<1_000)
  }

  /// All ones represent an unknown duration. Such an edit is treated as one of no duration: as the last edit it shows the
  /// rest of the media, otherwise nothing.
  @Test func treatsAnUnknownEditDurationAsNone() throws {
    let unknown = Int(UInt32.max)
    let shown = try segments([TestEdit(duration: unknown, mediaTime: -1), TestEdit(duration: unknown, mediaTime: 90)])
    #expect(shown.count == 1 && shown[0].shown(from: 90, to: 90_090) == 0..<1_000 && !shown[0].hasEnded(at: .max))
    let later = try segments([TestEdit(duration: unknown, mediaTime: 0), TestEdit(duration: 600, mediaTime: 0)])
    #expect(later.map { $0.shown(from: 0, to: 180_000) } == [nil, 0..<1_000])
  }

  @Test func rejectsATimeScaleOfZero() throws {
    let movie = try Movie(of: MemorySource(Bytes(TestMovie.simple.bytes())))
    #expect(throws: MovieError.self) { try movie.tracks[0].shownSegments(movieTimeScale: 0) }
    #expect(throws: Never.self) { try movie.tracks[0].shownSegments(movieTimeScale: 1) }
  }
}
