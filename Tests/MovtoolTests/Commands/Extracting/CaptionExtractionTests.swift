import Foundation
import TestSupport
import Testing

@testable import MovtoolCommands

/// `extract` and caption tracks.
struct CaptionExtractionTests {
  private typealias Code = TestCaptions
  private static let second = 30_000

  /// Returns a movie with captions in track 3 and, on request, subtitles in track 2.
  private func movie(_ samples: [TestSample]? = nil, hasSubtitles: Bool = true) -> TestMovie {
    let shown = [
      Code.sample(Code.load("Hello!") + Code.endOfCaption, duration: Self.second / 2),
      Code.sample(Code.erasure, duration: Self.second),
    ]
    let subtitles = TestTrack(.subtitle, id: 2).with { $0.language = .packed("eng") }
    return TestMovie(
      tracks: [TestTrack(.video, id: 1)] + (hasSubtitles ? [subtitles] : [])
        + [TestCaptions.track(id: 3, samples ?? shown)])
  }

  private func text(_ shop: Workshop, _ name: String) throws -> String {
    String(decoding: try shop.folder.read(name), as: UTF8.self)
  }

  @Test func captionsAreExtractedBesideSubtitles() throws {
    let shop = try Workshop(movie())
    let outcome = shop.run("extract @in.mov")
    #expect(outcome.exitCode == .done && outcome.errors == [])
    #expect(
      outcome.output == [
        "extracted English: track 2, 1 cue, to in.en.srt", "extracted English CC: track 3, 1 cue, to in.en.cc.srt",
      ])
    #expect(try text(shop, "in.en.cc.srt") == "1\n00:00:00,234 --> 00:00:00,500\nHello!\n")
  }

  @Test func writesSubtitlesAndNotCaptionsToASingleFile() throws {
    let shop = try Workshop(movie())
    let warning =
      "warning: in.mov: the captions of track 3 are left out, because other subtitles are written to x.srt; "
      + "--track id:3 extracts them"
    let named = shop.run("extract @in.mov -o @x.srt")
    #expect(named.exitCode == .done && named.errors == [warning])
    #expect(try text(shop, "x.srt").contains("Text 2"))
    #expect(shop.run("extract @in.mov -o -").output.contains("Text 2"))
    #expect(shop.run("extract @in.mov --all -o @x.srt --force").errors == [warning])
    let selected = shop.run("extract @in.mov --track id:3 -o -")
    #expect(selected.errors == [] && selected.output.contains("Hello!") && !selected.output.contains("Text 2"))
    let both = shop.run("extract @in.mov -o @{role}y.srt")
    #expect(both.errors == [] && both.output.count == 2)
  }

  @Test func writesCaptionsToTheNamedFileWithoutSubtitles() throws {
    let shop = try Workshop(movie(hasSubtitles: false))
    let outcome = shop.run("extract @in.mov -o @x.vtt")
    #expect(outcome.exitCode == .done && outcome.errors == [])
    #expect(try text(shop, "x.vtt").contains("Hello!"))
  }

  @Test func captionFilesContainUnchangedPairs() throws {
    let shop = try Workshop(movie(hasSubtitles: false))
    #expect(shop.run("extract @in.mov --format scc").exitCode == .done)
    #expect(
      try text(shop, "in.en.cc.scc") == """
        Scenarist_SCC V1.0

        00:00:00;00\t9420 9420 9476 9476 c8e5 ecec efa1

        00:00:00;07\t942f 942f

        00:00:00;15\t942c 942c

        """)
  }

  /// A trimmed track begins while its second caption is visible.
  private var trimmed: TestMovie {
    let samples = [
      Code.sample(Code.load("Before") + Code.endOfCaption, duration: Self.second),
      Code.sample(Code.erasure + Code.load("Hello!") + Code.endOfCaption, duration: Self.second),
      Code.sample(Code.erasure, duration: Self.second),
    ]
    return movie(samples, hasSubtitles: false).with {
      $0.tracks[1].edits = [TestEdit(duration: 600, mediaTime: 3 * Self.second / 2)]
    }
  }

  @Test func captionFilesLoadTheCaptionAtTheStartOfATrimmedTrack() throws {
    let shop = try Workshop(trimmed)
    #expect(shop.run("extract @in.mov --format scc").exitCode == .done)
    #expect(
      try text(shop, "in.en.cc.scc").split(separator: "\n") == [
        "Scenarist_SCC V1.0", "00:00:00;00\t9420 9420 9476 9476 c8e5 ecec efa1", "00:00:00;07\t942f 942f",
        "00:00:00;15\t942c 942c",
      ])
    #expect(shop.run("extract @in.mov --format mcc").exitCode == .done)
    #expect(shop.run("extract @in.mov -o -").output.contains("00:00:00,000 --> 00:00:00,500"))
  }

  @Test func retimingLoadsTheCaptionAtTheStartOfATrimmedTrack() throws {
    let shop = try Workshop(trimmed)
    let outcome = shop.run("retime @in.mov --track id:3 --offset 0.5")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    let reader = try SecondReader(path: shop.folder.file("in.mov"))
    let track = try #require(reader.tracks.last { $0.handler == "clcp" })
    #expect(try ReadCaptions(reader, track: track.id).fields[0].map(\.frame) == Array(15...23) + [30, 31])
  }

  @Test func rollUpRowsAreExtractedOnceOnRequest() throws {
    let rows = ["One", "Two", "Three", "Four", "Five"]
    let samples = rows.map { row in
      Code.sample(Code.rollUp + Code.carriageReturn + Code.text(row), duration: Self.second / 2)
    }
    let shop = try Workshop(movie(samples + [Code.sample(Code.erasure, duration: Self.second)], hasSubtitles: false))
    let all = shop.run("extract @in.mov -o - --format vtt").output
    #expect(all.filter { $0 == "Two" }.count == 2)
    let once = shop.run("extract @in.mov -o - --format vtt --unroll").output
    #expect(rows.allSatisfy { row in once.filter { $0 == row }.count == 1 }, "\(once)")
    // In a window that ends in row 12, each row first appears in row 12.
    let placed = rows.map { row in
      Code.sample(
        Code.rollUp + Code.carriageReturn + Code.twice(0x13, 0x40) + Code.text(row), duration: Self.second / 2)
    }
    let other = try Workshop(movie(placed + [Code.sample(Code.erasure, duration: Self.second)], hasSubtitles: false))
    let timings = other.run("extract @in.mov -o - --format vtt --unroll").output.filter { $0.contains(" --> ") }
    #expect(timings.count == 5 && timings.allSatisfy { $0.contains("line:68.66%") }, "\(timings)")
  }

  @Test func placesOnePairPerVideoFrameOnRequest() throws {
    let shop = try Workshop(movie(hasSubtitles: false))
    #expect(shop.run("extract @in.mov -o - --caption-rate 29.97").output.contains("00:00:00,234 --> 00:00:00,500"))
    // The pictures of this movie last 50 of 600 ticks.
    #expect(shop.run("extract @in.mov -o - --caption-rate video").output.contains("00:00:00,500 --> 00:00:00,501"))
    let invalid = shop.run("extract @in.mov -o - --caption-rate 25")
    #expect(invalid.exitCode == .usage && invalid.errors.first?.contains("--caption-rate 25") == true)
  }

  @Test func searchesFindCaptions() throws {
    let shop = try Workshop(movie())
    #expect(shop.run("extract @in.mov --grep hello").output == ["00:00:00.234  3 English CC  Hello!"])
  }

  @Test func jsonNamesTheChannel() throws {
    let shop = try Workshop(movie())
    let json = shop.run("extract @in.mov --track id:3 --format json -o -").json
    let track = try #require(json["track"] as? [String: Any])
    #expect(track["captionChannel"] as? String == "CC1" && track["format"] as? String == "c608")
  }

  @Test func warnsOfATrackWithOnlyCEA708() throws {
    let sample = Code.sample(packet: Code.packet([3, 0x02, 0x22], [2, 0x41, 0x42]), duration: Self.second)
    var movie = movie(hasSubtitles: false)
    movie.tracks[1] = TestCaptions.track(id: 3, format: "c708", [sample])
    let shop = try Workshop(movie)
    let outcome = shop.run("extract @in.mov")
    #expect(outcome.exitCode == .no)
    #expect(outcome.errors.contains { $0.contains("all captions are CEA-708 (service 1)") }, "\(outcome.errors)")
  }
}
