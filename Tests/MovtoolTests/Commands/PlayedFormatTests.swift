import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// Formats that players do not support.
struct PlayedFormatTests {
  private func proRes(withSound: Bool) -> TestMovie {
    let picture = StreamableMovie.picture().with {
      $0.sampleEntries = [SampleEntry.video("apch", width: 640, height: 360)]
    }
    return TestMovie(tracks: [picture] + (withSound ? [StreamableMovie.sound(id: 2, "eng")] : []))
  }

  @Test func rejectsUnplayableVideoUnlessAudioIsRequested() throws {
    let shop = try Workshop(proRes(withSound: true), as: "film.mov")
    let refused = shop.run("hls @film.mov -o @out")
    #expect(refused.exitCode == .badData)
    #expect(refused.errors.last == "--audio-only makes a presentation with audio only")
    #expect(refused.errors[0].contains("the movie has no video that HLS supports: track 1 (video, apch) is in ProRes"))
    #expect(throws: (any Error).self) { try shop.folder.read("out/main.m3u8") }
    let heard = shop.run("hls @film.mov -o @out --audio-only --strict")
    #expect(heard.exitCode == .done && heard.errors.isEmpty, "\(heard)")
    #expect(shop.run("hls @film.mov @film.mov -o @two --audio-only").exitCode == .usage)
    #expect(shop.run("hls --add @film.srt -o @out --audio-only").exitCode == .usage)
    // Without playable audio, there is no alternative to suggest.
    let linear = TestTrack(.sound, id: 2).with { $0.sampleEntries = [SampleEntry.sound(rate: 8_000)] }
    for tracks in [[], [linear]] {
      try shop.folder.write(proRes(withSound: false).with { $0.tracks += tracks }, as: "silent.mov")
      let silent = shop.run("hls @silent.mov -o @none")
      #expect(silent.exitCode == .badData && silent.errors.allSatisfy { !$0.contains("--audio-only") }, "\(silent)")
      #expect(silent.errors[0].contains("has no video or audio that HLS supports: track 1 (video, apch) is in ProRes"))
      #expect(tracks.isEmpty || silent.errors[0].contains("does not support; track 2 (audio, "), "\(silent)")
    }
  }

