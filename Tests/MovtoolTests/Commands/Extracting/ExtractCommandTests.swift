import Foundation
import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

/// The files, messages and errors of `extract`.
struct ExtractCommandTests {
  /// A movie with English, English SDH and forced subtitles written by us, and chapters.
  private func shop() throws -> Workshop {
    let shop = try Workshop(.playable)
    try shop.write("b.en.sdh.srt", ["[door creaks]", "<i>Who</i> is there?"])
    try shop.write("c.en.forced.srt", ["{\\an8}Sign"])
    let added = shop.run("add-subtitle @in.mov @en.srt @b.en.sdh.srt @c.en.forced.srt")
    #expect(added.exitCode == .done, "\(added.errors)")
    return shop
  }

  private func text(_ shop: Workshop, _ name: String) throws -> String {
    String(decoding: try shop.folder.read(name), as: UTF8.self)
  }

  @Test func everySubtitleTrackGetsAFileBesideTheMovie() throws {
    let shop = try shop()
    let names = try Set(shop.folder.names())
    let outcome = shop.run("extract @in.mov")
    #expect(outcome.exitCode == .done && outcome.errors == [])
    #expect(try Set(shop.folder.names()).subtracting(names) == ["in.en.srt", "in.en.sdh.srt", "in.en.forced.srt"])
    #expect(outcome.output.contains { $0.hasSuffix(", 2 cues, to in.en.srt") })
    #expect(outcome.output.contains { $0.hasPrefix("extracted English SDH: track ") })
    #expect(
      try text(shop, "in.en.sdh.srt") == """
        1
        00:00:00,100 --> 00:00:00,500
        [door creaks]

        2
        00:00:00,600 --> 00:00:01,000
        <i>Who</i> is there?

        """)
    #expect(try text(shop, "in.en.forced.srt") == "1\n00:00:00,100 --> 00:00:00,500 !!!\n{\\an8}Sign\n")
  }

  @Test func overwritesExistingFilesOnlyWithForce() throws {
    let shop = try shop()
    try shop.folder.write([1], as: "in.en.sdh.srt")
    let refused = shop.run("extract @in.mov")
    #expect(refused.exitCode == .cannotCreate)
    #expect(refused.errors == ["in.en.sdh.srt: already exists", "--force overwrites it"])
    #expect(try !shop.folder.names().contains("in.en.srt"))
    #expect(try shop.folder.read("in.en.sdh.srt") == [1])
    #expect(shop.run("extract @in.mov --force").exitCode == .done)
    #expect(try shop.folder.read("in.en.sdh.srt").count > 1)
    let own = shop.run("extract @in.mov --track subtitle:en,sdh --format srt --force -o @in.mov")
    #expect(own.exitCode == .usage && own.errors.first == "movtool extract: -o in.mov is the movie")
  }

  @Test func oneTrackGoesToStandardOutput() throws {
    let shop = try shop()
    let outcome = shop.run("extract @in.mov --track subtitle:en,sdh -o - --format vtt")
    #expect(outcome.exitCode == .done && outcome.errors == [])
    #expect(outcome.output.prefix(4) == ["WEBVTT", "", "00:00:00.100 --> 00:00:00.500", "[door creaks]"])
    let many = shop.run("extract @in.mov -o -")
    #expect(many.exitCode == .usage && many.output == [])
    #expect(many.errors.first?.contains("-o - requires a single track; these match: id:") ?? false)
    let track = try #require(
      shop.run("extract @in.mov --track subtitle:en,sdh -o - --format json").json["track"] as? [String: Any])
    #expect(track["language"] as? String == "en" && track["isSDH"] as? Bool == true)
  }

  @Test func derivesTheFormatFromTheSuffix() throws {
    let shop = try shop()
    #expect(shop.run("extract @in.mov --track subtitle:en,sdh -o @x.vtt").exitCode == .done)
    #expect(try text(shop, "x.vtt").hasPrefix("WEBVTT\n"))
    #expect(shop.run("extract @in.mov --track subtitle:en,sdh -o @x.JSON").exitCode == .done)
    #expect(try text(shop, "x.JSON").hasPrefix("{"))
    #expect(shop.run("extract @in.mov --track subtitle:en,sdh -o @y.VTT --format vtt").exitCode == .done)
    #expect(try text(shop, "y.VTT").hasPrefix("WEBVTT\n"))
  }

  @Test(arguments: [("y.vtt", "srt", "vtt"), ("{stem}.SRT", "vtt", "srt"), ("y.json", "srt", "json")])
  func nameAndFormatThatDisagreeAreRefused(_ name: String, _ format: String, _ named: String) throws {
    let outcome = try shop().run("extract @in.mov --track subtitle:en,sdh -o @\(name) --format \(format)")
    #expect(outcome.exitCode == .usage)
    #expect(
      outcome.errors.first
        == "movtool extract: -o \(name) and --format \(format): the extension is for \(named); use one of them")
  }

  @Test(arguments: ["x.ass", "x.sub", "x.srt.txt"])
  func rejectsOtherSuffixes(name: String) throws {
    let shop = try shop()
    let outcome = shop.run("extract @in.mov --track subtitle:en,sdh -o @\(name)")
    #expect(outcome.exitCode == .usage)
    #expect(
      outcome.errors.first?.contains("is not a supported format; use srt, vtt, scc, mcc or json, or set --format")
        == true)
    #expect(try !shop.folder.names().contains(name))
    #expect(shop.run("extract @in.mov --track subtitle:en,sdh -o @\(name) --format srt").exitCode == .done)
  }

  @Test func extractsWebVTTVerbatim() throws {
    let shop = try Workshop(TestMovie.simple.with { $0.dialect = .iso })
    let file = """
      WEBVTT

      STYLE
      ::cue(.loud) { font-weight: bold }

      REGION
      id:top

      first
      00:00:00.100 --> 00:00:00.500 size:50% position:20% vertical:rl
      <v Ann><c.loud>Hi</c></v> <lang fr>toi</lang> <ruby>you<rt>x</rt></ruby>

      00:00:00.600 --> 00:00:00.900 region:top
      now <00:00:00.700>then &amp; &lrm;there

      """
    try shop.folder.write(Array(file.utf8), as: "en.vtt")
    #expect(shop.run("add-subtitle @in.mov @en.vtt --format wvtt --strict").exitCode == .done)
    let back = shop.run("extract @in.mov --track subtitle:en --format vtt -o - --strict")
    #expect(back.exitCode == .done && back.errors.isEmpty)
    #expect(back.output.joined(separator: "\n") + "\n" == file)
    // Losses in other formats are reported.
    let subRip = shop.run("extract @in.mov -o @x.srt")
    for loss in ["vertical writing", "ruby text", "times within"] {
      #expect(subRip.errors.count { $0.contains(loss) } == 1, "\(loss)")
    }
    // Timestamps in the text move with the cue.
    #expect(shop.run("add-subtitle @in.mov @en.vtt --format wvtt --replace --offset 0.05").exitCode == .done)
    let moved = shop.run("extract @in.mov --track subtitle:en --format vtt -o -")
    #expect(moved.output.contains("now <00:00:00.750>then &amp; &lrm;there"), "\(moved.output)")
  }

  @Test func templatesNameTheFiles() throws {
    let shop = try shop()
    #expect(shop.run("extract @in.mov -o @{id}-{stem}[-{role}].{language}.{format} --format json").exitCode == .done)
    let names = try shop.folder.names().filter { $0.hasSuffix(".json") }
    #expect(names.map { String($0.dropFirst(2)) }.sorted() == ["in-forced.en.json", "in-sdh.en.json", "in.en.json"])
    let same = shop.run("extract @in.mov -o @{stem}.srt")
    #expect(same.exitCode == .usage)
    #expect(same.errors.first?.contains("in.srt; use {id} or {language} in the name: ") ?? false, "\(same)")
    #expect(shop.run("extract @in.mov -o @{name}.srt").exitCode == .usage)
  }

  @Test func namesSimilarTracksDistinctly() throws {
    let shop = try Workshop(.playable)
    #expect(shop.run("add-subtitle @in.mov @en.srt @en.srt").exitCode == .done)
    #expect(shop.run("extract @in.mov").exitCode == .done)
    let names = try shop.folder.names().filter { $0.hasPrefix("in.") && $0.hasSuffix(".srt") }
    #expect(
      names.count == 2 && names.allSatisfy { FileNameHints(path: $0, movie: "in.mov").language?.description == "en" })
  }

  @Test func extractsChaptersOnRequest() throws {
    let shop = try Workshop(
      TestMovie.simple.with { movie in
        movie.tracks.append(TestTrack(.text, id: 9))
        movie.tracks[0].references = [TestReference("chap", 9)]
      })
    let none = shop.run("extract @in.mov")
    #expect(none.exitCode == .no && none.output == [] && none.errors == ["in.mov has no subtitles to extract"])
    #expect(shop.run("add-subtitle @in.mov @en.srt").exitCode == .done)
    #expect(shop.run("extract @in.mov --chapters").exitCode == .done)
    #expect(try !shop.folder.names().contains("in.en.srt"))
    #expect(try text(shop, "in.und.chapters.srt").contains("Text 9"))
    #expect(shop.run("extract @in.mov --chapters --all --force").exitCode == .done)
    #expect(try shop.folder.names().contains("in.en.srt"))
    #expect(shop.run("extract @in.mov --track id:9 -o -").output.contains("Text 9"))
  }

  @Test func reportsMissingChapters() throws {
    let shop = try Workshop(.simple)
    let none = shop.run("extract @in.mov --chapters")
    #expect(none.exitCode == .no && none.errors == ["in.mov has no chapters to extract"])
    #expect(shop.run("extract @in.mov --chapters --all").errors == ["in.mov has no subtitles or chapters to extract"])
    #expect(shop.run("add-subtitle @in.mov @en.srt").exitCode == .done)
    let some = shop.run("extract @in.mov --chapters --all")
    #expect(some.exitCode == .done)
    #expect(some.errors == ["warning: in.mov: the movie has no chapters that can be extracted"])
  }

  @Test func skipsOrRejectsTracksWithoutText() throws {
    let shop = try Workshop(
      TestMovie.simple.with { movie in
        movie.tracks.append(
          TestTrack(.other(handler: "subt"), id: 9).with {
            $0.sampleEntries = [atom("stpp") { zeros(6) + u16(1) }]
          })
      })
    let all = shop.run("extract @in.mov")
    #expect(all.exitCode == .no)
    #expect(all.errors.first == "warning: in.mov: track 9 is skipped: it contains stpp, which is not readable text")
    let one = shop.run("extract @in.mov --track id:9")
    #expect(one.exitCode == .badData)
    #expect(
      one.errors.first
        == "in.mov: moov/trak[\(try shop.movie().tracks.count)]: track 9 has the format stpp, which "
        + "is not a supported text format")
  }

  @Test func writesNothingUnderStrictWithWarnings() throws {
    let shop = try shop()
    let lost = shop.run("extract @in.mov --track subtitle:en,forced -o @x.vtt --strict")
    #expect(lost.exitCode == .no)
    #expect(
      lost.errors == [
        "warning: in.mov: \"Sign\" is forced, which WebVTT does not support",
        "nothing was written because of a warning and --strict",
      ])
    #expect(try !shop.folder.names().contains("x.vtt"))
    #expect(shop.run("extract @in.mov --track subtitle:en,forced -o @x.vtt").exitCode == .done)
  }

  @Test func grepShowsTimeTrackAndText() throws {
    let shop = try shop()
    let found = shop.run("extract @in.mov --grep WHO")
    #expect(found.exitCode == .done)
    #expect(found.output.count == 2)
    #expect(found.output.allSatisfy { $0.hasPrefix("00:00:00.600  ") && $0.hasSuffix("Who is there?") })
    #expect(found.output.contains { $0.contains(" English SDH  ") })
    let none = shop.run("extract @in.mov --grep nobody")
    #expect(none.errors == ["no cue of in.mov matches \"nobody\""])
    #expect(none.exitCode == .no && none.output == [])
    let json = shop.run("extract @in.mov --grep sign --json").json
    #expect((json["matches"] as? [[String: Any]])?.map { $0["text"] as? String } == ["Sign"])
    try shop.write("two.es.srt", ["one\ntwo"])
    #expect(shop.run("add-subtitle @in.mov @two.es.srt").exitCode == .done)
    #expect(shop.run("extract @in.mov --grep NE\u{20}TW").exitCode == .usage)
    #expect(Console(isOnDisk: true).run(words: ["extract", shop.folder.file("in.mov"), "--grep", "NE TW"]) == .done)
    try shop.write("accents.fr.srt", ["Un cafe\u{301} noir"])
    #expect(shop.run("add-subtitle @in.mov @accents.fr.srt").exitCode == .done)
    #expect(shop.run("extract @in.mov --grep CAF\u{C9}").exitCode == .done)
    #expect(shop.run("extract @in.mov --grep caff\u{E9}").exitCode == .no)
  }

  @Test(arguments: [
    "extract", "extract a.mov b.mov", "extract a.mov --track", "extract a.mov --all --track id:1",
    "extract a.mov --format ass",
    "extract a.mov --grep x -o y", "extract a.mov -o [{id}", "extract a.mov -o {id",
    "extract - ", "extract a.mov -o=",
  ])
  func reportsInvalidUsage(_ line: String) {
    let console = Console()
    #expect(console.run(line) == .usage, "\(line)")
    #expect(console.errors.lines.first?.hasPrefix("movtool extract: ") ?? false)
  }

  @Test func separatesTheAnswerFromTheText() {
    let console = Console()
    #expect(console.run("extract a.mov --json -o -") == .usage)
    #expect(console.errors.text.contains("--json and -o - both use standard output"))
  }

  @Test func restoresTracksFromExtractedFiles() throws {
    let shop = try shop()
    #expect(shop.run("extract @in.mov").exitCode == .done)
    let plain = try Workshop(.playable)
    for name in ["in.en.srt", "in.en.sdh.srt", "in.en.forced.srt"] {
      try plain.folder.write(try shop.folder.read(name), as: name)
    }
    #expect(plain.run("add-subtitle @in.mov @in.en.srt @in.en.sdh.srt @in.en.forced.srt").exitCode == .done)
    #expect(plain.run("extract @in.mov --force").exitCode == .done)
    for name in ["in.en.srt", "in.en.sdh.srt", "in.en.forced.srt"] {
      #expect(try plain.folder.read(name) == shop.folder.read(name), "\(name)")
    }
    #expect(try plain.folder.read("in.mov") == shop.folder.read("in.mov"))
  }
}
