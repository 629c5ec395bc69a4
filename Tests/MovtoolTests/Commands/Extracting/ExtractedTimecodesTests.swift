import TestSupport
import Testing

@testable import MovtoolCommands

/// `extract --timecode-base`. `add-captions --timecode-base` with the same value restores the times.
struct ExtractedTimecodesTests {
  private typealias Code = TestCaptions

  /// A movie with captions from frame 7 to frame 15, and a time code track on request.
  private func movie(_ timecodes: TestTrack? = nil) -> TestMovie {
    let samples = [
      Code.sample(Code.load("Hello!") + Code.endOfCaption, duration: 15_000),
      Code.sample(Code.erasure, duration: 30_000),
    ]
    return TestMovie(
      tracks: [TestTrack(.video, id: 1), TestCaptions.track(id: 3, samples)] + (timecodes.map { [$0] } ?? []))
  }

  /// Returns the time codes of the lines.
  private func codes(_ shop: Workshop, _ name: String) throws -> [String] {
    String(decoding: try shop.folder.read(name), as: UTF8.self).split(separator: "\n")
      .filter { $0.contains("\t") }.map { String($0.prefix(11)) }
  }

  /// Reads the file into a new caption track and checks that its codes are in the frames of the movie's captions.
  private func checkTimes(_ shop: Workshop, _ name: String, _ base: String) throws {
    let outcome = shop.run("add-captions @in.mov @\(name) --language en --timecode-base \(base) -o @out.mov --force")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    let reader = try SecondReader(path: shop.folder.file("out.mov"))
    let tracks = reader.tracks.filter { $0.handler == "clcp" }
    try #require(tracks.count == 2)
    let frames = try ReadCaptions(reader, track: tracks[1].id).fields[0].map(\.frame)
    #expect(frames == Array(0...8) + [15, 16], "\(name) \(base)")
  }

  /// A time code that ends after a minute or a day continues with the next one that exists.
  @Test(
    arguments: [
      ("01:00:00:00", ["01:00:00:00", "01:00:00:07", "01:00:00:15"]),
      ("01:00:00;00", ["01:00:00;00", "01:00:00;07", "01:00:00;15"]),
      ("01:00:00", ["01:00:00;00", "01:00:00;07", "01:00:00;15"]),
      ("01:00:00.500", ["01:00:00;15", "01:00:00;22", "01:00:01;00"]),
      ("00:00:59:25@29.97", ["00:00:59:25", "00:01:00:02", "00:01:00:10"]),
      ("00:00:59;25@30000/1001", ["00:00:59;25", "00:01:00;04", "00:01:00;12"]),
      ("23:59:59:25", ["23:59:59:25", "00:00:00:02", "00:00:00:10"]),
      ("23:59:59;25", ["23:59:59;25", "00:00:00;02", "00:00:00;10"]),
    ])
  func filesBeginAtATimeCode(_ base: String, _ expected: [String]) throws {
    let shop = try Workshop(movie())
    let outcome = shop.run("extract @in.mov -o @x.scc --timecode-base \(base)")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    #expect(try codes(shop, "x.scc") == expected)
    try checkTimes(shop, "x.scc", base)

    #expect(shop.run("extract @in.mov -o @x.mcc --timecode-base \(base)").exitCode == .done)
    let text = String(decoding: try shop.folder.read("x.mcc"), as: UTF8.self)
    let dropsFrames = expected[0].contains(";")
    #expect(text.contains(dropsFrames ? "Time Code Rate=30DF\n" : "Time Code Rate=30\n"))
    #expect(try codes(shop, "x.mcc").first == expected[0].replacing(";", with: ":"))
    try checkTimes(shop, "x.mcc", base)
  }

  /// Drop-frame numbers keep the file in step with time codes that keep real time.
  @Test func filesBeginAtTheTimeCodeOfTheMovie() throws {
    for (track, first) in [
      (TestTrack.timecode(id: 9, frames: 108_000), "01:00:00:00"),
      (.timecode(id: 9, frames: 107_892, dropsFrames: true), "01:00:00;00"),
      (.timecode(id: 9, frames: 90_000, timeScale: 25, frameDuration: 1, framesPerSecond: 25), "01:00:00;00"),
      (
        .timecode(id: 9, frames: 86_412, timeScale: 24_000, frameDuration: 1_001, framesPerSecond: 24), "01:00:00:15"
      ),
      (.timecode(id: 9, frames: 86_400 * 30 - 5), "23:59:59:25"),
    ] {
      let shop = try Workshop(movie(track))
      for name in ["x.scc", "x.mcc"] {
        let outcome = shop.run("extract @in.mov -o @\(name) --timecode-base movie")
        #expect(outcome.exitCode == .done, "\(outcome.errors)")
        #expect(try codes(shop, name).first == (name == "x.scc" ? first : first.replacing(";", with: ":")))
        try checkTimes(shop, name, "movie")
      }
    }
  }

  @Test func cuesOfSubtitlesAreEncodedFromTheTimeCode() throws {
    let shop = try Workshop(TestMovie(tracks: [TestTrack(.video, id: 1), TestTrack(.subtitle, id: 2)]))
    for name in ["x.scc", "x.mcc"] {
      let plain = shop.run("extract @in.mov -o @\(name)")
      #expect(plain.exitCode == .done, "\(plain.errors)")
      let plainCodes = try codes(shop, name)
      #expect(shop.run("extract @in.mov -o @\(name) --force --timecode-base 01:00:00;00").exitCode == .done)
      // The first ten minutes of each hour have the same drop-frame numbers.
      #expect(try codes(shop, name) == plainCodes.map { "01" + $0.dropFirst(2) })
    }
  }

  @Test func otherOutputContainsNoTimeCodes() throws {
    let shop = try Workshop(movie())
    for (options, reason) in [
      ("", "srt contains no time codes; use --format scc"), ("--format vtt", "vtt contains no time codes"),
      ("--format json", "json contains no time codes"), ("--grep Hello", "omit --timecode-base, or --grep"),
    ] {
      for base in ["movie", "01:00:00:00"] {
        let refused = shop.run("extract @in.mov --timecode-base \(base) \(options)")
        #expect(refused.exitCode == .usage && refused.errors.first?.contains(reason) == true, "\(refused.errors)")
      }
    }
  }

  @Test func invalidStartsAreRefused() throws {
    let shop = try Workshop(movie())
    for (base, reason) in [
      ("movie", "in.mov has no time code track; specify a time such as 01:00:00:00"),
      ("x", "01:00:00.500 or 09:57:30:12@25, or movie"), ("01:00:00:30", "frame 30 is above 29"),
      ("01:00:00:00@25", "the SCC file count 30 frames a second; omit the rate"),
      ("24:00:00:00", "hour 24 is above 23, the last hour of time codes"),
    ] {
      let refused = shop.run("extract @in.mov --format scc --timecode-base \(base)")
      #expect(refused.exitCode == .usage && refused.errors.first?.contains(reason) == true, "\(refused.errors)")
      // `extract` has no --offset.
      #expect(!refused.errors.contains { $0.contains("--offset") }, "\(refused.errors)")
    }
    #expect(try shop.folder.names().filter { $0.hasSuffix(".scc") }.isEmpty)
  }
}
