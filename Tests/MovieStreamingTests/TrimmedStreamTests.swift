import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles
import TestSupport
import Testing

/// Movies whose edit lists hide media at the start or the end, as programs write them that cut without encoding.
struct TrimmedStreamTests {
  /// The test movie from 5.5 s, with key pictures every 2 s.
  private let trimmed = StreamableMovie.talk.with { movie in
    movie.tracks[0].edits = [TestEdit(duration: 11_100, mediaTime: 512 + 70_400)]
    for index in 1...2 { movie.tracks[index].edits = [TestEdit(duration: 11_100, mediaTime: 1_024 + 242_550)] }
    movie.tracks[3].edits = [TestEdit(duration: 11_100, mediaTime: 5_500)]
  }
  private let startLine = "#EXT-X-START:TIME-OFFSET=1.500,PRECISE=YES"

  private func samples(_ movie: TestMovie, _ folder: String) throws -> (times: [Int64], bytes: [[UInt8]], isSync: Bool)
  {
    let reader = try SecondReader(Streamed(movie).joined(folder))
    let samples = try #require(reader.tracks.first).samples
    return (samples.map(\.presentationTime), try samples.map(reader.bytes(of:)), samples.first?.isSync ?? false)
  }

  private func sourceBytes(_ movie: TestMovie, track: UInt32) throws -> [[UInt8]] {
    let reader = try SecondReader(movie.bytes())
    return try #require(reader.track(track)).samples.map(reader.bytes(of:))
  }

  private func warnings(_ streamed: Streamed) -> [String] { streamed.plan.notices.filter(\.isWarning).map(\.code) }

  @Test func startsATrimmedMovieAtTheKeyPictureBefore() throws {
    let streamed = try Streamed(trimmed)
    #expect(streamed.plan.delayIn90kHz == 138_600)  // 1.5 s, and a picture of 40 ms for reordering.
    let picture = try samples(trimmed, "video")
    #expect(try picture.isSync && picture.bytes == Array(sourceBytes(trimmed, track: 1)[100...]))
    #expect(picture.times.first == 512 && picture.times.count == 500)
    // The packet that is heard 1.5 s before the start.
    let sound = try samples(trimmed, "audio-en")
    #expect(try sound.bytes == Array(sourceBytes(trimmed, track: 2)[173...]))
    // On a common clock, the movie begins at 1.54 s, in the middle of the picture of 1.52 s.
    #expect(picture.times.contains(19_456) && picture.times.contains(19_968))
    #expect(sound.times.first == 1_492)  // 66 422 ticks before 1.54 s.
  }

