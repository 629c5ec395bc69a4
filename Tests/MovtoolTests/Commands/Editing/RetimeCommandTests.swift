import Foundation
import MovieBox
import MovieWriter
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

/// `retime`: changing the times of subtitles in a movie.
struct RetimeCommandTests {
  /// A movie with English subtitles that begin at 1.5 s and 4 s, in a group, and selected with the audio.
  private func shop() throws -> Workshop {
    let shop = try Workshop()
    try FileManager.default.copyItem(atPath: TestMedia.path("interview.mov"), toPath: shop.folder.file("in.mov"))
    let text = "1\n00:00:01,500 --> 00:00:02,000\n<i>One</i>\n\n2\n00:00:04,000 --> 00:00:05,000\n{\\an8}Two\n"
    try shop.folder.write(Array(text.utf8), as: "en.srt")
    #expect(shop.run("add-subtitle @in.mov @en.srt --sdh --title Rain --default --font-size 30").exitCode == .done)
    return shop
  }

  private func text(_ shop: Workshop) -> [String] {
    shop.run("extract @in.mov -o -").output
  }

  /// Runs the examples of `Docs/subtitles.md`: options and the time to which a cue at ten minutes moves.
  @Test func documentedExamplesAreComputed() throws {
    let text = try String(contentsOfFile: TestMedia.path("../Docs/subtitles.md"), encoding: .utf8)
    let rows = text.split(separator: "\n").map {
      $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    .filter { $0.count == 3 && $0[0].hasPrefix("`--") && $0[1].hasPrefix("00:") }
    #expect(rows.count == 6)
    for row in rows {
      let words = row[0].replacingOccurrences(of: "`", with: "").split(separator: " ").map(String.init)
      let arguments = try Arguments(words, table: CueTiming.options(.command), firstInput: 0)
      let time = try CueTiming(arguments, forInput: 0).movieMilliseconds(600_000)
      #expect(timeText(milliseconds: time) == row[1], "\(row[0])")
    }
  }

  @Test func movesCuesAndKeepsTheRest() throws {
    let shop = try shop()
    let before = try #require((shop.run("inspect @in.mov --json").json["files"] as? [[String: Any]])?.first)
    let outcome = shop.run("retime @in.mov --track subtitle:en --offset -0.5")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(outcome.output.first == "retimed subtitle, English SDH: track 5, 2 cues, replaces track 4")
    #expect(
      text(shop) == [
        "1", "00:00:01,000 --> 00:00:01,500", "<i>One</i>", "", "2", "00:00:03,500 --> 00:00:04,500", "{\\an8}Two",
      ])
    let after = try #require((shop.run("inspect @in.mov --json").json["files"] as? [[String: Any]])?.first)
    let (old, new) = try (
      #require((before["tracks"] as? [[String: Any]])?.last), #require((after["tracks"] as? [[String: Any]])?.last)
    )
    for member in ["language", "title", "isEnabled", "alternateGroup", "isSDH", "width", "height", "formats"] {
      #expect("\(old[member] ?? "-")" == "\(new[member] ?? "-")", "\(member)")
    }
    let sound = try #require((after["tracks"] as? [[String: Any]])?.first { $0["kind"] as? String == "audio" })
    #expect(((sound["references"] as? [[String: Any]])?.first?["tracks"] as? [Int]) == [5])
    // The font size is unchanged.
    #expect(try shop.movie().track(5)?.tx3gDescriptions.first?.defaultStyle.fontSize == 30)
  }

  /// The offset moves the cues past the end, so another frame rate is no advice.
  @Test func suggestsNoScaleForAnOffset() throws {
    let shop = try Workshop(.simple)  // Two seconds.
    let text =
      "1\n00:00:00,000 --> 00:00:00,900\nA\n\n2\n00:00:01,930 --> 00:00:01,950\nB\n\n"
      + "3\n00:00:01,955 --> 00:00:01,985\nC\n"
    try shop.folder.write(Array(text.utf8), as: "en.srt")
    shop.run("add-subtitle @in.mov @en.srt")
    let outcome = shop.run("retime @in.mov --track subtitle --offset 0.08 --dry-run")
    #expect(outcome.errors.map { $0.contains("\"B\" at 00:00:02.010") } == [true], "\(outcome.errors)")
  }

