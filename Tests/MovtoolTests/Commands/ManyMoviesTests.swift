import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// Commands that name several movies or folders.
struct ManyMoviesTests {
  /// A folder with two movies, a damaged one, an audio file, and a movie in a subfolder.
  private func collection() throws -> Workshop {
    let shop = try Workshop()
    try FileManager.default.createDirectory(
      atPath: shop.folder.file("films/more"), withIntermediateDirectories: true)
    for name in ["films/one.mov", "films/two.mov", "films/more/three.mov", "films/song.m4a"] {
      try shop.folder.write(TestMovie.simple, as: name)
    }
    try Data("no movie at all".utf8).write(to: URL(fileURLWithPath: shop.folder.file("films/broken.mov")))
    return shop
  }

  private func json(_ lines: [String]) throws -> [[String: Any]] {
    try lines.map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  @Test func editsEachMovieAndContinuesAfterAFailure() throws {
    let shop = try collection()
    let outcome = shop.run("set @films --track video --language de")
    #expect(outcome.exitCode == .badData)
    #expect(outcome.output.count == 6)
    #expect(outcome.output[0] == "films/broken.mov: failed, nothing written")
    #expect(outcome.output[1].hasPrefix("films/one.mov: "))
    #expect(outcome.output.last == "5 movies: 4 edited, 1 failed")
    #expect(outcome.errors.count == 1)
    for name in ["films/one.mov", "films/two.mov", "films/more/three.mov"] {
      #expect(try shop.movie(name).tracks[0].language?.description == "de")
    }
    #expect(
      shop.run("set @films/one.mov @films/./one.mov --track video --language fr").output.last == "1 movie: 1 edited")
  }

  @Test func printsALineOfJSONForEachEditAndASummary() throws {
    let shop = try collection()
    let lines = try json(shop.run("metadata @films --set title=A --json").output)
    #expect(lines.dropLast().map { $0["outcome"] as? String } == ["failed", "edited", "edited", "edited", "edited"])
    #expect(lines.last?["movieCount"] as? Int == 5)
    #expect(lines.last?["editedCount"] as? Int == 4)
    #expect(lines.last?["failedCount"] as? Int == 1)
  }

