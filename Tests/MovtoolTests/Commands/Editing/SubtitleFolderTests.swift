import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// The search for subtitle files in folders next to a movie, and the messages about ignored files.
struct SubtitleFolderTests {
  private static let cue = "1\n00:00:00,100 --> 00:00:00,500\nA\n"

  private func shop(_ files: [String], movies: [String] = ["film.mov"]) throws -> Workshop {
    let shop = try Workshop()
    for movie in movies { try shop.folder.write(TestMovie.simple, as: movie) }
    for file in files { try write(Self.cue, file, shop) }
    return shop
  }

  private func write(_ text: String, _ file: String, _ shop: Workshop) throws {
    let folder = URL(fileURLWithPath: shop.folder.file(file)).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try shop.folder.write(Array(text.utf8), as: file)
  }

  private func tracks(_ outcome: Workshop.Outcome) -> [String] {
    (outcome.json["tracks"] as? [[String: Any]] ?? []).map { track in
      let role = track["isForcedOnly"] as? Bool == true ? " forced" : track["isSDH"] as? Bool == true ? " sdh" : ""
      return "\(track["language"] as? String ?? "-")\(role) \(track["languageOrigin"] as? String ?? "-")"
    }
  }

  private func codes(_ outcome: Workshop.Outcome) -> [String] {
    (outcome.json["warnings"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
  }

  // MARK: - Roles without a language

  @Test(arguments: ["Subs", "subs", "Sub", "Subtitles"])
  func takesTheCommonLanguageForAFileWithARoleOnly(_ folder: String) throws {
    let shop = try shop(["\(folder)/film/2_English.srt", "\(folder)/film/3_Forced.srt", "\(folder)/film/4_SDH.srt"])
    let outcome = shop.run("add-subtitle @film.mov --dry-run --json")
    #expect(tracks(outcome) == ["en file-name", "en forced other-files", "en sdh other-files"])
    #expect(codes(outcome) == ["language-guessed", "language-guessed"])
    // The file whose name declares another language is skipped.
    let french = shop.run("add-subtitle @film.mov --language fr --dry-run --json")
    #expect(tracks(french) == ["fr forced option", "fr sdh option"] && codes(french) == ["file-left-out"])
  }

  @Test func leavesTheLanguageUnknownWithoutACommonOne() throws {
    let shop = try shop(["Subs/film/2_English.srt", "Subs/film/3_Forced.srt", "Subs/film/4_French.srt"])
    let outcome = shop.run("add-subtitle @film.mov --dry-run --json")
    #expect(tracks(outcome) == ["en file-name", "- forced unknown", "fr file-name"])
    #expect(codes(outcome) == ["language-unknown"])
    let alone = try self.shop(["Subs/film/3_Forced.srt"]).run("add-subtitle @film.mov --dry-run --json")
    #expect(tracks(alone) == ["- forced unknown"])
  }

  @Test func acceptsFilesInAFolderNamedAfterTheMovie() throws {
    let shop = try shop(["Subs/film/no.srt", "Subs/Film/is.srt"])
    #expect(tracks(shop.run("add-subtitle @film.mov @Subs/film/no.srt --dry-run --json")) == ["no file-name"])
    // In the movie's own folder, the word may belong to a title.
    try write(Self.cue, "no.srt", shop)
    #expect(tracks(shop.run("add-subtitle @film.mov @no.srt --dry-run --json")) == ["- unknown"])
  }

  // MARK: - Files without a language

  @Test func explainsASkippedFileWithoutALanguage() throws {
    let shop = try shop(["Subs/film/14_und.srt", "Subs/film/9.srt", "Subs/film/10_English.srt"])
    let outcome = shop.run("add-subtitle @film.mov --dry-run")
    #expect(
      outcome.errors.contains(
        "warning: Subs/film/14_und.srt: skipped: the languages of this file and of Subs/film/9.srt, which was added, "
          + "are "
          + "unknown; specify this file in the command, with --language TAG"), "\(outcome.errors)")
    #expect(outcome.errors.contains { $0.hasPrefix("warning: Subs/film/9.srt: the language is unknown") })
    #expect(outcome.output.filter { $0.hasPrefix("would add") }.count == 2)
    #expect(!outcome.errors.contains { $0.contains("Undetermined") })
    let named = shop.run("add-subtitle @film.mov @Subs/film/14_und.srt --dry-run")
    #expect(named.errors.first?.hasSuffix("\"und\" is written; --language sets it, movtool set afterwards") == true)
  }

  @Test func distinguishesFilesByTheirWebVTTHeaders() throws {
    let shop = try shop([])
    for language in ["en", "fr"] {
      let text = "WEBVTT\nLanguage: \(language)\n\n00:00.100 --> 00:00.500\nA\n"
      try write(text, "Subs/film/\(language == "en" ? 1 : 2).vtt", shop)
    }
    let outcome = shop.run("add-subtitle @film.mov --dry-run --json --strict")
    #expect(tracks(outcome) == ["en header", "fr header"])
  }

  @Test func sortsFilesByNumber() throws {
    let shop = try shop(["10_French", "2_English", "1_German"].map { "Subs/film/\($0).srt" })
    let outcome = shop.run("add-subtitle @film.mov --dry-run --json")
    #expect(tracks(outcome) == ["de file-name", "en file-name", "fr file-name"])
  }

  // MARK: - Files that cannot be used

  private static let foreign = "[10][50]Hello|world\n[60][70]Two\n"

  @Test(arguments: [
    ("[10][50]Hello\n", "ffmpeg -f mpl2"), ("", "no cues"), ("1\n09:00:00,000 --> 09:00:01,000\nA\n", "not shown"),
  ])
  func skipsAnUnusableFile(_ text: String, _ reason: String) throws {
    let shop = try shop(["film.fr.srt"])
    try write(text, "film.en.srt", shop)
    let strict = shop.run("add-subtitle @film.mov --strict")
    #expect(strict.exitCode == .no)
    let outcome = shop.run("add-subtitle @film.mov --json --dry-run")
    #expect(outcome.exitCode == .done && tracks(outcome) == ["fr file-name"] && codes(outcome) == ["file-left-out"])
    let pair = shop.run("add-subtitle --pair @film.mov")
    #expect(pair.exitCode == .done && pair.output.first == "film.mov: added French (track 3)")
    #expect(
      pair.errors.contains {
        $0.hasPrefix("warning: film.en.srt: ") && $0.contains("left out: ") && $0.contains(reason)
      })
    // As the only file, it is an error.
    try FileManager.default.removeItem(atPath: shop.folder.file("film.fr.srt"))
    #expect(shop.run("add-subtitle @film.mov").exitCode == .badData)
  }

