import MovieBox
import MovieStreaming
import TestSupport
import Testing

/// Presentations that begin as soon as both video and audio have begun.
struct TrimmedStartTests {
  private let trims = StreamOptions(trimsStart: true)

  /// Returns the talk with a track that begins later than the others by this number of milliseconds.
  private func movie(_ index: Int, laterBy milliseconds: Int) -> TestMovie {
    StreamableMovie.talk.with { movie in
      movie.timeScale = 1_000
      for index in 0...2 {
        movie.tracks[index].edits = [TestEdit(duration: 24_000, mediaTime: index == 0 ? 512 : 1_024)]
      }
      movie.tracks[index].edits.insert(TestEdit(duration: milliseconds, mediaTime: -1), at: 0)
    }
  }

  /// Returns the presentation times of a folder's samples, in milliseconds on the media's clock, and the number of samples
  /// dropped at the start.
  private func start(_ movie: TestMovie, _ options: StreamOptions, _ folder: String, track: UInt32) throws
    -> (milliseconds: Int64, leftOut: Int)
  {
    let reader = try SecondReader(Streamed(movie, options).joined(folder))
    let samples = try #require(reader.tracks.first).samples
    let all = try SecondReader(movie.bytes())
    let source = try #require(all.track(track)).samples
    #expect(try samples.map(reader.bytes(of:)) == source.suffix(samples.count).map(all.bytes(of:)))
    let scale: Int64 = track == 1 ? 12_800 : 44_100
    return ((samples.map(\.presentationTime).min() ?? 0) * 1_000 / scale, source.count - samples.count)
  }

  @Test func startsAtTheKeyPictureAfterLateAudio() throws {
    let movie = movie(1, laterBy: 3_000)
    let streamed = try Streamed(movie, trims)
    // The audio begins at 3 s. The next key picture is shown at 4 s, and none of the delay remains.
    let picture = try start(movie, trims, "video", track: 1)
    #expect(picture.milliseconds == 4_000 && picture.leftOut == 100)
    let sound = try start(movie, trims, "audio-en", track: 2)
    #expect((3_976...4_000).contains(sound.milliseconds) && sound.leftOut == 44)
    #expect(try (3_976...4_000).contains(start(movie, trims, "audio-es", track: 3).milliseconds))
    let note = try #require(streamed.plan.notices.first { $0.code == "start-trimmed" })
    #expect(!note.isWarning && note.message.contains("begins at 00:00:04.000") && note.message.contains("4000 ms"))
    #expect(!streamed.plan.notices.contains { $0.code == "begins-late" })
    // All renditions have the same first boundary, and cues have the times of the movie.
    for folder in ["video", "audio-en", "audio-es", "subtitles-en"] {
      #expect(try streamed.lines(folder + "/playlist.m3u8").first { $0.hasPrefix("#EXTINF") } == "#EXTINF:6.000,")
    }
    #expect(try streamed.lines("main.m3u8").contains { $0.contains("begins at MPEGTS:0") && $0.contains("360000") })
    #expect(try streamed.lines("subtitles-en/segment-1.vtt")[1].hasSuffix("MPEGTS:0"))
  }

  @Test func dropsAudioBeforeLateVideo() throws {
    let movie = movie(0, laterBy: 3_000)
    let picture = try start(movie, trims, "video", track: 1)
    #expect(picture.milliseconds == 3_000 && picture.leftOut == 0)
    let sound = try start(movie, trims, "audio-en", track: 2)
    #expect((2_976...3_000).contains(sound.milliseconds) && sound.leftOut == 130)
  }

  @Test func dropsHiddenPicturesFromATrimmedStart() throws {
    let movie = StreamableMovie.talk.with { movie in
      movie.tracks[0].edits = [TestEdit(duration: 11_100, mediaTime: 512 + 70_400)]
      for index in 1...2 { movie.tracks[index].edits = [TestEdit(duration: 11_100, mediaTime: 1_024 + 242_550)] }
    }
    let streamed = try Streamed(movie, trims)
    #expect(streamed.plan.notices.map(\.code) == ["start-trimmed"])
    #expect(try !streamed.lines("main.m3u8").contains { $0.hasPrefix("#EXT-X-START") })
    // The movie begins at 5.5 s of its media. The next key picture is at 6 s.
    #expect(try start(movie, trims, "video", track: 1).leftOut == 150)
  }

  @Test func keepsTracksThatBeginTogether() throws {
    for movie in [
      StreamableMovie.talk, movie(1, laterBy: 44), StreamableMovie.talk.with { $0.tracks = [$0.tracks[1]] },
    ] {
      let (plain, trimmed) = (try Streamed(movie), try Streamed(movie, trims))
      #expect(trimmed.plan.files.map(\.path) == plain.plan.files.map(\.path))
      for file in plain.plan.files { #expect(try trimmed.bytes(file.path) == plain.bytes(file.path)) }
    }
  }

  @Test func rejectsVideoWithoutALaterKeyPicture() throws {
    let movie = movie(1, laterBy: 3_000).with { movie in
      for index in movie.tracks[0].samples.indices { movie.tracks[0].samples[index].isSync = index == 0 }
    }
    #expect {
      try Streamed(movie, trims)
    } throws: {
      ($0 as? MovieError)?.code == .unsupported && ($0 as? MovieError)?.reason.contains("no key picture after") == true
    }
  }

  @Test func rejectsAudioThatEndsBeforeTheVideo() throws {
    #expect {
      try Streamed(movie(0, laterBy: 30_000), trims)
    } throws: {
      guard let error = $0 as? MovieError else { return false }
      return error.code == .unsupported && error.reason.contains("track 2 ends before the start of all")
    }
  }

  @Test func startsTrimmedVariantsTogether() throws {
    func plan(_ change: (inout TestTrack) -> Void) throws -> StreamPlan {
      let late = movie(1, laterBy: 3_000)
      let movies = [late, late.with { change(&$0.tracks[0]) }].map { MemorySource(Bytes($0.bytes())) }
      return try StreamPlan(of: movies.map { (try Movie(of: $0), $0) }, trims)
    }
    #expect(try plan { _ in }.notices.contains { $0.code == "start-trimmed" })
    #expect {
      try plan { $0.samples[100].isSync = false }
    } throws: {
      ($0 as? MovieError)?.code == .invalidEdit
        && ($0 as? MovieError)?.reason.contains("movie 1 begins at 00:00:04.000, movie 2 begins at 00:00:06.000")
          == true
    }
  }

  /// The clock of a recording in an empty edit, as written by `--keep-start`.
  @Test func reportsAStartThatSegmentsCannotDeclare() throws {
    let movie = StreamableMovie.talk.with { movie in
      movie.timeScale = 1
      for index in movie.tracks.indices {
        movie.tracks[index].edits = [
          TestEdit(duration: 1_785_000_000, mediaTime: -1), TestEdit(duration: 20, mediaTime: 0),
        ]
      }
    }
    for options in [StreamOptions(), trims] {
      #expect {
        try Streamed(movie, options)
      } throws: {
        guard let error = $0 as? MovieError else { return false }
        return error.code == .unsupported && error.reason.contains("track 1 begins at 495833:20:00")
          && error.reason.contains("with times that start at 0") && !error.reason.contains("--")
      }
    }
  }
}
