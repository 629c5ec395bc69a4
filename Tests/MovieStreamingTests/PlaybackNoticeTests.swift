import MovieBox
import TestSupport
import Testing

@testable import MovieStreaming

/// Notices about players that cannot play a presentation.
struct PlaybackNoticeTests {
  private func picture(_ format: String, _ configuration: [UInt8]) -> TestTrack {
    StreamableMovie.picture().with {
      $0.sampleEntries = [SampleEntry.video(format, width: 640, height: 360, extensions: configuration)]
    }
  }

  private func sound(id: UInt32 = 2, _ format: String, channels: Int = 2, _ configuration: [UInt8]) -> TestTrack {
    StreamableMovie.sound(id: id, "eng").with {
      $0.sampleEntries = [
        SampleEntry.sound(format, channels: channels, rate: 44_100, extensions: configuration)
      ]
    }
  }

  private func streamed(_ tracks: [TestTrack], _ options: StreamOptions = StreamOptions()) throws -> Streamed {
    try Streamed(TestMovie(tracks: tracks).with { $0.dialect = .iso }, options)
  }

  private func codes(_ tracks: [TestTrack]) throws -> [String] {
    try streamed(tracks).plan.notices.filter(\.isWarning).map(\.code)
  }

  private func error(_ tracks: [TestTrack]) -> MovieError? {
    do {
      _ = try streamed(tracks)
      return nil
    } catch {
      return error as? MovieError
    }
  }

  private let alac = atom("alac") { u32(0, 4_096) + u8(0, 16, 40, 10, 14, 6) + u16(255) + u32(0, 0, 44_100) }
  /// The escaped object type 36 (31 and 4), 44.1 kHz, one channel.
  private let als: [UInt8] = [0xF8, 0x88, 0x20]

  @Test func warnsOfFormatsThatPlayersLack() throws {
    #expect(try codes([StreamableMovie.picture(), StreamableMovie.sound(id: 2, "eng")]) == [])
    #expect(try codes([picture("hev1", SampleEntry.hvcC())]) == ["sets-in-samples"])
    #expect(try codes([picture("avc3", SampleEntry.avcC)]) == ["sets-in-samples"])
    let high10: [UInt8] = [0x67, 110, 0, 0x1F, 0xA6, 0xD8]
    #expect(try codes([picture("avc1", SampleEntry.avcC(sequence: high10))]) == ["not-on-apple"])
    let mp3 = StreamableMovie.esds([], objectType: 0x6B)
    #expect(try codes([StreamableMovie.picture(), sound("mp4a", mp3)]) == ["not-in-browsers"])
    let heard = try streamed([StreamableMovie.picture(), sound("mp4a", mp3)]).plan.notices
    #expect(heard.first?.message.hasSuffix("viewers hear nothing, without an error; Apple's players play it") == true)
    #expect(try codes([StreamableMovie.picture(), sound("alac", alac)]) == ["not-in-browsers"])
    let lossless = try streamed([StreamableMovie.picture(), sound("mp4a", StreamableMovie.esds(als))])
    #expect(lossless.plan.notices.map(\.code) == ["not-on-apple", "not-in-browsers"])
    #expect(lossless.plan.notices[1].message.contains("MPEG-4 ALS") && lossless.plan.notices[1].trackID == 2)
    // If only some players lack the format, the notice is a note.
    let av1 = try streamed([picture("av01", atom("av1C") { u8(0x81, 0x08, 0x0C, 0) })]).plan.notices
    #expect(av1.map(\.code) == ["some-players"] && av1.map(\.isWarning) == [false])
  }

  /// Lossless audio with an AAC alternative is an offer: players choose.
  @Test func acceptsAudioWithAnAACAlternative() throws {
    let tracks = [
      StreamableMovie.picture(), StreamableMovie.sound(id: 2, "eng"),
      sound(id: 3, "alac", alac).with { $0.isEnabled = false },
    ]
    #expect(try codes(tracks) == [])
    #expect(try streamed(tracks).plan.notices.map(\.code) == ["not-in-browsers"])
  }

  @Test func rejectsADescriptionWithoutConfiguration() throws {
    let sound = StreamableMovie.sound(id: 2, "eng")
    let empty = error([picture("avc1", atom("avcC") {}), sound])
    #expect(empty?.code == .malformed && empty?.reason.contains("(avcC) that is empty or cut off") == true)
    #expect(error([picture("avc1", SampleEntry.avcC(sequence: nil)), sound])?.reason.contains("parameter set") == true)
    #expect(error([picture("avc3", SampleEntry.avcC(sequence: nil)), sound]) == nil)
    let silent = error([StreamableMovie.picture(), self.sound("Opus", [])])
    #expect(silent?.reason.contains("track 2 (audio, Opus) has no decoder configuration (dOps)") == true)
    // Next to playable audio, the track is dropped.
    let left = try streamed([StreamableMovie.picture(), sound, self.sound(id: 3, "Opus", [])]).plan.notices
    #expect(left.map(\.code) == ["track-left-out"] && left[0].message.contains("(dOps)"))
  }

