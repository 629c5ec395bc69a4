import Foundation
import MovieBox
import MovieStreaming
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

/// Subtitles and dubs of a movie whose tracks ffmpeg delayed together.
struct CommonDelayTests {
  private func workshop(isFragmented: Bool) throws -> Workshop {
    let shop = try Workshop()
    let movie = StreamableMovie.delayed
    try shop.folder.write(isFragmented ? StreamableMovie.fragments(of: movie) : movie.bytes(), as: "in.mp4")
    try shop.folder.write(TestMovie.dub.with { $0.dialect = .iso }, as: "dub.m4a")
    try shop.folder.write(Array("1\n00:00:01,000 --> 00:00:02,000\nFlash\n".utf8), as: "cues.srt")
    return shop
  }

  private func text(_ shop: Workshop, _ options: String = "") throws -> String {
    let outcome = shop.run("extract @out.mp4 \(options) -o @again.srt --force")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    return String(decoding: try shop.folder.read("again.srt"), as: UTF8.self)
  }

  private let note = "is 80 ms later than in its file, like the movie's other tracks"

  @Test(arguments: [true, false]) func subtitlesAreInStepWithThePicture(_ isFragmented: Bool) throws {
    let shop = try workshop(isFragmented: isFragmented)
    let outcome = shop.run("add-subtitle @in.mp4 @cues.srt --language en -o @out.mp4")
    #expect(outcome.exitCode == .done && outcome.errors.contains { $0.contains(note) }, "\(outcome.errors)")
    let movie = try shop.movie("out.mp4")
    #expect(movie.tracks.prefix(2).allSatisfy { $0.presentationStartInMovieTicks == 0 })
    let cues = try movie.text(ofTrack: 3, from: FileSource(path: shop.folder.file("out.mp4"))).cues
    #expect(cues.map(\.startMilliseconds) == [1_080] && cues.map(\.endMilliseconds) == [2_080])
    // Extracted cues count from the start of the presentation as well, so that they fit the movie again.
    #expect(try text(shop).contains("00:00:01,000 --> 00:00:02,000"))
    #expect(try text(shop, "--keep-start").contains("00:00:01,080 --> 00:00:02,080"))
    #expect(shop.run("retime @out.mp4 --track subtitle:1 --offset 1").exitCode == .done)
    #expect(try text(shop).contains("00:00:02,000 --> 00:00:03,000"))
  }

  @Test(arguments: [true, false]) func keepStartCountsFromTheClockOfTheFile(_ isFragmented: Bool) throws {
    let shop = try workshop(isFragmented: isFragmented)
    let outcome = shop.run("add-subtitle @in.mp4 @cues.srt --language en --keep-start -o @out.mp4")
    #expect(outcome.exitCode == .done && outcome.errors.allSatisfy { !$0.contains(note) && !$0.contains("nothing") })
    #expect(try text(shop, "--keep-start").contains("00:00:01,000 --> 00:00:02,000"))
  }

  @Test(arguments: [true, false]) func dubsAreInStepWithThePicture(_ isFragmented: Bool) throws {
    let shop = try workshop(isFragmented: isFragmented)
    let line = "add-track @in.mp4 @dub.m4a --language fr -o @out.mp4"
    let outcome = shop.run(line)
    #expect(outcome.exitCode == .done && outcome.errors.contains { $0.contains(note) }, "\(outcome.errors)")
    // The dub itself begins with an empty edit of 44 ms: 26 and 48 ticks of 600 a second.
    let movie = try shop.movie("out.mp4")
    #expect(movie.tracks.map(\.presentationStartInMovieTicks) == [0, 0, 74])
    // Another dub is as late, although the first one has an edit list.
    #expect(shop.run("add-track @out.mp4 @dub.m4a --language es").exitCode == .done)
    #expect(try shop.movie("out.mp4").tracks.map(\.presentationStartInMovieTicks) == [0, 0, 74, 74])
    #expect(shop.run(line + " --force --keep-start").exitCode == .done)
    #expect(try shop.movie("out.mp4").tracks.map(\.presentationStartInMovieTicks) == [0, 0, 26])
  }

  /// The sound of a delayed movie is a dub of itself, and is earlier in a movie without the delay.
  @Test func tracksOfADelayedMovieLoseItsDelay() throws {
    let shop = try workshop(isFragmented: true)
    #expect(shop.run("add-track @in.mp4 @in.mp4 --track audio --language fr -o @out.mp4").exitCode == .done)
    #expect(try shop.movie("out.mp4").tracks.map(\.presentationStartInMovieTicks) == [0, 0, 0])
    try shop.folder.write(StreamableMovie.talk, as: "plain.mp4")
    let outcome = shop.run("add-track @plain.mp4 @in.mp4 --track audio --language fr -o @out.mp4 --force")
    #expect(outcome.exitCode == .done && outcome.errors.contains { $0.contains("80 ms earlier") }, "\(outcome.errors)")
    #expect(try shop.movie("out.mp4").tracks.last?.presentationStartInMediaTicks == 3_528)
  }

  /// The picture of the presentation begins at 80 ms too.
  @Test func presentationsCountSubtitlesFromThePicture() throws {
    let shop = try workshop(isFragmented: true)
    #expect(shop.run("hls @in.mp4 -o @out").exitCode == .done)
    #expect(shop.run("hls --add @cues.srt --language en -o @out").exitCode == .done)
    let added = String(decoding: try shop.folder.read("out/subtitles-en/segment-1.vtt"), as: UTF8.self)
    #expect(added.contains("MPEGTS:7200\n") && added.contains("00:00:01.000 -->"), "\(added)")
    let together = shop.run("hls @in.mp4 --audio @dub.m4a --language fr --subtitle @cues.srt --language en -o @both")
    #expect(together.exitCode == .done && !together.errors.contains { $0.contains("begins") }, "\(together.errors)")
    let planned = String(decoding: try shop.folder.read("both/subtitles-en/segment-1.vtt"), as: UTF8.self)
    #expect(planned.contains("MPEGTS:0\n") && planned.contains("00:00:01.080 -->"), "\(planned)")
  }

  /// ffmpeg delays its own subtitle files by the same time.
  @Test func agreesWithFFmpeg() throws {
    let ffmpeg = try Witness.require("ffmpeg")
    let shop = try workshop(isFragmented: true)
    _ = try ffmpeg.run([
      "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=3", "-f", "lavfi", "-i", "sine=440:r=48000:d=3",
      "-i",
      shop.folder.file("cues.srt"), "-map", "0", "-map", "1", "-map", "2", "-c:v", "libx264", "-bf", "2", "-pix_fmt",
      "yuv420p", "-c:a", "aac", "-c:s", "mov_text", "-metadata:s:s:0", "language=eng", "-movflags",
      "empty_moov+frag_keyframe", shop.folder.file("made.mp4"),
    ])
    #expect(shop.run("add-subtitle @made.mp4 @cues.srt --language fr -o @out.mp4").exitCode == .done)
    let source = try FileSource(path: shop.folder.file("out.mp4"))
    let movie = try shop.movie("out.mp4")
    let starts = try [3, 4].map { try movie.text(ofTrack: $0, from: source).cues.map(\.startMilliseconds) }
    #expect(starts == [[1_080], [1_080]])
  }
}
