import Foundation
import TestSupport
import Testing

@testable import movtool

/// `add-subtitle --pair`: many movies in one command.
struct PairedMoviesTests {
  /// A folder with movies that take subtitles, one without, one that is broken, and one in a folder below.
  private func season() throws -> Workshop {
    let shop = try Workshop()
    try FileManager.default.createDirectory(
      atPath: shop.folder.file("season/extras"), withIntermediateDirectories: true)
    for name in ["season/one.mov", "season/two.mov", "season/three.mp4", "season/extras/four.mov"] {
      try shop.folder.write(TestMovie.simple, as: name)
    }
    try Data("no movie at all".utf8).write(to: URL(fileURLWithPath: shop.folder.file("season/broken.mov")))
    for name in ["one.en", "one.es.sdh", "three.fr", "extras/four.de", "broken.en", "nobody.en"] {
      try shop.write("season/\(name).srt", ["One", "Two"])
    }
    return shop
  }

  @Test func eachMovieGetsTheSubtitlesBesideItAndOneThatFailsKeepsNobodyFromTheirs() throws {
    let shop = try season()
    let outcome = shop.run("add-subtitle --pair @season")
    #expect(outcome.exitCode == .badData)
    #expect(
      outcome.output == [
        "season/one.mov: added English (track 3), Spanish SDH (track 4)", "season/three.mp4: added French (track 3)",
        "season/two.mov: no .srt or .vtt beside it is named after it", "season/extras/four.mov: added German (track 3)",
        "5 movies: 3 edited, 1 without subtitles, 1 failed",
      ])
    #expect(outcome.errors.count == 1 && outcome.errors[0].hasPrefix("season/broken.mov: "))
  }

  @Test func secondRunChangesNothing() throws {
    let shop = try season()
    _ = shop.run("add-subtitle --pair @season")
    let once = try shop.folder.read("season/one.mov")
    let again = shop.run("add-subtitle --pair @season/one.mov @season/extras")
    #expect(again.exitCode == .done && again.output.last == "2 movies: 2 unchanged")
    #expect(try shop.folder.read("season/one.mov") == once)
    let replaced = shop.run("add-subtitle --pair @season/one.mov --replace")
    #expect(replaced.output.first == "season/one.mov: added English (track 5), Spanish SDH (track 6)")
  }

  @Test func answersAreLinesOfJSON() throws {
    let shop = try season()
    let outcome = shop.run("add-subtitle --pair @season --json")
    let lines = try outcome.output.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(
      lines.dropLast().map { $0["outcome"] as? String } == ["failed", "edited", "edited", "no-subtitles", "edited"])
    #expect(lines.allSatisfy { $0["schema"] as? Int == 2 && $0["command"] as? String == "add-subtitle" })
    #expect((lines[0]["error"] as? [String: Any])?["code"] as? String == "not-a-movie")
    #expect((lines[1]["tracks"] as? [Any])?.count == 2)
    let counts = ["movieCount", "editedCount", "unchangedCount", "withoutSubtitlesCount", "failedCount"]
    #expect(counts.map { lines.last?[$0] as? Int } == [5, 3, 0, 1, 1])
    #expect(outcome.errors.isEmpty)
  }

  @Test func optionsHoldForAllMoviesWhereverTheyStand() throws {
    let shop = try season()
    let outcome = shop.run("add-subtitle --pair @season/one.mov @season/three.mp4 --sdh --dry-run")
    #expect(
      outcome.output == [
        "season/one.mov: would add English SDH (track 3), Spanish SDH (track 4)",
        "season/three.mp4: would add French SDH (track 3)", "2 movies: 2 to edit",
      ])
    let twice = shop.run("add-subtitle --pair @season/one.mov --language en @season/three.mp4 --language fr")
    #expect(twice.exitCode == .usage && twice.errors[0].contains("--language is given twice, and holds for all movies"))
    #expect(shop.run("add-subtitle --pair @season -o @out.mov").exitCode == .usage)
    #expect(shop.run("add-subtitle --pair").exitCode == .usage)
  }

  @Test func whatStrictRefusesIsCountedAsFailed() throws {
    let shop = try season()
    try shop.write("season/two.srt", ["In which language?"])
    let outcome = shop.run("add-subtitle --pair @season/two.mov --strict")
    #expect(outcome.exitCode == .no && outcome.output.last == "1 movie: 1 failed")
    #expect(outcome.output.first == "season/two.mov: not edited, because of 1 warning and --strict")
  }

  @Test func folderWithoutMoviesAndMissingOnesAreReported() throws {
    let shop = try season()
    try FileManager.default.createDirectory(atPath: shop.folder.file("empty"), withIntermediateDirectories: false)
    let empty = shop.run("add-subtitle --pair @empty")
    #expect(empty.exitCode == .noInput && empty.errors.first?.contains("no movie in this folder or below") == true)
    let missing = shop.run("add-subtitle --pair @season/one.mov @gone.mov")
    #expect(missing.exitCode == .noInput && missing.output.last == "2 movies: 1 edited, 1 failed")
  }

  /// Links to folders may lead back to where they are, and are not followed.
  @Test func linksToFoldersAreNotFollowed() throws {
    let shop = try season()
    try FileManager.default.createSymbolicLink(
      atPath: shop.folder.file("season/loop"), withDestinationPath: shop.folder.file("season"))
    #expect(shop.run("add-subtitle --pair @season --dry-run").output.last?.hasPrefix("5 movies: ") == true)
  }
}
