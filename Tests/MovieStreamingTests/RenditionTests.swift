import MovieBox
import MovieStreaming
import TestSupport
import Testing

/// What tracks say of themselves, and what the playlist says of them: streaming, one to one.
struct RenditionTests {
  private func media(_ tracks: [TestTrack]) throws -> (lines: [String], plan: StreamPlan) {
    let streamed = try Streamed(TestMovie(tracks: tracks).with { $0.dialect = .iso })
    let lines = try streamed.lines("main.m3u8").filter {
      $0.hasPrefix("#EXT-X-MEDIA:") || $0.hasPrefix("#EXT-X-STREAM-INF:")
    }
    return (lines, streamed.plan)
  }

  private func tags(_ tags: String...) -> [UInt8] {
    tags.flatMap { tag in atom("tagc") { text(tag) } }
  }

  private let sdh = [
    "public.accessibility.transcribes-spoken-dialog", "public.accessibility.describes-music-and-sound",
  ]

  @Test func tagsArriveAsTheyAre() throws {
    let described = StreamableMovie.sound(id: 3, "eng").with {
      $0.isEnabled = false
      $0.userData = tags("public.accessibility.describes-video")
    }
    let commentary = StreamableMovie.sound(id: 4, "eng").with {
      $0.isEnabled = false
      $0.userData = tags("public.auxiliary-content")
    }
    let deaf = StreamableMovie.subtitles(id: 5, "eng", [(0, 1_000, "[Door]")]).with {
      $0.isEnabled = true
      $0.userData = tags(sdh[0], sdh[1])
    }
    let (lines, _) = try media([
      StreamableMovie.picture(), StreamableMovie.sound(id: 2, "eng"), described, commentary, deaf,
    ])
    #expect(
      lines[1].contains(
        #"NAME="English (audio description)",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,CHARACTERISTICS="public.accessibility.describes-video""#
      ))
    #expect(
      lines[2].contains(
        #"NAME="English (commentary)",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=NO,CHARACTERISTICS="public.auxiliary-content""#
      ))
    #expect(
      lines[3].contains(
        #"NAME="English SDH",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,CHARACTERISTICS="\#(sdh[0]),\#(sdh[1])""#
      ))
  }

  /// Sound in two codecs, linked as fallbacks, makes two groups with the same entries, and two variants.
  @Test func fallbacksMakeGroups() throws {
    let dolby = StreamableMovie.sound(id: 4, "eng").with {
      $0.isEnabled = false
      $0.references = [TestReference("fall", 2)]
      $0.sampleEntries = [
        SampleEntry.sound("ac-3", channels: 2, rate: 44_100, extensions: atom("dac3") { u8(0x10, 0x3D, 0xE0) })
      ]
    }
    let (lines, plan) = try media([
      StreamableMovie.picture(), StreamableMovie.sound(id: 2, "eng"), StreamableMovie.sound(id: 3, "spa"), dolby,
    ])
    #expect(
      lines.prefix(4).map { String($0.prefix { $0 != "L" }) } == [
        #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio-ac3",NAME="English","#,
        #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio-ac3",NAME="Español","#,
        #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio-aac",NAME="English","#,
        #"#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio-aac",NAME="Español","#,
      ])
    #expect(lines[0].contains(#"CHANNELS="6""#) && lines[2].contains(#"CHANNELS="2""#))
    #expect(lines.filter { $0.contains("RESOLUTION") }.map { $0.contains("ac-3") } == [true, false])
    #expect(!plan.notices.contains { $0.code == "no-aac" })
  }

  @Test func forcedCuesAreInBothRenditions() throws {
    let regular = StreamableMovie.subtitles(id: 3, "eng", [(0, 1_000, "Hello")]).with {
      $0.references = [TestReference("forc", 4)]
    }
    let forced = StreamableMovie.subtitles(id: 4, "eng", [(2_000, 3_000, "Sign")]).with {
      $0.sampleEntries = [SampleEntry.timedText(displayFlags: 0xC000_0000)]
    }
    let streamed = try Streamed(
      TestMovie(tracks: [StreamableMovie.picture(), StreamableMovie.sound(id: 2, "eng"), regular, forced])
        .with { $0.dialect = .iso })
    let lines = try streamed.lines("main.m3u8").filter { $0.contains("TYPE=SUBTITLES") }
    #expect(lines.count == 2 && lines[0].contains("FORCED=NO") && lines[1].contains(#"NAME="English (forced)""#))
    #expect(lines[1].contains("DEFAULT=NO,AUTOSELECT=YES,FORCED=YES") && !lines[1].contains("CHARACTERISTICS"))
    let all = try streamed.lines("subtitles-en/segment-1.vtt")
    #expect(all.contains("Hello") && all.contains("Sign"))
    let some = try streamed.lines("subtitles-en-forced/segment-1.vtt")
    #expect(!some.contains("Hello") && some.contains("Sign"))
  }

  @Test func namesAreUniqueInAGroup() throws {
    let (lines, _) = try media([
      StreamableMovie.picture(), StreamableMovie.sound(id: 2, "eng"),
      StreamableMovie.sound(id: 3, "eng").with { $0.isEnabled = false },
    ])
    #expect(lines[0].contains(#"NAME="English""#) && lines[1].contains(#"NAME="English 2""#))
  }

  @Test func whatDoesNotPlayIsLeftOutByName() throws {
    let (lines, plan) = try media([
      StreamableMovie.picture(), StreamableMovie.sound(id: 2, "eng"), TestTrack(.sound, id: 3),
      TestTrack(.timecode, id: 4),
    ])
    #expect(lines.filter { $0.contains("TYPE=AUDIO") }.count == 1)
    #expect(plan.notices.map(\.trackID) == [3, 4] && plan.notices.map(\.isWarning) == [true, false])
    #expect(throws: MovieError.self) { try Streamed(TestMovie(tracks: [TestTrack(.sound, id: 3)])) }
  }

  @Test func encryptedMediaIsRefused() throws {
    let encrypted = StreamableMovie.picture().with {
      $0.sampleEntries = [SampleEntry.video("encv", width: 64, height: 36)]
    }
    #expect { try Streamed(TestMovie(tracks: [encrypted])) } throws: { ($0 as? MovieError)?.code == .unsupported }
  }
}
