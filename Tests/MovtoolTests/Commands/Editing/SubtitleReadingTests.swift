import Foundation
import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

/// The messages about defective subtitle files.
struct SubtitleReadingTests {
  private static let cyrillic: [UInt8] =
    Array("1\n00:00:00,100 --> 00:00:00,500\n".utf8) + [0xC3, 0xE4, 0xE5, 0x20, 0xF2, 0xFB, 0x3F, 0x0A]
  private static let japanese: [UInt8] =
    Array("1\n00:00:00,100 --> 00:00:00,500\n".utf8) + [0x82, 0xA0, 0x82, 0xA2, 0x82, 0xA4, 0x82, 0xA6, 0x0A]

  @Test func reportsOnlyAGuessedEncoding() throws {
    let shop = try Workshop(.simple)
    try shop.folder.write(Self.cyrillic, as: "ru.srt")
    let guessed = shop.run("add-subtitle @in.mov @ru.srt --dry-run")
    #expect(
      guessed.errors.first
        == "warning: ru.srt: line 3: the text is not UTF-8 (byte 32 is 0xC3), so its encoding is a guess: it is read as windows-1251, in "
        + "which its letters fit Russian, the requested language; --encoding NAME sets another encoding")
    #expect(guessed.output.first?.contains("1 cue, group") == true)
    #expect(shop.run("add-subtitle @in.mov @ru.srt --dry-run --strict").exitCode == .no)
    let asked = shop.run("add-subtitle @in.mov @ru.srt --encoding cp1251 --strict")
    #expect(asked.exitCode == .done)
    #expect(asked.errors.isEmpty)
    #expect(try text(shop) == "Где ты?")
  }

  @Test func reportsAContradictedEncoding() throws {
    let shop = try Workshop(.simple)
    try shop.folder.write(Array("1\n00:00:00,100 --> 00:00:00,500\né\n".utf8), as: "fr.srt")
    let outcome = shop.run("add-subtitle @in.mov @fr.srt --encoding cp1252 --strict")
    #expect(outcome.exitCode == .no)
    #expect(
      outcome.errors.first?.hasPrefix("warning: fr.srt: line 3: the text is valid UTF-8 with 1 character outside")
        == true)
  }

  @Test func standardInputAndPipesAreRead() throws {
    let shop = try Workshop(.simple)
    for (name, text) in [
      ("-", "1\n00:00:00,100 --> 00:00:00,500\nPiped\n"), ("/dev/fd/9", "WEBVTT\n\n00:00.100 --> 00:00.500\nPiped\n"),
    ] {
      let console = Console(isOnDisk: true)
      console.streams[name] = Bytes(Array(text.utf8))
      let outcome = shop.run("add-subtitle @in.mov \(name) --language en --replace", console)
      #expect(outcome.exitCode == .done, "\(outcome.errors)")
      #expect(try self.text(shop) == "Piped")
    }
    #expect(shop.run("add-subtitle - @en.srt").exitCode == .usage)
  }

  @Test func namesTheFormatInAPipe() throws {
    let shop = try Workshop(.simple)
    let known = "; the supported subtitle formats are SubRip (.srt), WebVTT (.vtt), SCC (.scc) and MCC (.mcc)"
    for (bytes, words) in [
      (Array("[Script Info]\nTitle: x\n".utf8), "SubStation Alpha subtitles"),
      ([0x1A, 0x45, 0xDF, 0xA3] + zeros(40), "a Matroska or WebM file"),
    ] {
      let console = Console(isOnDisk: true)
      console.streams["-"] = Bytes(bytes)
      let outcome = shop.run("add-subtitle @in.mov - --language en", console)
      #expect(outcome.exitCode == .badData)
      #expect(outcome.errors == ["-: cannot read " + words + known])
    }
  }

  @Test func reportsOnlyTheErrorOfAFileWithoutALanguage() throws {
    let shop = try Workshop(.simple)
    try shop.folder.write(Array("nothing".utf8), as: "film.srt")
    #expect(shop.run("add-subtitle @in.mov @film.srt").errors.allSatisfy { !$0.contains("the language is unknown") })
    try shop.write("film.srt", ["A"])
    #expect(shop.run("add-subtitle @in.mov @film.srt").errors.contains { $0.contains("the language is unknown") })
  }

  @Test func notesThatSubRipHasNoVoices() throws {
    let shop = try Workshop(.simple)
    let outcome = shop.run("add-subtitle @in.mov @en.srt --voices --strict")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors.count { $0.contains("--voices has no effect: ") } == 1)
  }

  private func text(_ shop: Workshop) throws -> String {
    let track = try #require(try shop.movie().tracks.last)
    let sample = try #require(try samples(shop, track.id).first { $0.count > 2 })
    return try Tx3gSample(payload: Bytes(sample)).string
  }

  private func samples(_ shop: Workshop, _ trackID: UInt32) throws -> [[UInt8]] {
    let bytes = try shop.folder.read("in.mov")
    let track = try #require(try SecondReader(bytes).track(trackID))
    return track.samples.map { Array(bytes[Int($0.offset)..<Int($0.offset) + $0.byteCount]) }
  }

  /// The movie lasts a second. A cue that is shown in part counts neither as whole nor as dropped.
  @Test func cueThatOutlastsTheMovieIsCountedAsCut() throws {
    let shop = try Workshop(.simple)
    try shop.folder.write(Array("1\n00:00:00,100 --> 00:59:00,000\nLong\n".utf8), as: "en.srt")
    let outcome = shop.run("add-subtitle @in.mov @en.srt --json --dry-run")
    let track = try #require((outcome.json["tracks"] as? [[String: Any]])?.first)
    #expect(track["shownCueCount"] as? Int == 1)
    #expect(track["cutCount"] as? Int == 1)
    #expect(track["droppedCount"] as? Int == 0)
    let text = shop.run("add-subtitle @in.mov @en.srt --dry-run")
    #expect(text.output.first?.contains("1 cue (1 cut: see the warnings)") == true)
  }

  @Test func countsAndListsLosses() throws {
    let shop = try Workshop(.simple)
    let file =
      "1\n00:00:00,100 --> 00:00:00,500\n{\\an7}<x1>A</x1>\n2\n00:00:00,600 --> 00:00:00,300\nKept\n\n"
      + "3\n00:59:00,000 --> 00:59:01,000\nLate\n"
    try shop.folder.write(Array(file.utf8), as: "en.srt")
    let outcome = shop.run("add-subtitle @in.mov @en.srt --json --dry-run")
    let track = try #require((outcome.json["tracks"] as? [[String: Any]])?.first)
    #expect(track["cueCount"] as? Int == 3)
    #expect(track["shownCueCount"] as? Int == 2)
    #expect(track["repairedCount"] as? Int == 2)
    #expect(track["droppedCount"] as? Int == 1)
    #expect(track["inexpressibleCount"] as? Int == 2)
    let warnings = try #require(outcome.json["warnings"] as? [[String: Any]])
    #expect(warnings.compactMap { $0["lostText"] as? String } == ["<x1> </x1>", "Late"])
    let text = shop.run("add-subtitle @in.mov @en.srt --dry-run")
    #expect(
      text.output.first?.contains("2 of 3 cues (2 repaired, 1 dropped, 2 styles or tags omitted: see the warnings)")
        == true)
    let before = try shop.folder.read("in.mov")
    #expect(shop.run("add-subtitle @in.mov @en.srt --strict").exitCode == .no)
    #expect(try shop.folder.read("in.mov") == before)
  }

  @Test func convertsTimesToTheMoviesClock() throws {
    let shop = try Workshop(.simple)
    try shop.folder.write(Array("1\n01:00:00,200 --> 01:00:00,600\nA\n".utf8), as: "en.srt")
    let outcome = shop.run("add-subtitle @in.mov @en.srt --timecode-base 01:00:00:00 --scale 0.5 --offset 0.1")
    #expect(outcome.errors.isEmpty)
    #expect(try text(shop) == "A")
    let track = try #require(try SecondReader(try shop.folder.read("in.mov")).tracks.last)
    #expect(track.samples.prefix(2).map(\.duration) == [200, 200])
  }

  @Test func appliesPlainTextAndFontSize() throws {
    let shop = try Workshop(.simple)
    try shop.folder.write(Array("1\n00:00:00,100 --> 00:00:00,500\n{\\an8}<i>A</i>\n".utf8), as: "en.srt")
    #expect(shop.run("add-subtitle @in.mov @en.srt --plain --font-size 20").exitCode == .done)
    let track = try #require(try shop.movie().tracks.last)
    #expect(try samples(shop, track.id)[1] == [0, 1, 0x41])
  }

  // MARK: - Without a converter

  /// A statically linked movtool in a folder that is its root has our tables, but no converters of the C library.
  @Test func namesAnUnsupportedEncodingWithoutIconv() throws {
    guard let tool = ProcessInfo.processInfo.environment["MOVTOOL_STATIC"], geteuid() == 0,
      let unshare = Shell.find("unshare"), try Shell.run(unshare, ["--mount", "true"]).code == 0
    else {
      print("SKIPPED: an empty root wants MOVTOOL_STATIC, the user root and unshare")
      return
    }
    let shop = try Workshop(.simple)
    let copy = try shop.folder.copy(tool, as: "movtool")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: copy)
    try shop.folder.write(Self.cyrillic, as: "ru.srt")
    try shop.folder.write(Self.japanese, as: "ja.srt")
    // Swift programs read their arguments from /proc, which disappears with the program's namespace.
    try FileManager.default.createDirectory(atPath: shop.folder.file("proc"), withIntermediateDirectories: false)
    func run(_ subtitles: String) throws -> Shell.Result {
      let script = "mount -t proc proc \"$0/proc\" && exec chroot \"$0\" /movtool add-subtitle /in.mov \"$1\""
      return try Shell.run(unshare, ["--mount", "sh", "-c", script, shop.folder.path, subtitles])
    }
    let refused = try run("/ja.srt")
    #expect(refused.code == 65)
    #expect(
      refused.errorText
        == "/ja.srt: the text is Shift_JIS, in which the text is Japanese, which this system does not support; convert the "
        + "file to UTF-8\n")
    let read = try run("/ru.srt")
    #expect(read.code == 0, "\(read.errorText)")
    #expect(try text(shop) == "Где ты?")
  }
}