  @Test func pageWarnsOfFormatsThatBrowsersDoNotPlay() throws {
    let shop = try Workshop(proRes(withSound: true), as: "film.mov")
    let outcome = shop.run("html @film.mov -o @page.html")
    #expect(
      outcome.errors.contains {
        $0.contains("track 1 (video) is in ProRes, which Chrome, Edge and Firefox do not play: viewers see no picture")
      }, "\(outcome.errors)")
    // If there is a presentation, warnings about its segments are included, without duplicates.
    let mp3 = StreamableMovie.sound(id: 2, "eng").with {
      $0.sampleEntries = [
        SampleEntry.sound("mp4a", channels: 2, rate: 44_100, extensions: StreamableMovie.esds([], objectType: 0x6B))
      ]
    }
    let film = StreamableMovie.picture().with { $0.isEnabled = false }
    try shop.folder.write(TestMovie(tracks: [film, mp3]).with { $0.dialect = .iso }, as: "mp3.mp4")
    #expect(shop.run("html @mp3.mp4 -o @mp3.html").errors.map { $0.contains("the film is disabled") } == [true])
    let site = shop.run("html @mp3.mp4 -o @site").errors
    #expect(site.count == 2 && site.filter { $0.contains("MP3, which hls.js") }.count == 1, "\(site)")
  }

  @Test(arguments: [("sowt", "PCM"), ("alaw", "G.711"), ("ima4", "IMA ADPCM")])
  func pageWarnsOfSoundThatOnlySomeBrowsersPlay(_ format: String, _ name: String) throws {
    let sound = TestTrack(.sound, id: 2).with { $0.sampleEntries = [SampleEntry.sound(format, rate: 8_000)] }
    let shop = try Workshop(TestMovie(tracks: [StreamableMovie.picture(), sound]), as: "film.mov")
    let alone = shop.run("html @film.mov -o @page.html").errors
    #expect(alone.contains { $0.contains("track 2 (audio) is in \(name), which") }, "\(alone)")
    // Apple's players play all of these formats in files.
    #expect(!shop.run("validate @film.mov").output.contains { $0.contains(name) })
    #expect(
      shop.run("validate @film.mov --target iso -v").output.contains { $0.contains("has the format \(name), which") })
    let streamed = shop.run("hls @film.mov -o @out").errors
    #expect(streamed.contains { $0.contains("is in \(name), which HLS does not support") }, "\(streamed)")
    let playable = StreamableMovie.sound(id: 3, "und")
    try shop.folder.write(TestMovie(tracks: [StreamableMovie.picture(), sound, playable]), as: "both.mov")
    let both = shop.run("html @both.mov -o @page.html --force").errors
    #expect(!both.contains { $0.contains("only some browsers play") }, "\(both)")
  }

  @Test func reportsFixableAndOtherFindings() throws {
    let shop = try Workshop(TestMovie.hev1(repeating: SampleEntry.setsOfHEVC), as: "film.mp4")
    let found = shop.run("validate @film.mp4")
    #expect(found.exitCode == .no && found.output.contains("  error format.hev1"))
    #expect(found.output.contains { $0.contains("fix:    movtool validate film.mp4 --fix") }, "\(found.output)")
    let fixed = shop.run("validate @film.mp4 --fix")
    #expect(fixed.exitCode == .done && fixed.output[0].contains("the format of track 1 is now hvc1"), "\(fixed)")
    #expect(!shop.run("validate @film.mp4").output.contains { $0.contains("format.hev1") })
    try shop.folder.write(TestMovie.hev1(repeating: [[0x44, 1, 0xC2]]), as: "other.mp4")
    let left = shop.run("validate @other.mp4").output
    #expect(left.contains { $0.contains("has parameter sets in sample 1 that are not in hvcC") })
    #expect(left.contains { $0.contains("ffmpeg -i FILE -map 0 -dn -c copy -c:v libx265 -tag:v hvc1 OUT") })
    #expect(!left.contains { $0.contains("--fix") }, "\(left)")
  }

  /// ffmpeg cannot write captions into MP4 files.
  @Test(arguments: [
    (["-c:v", "libx264", "-pix_fmt", "yuv444p", "-c:a", "aac"], "video"),
    (["-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "libopus"], "audio"),
    (["-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-c:a", "libopus"], "video"),
    (["-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-c:a", "libopus"], "audio"),
  ]) func suggestedEncodingKeepsCaptions(_ options: [String], _ noun: String) throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let shop = try Workshop()
    let sources = ["-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=2", "-f", "lavfi", "-i", "sine=d=2"]
    let made = try ffmpeg.run(["-v", "error"] + sources + options + [shop.folder.file("film.mp4")])
    #expect(made.code == 0, "\(made.errorText)")
    try shop.folder.write(Array("1\n00:00:01,000 --> 00:00:01,500\nHello\n".utf8), as: "film.en.srt")
    let before = shop.run("validate @film.mp4 -v").output + shop.run("validate @film.mp4 -v --target iso").output
    #expect(before.contains { $0.contains("encode the \(noun) again: ") && $0.hasSuffix(" OUT") }, "\(before)")
    #expect(shop.run("add-captions @film.mp4 @film.en.srt").exitCode == .done)
    let after = shop.run("validate @film.mp4 -v").output + shop.run("validate @film.mp4 -v --target iso").output
    let line = try #require(after.first { $0.contains("encode the \(noun) again: ") })
    let command = try #require(line.firstRange(of: "ffmpeg ").map { String(line[$0.lowerBound...]) })
    #expect(command.hasSuffix(" OUT.mov"))
    let named = command.replacing("FILE", with: "film.mp4").replacing("OUT", with: "out")
    let result = try Shell.run("sh", ["-c", named + " -v error </dev/null"], in: shop.folder.path)
    #expect(result.code == 0, "\(named): \(result.errorText)")
    #expect(shop.run("extract @out.mov --track caption -o -").output.contains("Hello"))
  }

  /// ffmpeg stores the output of x265 as `hev1`. If every key picture contains all parameter sets, it can be renamed.
  @Test(arguments: ["", ":repeat-headers=1"]) func renamesFormatsOfEncodersSafely(_ option: String) throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let shop = try Workshop()
    let made = try ffmpeg.run([
      "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=2", "-pix_fmt", "yuv420p", "-c:v", "libx265",
      "-preset", "ultrafast", "-x265-params", "log-level=none:keyint=10" + option, "-tag:v", "hev1",
      shop.folder.file("film.mp4"),
    ])
    #expect(made.code == 0, "\(made.errorText)")
    func pictures() throws -> String {
      try ffmpeg.run(["-v", "error", "-i", shop.folder.file("film.mp4"), "-f", "md5", "-"]).outputText
    }
    let before = try pictures()
    #expect(shop.run("validate @film.mp4 --fix").exitCode == .done)
    #expect(shop.run("validate @film.mp4").output == ["film.mp4: no findings"])
    #expect(try pictures() == before && before.contains("MD5="))
  }

  @Test func chaptersOfPresentationsHaveTheSizesOfTheirPictures() throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    let made = try ffmpeg.run([
      "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x36:d=1", "-frames:v", "2",
      shop.folder.file("art-%d.jpg"),
    ])
    #expect(made.code == 0, "\(made.errorText)")
    try shop.folder.write(Array("00:00:00 One\n00:00:10 Two\n".utf8), as: "chapters.txt")
    let set = shop.run("chapters @film.mp4 --set @chapters.txt --images @art-{number}.jpg -o @with.mp4")
    #expect(set.exitCode == .done, "\(set.errors)")
    #expect(shop.run("hls @with.mp4 -o @out").exitCode == .done)
    let json = String(decoding: try shop.folder.read("out/chapters/chapters.json"), as: UTF8.self)
    #expect(json.contains("\"pixel-width\"") && json.contains("\"pixel-height\""))
    let list = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    let image = (list?.first?["images"] as? [[String: Any]])?.first
    #expect(image?["pixel-width"] as? Int == 64 && image?["pixel-height"] as? Int == 36)
    #expect(shop.run("chapters @with.mp4 --export hls --images @p-{number}.{format} -o @list.json").exitCode == .done)
    let exported = String(decoding: try shop.folder.read("list.json"), as: UTF8.self)
    #expect(exported.contains("pixel-width"))
  }
}
