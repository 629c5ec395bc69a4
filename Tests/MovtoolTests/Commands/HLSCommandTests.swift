import Foundation
import MovieBox
import TestSupport
import Testing

@testable import movtool

struct HLSCommandTests {
  @Test func presentationIsWrittenAndNamed() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    let outcome = shop.run("hls @film.mp4 -o @out")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(outcome.output[0].hasPrefix("out/main.m3u8: wrote 25 files"))
    #expect(outcome.output.contains("  audio: English (en, default)"))
    #expect(shop.run("hls @film.mp4 -o @out").exitCode == .cannotCreate)
    #expect(shop.run("hls @film.mp4 -o @out --force").exitCode == .done)
  }

  @Test func planWritesNothing() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    let json = shop.run("hls @film.mp4 --dry-run --json").json
    #expect(json["isWritten"] as? Bool == false && (json["files"] as? [Any])?.count == 25)
    #expect(try shop.folder.names() == ["en.srt", "film.mp4"])
  }

  @Test func subtitlesAreAddedWithoutTouchingMedia() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    shop.run("hls @film.mp4 -o @out")
    let media = try shop.folder.read("out/video/segment-1.m4s")
    try shop.write("film.fr.sdh.srt", ["[porte]", "Qui est là ?"])
    let outcome = shop.run("hls --add @film.fr.sdh.srt -o @out")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    #expect(outcome.output == ["out: added subtitles Français SDH, 5 files; media is as it was"])
    #expect(try shop.folder.read("out/video/segment-1.m4s") == media)
    let playlist = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
    #expect(
      playlist.contains(#"NAME="Français SDH",LANGUAGE="fr",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,CHARACTERISTICS="#))
    let segment = String(decoding: try shop.folder.read("out/subtitles-fr-sdh/segment-1.vtt"), as: UTF8.self)
    #expect(
      segment.hasPrefix("WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:3600\n\n00:00:00.100 --> 00:00:00.500\n"))
    // Without subtitles that say it, the clock is that of the media.
    try shop.folder.remove("out")
    var silent = StreamableMovie.talk
    silent.tracks.removeLast()
    try shop.folder.write(silent, as: "silent.mp4")
    shop.run("hls @silent.mp4 -o @out --single-file")
    #expect(shop.run("hls --add @film.fr.sdh.srt -o @out --title Untertitel --language de").exitCode == .done)
    let other = String(decoding: try shop.folder.read("out/subtitles-de-sdh/segment-1.vtt"), as: UTF8.self)
    #expect(other.contains("MPEGTS:3600"))
    let main = String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
    #expect(main.components(separatedBy: #"SUBTITLES="subtitles""#).count == 3)
    let checked = try Shell.run("python3", [TestMedia.path("../Scripts/check-hls"), shop.folder.file("out/main.m3u8")])
    #expect(!checked.outputText.contains("must"), "\(checked.outputText)")
  }

  @Test func severalMoviesAreVariants() throws {
    let shop = try Workshop(StreamableMovie.talk, as: "high.mp4")
    try shop.folder.write(
      StreamableMovie.talk.with { ($0.tracks[0].width, $0.tracks[0].height) = (320, 180) }, as: "low.mp4")
    let json = shop.run("hls @high.mp4 @low.mp4 -o @out --json").json
    #expect((json["variants"] as? [[String: Any]])?.map { $0["width"] as? Int } == [640, 320, nil])
    let other = StreamableMovie.talk.with { movie in
      for index in movie.tracks[0].samples.indices { movie.tracks[0].samples[index].isSync = index % 45 == 0 }
    }
    try shop.folder.write(other, as: "other.mp4")
    let refused = shop.run("hls @high.mp4 @other.mp4 -o @more")
    #expect(refused.exitCode == .badData && refused.errors[0].contains("segment 2 begins at 00:00:06.000 in movie 1"))
    #expect(try !shop.folder.names().contains("more"))
  }

  @Test func wrongWordsAreUsageErrors() throws {
    let shop = try Workshop(StreamableMovie.talk)
    for line in [
      "hls", "hls @in.mov", "hls @in.mov -o -", "hls @in.mov -o @out --duration 0", "hls @in.mov -o @out --style huge",
      "hls @in.mov -o @out --session-data title=x", "hls @in.mov -o @out --sdh", "hls @in.mov --add @en.srt -o @out",
    ] {
      #expect(shop.run(line).exitCode == .usage, "\(line)")
    }
    #expect(shop.run("hls @none.mov -o @out").exitCode == .noInput)
    #expect(try shop.folder.names() == ["en.srt", "in.mov"])
  }
}
