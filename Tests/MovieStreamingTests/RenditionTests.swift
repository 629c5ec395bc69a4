import Foundation
import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovieStreaming

/// The properties of tracks in the playlist: streaming copies them one to one.
struct RenditionTests {
  private func media(_ tracks: [TestTrack]) throws -> (lines: [String], plan: StreamPlan) {
    let streamed = try Streamed(TestMovie(tracks: tracks).with { $0.dialect = .iso })
    let lines = try streamed.lines("main.m3u8").filter {
      $0.hasPrefix("#EXT-X-MEDIA:") || $0.hasPrefix("#EXT-X-STREAM-INF:")
    }
    return (lines, streamed.plan)
  }

  /// Returns the formats and the audio groups of the variants.
  private func codecs(_ lines: [String]) -> [String] {
    lines.filter { $0.hasPrefix("#EXT-X-STREAM-INF:") }.map { line in
      line.matches(of: /(CODECS="[^"]*"|AUDIO="[^"]*")/).map { String($0.0) }.joined(separator: " ")
    }
  }

  private func tags(_ tags: String...) -> [UInt8] {
    tags.flatMap { tag in atom("tagc") { text(tag) } }
  }

  private let sdh = [
    "public.accessibility.transcribes-spoken-dialog", "public.accessibility.describes-music-and-sound",
  ]

  @Test func copiesTagsIntoThePlaylist() throws {
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

  @Test func omitsTheAudioOnlyVariantOnRequest() throws {
    func variants(_ movie: TestMovie, _ options: StreamOptions) throws -> [String] {
      try Streamed(movie, options).lines("main.m3u8").filter { $0.hasPrefix("#EXT-X-STREAM-INF") }
    }
    let lean = StreamOptions(hasAudioOnlyVariant: false)
    let all = try variants(StreamableMovie.talk, StreamOptions())
    #expect(all.count == 2 && all[0].contains("RESOLUTION") && !all[1].contains("RESOLUTION"))
    #expect(try variants(StreamableMovie.talk, lean) == [all[0]])
    // Without video, the audio is the only variant.
    let sound = StreamableMovie.talk.with { $0.tracks = [$0.tracks[1]] }
    #expect(try variants(sound, lean) == variants(sound, StreamOptions()) && variants(sound, lean).count == 1)
  }

  /// Audio in two codecs, linked as fallbacks, results in two groups with equal entries, and in two variants.
  @Test func groupsFallbackAudio() throws {
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
    // The Spanish audio exists in AAC only, and so belongs to both groups.
    #expect(
      codecs(lines) == [
        #"CODECS="avc1.64001f,ac-3,mp4a.40.2" AUDIO="audio-ac3""#, #"CODECS="avc1.64001f,mp4a.40.2" AUDIO="audio-aac""#,
        #"CODECS="mp4a.40.2" AUDIO="audio-aac""#,
      ])
    #expect(lines.prefix(4).map { $0.contains("DEFAULT=YES") } == [true, false, true, false])
    #expect(lines.prefix(4).allSatisfy { $0.contains("AUTOSELECT=YES") })
    #expect(!plan.notices.contains { $0.code == "no-aac" })
  }

