import Foundation
import TestSupport
import Testing

@testable import MovtoolCommands

/// Files in unsupported formats are named, and the suggested commands work.
struct OtherFormatsTests {
  /// Runs the command that an error suggests and returns the name of the new file.
  private func follow(_ outcome: Workshop.Outcome, in shop: Workshop) throws -> String {
    let hint = try #require(outcome.errors.last)
    #expect(hint.hasPrefix("try: ffmpeg -i "))
    let command = String(hint.dropFirst(5))
    let result = try Shell.run("sh", ["-c", command + " -v error -y </dev/null"], in: shop.folder.path)
    #expect(result.code == 0, "\(command): \(result.errorText)")
    return try #require(command.split(separator: " ").last.map(String.init))
  }

  @Test(arguments: ["mp3", "aac", "wav", "flac", "ogg", "mkv", "avi", "ts", "aiff", "caf", "ac3", "wma"])
  func soundAndFilmsOfOtherFormatsAreNamedAndConverted(_ suffix: String) throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let shop = try Workshop()
    let sound = ["-f", "lavfi", "-i", "sine=d=1:r=44100"]
    let made = try ffmpeg.run(["-v", "error", "-nostdin"] + sound + [shop.folder.file("a-sound.\(suffix)")])
    #expect(made.code == 0, "\(made.errorText)")
    let outcome = shop.run("inspect @a-sound.\(suffix)")
    #expect(outcome.exitCode == .badData)
    #expect(outcome.errors.first?.contains("not a QuickTime or MP4 movie") == true)
    #expect(outcome.output.isEmpty && outcome.errors.first?.contains("declares") == false)
    let name = try follow(outcome, in: shop)
    #expect(shop.run("inspect @\(name)").output.contains { $0.contains("audio") })
  }

  /// A transport stream contains captions in its pictures, not as subtitles.
  @Test(arguments: ["add-captions", "add-subtitle"])
  func transportStreamsAreSourcesOfCaptionsInPictures(_ command: String) throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let tool = try Tool.path()
    let shop = try Workshop(.simple)
    let made = try ffmpeg.run([
      "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=1", "-c:v", "libx264", "-pix_fmt",
      "yuv420p", shop.folder.file("plain.ts"),
    ])
    #expect(made.code == 0, "\(made.errorText)")
    var results = ["plain": "the pictures of track 1 contain no closed captions"]
    if let corpus = Corpus.find() {
      let stream = try [UInt8](
        Data(contentsOf: URL(fileURLWithPath: corpus.folder + "/streaming/muxjs-multi-channel-608-captions.ts")))
      try shop.folder.write(stream, as: "captioned.ts")
      results["captioned"] = "captioned-video.cc.srt"
    }
    for (name, words) in results {
      let outcome = shop.run("\(command) @in.mov @\(name).ts")
      #expect(outcome.exitCode == .badData)
      let hint = try #require(outcome.errors.last)
      let video = "\(name)-video.mp4"
      #expect(
        hint == "try: ffmpeg -i \(name).ts -map 0:v:0 -c copy \(video) && movtool extract \(video) --captions")
      let line = String(hint.dropFirst(5)).replacing("ffmpeg ", with: "ffmpeg -v error -nostdin ")
        .replacing("movtool ", with: tool + " ")
      let result = try Shell.run("sh", ["-c", line], in: shop.folder.path)
      #expect((result.code == 0) == (name == "captioned"), "\(result)")
      #expect((result.outputText + result.errorText).contains(words), "\(result)")
    }
  }

  private static let subtitles = [
    "film.en.ass": nil, "film.en.lrc": nil,
    "film.en.sbv": "0:00:00.500,0:00:01.500\nWho is there?\n\n0:00:02.000,0:00:03.000\nNobody.\n",
    "film.en.sub": (0..<9).map { "{\($0 * 25)}{\($0 * 25 + 20)}Who is there?|Nobody.\n" }.joined(),
    "film.en.smi":
      "<SAMI><BODY><SYNC Start=1000><P>Hello</P></SYNC><SYNC Start=2000><P>&nbsp;</P></SYNC></BODY></SAMI>\n",
  ]

  @Test(arguments: subtitles.keys.sorted())
  func subtitlesOfOtherFormatsAreNamedAndConverted(_ name: String) throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let shop = try Workshop(.simple)
    if let text = Self.subtitles[name] ?? nil {
      try shop.folder.write(Array(text.utf8), as: name)
    } else {
      let made = try ffmpeg.run(["-v", "error", "-nostdin", "-i", shop.folder.file("en.srt"), shop.folder.file(name)])
      #expect(made.code == 0, "\(made.errorText)")
    }
    let outcome = shop.run("add-subtitle @in.mov @\(name)")
    #expect(outcome.exitCode == .badData)
    let formats = "the supported subtitle formats are SubRip (.srt), WebVTT (.vtt), SCC (.scc) and MCC (.mcc)"
    #expect(outcome.errors.first?.contains(formats) == true)
    let converted = try follow(outcome, in: shop)
    #expect(converted == "film.en.srt")
    #expect(shop.run("add-subtitle @in.mov @\(converted)").exitCode == .done)
  }

  @Test func namesFormatsThatFFmpegCannotConvert() throws {
    let shop = try Workshop(.simple)
    let markup = "<?xml version=\"1.0\"?>\n<tt xmlns=\"http://www.w3.org/ns/ttml\"><body/></tt>\n"
    let hint = "try: tt convert -i a.ttml -o a.srt, of the Python package ttconv"
    for (name, text, words, hints) in [
      ("a.ttml", markup, "a.ttml: cannot read TTML subtitles", [hint]),
      (
        "a.idx", "# VobSub index file, v7\n", "a.idx: cannot read the index of VobSub subtitles, which are pictures", []
      ),
    ] {
      try shop.folder.write(Array(text.utf8), as: name)
      let outcome = shop.run("add-subtitle @in.mov @\(name)")
      #expect(outcome.exitCode == .badData && Array(outcome.errors.dropFirst()) == hints, "\(outcome.errors)")
      #expect(outcome.errors.first?.hasPrefix(words + "; the supported subtitle formats are") == true)
    }
  }

  /// Lines of SubRip can resemble other formats.
  @Test(arguments: ["[ti:Song]", "{25}{50}x", "[Script Info]", "<SAMI>", "00:01.5,00:02.5"])
  func subRipThatLooksLikeAnotherFormatIsRead(_ line: String) throws {
    let shop = try Workshop(.simple)
    let cue = "00:00:00,500 --> 00:00:01,500\nHello\n"
    try shop.folder.write(Array("\(line)\n\n1\n\(cue)".utf8), as: "a.en.srt")
    #expect(shop.run("add-subtitle @in.mov @a.en.srt").exitCode == .done)
  }
}
