import MovieBox
import MovieStreaming
import MovieWriter
import TestSupport
import Testing

/// Variants whose encoders placed key pictures at different times.
struct CommonKeyPictureTests {
  /// Returns a plan of two variants of 48 seconds with key pictures at these intervals, in pictures.
  private func plan(
    _ intervals: [Int], seconds: Int = 6
  ) throws -> StreamPlan {
    let movies = intervals.map { interval in
      TestMovie(tracks: [
        StreamableMovie.picture(frameCount: 1_200).with { track in
          for index in track.samples.indices {
            track.samples[index].isSync = index % interval == 0
            track.samples[index].compositionOffset = 0
          }
          track.edits = []
        }
      ])
    }
    let sources = movies.map { MemorySource(Bytes($0.bytes())) }
    return try StreamPlan(
      of: sources.map { (try Movie(of: $0), $0) }, StreamOptions(segmentMilliseconds: seconds * 1_000))
  }

  /// Returns the durations of the segments in a playlist.
  private func durations(_ plan: StreamPlan, _ folder: String) -> [Double] {
    guard case .generated(let bytes)? = plan.file(folder + "/playlist.m3u8")?.contents.first else { return [] }
    return String(decoding: bytes.array, as: UTF8.self).split(separator: "\n").compactMap { line in
      line.hasPrefix("#EXTINF:") ? Double(line.dropFirst(8).prefix { $0 != "," }) : nil
    }
  }

  @Test func startsSegmentsAtCommonKeyPictures() throws {
    let plan = try plan([100, 50])
    #expect(durations(plan, "video") == [8, 4, 8, 4, 8, 4, 8, 4])
    #expect(durations(plan, "video-2") == durations(plan, "video"))
    let note = try #require(plan.notices.first { $0.code == "common-key-pictures" })
    #expect(!note.isWarning && note.remedy == .segmentDuration(milliseconds: 4_000))
    #expect(note.message.hasSuffix("last up to 8000 ms; with a segment duration of 4 s, segments would be shorter"))
    // Each variant alone has the same segments, so there is no notice.
    let even = try self.plan([100, 50], seconds: 4)
    #expect(durations(even, "video") == Array(repeating: 4, count: 12))
    #expect(!even.notices.contains { $0.code == "common-key-pictures" })
    let three = try self.plan([50, 100, 150])
    #expect(durations(three, "video") == [12, 12, 12, 12] && durations(three, "video-3") == [12, 12, 12, 12])
  }

  @Test func suggestsTheSmallestSuitableDuration() throws {
    #expect {
      try plan([50, 48])
    } throws: {
      ($0 as? MovieError)?.reason
        == "the segments of the variants begin at different pictures: segment 2 begins at 00:00:06.000 in movie 1, "
        + "at 00:00:07.680 in movie 2; encode both movies with key frames at the same times"
    }
    #expect {
      try plan([50, 45])
    } throws: {
      ($0 as? MovieError)?.reason.hasSuffix("; a segment duration of 8 s suits both movies") == true
    }
    for seconds in [8, 18] { #expect(durations(try plan([50, 45], seconds: seconds), "video") == [18, 18, 12]) }
    // No other duration results in shorter segments, so none is suggested.
    let note = try plan([50, 45], seconds: 8).notices.first { $0.code == "common-key-pictures" }
    #expect(note?.message.hasSuffix("last up to 18000 ms") == true)
  }

  @Test func reportsUnequalDurationsBeforeMissingKeyPictures() throws {
    let movies = [
      StreamableMovie.picture(), StreamableMovie.picture(frameCount: 500).with { $0.samples[150].isSync = false },
    ]
    let sources = movies.map { MemorySource(Bytes(TestMovie(tracks: [$0]).bytes())) }
    #expect {
      try StreamPlan(of: sources.map { (try Movie(of: $0), $0) })
    } throws: {
      ($0 as? MovieError)?.reason.hasPrefix("the variants have different durations: the video of movie 1 ends at ")
        == true
    }
  }
}