  @Test func rejectsAMovieWithoutPlayableVideo() throws {
    let proRes = picture("apch", [])
    let sound = StreamableMovie.sound(id: 2, "eng")
    let refusal = error([proRes, sound])
    #expect(refusal?.code == .noPicture)
    #expect(refusal?.reason.hasSuffix("is in ProRes, which HLS does not support") == true)
    let alone = try streamed([proRes, sound], StreamOptions(isAudioOnly: true))
    #expect(alone.plan.notices.isEmpty && alone.plan.multivariant.variants.allSatisfy { $0.picture == nil })
    // The audio-only option drops playable video too.
    let heard = try streamed([StreamableMovie.picture(), sound], StreamOptions(isAudioOnly: true))
    #expect(heard.plan.multivariant.variants.map(\.picture) == [nil])
    // Covers and chapter pictures do not count as video of the movie.
    let cover = TestTrack(.video, id: 1).with {
      $0.samples = [TestSample(40, duration: 1200)]
      $0.sampleEntries = [SampleEntry.video("jpeg", width: 64, height: 36)]
    }
    #expect(try streamed([cover, sound]).plan.multivariant.variants.map(\.picture) == [nil])
    let chapters = cover.with { $0.samples = .varied(3, around: 40, duration: 400) }
    let named = sound.with { $0.references = [TestReference("chap", 1)] }
    #expect(try streamed([chapters, named]).plan.multivariant.variants.map(\.picture) == [nil])
  }

  @Test func notesARotatedPicture() throws {
    func codes(_ matrix: [Int]) throws -> [String] {
      try streamed([StreamableMovie.picture().with { $0.matrix = matrix }]).plan.notices.map(\.message)
    }
    let one = 0x1_0000
    #expect(
      try codes([0, one, 0, -one, 0, 0, 0, 0, 0x4000_0000])[0].contains("specifies that the video is turned by 90°"))
    #expect(try codes([-one, 0, 0, 0, -one, 0, 0, 0, 0x4000_0000])[0].contains("turned by 180°"))
    #expect(try codes([0, -one, 0, one, 0, 0, 0, 0, 0x4000_0000])[0].contains("Safari ignores the matrix"))
    #expect(try codes([-one, 0, 0, 0, one, 0, 0, 0, 0x4000_0000])[0].contains("mirrored"))
    let turned = StreamableMovie.picture().with { $0.matrix = [0, one, 0, -one, 0, 0, 0, 0, 0x4000_0000] }
    let notices = try streamed([turned]).plan.notices
    #expect(notices.map(\.code) == ["rotated"] && notices.allSatisfy { !$0.isWarning })
    #expect(try codes([2 * one, 0, 0, 0, one, 0, 5 * one, 0, 0x4000_0000]) == [])
    #expect(try codes(Array(repeating: 0, count: 9)) == [])
  }

  @Test func selectsTheFilmBesideAnEnabledThumbnail() throws {
    let thumbnail = StreamableMovie.picture(id: 9, frameCount: 50).with { ($0.width, $0.height) = (160, 90) }
    let film = StreamableMovie.picture().with { $0.isEnabled = false }
    let streamed = try streamed([thumbnail, film])
    #expect(streamed.plan.multivariant.variants.first?.picture?.width == 640)
    let notice = try #require(streamed.plan.notices.first { $0.code == "film-disabled" })
    #expect(notice.trackID == 1 && notice.isWarning)
    #expect(notice.message.contains("the film is disabled, and track 9 (video) is enabled;"))
    // The same applies with audio. If no track is enabled, the writer did not use the flag.
    #expect(try codes([film, StreamableMovie.sound(id: 2, "eng")]) == ["film-disabled"])
    #expect(try codes([film, StreamableMovie.sound(id: 2, "eng").with { $0.isEnabled = false }]) == [])
  }

  @Test func declaresChannelsOfAllAudio() throws {
    func channels(_ track: TestTrack) throws -> String? {
      try streamed([StreamableMovie.picture(), track]).lines("main.m3u8").first { $0.contains("TYPE=AUDIO") }
        .flatMap { $0.firstMatch(of: /CHANNELS="([^"]*)"/).map { String($0.1) } }
    }
    let mp3 = StreamableMovie.esds([], objectType: 0x6B)
    func packets(_ mode: Int) -> TestTrack {
      sound("mp4a", mp3).with { track in
        track.samples = track.samples.map { sample in
          TestSample(content: u8(0xFF, 0xFB, 0x90, mode << 6) + zeros(40), duration: sample.duration)
        }
      }
    }
    #expect(try channels(packets(3)) == "1")  // Though the description says 2, as in all MP4 files.
    #expect(try channels(packets(1)) == "2")
    #expect(try channels(sound("mp4a", channels: 2, mp3)) == "2")  // No header: as the description has it.
    #expect(try channels(sound("alac", channels: 2, alac)) == "6")
    #expect(try channels(sound("Opus", channels: 2, atom("dOps") { u8(0, 1) + zeros(9) })) == "1")
    let flac = atom("dfLa") { u32(0) + u8(0x80, 0, 0, 34) + zeros(10) + u8(0x0A, 0xC4, 0x4A, 0xF0) + zeros(20) }
    #expect(try channels(sound("fLaC", channels: 2, flac)) == "6")
    #expect(try channels(sound("mp4a", channels: 1, StreamableMovie.esds(als))) == "1")
    // The number of channels in the ALS configuration, which some writers store 24 bits late.
    let specific = u32(0x414C_5300, 44_100, 1_000) + u16(5)
    for gap in [[], zeros(3)] {
      let configuration = StreamableMovie.esds([0xF8, 0x88, 0x00] + gap + specific)
      #expect(try channels(sound("mp4a", channels: 2, configuration)) == "6")
    }
  }

  @Test func warnsOfCuesAfterTheEnd() throws {
    func notices(_ start: Int) throws -> [StreamPlan.Notice] {
      try streamed([
        StreamableMovie.picture(),
        StreamableMovie.subtitles(id: 3, "eng", [(0, 1_000, "Hi"), (start, start + 500, "Bye")]),
      ]).plan.notices.filter { $0.code == "cues-after-end" }
    }
    #expect(try notices(23_500).isEmpty)
    let late = try notices(30_000)
    #expect(late.count == 1 && late[0].trackID == 3 && late[0].message.hasPrefix("1 of 2 cues of track 3 begin after"))
  }
}