  @Test func writesNewFilesNamedByATemplate() throws {
    let shop = try collection()
    let line = "remux @films/one.mov @films/two.mov -o"
    #expect(shop.run(line + " @{name}.mp4").output.last == "2 movies: 2 edited")
    #expect(try shop.movie("one.mp4").type == .mp4)
    #expect(shop.run(line + " {folder}/{name}.new.mov").exitCode == .done)
    #expect(try shop.movie("films/two.new.mov").tracks.count == shop.movie("films/two.mov").tracks.count)
    let single = shop.run(line + " @out.mov")
    #expect(single.exitCode == .usage)
    #expect(
      single.errors[0].contains(
        "out.mov would write several movies to one file; -o '{name}.new.mov' writes one file for each"))
  }

  @Test func refusesOutputsThatWouldReplaceOneAnotherOrAMovie() throws {
    let shop = try collection()
    try FileManager.default.copyItem(
      atPath: shop.folder.file("films/one.mov"), toPath: shop.folder.file("films/more/one.mov"))
    let before = try shop.folder.read("films/one.mov")
    let twice = shop.run("remux @films/one.mov @films/more/one.mov -o @{name}.mp4 --force")
    #expect(twice.exitCode == .usage && twice.output == [])
    #expect(twice.errors[0].contains("{name}.mp4 would write both films/one.mov and films/more/one.mov to one.mp4"))
    let movie = shop.run("remux @films/more/one.mov @films/one.mov -o @films/{name}.mov --force")
    #expect(movie.exitCode == .usage && movie.output == [])
    #expect(movie.errors[0].contains("would write films/more/one.mov to films/one.mov, which is one of the movies"))
    #expect(try shop.folder.read("films/one.mov") == before)
  }

  @Test func editsAMovieWithSeveralNamesOnce() throws {
    let shop = try collection()
    let manager = FileManager.default
    try manager.createSymbolicLink(
      atPath: shop.folder.file("link.mov"), withDestinationPath: shop.folder.file("films/one.mov"))
    try manager.linkItem(atPath: shop.folder.file("films/one.mov"), toPath: shop.folder.file("hard.mov"))
    let names = ["films/one.mov", "films/more/../one.mov", "link.mov", "hard.mov"].map { shop.folder.file($0) }
    let outcome = shop.run(words: ["set", "--track", "video", "--language", "fr"] + names)
    #expect(outcome.output.last == "1 movie: 1 edited")
  }

  /// File systems of Linux distinguish the composed form of a letter from the decomposed form.
  @Test func editsMoviesWhoseNamesAreCanonicallyEquivalent() throws {
    let shop = try Workshop()
    for name in ["\u{E9}.mov", "e\u{301}.mov"] { try shop.folder.write(TestMovie.simple, as: name) }
    let count = try FileManager.default.contentsOfDirectory(atPath: shop.folder.path).count { $0.hasSuffix(".mov") }
    let outcome = shop.run(words: ["metadata", shop.folder.path, "--set", "title=A"])
    #expect(outcome.output.last?.hasPrefix("\(count) movies: ") == true)
  }

  @Test func fillsTheTemplateForASingleMovie() throws {
    let shop = try collection()
    #expect(shop.run("remux @films/one.mov -o @{name}.copy.{extension}").exitCode == .done)
    #expect(try shop.movie("one.copy.mov").tracks.count == shop.movie("films/one.mov").tracks.count)
    #expect(!FileManager.default.fileExists(atPath: shop.folder.file("{name}.copy.{extension}")))
  }

  @Test func countsTheMoviesThatAnInterruptionLeaves() throws {
    let shop = try collection()
    let console = Console(isOnDisk: true)
    console.stopsAfter = 2  // The first two checks search for movies.
    let exitCode = console.run(
      "metadata \(shop.folder.file("films/one.mov")) \(shop.folder.file("films/two.mov")) --set title=A")
    #expect(exitCode == .interrupted)
    #expect(console.output.lines == ["2 movies: 2 interrupted"])
  }

  @Test func reportsAnInvalidOptionOnce() throws {
    let shop = try collection()
    let before = try shop.folder.read("films/one.mov")
    let outcome = shop.run("set @films --track nonsense --language de")
    #expect(outcome.exitCode == .usage && outcome.output == [])
    #expect(outcome.errors.count == 2)
    #expect(try shop.folder.read("films/one.mov") == before)
  }

  @Test func showsEachMovieUnderItsName() throws {
    let shop = try collection()
    _ = shop.run("metadata @films/one.mov --set title=Hello")
    let text = shop.run("metadata @films/one.mov @films/two.mov")
    #expect(text.exitCode == .done)
    #expect(text.output.first == "films/one.mov:" && text.output.contains("films/two.mov:"))
    #expect(text.output.contains { $0.contains("Hello") })
    let lines = try json(shop.run("chapters @films --json").output)
    #expect(lines.count == 5 && lines[0]["error"] != nil && lines[1]["chapters"] != nil)
  }

  @Test func summarizesTheFindingsOfAFolder() throws {
    let shop = try collection()
    let outcome = shop.run("validate @films")
    #expect(outcome.exitCode == .badData)
    #expect(try #require(outcome.output.last).wholeMatch(of: /5 movies: (.*, )?1 unreadable/) != nil)
    let inspected = shop.run("inspect @films")
    #expect(inspected.exitCode == .badData)
    #expect(inspected.output.contains("films/more/three.mov:"))
    #expect(try #require(inspected.output.last).hasPrefix("5 movies: "))
    let files = shop.run("inspect --json @films").json["files"] as? [[String: Any]]
    #expect(files?.count == 5)
  }

  @Test func leavesOutMoviesWithoutErrorsAndWarningsWhenQuiet() throws {
    let shop = try Workshop()
    for name in ["good.mov", "bad.mov"] { try shop.folder.copy(TestMedia.path("interview.mov"), as: name) }
    try #require(shop.run("validate @good.mov").exitCode == .done)
    try #require(shop.run("set @bad.mov --track audio:1 --enabled off").exitCode == .done)
    try #require(shop.run("validate @bad.mov").exitCode == .no)
    try Data("no movie".utf8).write(to: URL(fileURLWithPath: shop.folder.file("broken.mov")))
    let quiet = shop.run("validate --quiet @good.mov @bad.mov @broken.mov")
    #expect(!quiet.output.contains { $0.hasPrefix("good.mov") })
    #expect(quiet.output.contains { $0.hasPrefix("bad.mov") })
    #expect(quiet.output.last == "3 movies: 1 warning in 1, 1 unreadable")
    // `inspect` applies only the rules of all players, and `bad.mov` violates none of them.
    let inspected = shop.run("inspect --quiet @good.mov @bad.mov @broken.mov")
    #expect(inspected.output.filter { $0.hasSuffix(".mov:") } == ["broken.mov:"])
    #expect(inspected.output.last == "3 movies: 1 unreadable")
    for (command, names) in [("validate", ["bad.mov", "broken.mov"]), ("inspect", ["broken.mov"])] {
      let files = shop.run("\(command) --quiet --json @good.mov @bad.mov @broken.mov").json["files"] as? [[String: Any]]
      #expect(files?.compactMap { ($0["file"] as? String)?.split(separator: "/").last.map(String.init) } == names)
    }
    #expect(shop.run("validate --quiet @good.mov").output == ["1 movie: no errors or warnings"])
    #expect(shop.run("inspect --quiet --atoms @good.mov").exitCode == .usage)
    #expect(shop.run("validate --quiet --fix @good.mov").exitCode == .usage)
  }

  @Test func acceptsAFolderWhoseMoviesWereNamedBefore() throws {
    let shop = try collection()
    let outcome = shop.run("set @films/more/three.mov @films/more --track video --language de")
    #expect(outcome.exitCode == .done)
    #expect(outcome.output.last == "1 movie: 1 edited")
  }

  @Test func namesAFolderWithoutMovies() throws {
    let shop = try Workshop()
    try FileManager.default.createDirectory(atPath: shop.folder.file("empty"), withIntermediateDirectories: true)
    for line in ["validate @empty", "inspect @empty", "set @empty --track video --language de", "metadata @empty"] {
      let outcome = shop.run(line)
      #expect(outcome.exitCode == .noInput, "\(line)")
      #expect(outcome.errors.contains { $0.hasPrefix("empty: no movie in this folder or below") }, "\(line)")
    }
  }
}