  @Test func timesAreScaled() throws {
    let shop = try shop()
    #expect(shop.run("retime @in.mov --track subtitle --scale 1/2 --offset 1").exitCode == .done)
    #expect(
      text(shop).filter { $0.contains("-->") } == ["00:00:01,750 --> 00:00:02,000", "00:00:03,000 --> 00:00:03,500"])
  }

  @Test func restoresTheTextByTheInverseOffset() throws {
    let shop = try shop()
    let before = text(shop)
    for offset in ["0.75", "-0.75"] {
      #expect(shop.run("retime @in.mov --track subtitle --offset \(offset)").exitCode == .done)
    }
    #expect(text(shop) == before)
  }

  @Test func reportsCuesMovedOutsideTheMovie() throws {
    let shop = try shop()
    let outcome = shop.run("retime @in.mov --track subtitle --offset -3 --strict")
    #expect(outcome.exitCode == .no && outcome.errors.contains { $0.hasPrefix("warning: in.mov: \"One\" at ") })
    #expect(shop.run("retime @in.mov --track subtitle --offset -3").exitCode == .done)
    #expect(text(shop).filter { $0.contains("-->") } == ["00:00:01,000 --> 00:00:02,000"])
    let gone = shop.run("retime @in.mov --track subtitle --offset 3600 --json")
    #expect(gone.exitCode == .badData && (gone.json["error"] as? [String: Any])?["code"] as? String == "no-cue-shown")
    let answer = shop.run("retime @in.mov --track subtitle --offset -1.5 --dry-run --json").json
    let warnings = try #require(answer["warnings"] as? [[String: Any]])
    #expect(warnings.map { $0["code"] as? String } == ["start-clamped"])
  }

  @Test func rejectsOtherTracksAndEmptyTiming() throws {
    let shop = try shop()
    let picture = shop.run("retime @in.mov --track video:1 --offset 1")
    #expect(picture.exitCode == .usage && picture.errors[0].contains("track 1 is not a subtitle track"))
    #expect(shop.run("retime @in.mov --track subtitle").errors.first?.contains("specify the change") == true)
    #expect(shop.run("retime @in.mov --offset 1").errors.first?.contains("specify a track") == true)
    #expect(shop.run("retime @in.mov --track subtitle --offset late").exitCode == .usage)
  }

  /// The times of timed metadata can be changed in the JSON of its items.
  @Test func describesTheWayToShiftTimedMetadata() throws {
    let keys = [TestMetadataKey(1, "com.example.note", type: 1)]
    let note = TestTrack.boxed(id: 8, keys, [atom(numbered: 1) { TestSupport.text("a") }])
    let shop = try Workshop(TestMovie.talk.with { $0.tracks += [note, .timed("gpmd", id: 9, [[1]])] })
    let boxed = shop.run("retime @in.mov --track id:8 --offset 1")
    #expect(boxed.exitCode == .usage && boxed.errors[0].contains("track 8 contains timed metadata"), "\(boxed)")
    #expect(boxed.errors.last?.contains("timed --track id:8 -o items.json") == true, "\(boxed)")
    // The way works: the items of the file replace the track.
    #expect(shop.run("timed @in.mov --track id:8 -o @items.json").exitCode == .done)
    let file = String(decoding: try shop.folder.read("items.json"), as: UTF8.self)
    let later = file.replacing("\"startMicroseconds\": 0,", with: "\"startMicroseconds\": 500000,")
    try shop.folder.write(Array(later.utf8), as: "items.json")
    #expect(shop.run("add-track @in.mov @items.json --metadata --replace").exitCode == .done)
    #expect(shop.run("timed @in.mov --identifier mdta/com.example.note").output.contains { $0.hasPrefix("0.500 s") })
    let telemetry = shop.run("retime @in.mov --track id:9 --offset 1")
    #expect(telemetry.exitCode == .usage && !telemetry.errors.joined().contains("items.json"), "\(telemetry)")
  }

  /// Captions in a track with the handler of text, and timed text in a caption track.
  @Test func retimesTracksWhoseHandlerDoesNotMatchTheirFormat() throws {
    typealias Code = TestCaptions
    let captions = Code.track(
      id: 9,
      [
        Code.sample(Code.load("Hello!") + Code.endOfCaption, duration: 30_000),
        Code.sample(Code.erasure, duration: 9_000),
      ])
    let movie = TestMovie.talk.with { movie in
      movie.tracks.append(captions.with { $0.kind = .other(handler: "text") })
      movie.tracks.append(movie.tracks[3].with { ($0.id, $0.kind) = (10, .other(handler: "clcp")) })
    }
    for (id, handler) in [(9, "clcp"), (10, "sbtl")] {
      let shop = try Workshop(movie)
      let finding = shop.run("validate @in.mov --target apple").output
      #expect(finding.contains { $0.contains("subtitle.format") })
      #expect(finding.contains { $0.contains("remove") && $0.contains("--track id:\(id)") }, "\(finding)")
      let outcome = shop.run("retime @in.mov --track id:\(id) --offset 0.1")
      #expect(outcome.exitCode == .done, "\(outcome.errors)")
      let reader = try SecondReader(path: shop.folder.file("in.mov"))
      #expect(reader.track(UInt32(id)) == nil && reader.tracks.last?.handler == handler)
    }
  }

  /// The old samples are the only bytes after the movie atom.
  @Test func keepsATextOnlyMovieFastStart() throws {
    let shop = try Workshop()
    try FileManager.default.copyItem(atPath: TestMedia.path("spanish.mov"), toPath: shop.folder.file("in.mov"))
    #expect(shop.run("remux @in.mov -o @text.mov --track subtitle --fast-start").exitCode == .done)
    #expect(shop.run("retime @text.mov --track subtitle --offset 0.1").exitCode == .done)
    #expect(shop.movieAtomPlace("text.mov") == .first)
  }

  @Test func reportsUnreadableTextAsBadData() throws {
    let entry: [UInt8] = [0, 0, 0, 19] + Array("stpp".utf8) + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    let shop = try Workshop(TestMovie.talk.with { $0.tracks[3].sampleEntries = [entry] })
    let outcome = shop.run("retime @in.mov --track id:4 --offset 1")
    #expect(outcome.exitCode == .badData && outcome.errors.first?.contains("stpp") == true)
  }

  @Test func keepsTheFormatOfWebVTTTracks() throws {
    let shop = try Workshop()
    try FileManager.default.copyItem(atPath: TestMedia.path("interview.mp4"), toPath: shop.folder.file("in.mp4"))
    let source = "WEBVTT\n\nfirst\n00:01.500 --> 00:02.000 line:20%\n<ruby>One<rt>1</rt></ruby>\n"
    try shop.folder.write(Array(source.utf8), as: "en.vtt")
    #expect(shop.run("add-subtitle @in.mp4 @en.vtt --language en --format wvtt").exitCode == .done)
    #expect(shop.run("retime @in.mp4 --track subtitle --offset 1").exitCode == .done)
    let lines = shop.run("extract @in.mp4 --format vtt -o -").output
    #expect(lines.contains("first") && lines.contains("00:00:02.500 --> 00:00:03.000 line:20%"))
    #expect(lines.contains("<ruby>One<rt>1</rt></ruby>"))
  }
}
