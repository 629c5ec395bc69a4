import MovieBox
import TestSupport
import Testing

@testable import MovieStreaming

/// Tracks with different start times.
struct LateStartTests {
  private func movie(_ index: Int, laterBy milliseconds: Int) -> TestMovie {
    StreamableMovie.talk.with { movie in
      movie.timeScale = 1_000
      for index in 0...2 {
        movie.tracks[index].edits = [TestEdit(duration: 23_000, mediaTime: index == 0 ? 512 : 1_024)]
      }
      movie.tracks[index].edits.insert(TestEdit(duration: milliseconds, mediaTime: -1), at: 0)
    }
  }

  private func notices(_ movie: TestMovie) throws -> [StreamPlan.Notice] {
    try Streamed(movie).plan.notices.filter { $0.code == "begins-late" }
  }

  @Test(arguments: [(44, false), (45, true), (300, true), (3_000, true)])
  func warnsOfAudioThatBeginsLate(_ milliseconds: Int, _ isWarned: Bool) throws {
    let found = try notices(movie(1, laterBy: milliseconds))
    #expect(found.map(\.trackID) == (isWarned ? [2] : []) && found.allSatisfy(\.isWarning))
    #expect(
      found.allSatisfy { $0.message.contains("track 2 begins \(milliseconds) ms after the video; hls.js") })
  }

  @Test(arguments: [(44, false), (45, true), (3_000, true)])
  func warnsOfVideoThatBeginsLate(_ milliseconds: Int, _ isWarned: Bool) throws {
    let found = try notices(movie(0, laterBy: milliseconds))
    #expect(found.map(\.trackID) == (isWarned ? [1] : []))
    #expect(found.allSatisfy { $0.message.contains("track 1 begins \(milliseconds) ms after the audio; hls.js") })
  }

  /// ffmpeg writes fragments without edit lists (`-movflags frag_keyframe+empty_moov`): pictures are shown two frames
  /// after their decode time, and the audio has no such delay.
  @Test(arguments: [0, 17_038]) func ignoresTheDelayOfReorderedPictures(_ seconds: UInt64) throws {
    let found = try notices(recording(from: seconds, pictureLaterBy: 0))
    #expect(found.isEmpty, "\(found)")
    let trimmed = try Streamed(recording(from: seconds, pictureLaterBy: 0), StreamOptions(trimsStart: true)).plan
    #expect(!trimmed.notices.contains { $0.code == "start-trimmed" })
  }

  @Test func warnsOfVideoDecodedLate() throws {
    let found = try notices(recording(from: 0, pictureLaterBy: 3))
    #expect(found.map(\.trackID) == [1] && found[0].message.contains("begins 3000 ms after the audio"), "\(found)")
    #expect(found[0].remedy == .trimmedStart && !found[0].message.contains("--"))
  }

  /// An empty edit is intended by the author, regardless of the pictures' delay.
  @Test func countsEmptyEditsAsLateStarts() throws {
    let movie = StreamableMovie.talk.with { movie in
      movie.timeScale = 1_000
      movie.tracks[0].edits = [TestEdit(duration: 80, mediaTime: -1), TestEdit(duration: 23_000, mediaTime: 512)]
    }
    #expect(try notices(movie).count == 1)
  }

  /// Returns video and audio in one fragment each, without edit lists, from these start times in seconds.
  private func recording(from seconds: UInt64, pictureLaterBy later: UInt64) -> [UInt8] {
    let header = StreamableMovie.talk.initial.with { movie in
      movie.dialect = .iso
      for index in movie.tracks.indices { movie.tracks[index].edits = [] }
    }
    let fragments = [0, 1].map { index in
      let track = StreamableMovie.talk.tracks[index]
      let samples = track.samples.map { sample in
        var sample = sample
        if index == 0 { sample.compositionOffset += 512 }
        return sample
      }
      let time = (seconds + (index == 0 ? later : 0)) * UInt64(track.timeScale)
      return TestFragment([.init(id: track.id, decodeTime: time, runs: [.init(samples)])])
    }
    return header.bytes(fragments: fragments)
  }

  private func notices(_ bytes: [UInt8]) throws -> [StreamPlan.Notice] {
    try Streamed(bytes).plan.notices.filter { $0.code == "begins-late" }
  }

  /// The notice is about the audio only.
  @Test(arguments: [(700, "ends-early", "before"), (1_400, "sound-too-long", "after")])
  func warnsOnceOfAudioOfAnotherLength(_ packetCount: Int, _ code: String, _ word: String) throws {
    let movie = StreamableMovie.talk.with { movie in
      movie.tracks[2] = StreamableMovie.sound(id: 3, "spa", packetCount: packetCount)
    }
    let found = try Streamed(movie).plan.notices.filter(\.isWarning)
    #expect(found.map(\.code) == [code] && found[0].trackID == 3, "\(found)")
    #expect(found.allSatisfy { $0.message.contains(" ms \(word) the picture;") })
  }

  /// The first audio segment is long, because players cannot handle empty ones; key pictures are frequent enough.
  @Test func reportsALongFirstSegmentWithoutBlamingKeyPictures() throws {
    for index in 0...1 {
      let streamed = try Streamed(movie(index, laterBy: 13_000))
      let notes = streamed.plan.notices.filter { $0.code == "long-segments" }
      #expect(notes.count == 1 && notes[0].trackID == UInt32(index + 1), "\(notes)")
      #expect(notes.allSatisfy { $0.message.contains("begins late") && !$0.isWarning })
    }
  }
}
