import Foundation
import MovieBox
import MovieStreaming
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

/// Removing subtitles from a presentation, and rejected additions.
struct HLSRemovalTests {
  /// A presentation with English, French and French SDH subtitles.
  private func shop() throws -> Workshop {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    shop.run("hls @film.mp4 -o @out")
    try shop.write("film.fr.srt", ["Qui est là ?"])
    return shop
  }

  private func list(_ shop: Workshop) throws -> String {
    String(decoding: try shop.folder.read("out/main.m3u8"), as: UTF8.self)
  }

  private func folders(_ shop: Workshop) throws -> [String] {
    try SystemCalls.names(in: shop.folder.file("out"), prefix: "subtitles", suffix: "").sorted()
  }

  // MARK: - Adding

  @Test(arguments: [
    ("film.it.srt", "elsewhere", "if \"it\" in the name means Italian, use --language it"),
    ("film.srt", "out", "add --language TAG, or --language und if it has none"),
  ]) func subtitlesWithoutALanguageAreRefused(_ file: String, _ folder: String, _ advice: String) throws {
    let shop = try Workshop(StreamableMovie.talk, as: "film.mp4")
    shop.run("hls @film.mp4 -o @\(folder)")
    let before = try shop.folder.read("\(folder)/main.m3u8")
    try shop.write(file, ["Who is there?"])
    let outcome = shop.run("hls --add @\(file) -o @\(folder)")
    #expect(outcome.exitCode == .usage && outcome.errors.first?.contains(advice) ?? false, "\(outcome)")
    #expect(try shop.folder.read("\(folder)/main.m3u8") == before)
    let named = shop.run("hls --add @\(file) -o @\(folder) --language und")
    #expect(named.exitCode == .done && named.errors.isEmpty, "\(named)")
    #expect(shop.run("hls --remove subtitle:und -o @\(folder)").exitCode == .done)
    #expect(try shop.folder.read("\(folder)/main.m3u8") == before)
  }

  @Test func suggestsTheScaleThatFitsAllCues() throws {
    let shop = try shop()
    let end = try PresentationFolder(shop.folder.file("out")).endMilliseconds
    func time(_ milliseconds: Int64) -> String { timeText(milliseconds: milliseconds).replacing(".", with: ",") }
    let cues = "1\n00:00:00,100 --> 00:00:00,200\nA\n\n2\n\(time(end * 102 / 100)) --> \(time(end * 103 / 100))\nB\n"
    try shop.folder.write(Array(cues.utf8), as: "film.de.srt")
    let outcome = shop.run("hls --add @film.de.srt -o @out --dry-run")
    let advice = "scale the times with movtool add-subtitle --scale 23.976/25"
    #expect(outcome.errors.contains { $0.contains(advice) }, "\(outcome)")
  }

  // MARK: - Removing

  @Test(arguments: [
    ("de", "did you mean subtitle:de?"), ("de,sdh", "did you mean subtitle:de,sdh?"),
    ("German", "did you mean subtitle:de?"),
    ("subtitles:de", "write subtitle:fr, subtitle:2 or subtitle:en,sdh"), ("id:5", "write subtitle:fr"),
    ("audio:2", "write subtitle:fr"), ("Deutsch!", "write subtitle:fr"),
    ("subtitle:en,cc", "write subtitle:en,sdh"), ("cc", "write subtitle:en,sdh"),
    ("caption:en", "write subtitle:en,sdh"), ("captions", "write subtitle:en,sdh"),
  ]) func suggestsOnlyAcceptedSelectors(_ selector: String, _ advice: String) throws {
    let outcome = try shop().run("hls --remove \(selector) -o @out")
    #expect(outcome.exitCode == .usage && outcome.errors.first?.contains(advice) == true, "\(outcome)")
  }