  @Test func declaresTheStartOfTheEdit() throws {
    let streamed = try Streamed(trimmed)
    for path in ["main.m3u8", "video/playlist.m3u8", "audio-en/playlist.m3u8"] {
      #expect(try streamed.lines(path).filter { $0.hasPrefix("#EXT-X-START") } == [startLine], "\(path)")
    }
    for path in ["video/iframes.m3u8", "subtitles-en/playlist.m3u8"] {
      #expect(try !streamed.lines(path).contains { $0.hasPrefix("#EXT-X-START") }, "\(path)")
    }
    let notice = try #require(streamed.plan.notices.first { $0.code == "hidden-before-start" })
    #expect(
      notice.isWarning && notice.trackID == 1
        && notice.message.contains("it includes 1500 ms that the edit list trims off the start"))
    #expect(warnings(streamed) == ["hidden-before-start"])
    // All renditions have segments with equal times, beginning with the key picture.
    for folder in ["video", "audio-en", "audio-es", "subtitles-en"] {
      let durations = try streamed.lines(folder + "/playlist.m3u8").filter { $0.hasPrefix("#EXTINF:") }
      #expect(durations.first == "#EXTINF:6.000," && durations.count == 4, "\(folder)")
    }
  }

  @Test func declaresNoStartForAKeyPicture() throws {
    #expect(try !Streamed(StreamableMovie.talk).lines("main.m3u8").contains { $0.hasPrefix("#EXT-X-START") })
  }

  @Test func timesCuesOnTheClockOfATrimmedMovie() throws {
    let lines = try Streamed(trimmed).lines("subtitles-en/segment-1.vtt")
    #expect(lines[1] == "X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:138600")
    #expect(lines.filter { $0.contains("-->") } == ["00:00:00.000 --> 00:00:01.500"])
  }

  @Test func timesAddedSubtitlesOnTheClockOfATrimmedMovie() throws {
    let folder = try TemporaryFolder()
    let streamed = try Streamed(trimmed)
    try streamed.plan.write(to: folder.file("out"), from: streamed.source)
    let presentation = try PresentationFolder(folder.file("out"))
    #expect(presentation.startMilliseconds == -1_500)
    let cue = Cue(startMilliseconds: 0, endMilliseconds: 4_600, text: StyledText("Late"))
    let addition = try presentation.addition(
      of: SubtitleFile(cues: [cue], notices: []), name: "Français", language: LanguageTag("fr"), characteristics: [],
      isForced: false)
    _ = try presentation.write(addition)
    // The first segment ends 4.5 s after the start of the movie.
    for number in 1...2 {
      let text = String(decoding: try folder.read("out/subtitles-fr/segment-\(number).vtt"), as: UTF8.self)
      #expect(text.contains("MPEGTS:138600\n") && text.contains("00:00:00.000 --> 00:00:04.600"), "\(number)")
    }
    let main = String(decoding: try folder.read("out/main.m3u8"), as: UTF8.self)
    #expect(main.contains(startLine))
  }

  @Test func timesChaptersOfATrimmedMovie() throws {
    let titles = TestTrack(.text, id: 9).with {
      $0.samples = [.timedText("One", duration: 10_000), .timedText("Two", duration: 14_000)]
      ($0.isEnabled, $0.language) = (false, .packed("eng"))
    }
    let movie = trimmed.with { movie in
      movie.tracks[0].references = [TestReference("chap", 9)]
      movie.tracks.append(titles)
    }
    let json = try Streamed(movie).lines("chapters/chapters.json").joined().filter { !$0.isWhitespace }
    // Players count from the first segment, which begins 1.5 s before the movie.
    #expect(json.contains(#""start-time":1.5"#) && json.contains(#""start-time":11.5"#), "\(json)")
  }

  @Test func dropsMediaHiddenAtTheEnd() throws {
    // Up to 4.08 s: the last shown picture depends on a hidden one.
    let movie = StreamableMovie.talk.with { movie in
      movie.tracks[0].edits = [TestEdit(duration: 2_448, mediaTime: 512)]
      for index in 1...2 { movie.tracks[index].edits = [TestEdit(duration: 2_448, mediaTime: 1_024)] }
    }
    let streamed = try Streamed(movie)
    #expect(try samples(movie, "video").bytes == Array(sourceBytes(movie, track: 1)[..<103]))
    #expect(try samples(movie, "audio-en").bytes == Array(sourceBytes(movie, track: 2)[..<177]))
    let notice = try #require(streamed.plan.notices.first { $0.code == "hidden-after-end" })
    #expect(
      notice.isWarning && notice.trackID == 1
        && notice.message.contains("players show 40 ms that were trimmed off the end"))
    // The subtitles are not trimmed.
    #expect(warnings(streamed) == ["hidden-after-end", "cues-after-end"])
    // Up to a key picture, the presentation contains no hidden media.
    let whole = movie.with { $0.tracks[0].edits = [TestEdit(duration: 2_400, mediaTime: 512)] }
    #expect(try warnings(Streamed(whole)) == ["cues-after-end"])
    #expect(try samples(whole, "video").bytes.count == 99)
  }

  /// Pictures that are decoded after the last shown ones but shown between them leave no gap.
  @Test func dropsReorderedPicturesAtTheEndWithoutAGap() throws {
    // I P b B b of equal durations: decoded as 0 4 2 1 3, and as 5 9 7 6 8 after the next key picture.
    let order = [0, 4, 2, 1, 3]
    let picture = StreamableMovie.picture(frameCount: 250).with { track in
      for index in track.samples.indices {
        let shown = index / 5 * 5 + order[index % 5]
        track.samples[index].compositionOffset = (shown - index + 2) * 512
        track.samples[index].isSync = index % 25 == 0
      }
      track.edits = [TestEdit(duration: 2_424 + 24, mediaTime: 1_024)]  // Up to the second of five pictures.
    }
    let movie = TestMovie(tracks: [picture]).with { $0.dialect = .iso }
    #expect(try samples(movie, "video").times.sorted() == (0..<105).map { Int64($0 + 2) * 512 })
  }

  @Test func trimsAudioAloneAtSamples() throws {
    let movie = TestMovie(tracks: [
      StreamableMovie.sound(id: 1, "eng").with {
        $0.edits = [TestEdit(duration: 3_000, mediaTime: 1_024 + 132_300)]  // From 3 s to 8 s.
      }
    ]).with { $0.dialect = .iso }
    let streamed = try Streamed(movie)
    let bytes = try sourceBytes(movie, track: 1)
    #expect(try samples(movie, "audio-en").bytes == Array(bytes[130..<346]))
    #expect(warnings(streamed) == [])
    #expect(try !streamed.lines("main.m3u8").contains { $0.hasPrefix("#EXT-X-START") })
  }

  @Test func dropsLeadingPicturesWithMissingReferences() throws {
    // An open group: two pictures after the key picture are shown before it.
    let movie = trimmed.with { movie in
      for (index, offset) in [(100, 3), (101, 0), (102, 0)] {
        movie.tracks[0].samples[index].compositionOffset = offset * 512
      }
    }
    let bytes = try sourceBytes(movie, track: 1)
    #expect(try samples(movie, "video").bytes == [bytes[100]] + bytes[103...])
    #expect(try warnings(Streamed(movie)) == ["hidden-before-start"])
  }

  @Test func warnsOfOpenGroups() throws {
    let movie = StreamableMovie.talk.with { movie in
      for (index, offset) in [(300, 3), (301, 0), (302, 0)] {
        movie.tracks[0].samples[index].compositionOffset = offset * 512
      }
    }
    let notice = try #require(Streamed(movie).plan.notices.first { $0.code == "open-groups" })
    #expect(notice.isWarning && notice.trackID == 1 && notice.message.contains("Chromium stops after a seek"))
    #expect(try !Streamed(StreamableMovie.talk).plan.notices.contains { $0.code == "open-groups" })
  }

  @Test func hidesPicturesBeforeTheStartWhileAudioPlays() throws {
    let movie = StreamableMovie.talk.with {
      $0.tracks[0].edits = [
        TestEdit(duration: 1_800, mediaTime: -1), TestEdit(duration: 11_100, mediaTime: 512 + 70_400),
      ]
    }
    #expect {
      try Streamed(movie)
    } throws: {
      guard let error = $0 as? MovieError else { return false }
      return error.code == .unsupported && error.path == "moov/trak[1]/edts/elst" && error.offset != nil
    }
  }

  @Test func startsVariantsWithSimultaneousKeyPictures() throws {
    func plan(_ change: (inout TestTrack) -> Void) throws -> StreamPlan {
      let movies = [trimmed, trimmed.with { change(&$0.tracks[0]) }].map { MemorySource(Bytes($0.bytes())) }
      return try StreamPlan(of: movies.map { (try Movie(of: $0), $0) })
    }
    #expect(try plan { _ in }.notices.count { $0.code == "hidden-before-start" } == 2)
    #expect {
      try plan { $0.samples[100].isSync = false }
    } throws: {
      guard let error = $0 as? MovieError else { return false }
      return error.code == .invalidEdit
        && error.reason.contains("movie 1 begins 1500 ms before the edit, movie 2 begins 3500 ms")
    }
  }

  @Test func trimsFragmentedMovies() throws {
    let streamed = try Streamed(StreamableMovie.talk, StreamOptions(isSingleFile: true))
    // A fragmented movie with the edit of the trimmed one in its movie atom.
    let whole = try streamed.bytes("video/media.mp4")
    let edited = try #require(whole.withEdits([(0, 512 + 70_400)]))
    let trimmed = try Streamed(edited)
    #expect(try trimmed.lines("video/playlist.m3u8").contains(startLine))
    let (old, new) = (try SecondReader(whole), try SecondReader(trimmed.joined("video")))
    let (before, after) = (try #require(old.tracks.first).samples, try #require(new.tracks.first).samples)
    #expect(try after.map(new.bytes(of:)) == before.dropFirst(100).map(old.bytes(of:)))
  }
}
