import MovieBox
import TestSupport
import Testing

@testable import MovieStreaming

/// Caption tracks as renditions of a presentation and as choices of a page.
struct CaptionRenditionTests {
  private typealias Code = TestCaptions

  private let captions = TestCaptions.track(
    id: 3,
    [
      Code.sample(Code.load("Hello") + Code.endOfCaption, duration: 90_000),
      Code.sample(Code.erasure, duration: 30_000),
    ]
  ).with { $0.isEnabled = false }

  private func movie(_ captions: TestTrack) -> TestMovie {
    TestMovie(tracks: [StreamableMovie.picture(), StreamableMovie.sound(id: 2, "eng"), captions]).with {
      $0.dialect = .iso
    }
  }

  /// Players treat a WebVTT rendition as captions only if it has both tags (HLS Authoring Specification 4.5).
  @Test func aCaptionTrackBecomesARenditionForTheDeaf() throws {
    let streamed = try Streamed(movie(captions))
    let line = try streamed.lines("main.m3u8").first { $0.contains("TYPE=SUBTITLES") }
    #expect(
      line?.contains(
        #"NAME="English CC",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog,public.accessibility.describes-music-and-sound""#
      ) == true, "\(line ?? "no rendition")")
    let segment = try #require(streamed.plan.files.first { $0.path.contains("subtitles") && $0.path.hasSuffix(".vtt") })
    let lines = try streamed.lines(segment.path)
    #expect(lines.contains("Hello"))
    #expect(!streamed.plan.notices.contains { $0.trackID == 3 })
  }

  @Test func enabledCaptionsAreNotTheDefault() throws {
    let streamed = try Streamed(movie(captions.with { $0.isEnabled = true }))
    let notice = try #require(streamed.plan.notices.first { $0.trackID == 3 })
    #expect(notice.code == "not-default" && !notice.isWarning)
    #expect(try streamed.lines("main.m3u8").first { $0.contains("TYPE=SUBTITLES") }?.contains("DEFAULT=NO") == true)
  }

  @Test func captionTracksDoNotChangeTheSegmentsOfVideoAndAudio() throws {
    var bare = movie(captions)
    bare.tracks.removeLast()
    let (with, without) = (try Streamed(movie(captions)), try Streamed(bare))
    for folder in ["video", "audio-en"] where without.plan.files.contains(where: { $0.path.hasPrefix(folder) }) {
      #expect(try with.joined(folder) == without.joined(folder))
    }
    #expect(try !with.joined("video").isEmpty)
  }

  @Test func aCaptionTrackWithoutCaptionsIsLeftOut() throws {
    let services = Code.sample(packet: Code.packet([3, 0x02, 0x22], [2, 0x41, 0x42]), duration: 90_000)
    let streamed = try Streamed(movie(TestCaptions.track(id: 3, format: "c708", [services])))
    #expect(try !streamed.lines("main.m3u8").contains { $0.contains("TYPE=SUBTITLES") })
    let notice = try #require(streamed.plan.notices.first { $0.trackID == 3 })
    #expect(notice.message.contains("all captions are CEA-708 (service 1)") && notice.message.hasSuffix("left out"))
  }

  @Test func aPageShowsTheCaptions() throws {
    let source = MemorySource(Bytes(movie(captions).bytes()))
    let page = try PageMovie(Movie(of: source), from: source, at: "film.mp4")
    let option = try #require(page.subtitles.first)
    #expect(option.isSDH && option.name == "English CC")
    #expect(String(decoding: option.webVTT, as: UTF8.self).contains("Hello"))
  }
}