  @Test func ignoresTheSuffixOfAConvertedFile() throws {
    let shop = try shop(["film.en.sdh-converted.srt", "film-converted.srt"])
    try write(Self.foreign, "film.en.sdh.srt", shop)
    let outcome = shop.run("add-subtitle @film.mov --json --dry-run")
    #expect(tracks(outcome) == ["- unknown", "en sdh file-name"])
    #expect(codes(outcome).contains("file-left-out"))
    // A movie may have the word in its name.
    #expect(FileNameHints(path: "film-converted.en.srt", movie: "film-converted.mov").language?.description == "en")
    #expect(FileNameHints(path: "film-converted.srt", movie: "film-converted.mov").isOfMovie)
    #expect(!FileNameHints(path: "film2-converted.srt", movie: "film.mov").isOfMovie)
  }

  // MARK: - Ignored files

  @Test func explainsAnIgnoredFileInASharedFolder() throws {
    let shop = try shop(["Subs/2_English.srt", "Subs/second.fr.srt"], movies: ["film.mov", "second.mov"])
    let reason =
      "Subs/2_English.srt is skipped: the folder has 2 movies, and the name matches none of them; move it to "
    let none = shop.run("add-subtitle @film.mov")
    #expect(none.exitCode == .usage && none.errors.first?.contains(reason + "Subs/film, or specify it") == true)
    let second = shop.run("add-subtitle @second.mov --dry-run")
    #expect(second.errors.contains { $0.hasPrefix("note: " + reason) } && second.exitCode == .done)
    let pair = shop.run("add-subtitle --pair @film.mov --json")
    #expect(pair.output.first?.contains("\"skippedReason\":\"" + reason) == true, "\(pair.output)")
    #expect(shop.run("add-subtitle --pair @film.mov").output.first?.contains(reason) == true)
    let alone = try self.shop(["Subs/readme.srt"]).run("add-subtitle @film.mov")
    #expect(alone.errors.first?.contains("neither the movie's name nor a language") == true)
  }

  // MARK: - The answer

  @Test func theAnswerNamesTheRoleAndTheFileOfEachTrack() throws {
    let shop = try shop(["film.en.srt", "film.en.commentary.srt", "film.en.easy-to-read.srt"])
    let outcome = shop.run("add-subtitle @film.mov --dry-run")
    for start in [
      "would add English: track 3 from film.en.srt, 1 cue", "would add English, commentary: track 4 from film.en.c",
      "would add English, easy-to-read: track 5 from film.en.easy-to-read.srt",
    ] { #expect(outcome.output.contains { $0.hasPrefix(start) }, "\(outcome.output)") }
    let pair = shop.run("add-subtitle --pair @film.mov")
    #expect(pair.output.first?.contains("English, commentary (track 4)") == true)
  }
}
