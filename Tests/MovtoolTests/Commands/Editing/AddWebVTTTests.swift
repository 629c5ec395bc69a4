import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// WebVTT files as inputs of `add-subtitle`.
struct AddWebVTTTests {
  private static let file = """
    WEBVTT

    STYLE
    ::cue(.loud) { font-weight: bold }

    1
    00:00.100 --> 00:00.500 line:0
    <v Ann><c.loud>Hi</c> <c.yellow>you</c></v>

    00:00.600 --> 00:00.900
    There

    """

  private func shop(_ text: String = file, as name: String = "film.pt-BR.sdh.vtt") throws -> Workshop {
    let shop = try Workshop(.simple)
    try shop.folder.write(Array(text.utf8), as: name)
    return shop
  }

  /// Returns the bytes of the last track's samples.
  private func samples(_ shop: Workshop) throws -> [[UInt8]] {
    let reader = try SecondReader(shop.folder.read("in.mov"))
    return try #require(reader.tracks.last).samples.map { try reader.bytes(of: $0) }
  }

  @Test func fileNameAndContentBecomeATrack() throws {
    let shop = try shop()
    let outcome = shop.run("add-subtitle @in.mov @film.pt-BR.sdh.vtt")
    #expect(outcome.exitCode == .done)
    let track = try #require(try shop.movie().tracks.last)
    #expect(track.language?.description == "pt-BR" && track.isSDH)
    #expect(outcome.errors.contains { $0.contains("\"Ann\", was dropped") })
    #expect(try samples(shop).contains { $0.starts(with: [0, 6] + Array("Hi you".utf8)) })
  }

  @Test func writesNamesOfSpeakersOnRequest() throws {
    let shop = try shop(as: "en.vtt")
    let outcome = shop.run("add-subtitle @in.mov @en.vtt --voices --strict")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors.isEmpty)
    #expect(try samples(shop).contains { $0.starts(with: [0, 11] + Array("Ann: Hi you".utf8)) })
  }

  @Test func rejectsInexpressibleFeaturesUnderStrict() throws {
    let shop = try shop("WEBVTT\n\n00:00.100 --> 00:00.500 size:50%\na\n", as: "en.vtt")
    let before = try shop.folder.read("in.mov")
    let outcome = shop.run("add-subtitle @in.mov @en.vtt --strict")
    #expect(outcome.exitCode == .no)
    #expect(outcome.errors.first?.contains("line 3: the width of a cue (size) is not supported") == true)
    #expect(try shop.folder.read("in.mov") == before)
  }

  @Test func readsAMisnamedFileByItsContents() throws {
    let shop = try shop(as: "en.srt")
    let outcome = shop.run("add-subtitle @in.mov @en.srt --voices")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors.contains { $0.contains("is named .srt, but is read as WebVTT") })
  }

  @Test func movieMustNotBeASubtitleFile() throws {
    let shop = try shop(as: "en.vtt")
    #expect(shop.run("add-subtitle @en.vtt @in.mov").exitCode == .usage)
  }
}

/// WebVTT tracks as outputs of `add-subtitle`.
struct AddWebVTTTrackTests {
  private func shop() throws -> Workshop {
    let shop = try Workshop(TestMovie.simple.with { $0.dialect = .iso })
    try shop.folder.write(Array("WEBVTT\n\n00:00.100 --> 00:00.500 size:50%\nHi\n".utf8), as: "en.vtt")
    return shop
  }

  @Test func preservesEverythingInAWebVTTTrack() throws {
    let shop = try shop()
    let outcome = shop.run("add-subtitle @in.mov @en.vtt --format wvtt --strict")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors.isEmpty)
    let track = try #require(try SecondReader(shop.folder.read("in.mov")).tracks.last)
    #expect(track.handler == "text" && track.formats == ["wvtt"])
    #expect(shop.run("add-subtitle @in.mov @en.vtt --strict").exitCode == .no)
  }

  @Test func rejectsUnsupportedWebVTTFeaturesUnderStrict() throws {
    let shop = try shop()
    let style = "STYLE\n::cue(b) { zoom: 2 }\n\n"
    let cue = "00:00.100 --> 00:00.500 size:50%\n<00:00.300><ruby>Hi<rt>x</rt></ruby>\n\n"
    for (text, isRefused) in [
      ("WEBVTT\n\n" + style + cue, false), ("WEBVTT\n\n" + cue + style, true),
      ("WEBVTT\n\n00:00.100 --> 00:00.500 size:half\nHi\n", true),
    ] {
      try shop.folder.write(Array(text.utf8), as: "en.vtt")
      let outcome = shop.run("add-subtitle @in.mov @en.vtt --format wvtt --strict --dry-run")
      #expect(outcome.exitCode == (isRefused ? .no : .done), "\(outcome.errors)")
    }
  }

  @Test func convertsSubRipToWebVTT() throws {
    let shop = try shop()
    #expect(shop.run("add-subtitle @in.mov @en.srt --format wvtt").exitCode == .done)
    #expect(try SecondReader(shop.folder.read("in.mov")).tracks.last?.formats == ["wvtt"])
  }

  @Test func replacesATrackOfTheOtherFormat() throws {
    let shop = try shop()
    let formats = { try SecondReader(shop.folder.read("in.mov")).tracks.flatMap(\.formats).filter { $0 != "avc1" } }
    let before = try formats()
    #expect(shop.run("add-subtitle @in.mov @en.srt").exitCode == .done)
    let outcome = shop.run("add-subtitle @in.mov @en.vtt --format wvtt -o @two.mp4")
    #expect(outcome.errors.contains { $0.contains("has the same language and role; --replace replaces that track") })
    #expect(shop.run("add-subtitle @in.mov @en.vtt --format wvtt --replace").exitCode == .done)
    #expect(try formats() == before + ["wvtt"])
    #expect(shop.run("add-subtitle @in.mov @en.vtt --replace").exitCode == .done)
    #expect(try formats() == before + ["tx3g"])
  }

  @Test func quickTimeMoviesAreRefused() throws {
    let shop = try Workshop(.simple)
    let outcome = shop.run("add-subtitle @in.mov @en.srt --format wvtt")
    #expect(outcome.exitCode == .badData)
    #expect(
      outcome.errors.first
        == "in.mov: WebVTT tracks (wvtt) are not defined for QuickTime movies; use tx3g")
  }

  @Test(arguments: ["--format srt", "--format wvtt --forced", "--format wvtt --font-size 40"])
  func rejectsWebVTTOptionsForOtherFormats(options: String) throws {
    #expect(try shop().run("add-subtitle @in.mov @en.vtt \(options)").exitCode == .usage)
  }
}
