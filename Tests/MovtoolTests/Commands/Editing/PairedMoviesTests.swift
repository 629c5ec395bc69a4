import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// `add-subtitle --pair`: many movies in one command.
struct PairedMoviesTests {
  /// A folder with movies and subtitles, a movie without, a damaged one, and one in a subfolder.
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

  @Test func continuesAfterAMovieThatFails() throws {
    let shop = try season()
    let outcome = shop.run("add-subtitle --pair @season")
    #expect(outcome.exitCode == .badData)
    #expect(
      outcome.output == [
        "season/broken.mov: failed, nothing written",
        "season/one.mov: added English (track 3), Spanish SDH (track 4)", "season/three.mp4: added French (track 3)",
        "season/two.mov: no .srt, .vtt, .scc or .mcc file in the folder has the movie's name",
        "season/extras/four.mov: added German (track 3)",
        "5 movies: 3 edited, 1 without subtitles, 1 failed",
      ])
    #expect(outcome.errors.count == 2 && outcome.errors[0].hasPrefix("season/broken.mov: "))
    #expect(outcome.errors.last == "note: 1 subtitle file without a movie of the same name: season/nobody.en.srt")
  }

  @Test func listsSubtitlesOfNoMovie() throws {
    let shop = try season()
    for name in ["one-two.srt", "extras/else.srt", ".hidden.srt", "notes.txt"] {
      try shop.write("season/\(name)", ["One"])
    }
    for folder in ["Subs", "extras/subtitles/four"] {
      try FileManager.default.createDirectory(
        atPath: shop.folder.file("season/\(folder)"), withIntermediateDirectories: true)
      try shop.write("season/\(folder)/2_English.srt", ["One"])
    }
    let outcome = shop.run("add-subtitle --pair @season --dry-run --json")
    let summary = try JSONSerialization.jsonObject(with: Data((outcome.output.last ?? "").utf8)) as? [String: Any]
    let files = (summary?["unmatchedFiles"] as? [String])?.map { $0.replacing(/^.*season\//, with: "") }
    #expect(files == ["nobody.en.srt", "one-two.srt", "extras/else.srt"])
    // A movie's own files are matched even if the movie cannot be read, or has the subtitles already.
    _ = shop.run("add-subtitle --pair @season")
    let note = shop.run("add-subtitle --pair @season").errors.last { $0.contains("without a movie of the same name") }
    #expect(note?.hasPrefix("note: 3 subtitle files without a movie of the same name: ") == true)
    #expect(shop.run("add-subtitle --pair @season/one.mov").errors.allSatisfy { !$0.contains("no movie") })
  }

  @Test func skipsFilesWhoseNameDeclaresAnotherLanguage() throws {
    let shop = try season()
    let outcome = shop.run("add-subtitle --pair @season --language en")
    #expect(outcome.output.contains("season/one.mov: added English (track 3)"), "\(outcome.output)")
    let reason = "left out: its name declares"
    #expect(outcome.errors.contains { $0.contains("one.es.sdh.srt: \(reason) Spanish, not English") })
    let line = outcome.output.first { $0.hasPrefix("season/three.mp4: ") }
    #expect(line?.hasPrefix("season/three.mp4: no subtitles added; season/three.fr.srt: \(reason) French") == true)
    #expect(try shop.movie("season/three.mp4").tracks.count == 2)
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

  @Test func printsALineOfJSONForEachMovie() throws {
    let shop = try season()
    let outcome = shop.run("add-subtitle --pair @season --json")
    let lines = try outcome.output.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    #expect(
      lines.dropLast().map { $0["outcome"] as? String } == ["failed", "edited", "edited", "no-subtitles", "edited"])
    #expect(lines.allSatisfy { $0["schema"] as? Int == 3 && $0["command"] as? String == "add-subtitle" })
    #expect((lines[0]["error"] as? [String: Any])?["code"] as? String == "not-a-movie")
    #expect((lines[1]["tracks"] as? [Any])?.count == 2)
    let counts = ["movieCount", "editedCount", "unchangedCount", "withoutSubtitlesCount", "failedCount"]
    #expect(counts.map { lines.last?[$0] as? Int } == [5, 3, 0, 1, 1])
    #expect(outcome.errors.isEmpty)
  }

  @Test func appliesOptionsToAllMovies() throws {
    let shop = try season()
    let outcome = shop.run("add-subtitle --pair @season/one.mov @season/three.mp4 --sdh --dry-run")
    #expect(
      outcome.output == [
        "season/one.mov: would add English SDH (track 3), Spanish SDH (track 4)",
        "season/three.mp4: would add French SDH (track 3)", "2 movies: 2 to edit",
      ])
    let twice = shop.run("add-subtitle --pair @season/one.mov --language en @season/three.mp4 --language fr")
    #expect(
      twice.exitCode == .usage && twice.errors[0].contains("--language is specified twice, but can have only one value")
    )
    #expect(shop.run("add-subtitle --pair @season -o @out.mov").exitCode == .usage)
    #expect(shop.run("add-subtitle --pair").exitCode == .usage)
  }

  @Test func countsMoviesRefusedByStrictAsFailed() throws {
    let shop = try season()
    try shop.write("season/two.srt", ["In which language?"])
    let outcome = shop.run("add-subtitle --pair @season/two.mov --strict")
    #expect(outcome.exitCode == .no && outcome.output.last == "1 movie: 1 failed")
    #expect(outcome.output.first == "season/two.mov: not edited, because of 1 warning and --strict")
  }

  @Test func continuesAfterAPathWithoutMovies() throws {
    let shop = try season()
    try FileManager.default.createDirectory(atPath: shop.folder.file("empty"), withIntermediateDirectories: false)
    let long = String(repeating: "x", count: 300)  // Too long a name for the file system.
    let outcome = shop.run("add-subtitle --pair @empty @\(long) @gone.mov @season/one.mov")
    #expect(outcome.exitCode == .noInput && outcome.output.last == "4 movies: 1 edited, 3 failed")
    #expect(outcome.errors.first?.contains("no movie in this folder or below") == true)
    let json = shop.run("add-subtitle --pair @empty --json")
    #expect(json.output.count == 2 && json.output.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
    // A general error is printed as a line too.
    let whole = shop.run("add-subtitle --pair --json")
    #expect(whole.exitCode == .usage && whole.output.count == 1)
  }

  @Test func editsAMovieNamedTwiceOnce() throws {
    let shop = try season()
    let outcome = shop.run("add-subtitle --pair @season/one.mov @season @season/one.mov --replace --dry-run")
    #expect(outcome.output.count { $0.hasPrefix("season/one.mov: ") } == 1)
  }

  @Test func wrongOptionsAreFoundBeforeTheFirstMovie() throws {
    let shop = try season()
    let late = shop.run("add-subtitle --pair @season/two.mov --offset late")
    #expect(late.exitCode == .usage && late.output.isEmpty && late.errors.first?.contains("--offset late") == true)
    // An option that does not suit a movie is reported with its name.
    let audio = shop.run("add-subtitle --pair @season/one.mov --follow audio:9")
    #expect(
      audio.output == ["season/one.mov: failed, nothing written", "1 movie: 1 failed"]
        && audio.errors.first?.hasPrefix("season/one.mov: --follow") == true)
  }

  /// A repeated batch rewrites nothing, whatever its other options.
  @Test func leavesAMovieWithoutNewSubtitlesUnchanged() throws {
    let shop = try season()
    try shop.write("season/two.srt", ["In which language?"])
    _ = shop.run("add-subtitle --pair @season --fast-start")
    let (one, two) = try (shop.folder.read("season/one.mov"), shop.folder.read("season/two.mov"))
    let again = shop.run("add-subtitle --pair @season --fast-start --interleave")
    #expect(again.output.last == "5 movies: 4 unchanged, 1 failed")
    #expect(try shop.folder.read("season/one.mov") == one && shop.folder.read("season/two.mov") == two)
  }

  @Test func usesTheFirstOfTwoFilesWithEqualLanguageAndRole() throws {
    let shop = try season()
    try shop.write("season/one.english.srt", ["The same"])
    let outcome = shop.run("add-subtitle --pair @season/one.mov")
    #expect(outcome.output.first == "season/one.mov: added English (track 3), Spanish SDH (track 4)")
    #expect(
      outcome.errors.contains {
        $0.hasSuffix("season/one.english.srt: skipped: season/one.en.srt has the same language and role")
      })
  }

  /// Notes are printed with the movie's name.
  @Test func notesNameTheirMovie() throws {
    let shop = try season()
    try FileManager.default.linkItem(
      atPath: shop.folder.file("season/one.mov"), toPath: shop.folder.file("other.mov"))
    let outcome = shop.run("add-subtitle --pair @season/one.mov --fast-start")
    #expect(outcome.output.first?.hasSuffix(", rewritten") == true)
    #expect(outcome.errors.contains { $0.hasPrefix("season/one.mov: note: ") && $0.contains("link") })
  }

  /// Links to folders are not followed, since they may form a cycle.
  @Test func linksToFoldersAreNotFollowed() throws {
    let shop = try season()
    try FileManager.default.createSymbolicLink(
      atPath: shop.folder.file("season/loop"), withDestinationPath: shop.folder.file("season"))
    #expect(shop.run("add-subtitle --pair @season --dry-run").output.last?.hasPrefix("5 movies: ") == true)
  }
}