  @Test func requiresTheFolderOfAChange() throws {
    let shop = try shop()
    for (words, option) in [("--remove subtitle:de", "--remove"), ("--add @film.fr.srt", "--add")] {
      let outcome = shop.run("hls \(words)")
      #expect(
        outcome.exitCode == .usage
          && outcome.errors.first?.contains("-o FOLDER is missing: \(option) changes the presentation") == true)
    }
  }

  @Test func removesAddedSubtitles() throws {
    let shop = try shop()
    let (before, names) = (try list(shop), try folders(shop))
    let media = try shop.folder.read("out/video/segment-1.m4s")
    shop.run("hls --add @film.fr.srt -o @out")
    let planned = shop.run("hls --remove subtitle:fr -o @out --dry-run")
    #expect(planned.output == ["out: would remove subtitles Français; media is unchanged"])
    #expect(try list(shop) != before)
    let outcome = shop.run("hls --remove subtitle:fr -o @out --strict")
    #expect(outcome.output == ["out: removed subtitles Français; media is unchanged"] && outcome.errors.isEmpty)
    #expect(try list(shop) == before && folders(shop) == names)
    #expect(try shop.folder.read("out/video/segment-1.m4s") == media)
    let none = shop.run("hls --remove subtitle:fr -o @out")
    #expect(
      none.exitCode == .usage && none.errors[0].contains("matches no subtitles: subtitle:1 is English (en)"), "\(none)")
  }

  /// No variant refers to a group without subtitles.
  @Test func removesTheLastSubtitles() throws {
    let shop = try shop()
    #expect(shop.run("hls --remove subtitle -o @out").exitCode == .done)
    let main = try list(shop)
    #expect(try !main.contains("SUBTITLES") && folders(shop).isEmpty)
    let checked = try Shell.run("python3", [TestMedia.path("../Scripts/check-hls"), shop.folder.file("out/main.m3u8")])
    #expect(!checked.outputText.contains("must"), "\(checked.outputText)")
    // Later additions equal those to a presentation of a movie without subtitles.
    #expect(shop.run("hls --add @film.fr.srt -o @out").exitCode == .done)
    #expect(try list(shop).contains("SUBTITLES=\"subtitles\""))
  }

  @Test func selectsOneOfSeveralRenditions() throws {
    let shop = try shop()
    shop.run("hls --add @film.fr.srt -o @out")
    shop.run("hls --add @film.fr.srt -o @out --sdh")
    shop.run("hls --add @film.fr.srt -o @out --language fr-CA --forced")
    let several = shop.run("hls --remove subtitle:fr -o @out")
    #expect(
      several.exitCode == .usage
        && several.errors[0].contains("subtitle:2 is Français (fr); subtitle:3 is Français SDH (fr)"), "\(several)")
    #expect(shop.run("hls --remove subtitle:fr,sdh -o @out").output[0].contains("Français SDH"))
    #expect(shop.run("hls --remove subtitle:2 -o @out").output[0].contains("removed subtitles Français;"))
    #expect(shop.run("hls --remove subtitle:fr -o @out").output[0].contains("Français"))  // Of Canada, the last one.
    #expect(try folders(shop) == ["subtitles-en"])
  }

  @Test func keepsFilesOfOtherPrograms() throws {
    let shop = try shop()
    shop.run("hls --add @film.fr.srt -o @out")
    try shop.folder.write(Array("mine".utf8), as: "out/subtitles-fr/notes.txt")
    let outcome = shop.run("hls --remove subtitle:fr -o @out")
    #expect(
      outcome.exitCode == .done && outcome.errors[0].contains("out/subtitles-fr is no longer used"), "\(outcome)")
    #expect(try shop.folder.names("out/subtitles-fr") == ["notes.txt"])
    // Another playlist refers to them too.
    shop.run("hls --add @film.fr.srt -o @out --language de")
    let main = try list(shop)
    let line = try #require(main.split(separator: "\n").first { $0.contains("subtitles-de/") })
    try shop.folder.write(
      Array(main.replacing(line, with: line + "\n" + line.replacing("Deutsch", with: "Andere")).utf8),
      as: "out/main.m3u8")
    let strict = shop.run("hls --remove subtitle:de,1 -o @out --strict")
    #expect(strict.exitCode == .no && strict.errors[0].contains("the files of Deutsch are kept"), "\(strict)")
    #expect(shop.run("hls --remove subtitle:de,1 -o @out").exitCode == .done)
    #expect(try folders(shop).contains("subtitles-de") && list(shop).contains("Andere"))
    #expect(shop.run("hls --remove subtitle:de -o @out").errors.isEmpty)
    #expect(try !folders(shop).contains("subtitles-de"))
  }

  /// If the playlist cannot be written, all files of the old one still exist.
  @Test func deletesFilesAfterUpdatingThePlaylist() throws {
    let shop = try shop()
    shop.run("hls --add @film.fr.srt -o @out")
    let presentation = try PresentationFolder(shop.folder.file("out"))
    let french = try #require(presentation.subtitles.first { $0.name == "Français" })
    let removal = presentation.removal(of: french)
    let main = try shop.folder.read("out/main.m3u8")
    try shop.folder.remove("out/main.m3u8")
    try shop.folder.makeFolder("out/main.m3u8")
    #expect(throws: (any Error).self) { try presentation.remove(removal) }
    #expect(try folders(shop).contains("subtitles-fr"))
    try shop.folder.remove("out/main.m3u8")
    try shop.folder.write(main, as: "out/main.m3u8")
    #expect(try presentation.remove(removal) == nil && !folders(shop).contains("subtitles-fr"))
  }

  @Test(arguments: [
    "hls --remove subtitle:fr", "hls @film.mp4 --remove subtitle:fr -o @out", "hls --remove audio -o @out",
    "hls --remove id:3 -o @out", "hls --remove subtitle:fr --add @film.fr.srt -o @out",
    "hls --remove subtitle:fr -o @out --force", "hls --remove subtitle:fr -o @out --language fr",
    "hls --remove chapters -o @out",
  ]) func rejectsInvalidUsage(_ line: String) throws {
    let shop = try shop()
    #expect(shop.run(line).exitCode == .usage, "\(line)")
  }

  @Test(arguments: ["--unroll", "--part-duration 5", "--keep-start", "--sdh", "--language fr", "--style"])
  func optionsOfAdditionsAndMoviesAreRefusedBesideRemove(_ option: String) throws {
    let shop = try shop()
    shop.run("hls --add @film.fr.srt -o @out")
    let before = try list(shop)
    let value = option == "--style" ? "--style a.css" : option
    #expect(shop.run("hls --remove subtitle:fr -o @out \(value)").exitCode == .usage, "\(option)")
    #expect(try list(shop) == before)
  }
}
