import MovieBox
import MovieStreaming
import TestSupport
import Testing

/// Last samples with absurd durations.
struct LastSampleTests {
  private func durations(_ streamed: Streamed, _ folder: String) throws -> [String] {
    try streamed.lines(folder + "/playlist.m3u8").filter { $0.hasPrefix("#EXTINF:") }
  }

  private func lastDuration(_ streamed: Streamed, _ folder: String) throws -> Int? {
    try SecondReader(streamed.joined(folder)).tracks.first?.samples.last.map { Int($0.duration) }
  }

  private func movie(last duration: Int, ofTrack index: Int) -> TestMovie {
    StreamableMovie.talk.with { $0.tracks[index].samples[$0.tracks[index].samples.count - 1].duration = duration }
  }

  @Test(arguments: [(0, "video", 512), (1, "audio-en", 1_024)])
  func extendsALastSampleWithoutDuration(_ track: Int, _ folder: String, _ duration: Int) throws {
    let (streamed, whole) = (try Streamed(movie(last: 0, ofTrack: track)), try Streamed(StreamableMovie.talk))
    #expect(try lastDuration(streamed, folder) == duration)
    #expect(try durations(streamed, folder) == durations(whole, folder))
    #expect(streamed.plan.notices == whole.plan.notices)
  }

  @Test func makesASegmentOfALastKeyPictureWithoutDuration() throws {
    let picture = StreamableMovie.picture(frameCount: 301).with { track in
      for index in track.samples.indices { track.samples[index].compositionOffset = 0 }
      track.samples[300].duration = 0
      track.edits = [TestEdit(duration: 7_224, mediaTime: 0)]
    }
    let streamed = try Streamed(TestMovie(tracks: [picture]).with { $0.dialect = .iso })
    #expect(try durations(streamed, "video") == ["#EXTINF:6.000,", "#EXTINF:6.000,", "#EXTINF:0.040,"])
  }

  @Test(arguments: [(0, "video"), (1, "audio-en")])
  func endsTheLastSampleWithItsEdit(_ track: Int, _ folder: String) throws {
    let streamed = try Streamed(movie(last: 0xFFFF_E340, ofTrack: track))
    let whole = try Streamed(StreamableMovie.talk)
    #expect(try durations(streamed, folder).dropLast() == durations(whole, folder).dropLast())
    #expect(try lastDuration(streamed, folder).map { $0 <= 1_024 } == true)
    #expect(streamed.plan.targetDuration == 6 && streamed.plan.notices == whole.plan.notices)
    let rate = try streamed.lines("main.m3u8").first { $0.contains("RESOLUTION") }
    #expect(rate?.contains("FRAME-RATE=25.000,") == true)
  }

  @Test func endsASlideWithItsEdit() throws {
    let slides = StreamableMovie.picture(frameCount: 3).with { track in
      for index in track.samples.indices {
        track.samples[index] = TestSample(100, duration: 128_000, compositionOffset: 0, isSync: true)
      }
      track.edits = [TestEdit(duration: 600 * 23, mediaTime: 0)]
      track.samples[2].duration = 1_280_000
    }
    let streamed = try Streamed(TestMovie(tracks: [slides]).with { $0.dialect = .iso })
    #expect(try durations(streamed, "video") == ["#EXTINF:10.000,", "#EXTINF:10.000,", "#EXTINF:3.000,"])
    // The same applies to a picture in the middle that the edit ends.
    let cut = StreamableMovie.picture(frameCount: 3).with { track in
      track.samples = slides.samples
      track.edits = [TestEdit(duration: 600 * 4, mediaTime: 0)]
    }
    let short = try Streamed(TestMovie(tracks: [cut]).with { $0.dialect = .iso })
    #expect(try durations(short, "video") == ["#EXTINF:4.000,"])
  }
}
