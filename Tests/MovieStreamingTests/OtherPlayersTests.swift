import Foundation
import MovieBox
import MovieStreaming
import Subtitles
import TestSupport
import Testing

/// Other programs as witnesses of a presentation.
struct OtherPlayersTests {
  /// Returns a folder with a presentation of the test movie, with Spanish audio and subtitles and added English subtitles.
  private func folder(_ options: StreamOptions = StreamOptions()) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let source = try FileSource(path: TestMedia.path("spanish.mov"))
    let plan = try StreamPlan(of: Movie(of: source), from: source, options)
    try plan.write(to: folder.file("out"), from: source)
    return folder
  }

  private func script(_ name: String) -> String { TestMedia.path("../Scripts/" + name) }

  /// An independent program checks the rules that are machine-checkable.
  @Test(arguments: [StreamOptions(), StreamOptions(segmentMilliseconds: 2_000, isSingleFile: true)])
  func conformsToEveryCheckedRule(_ options: StreamOptions) throws {
    let python = try Witness.require("python3")
    let folder = try folder(options)
    let result = try python.run([script("check-hls"), folder.file("out")])
    #expect(result.code == 0 && result.outputText == "no findings\n", "\(result.outputText)\(result.errorText)")
    #expect(try folder.names() == ["out"])  // Keeps the folder alive while the program reads it.
  }

  /// Presentations that begin late on the clock, with tracks that begin at different times.
  @Test(arguments: [(0, 0), (0, 17_000), (1, 0), (1, 17_000)])
  func conformsToEveryCheckedRuleAfterALateStart(_ late: Int, _ seconds: Int) throws {
    let python = try Witness.require("python3")
    let folder = try TemporaryFolder()
    let movie = StreamableMovie.talk.with { movie in
      for index in 0...2 where seconds > 0 || index == late {
        // A distance of 80 ms between video and audio, as in camera recordings.
        let ticks = seconds * 600 + (index == late ? 48 : 0)
        movie.tracks[index].edits.insert(TestEdit(duration: ticks, mediaTime: -1), at: 0)
      }
      movie.tracks[3].edits = [
        TestEdit(duration: seconds * 600 + 60, mediaTime: -1), TestEdit(duration: 13_000, mediaTime: 0),
      ]
    }
    let source = MemorySource(Bytes(movie.bytes()))
    try StreamPlan(of: Movie(of: source), from: source).write(to: folder.file("out"), from: source)
    let result = try python.run([script("check-hls"), folder.file("out")])
    #expect(result.code == 0 && result.outputText == "no findings\n", "\(result.outputText)\(result.errorText)")
  }

  /// The checking program detects deliberate corruption.
  @Test func detectsCorruptedPresentations() throws {
    let python = try Witness.require("python3")
    let folder = try folder()
    let spoiled: [(file: String, from: String, to: String, rule: String)] = [
      ("out/main.m3u8", "AUTOSELECT=YES", "AUTOSELECT=NO", "media.default"),
      ("out/main.m3u8", "LANGUAGE=\"es\",", "", "media.language"),
      ("out/main.m3u8", "BANDWIDTH=", "BANDWIDTH=1", "variant.average"),
      ("out/video/playlist.m3u8", "TARGETDURATION:6", "TARGETDURATION:4", "segments.target"),
      ("out/main.m3u8", "CLOSED-CAPTIONS=NONE\nvideo", "CLOSED-CAPTIONS=\"a\"\nvideo", "variant.captions"),
      ("out/subtitles-es/segment-1.vtt", "MPEGTS:", "MPEGTS:90", "text.clock"),
      ("out/subtitles-es/segment-1.vtt", "X-TIMESTAMP-MAP", "X-TIME", "text.map"),
      ("out/subtitles-es/segment-1.vtt", "\n\n00:", "\n\nsame\n00:", "text.identifiers"),
    ]
    for change in spoiled {
      let old = try folder.read(change.file)
      let new = String(decoding: old, as: UTF8.self).replacingOccurrences(of: change.from, with: change.to)
      try folder.write(Array(new.utf8), as: change.file)
      let result = try python.run([script("check-hls"), folder.file("out/main.m3u8")])
      #expect(result.code == 1 && result.outputText.contains(change.rule), "\(change): \(result.outputText)")
      try folder.write(old, as: change.file)
    }
  }

  /// The findings of the checking program in public example presentations: in all files where available, otherwise in the
  /// playlists alone.
  @Test func findsKnownViolationsInRealPresentations() throws {
    let python = try Witness.require("python3")
    let corpus = try Corpus.require().folder + "/streaming/"
    let whole: [String: Set<String>] = [
      "hls-chapters/index.m3u8": [
        "segments.independent", "segments.target-exact", "trick.there", "variant.average", "variant.bandwidth-exact",
        "variant.captions-none", "variant.frame-rate",
      ],
      "cmaf-multi-segment/playlist.m3u8": ["media.language", "segments.same-boundaries", "trick.there"],
      "hls-standalone-webvtt/multivariant_playlist.m3u8": [
        "media.default", "segments.map", "segments.type", "text.map", "trick.there", "variant.average",
        "variant.bandwidth", "variant.captions-none", "variant.frame-rate", "variant.resolution",
      ],
      "hls-cea608/manifest.m3u8": [
        "segments.independent", "segments.target-exact", "trick.there", "variant.bandwidth", "variant.frame-rate",
      ],
      "hls-iframe-only/media.m3u8": [],
    ]
    let lists: [String: Set<String>] = [
      "vhs-alternate-audio-accessibility.m3u8": [
        "media.language-short", "trick.there", "variant.captions-none", "variant.frame-rate", "variant.resolution",
      ],
      "vhs-byterange.m3u8": ["playlist.version"],
      "vhs-main-captions.m3u8": [
        "media.default", "playlist.begins", "playlist.version", "trick.there", "variant.captions", "variant.codecs",
        "variant.frame-rate",
      ],
      "vhs-main-subtitles.m3u8": [
        "playlist.begins", "trick.there", "variant.captions-none", "variant.codecs", "variant.frame-rate",
      ],
      "webkit-hls/test-webvtt.m3u8": ["trick.there", "variant.captions-none", "variant.frame-rate"],
      "webkit-hls/test-webvtt-default.m3u8": [
        "media.default", "media.language", "trick.there", "variant.captions-none", "variant.frame-rate",
      ],
    ]
    for (options, expected) in [([], whole), (["--text"], lists)] {
      for (name, rules) in expected {
        let result = try python.run([script("check-hls")] + options + [corpus + name])
        // A line contains the playlist, "must" or "should" with the rule, the place and the problem.
        let found = result.outputText.split(separator: "\n").compactMap { line in
          line.dropFirst(corpus.count + name.count + 2).split(separator: " ").dropFirst().first?.dropLast()
        }
        #expect(Set(found.map(String.init)) == rules, "\(name)")
      }
    }
  }

  /// ffmpeg reads the same packets from the playlist as from the movie.
  @Test func streamsPacketsThatFFmpegReads() throws {
    let ffprobe = try Witness.require("ffprobe")
    let folder = try folder()
    func packets(_ file: String, _ stream: String) throws -> [String] {
      let result = try ffprobe.run([
        "-v", "error", "-select_streams", stream, "-show_entries", "packet=data_hash", "-show_data_hash", "md5",
        "-of", "csv=p=0", file,
      ])
      // The effect of the edit list on the first packet is on a separate line before its hash.
      return result.outputText.split(separator: "\n").compactMap { line in
        line.firstRange(of: "MD5").map { String(line[$0.lowerBound...]) }
      }
    }
    let movie = TestMedia.path("spanish.mov")
    for stream in ["v:0", "a:0", "a:1"] {
      #expect(try packets(folder.file("out/main.m3u8"), stream) == packets(movie, stream), "\(stream)")
    }
    #expect(try folder.names() == ["out"])
  }

  /// Chromium with hls.js shows cues at the times of the movie plus the delay of the media, to the millisecond. Names and
  /// languages are those of the movie.
  @Test func showsCuesInABrowserOnTime() throws {
    let python = try Witness.require("python3")
    _ = try Witness.require("chromium")
    let folder = try folder()
    let source = try FileSource(path: TestMedia.path("spanish.mov"))
    let movie = try Movie(of: source)
    let plan = try StreamPlan(of: movie, from: source)
    let track = try #require(movie.tracks.first { $0.mediaType == .subtitle })
    let cues = try movie.text(ofTrack: track.id, from: source).cues
    let result = try python.run([script("probe-hls"), folder.file("out")], timeout: 120)
    let answer = try #require(
      JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any], "\(result.errorText)")
    #expect((answer["errors"] as? [String])?.isEmpty == true)
    let text = try #require((answer["text"] as? [[String: Any]])?.first)
    #expect(text["label"] as? String == "Español" && text["language"] as? String == "es")
    let shown = try #require(text["cues"] as? [[Any]])
    let delay = Double(plan.delayIn90kHz) / 90_000
    #expect(shown.count == cues.count)
    for (cue, shown) in zip(cues, shown) {
      let start = try #require(shown[0] as? Double)
      #expect(abs(start - delay - Double(cue.startMilliseconds) / 1_000) < 0.001)
    }
    let audio = try #require(answer["audio"] as? [[String: Any]]).map { $0["name"] as? String }
    #expect(audio == ["English", "Español"])
    #expect(try folder.names() == ["out"])
  }
}