  /// Audio of unknown language in a Dolby format and in AAC: one menu entry, which plays everywhere.
  @Test func mergesTwoCodecsOfUnknownLanguageIntoOneEntry() throws {
    let dolby = StreamableMovie.sound(id: 2, "und").with {
      $0.sampleEntries = [
        SampleEntry.sound("ac-3", channels: 2, rate: 44_100, extensions: atom("dac3") { u8(0x10, 0x3D, 0xE0) })
      ]
    }
    let (lines, plan) = try media([StreamableMovie.picture(), dolby, StreamableMovie.sound(id: 3, "und")])
    let variants = lines.filter { $0.contains("RESOLUTION") }
    #expect(variants.count == 2 && variants[1].contains(#"CODECS="avc1.64001f,mp4a.40.2""#))
    #expect(!plan.notices.contains { $0.code == "no-aac" })
    // Without video, both are variants.
    let (heard, _) = try media([dolby, StreamableMovie.sound(id: 3, "und")])
    #expect(
      heard.filter { $0.hasPrefix("#EXT-X-STREAM-INF") }.map { $0.contains(#"AUDIO="audio-ac3""#) } == [true, false])
    // Two languages, one in each format, form one group, as in the example of RFC 8216 (4.3.4.1.1), and all variants
    // list both formats. A warning reports that players without Dolby formats play nothing.
    let spanish = StreamableMovie.sound(id: 3, "spa")
    let mixed = try media([StreamableMovie.picture(), dolby.with { $0.language = .packed("eng") }, spanish])
    #expect(mixed.lines.prefix(2).allSatisfy { $0.contains(#"GROUP-ID="audio","#) })
    #expect(
      codecs(mixed.lines) == [
        #"CODECS="avc1.64001f,ac-3,mp4a.40.2" AUDIO="audio""#, #"CODECS="ac-3,mp4a.40.2" AUDIO="audio""#,
      ])
    #expect(mixed.plan.notices.contains { $0.code == "no-aac" && $0.isWarning && $0.trackID != nil })
  }

  @Test func writesForcedCuesIntoBothRenditions() throws {
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

  /// Without a title, the name is the language's own name.
  @Test func namesRenditionsInTheirLanguage() throws {
    let forced = StreamableMovie.subtitles(id: 3, "spa", [(2_000, 3_000, "Letrero")]).with {
      $0.sampleEntries = [SampleEntry.timedText(displayFlags: 0xC000_0000)]
    }
    let described = StreamableMovie.sound(id: 4, "deu").with {
      $0.isEnabled = false
      $0.userData = tags("public.accessibility.describes-video")
    }
    let (lines, _) = try media([StreamableMovie.picture(), StreamableMovie.sound(id: 2, "eng"), described, forced])
    #expect(lines[1].contains(#"NAME="Deutsch (Audiodeskription)",LANGUAGE="de""#))
    #expect(lines[2].contains(#"NAME="Español (forzados)",LANGUAGE="es""#))
    for (tag, name) in [
      ("es-419", "Español (Latinoamérica)"), ("pt-BR", "Português (Brasil)"), ("zh-Hant-TW", "中文 (繁體, 台灣)"),
      ("sr-Latn", "Srpski (latinica)"), ("sr", "Српски"), ("fr-CM", "Français (Cameroon)"),
      ("aa-ET", "Afar (Ethiopia)"),
    ] {
      #expect(LanguageTag(tag).map(RenditionName.nativeName) == name)
    }
  }

  @Test func namesRenditionsUniquelyInAGroup() throws {
    let (lines, _) = try media([
      StreamableMovie.picture(), StreamableMovie.sound(id: 2, "eng"),
      StreamableMovie.sound(id: 3, "eng").with { $0.isEnabled = false },
    ])
    #expect(lines[0].contains(#"NAME="English""#) && lines[1].contains(#"NAME="English 2""#))
  }

  @Test func reportsDroppedTracks() throws {
    let linear = TestTrack(.sound, id: 3).with { $0.sampleEntries = [SampleEntry.sound(rate: 8_000)] }
    let (lines, plan) = try media([
      StreamableMovie.picture(), StreamableMovie.sound(id: 2, "eng"), linear,
      TestTrack(.timecode, id: 4), TestTrack(.other(handler: "clcp"), id: 5),
    ])
    #expect(lines.filter { $0.contains("TYPE=AUDIO") }.count == 1)
    #expect(plan.notices.map(\.trackID) == [3, 4, 5] && plan.notices.map(\.isWarning) == [true, false, true])
    #expect(plan.notices[2].message.contains("of a format that cannot be read; left out"))
    #expect(throws: MovieError.self) { try Streamed(TestMovie(tracks: [linear])) }
  }

  /// Names can end neither a line nor an attribute, even for readers with more line ends than RFC 8216.
  @Test func escapesNamesInPlaylists() throws {
    let title = "A \"b\"\u{2028}#EXT-X-DEFINE:NAME=\u{85}\u{0B}c"
    let sound = StreamableMovie.sound(id: 2, "eng").with { track in
      track.userData = atom("name") { text(title) }
    }
    let (lines, _) = try media([StreamableMovie.picture(), sound])
    #expect(lines[0].contains(#"NAME="A 'b' #EXT-X-DEFINE:NAME=  c""#))
    #expect(lines[0].unicodeScalars.allSatisfy { !Character($0).isNewline })
  }

  /// If the first picture depends on others, the playlist does not declare independent segments.
  @Test func declaresDependentSegments() throws {
    let picture = StreamableMovie.picture().with { $0.samples[0].isSync = false }
    let streamed = try Streamed(TestMovie(tracks: [picture]).with { $0.dialect = .iso })
    #expect(streamed.plan.notices.map(\.code).contains("no-sync-start"))
    #expect(try !streamed.lines("main.m3u8").contains("#EXT-X-INDEPENDENT-SEGMENTS"))
    #expect(try !streamed.lines("video/playlist.m3u8").contains("#EXT-X-INDEPENDENT-SEGMENTS"))
  }

  /// The sample entry refers to the only data reference, whatever the movie's `dref` contains.
  @Test func rewritesTheDataReferenceIndex() throws {
    let picture = StreamableMovie.picture().with { track in
      track.dataReferences = [fullAtom("url ", flags: 1) {}, fullAtom("url ", flags: 1) {}]
      var entry = StreamableMovie.avc
      entry.replaceSubrange(14..<16, with: u16(2))
      track.sampleEntries = [entry]
    }
    let streamed = try Streamed(TestMovie(tracks: [picture]).with { $0.dialect = .iso })
    let bytes = try streamed.bytes("video/init.mp4")
    let entry = try #require(bytes.firstRange(of: code("avc1"))).upperBound
    #expect(Array(bytes[entry..<entry + 8]) == zeros(6) + u16(1))
    #expect(
      Array(bytes[(entry - 4)..<(entry - 4 + StreamableMovie.avc.count - 4)].dropFirst(12))
        == Array(StreamableMovie.avc.dropFirst(16)))
  }

  /// A sample rate above 16 bits is stored in `srat`, which requires `stsd` of version 1 (ISO/IEC 14496-12 12.2.3).
  @Test func declaresHighSampleRates() throws {
    let alac = atom("alac") { u32(0, 4_096) + u8(0, 24, 40, 10, 14, 2) + u16(255) + u32(0, 0, 0) }
    let sound = StreamableMovie.sound(id: 2, "eng").with { track in
      track.sampleEntries = [
        SampleEntry.soundVersion2(
          "alac", bits: 0, packet: (0, 4_096), extensions: atom("wave") { alac })
      ]
    }
    let streamed = try Streamed(TestMovie(tracks: [StreamableMovie.picture(), sound]))
    let path = try #require(streamed.plan.files.last { $0.kind == .initialization }).path
    let bytes = try streamed.bytes(path)
    let entry = atom("alac") {
      zeros(6)
      u16(1, 1)
      zeros(6)
      u16(2, 16, 0, 0)
      u32(0)
      alac
      atom("srat") { u32(0, 96_000) }
    }
    #expect(bytes.firstRange(of: atom("stsd") { u32(1 << 24, 1) + entry }) != nil)
  }

  /// Long text segments have a target duration of their own, and the bit rate is the rate of the densest segment.
  @Test func computesDurationAndRateOfLongTextSegments() throws {
    let dense = (0..<20).map { (from: $0 * 100, to: $0 * 100 + 90, text: String(repeating: "x", count: 200)) }
    let movie = TestMovie(tracks: [
      StreamableMovie.picture(), StreamableMovie.subtitles(id: 2, "eng", dense + [(20_000, 21_000, "End")]),
    ]).with { $0.dialect = .iso }
    let streamed = try Streamed(movie, StreamOptions(textSegmentMilliseconds: 12_000))
    let first = try #require(streamed.plan.file("subtitles-en/segment-1.vtt")).byteCount
    let video = streamed.plan.files.filter { $0.path.hasPrefix("video/seg") }
      .map { ($0.byteCount * 8_000 + 5_999) / 6_000 }
    let line = try #require(try streamed.lines("main.m3u8").first { $0.contains("RESOLUTION") })
    #expect(line.contains("BANDWIDTH=\((video.max() ?? 0) + (first * 8_000 + 11_999) / 12_000),"))
  }

  /// Players drop the second of two cues with equal identifiers.
  @Test func writesCueIdentifiersOnce() throws {
    var file = SubtitleFile(
      cues: ["One", "Two"].enumerated().map { index, text in
        Cue(
          startMilliseconds: Int64(index) * 1_000, endMilliseconds: Int64(index) * 1_000 + 500, text: StyledText(text))
      }, notices: [])
    file.webVTT = WebVTTSource(
      header: "WEBVTT",
      cues: ["One", "Two"].enumerated().map { index, text in
        .init(identifier: "1", text: text, startMilliseconds: Int64(index) * 1_000)
      })
    let rendition = MultivariantPlaylist.Rendition(
      kind: .subtitles, group: "subtitles", name: "English", language: "en", isDefault: false,
      isAutomaticallySelected: true, path: nil)
    let text = TextRendition(
      file, as: rendition, folder: ["subtitles"], styles: [.init(name: "big", declaration: "x: y")])
    var limit = 10_000
    let times = try #require(PresentationTimeline(timeScale: 1_000, boundaries: [0, 6_000]))
    let segment = String(decoding: try text.segments(times, delay: 0, limit: &limit)[0], as: UTF8.self)
    #expect(segment.components(separatedBy: "\n1\n").count == 2 && segment.contains("Two"))
    #expect(segment.contains("STYLE\n::cue(.big) { x: y }\n"))
  }

  /// Two cues with equal text and times are merged, whatever their identifiers.
  @Test func mergesEqualCues() throws {
    let cue = Cue(startMilliseconds: 0, endMilliseconds: 500, text: StyledText("Hello"))
    var file = SubtitleFile(cues: [cue, cue, cue], notices: [])
    file.webVTT = WebVTTSource(
      header: "WEBVTT",
      cues: ["a", "a", "b"].map { .init(identifier: $0, text: "Hello", startMilliseconds: 0) })
    let rendition = MultivariantPlaylist.Rendition(
      kind: .subtitles, group: "subtitles", name: "English", language: "en", isDefault: false,
      isAutomaticallySelected: true, path: nil)
    var limit = 10_000
    let times = try #require(PresentationTimeline(timeScale: 1_000, boundaries: [0, 6_000]))
    let segment = try TextRendition(file, as: rendition, folder: ["subtitles"], styles: [])
      .segments(times, delay: 0, limit: &limit)[0]
    let text = String(decoding: segment, as: UTF8.self)
    #expect(text.components(separatedBy: "Hello").count == 2 && text.contains("\na\n"))
  }

  @Test func rejectsEncryptedMedia() throws {
    let encrypted = StreamableMovie.picture().with {
      $0.sampleEntries = [SampleEntry.video("encv", width: 64, height: 36)]
    }
    #expect { try Streamed(TestMovie(tracks: [encrypted])) } throws: { ($0 as? MovieError)?.code == .unsupported }
  }
}
