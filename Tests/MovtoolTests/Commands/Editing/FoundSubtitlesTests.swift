import Foundation
import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// Subtitle files as found in practice: their folders, names, headers and frame rates.
struct FoundSubtitlesTests {
  private static let cue = "1\n00:00:00,100 --> 00:00:00,500\nA\n"

  private func shop(_ files: [String]) throws -> Workshop {
    let shop = try Workshop(.simple, as: "film.mov")
    for file in files {
      let folder = URL(fileURLWithPath: shop.folder.file(file)).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try shop.folder.write(Array(Self.cue.utf8), as: file)
    }
    return shop
  }

  // MARK: - Folders

  @Test func subtitlesInFoldersBesideTheMovieAreFound() throws {
    let shop = try shop([
      "Subs/2_English.srt", "Subs/film.fr.srt", "Subs/readme.srt", "subtitles/film.de.srt", "Subs/film/3_Spanish.srt",
      "Other/film.it.srt", "Subs/other/4_Italian.srt",
    ])
    let outcome = shop.run("add-subtitle @film.mov --dry-run")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    let names = outcome.output.filter { $0.hasPrefix("would add") }.map { $0.split(separator: ":")[0] }
    #expect(Set(names) == ["would add English", "would add French", "would add German", "would add Spanish"])
    #expect(outcome.errors.first?.contains("found for film.mov: ") == true)
    let pair = shop.run("add-subtitle --pair @film.mov")
    #expect(pair.output.first?.contains("English") == true && pair.output.first?.contains("Spanish") == true)
  }

  @Test func acceptsUnrelatedNamesForTheOnlyMovieOfAFolder() throws {
    let shop = try shop(["Subs/2_English.srt", "Subs/film.fr.srt", "Subs/FILM/3_Spanish.srt"])
    try shop.folder.write(TestMovie.simple, as: "second.mov")
    let outcome = shop.run("add-subtitle @film.mov --dry-run --json")
    let files = (outcome.json["tracks"] as? [[String: Any]])?.compactMap { $0["language"] as? String }
    #expect(files == ["fr", "es"])
  }

  @Test func changesNothingWithoutSubtitles() throws {
    #expect(try shop(["Subs/readme.srt"]).run("add-subtitle @film.mov").exitCode == .usage)
  }

  // MARK: - Languages and roles

  @Test func takesTheLanguageFromTheWebVTTHeaderAsALastResort() throws {
    let shop = try shop([])
    let text = "WEBVTT\nKind: captions\nLanguage: pt-BR\n\n00:00.100 --> 00:00.500\nola\n"
    for (name, options, language, origin) in [
      ("a.vtt", "", "pt-BR", "header"), ("film.en.vtt", "", "en", "file-name"),
      ("a.vtt", "--language fr", "fr", "option"),
    ] {
      try shop.folder.write(Array(text.utf8), as: name)
      let outcome = shop.run("add-subtitle @film.mov @\(name) \(options) --dry-run --json --strict")
      let track = try #require((outcome.json["tracks"] as? [[String: Any]])?.first)
      #expect(track["language"] as? String == language && track["languageOrigin"] as? String == origin)
      #expect((outcome.json["warnings"] as? [Any])?.isEmpty == true)
    }
    try shop.folder.write(Array(text.replacing("pt-BR", with: "Klingonish").utf8), as: "a.vtt")
    #expect(
      shop.run("add-subtitle @film.mov @a.vtt --dry-run").errors.contains { $0.contains("the language is unknown") })
  }

  @Test func warnsOfGuessesFromCountryCodesAndForcedWords() throws {
    let shop = try shop(["film.cz.srt", "film.en.signs.srt"])
    let czech = shop.run("add-subtitle @film.mov @film.cz.srt --dry-run")
    #expect(czech.output.first?.hasPrefix("would add Czech") == true)
    #expect(
      czech.errors == [
        "warning: film.cz.srt: the language is Czech according to the name, in which \"cz\" is the code of a country; "
          + "--language sets another language"
      ])
    let signs = shop.run("add-subtitle @film.mov @film.en.signs.srt --dry-run --json")
    #expect((signs.json["tracks"] as? [[String: Any]])?.first?["isForcedOnly"] as? Bool == true)
    #expect((signs.json["warnings"] as? [[String: Any]])?.map { $0["code"] as? String } == ["role-guessed"])
    for options in ["--role regular", "--forced", "--sdh"] {
      #expect(shop.run("add-subtitle @film.mov @film.en.signs.srt \(options) --dry-run --strict").errors.isEmpty)
    }
  }

  @Test func languageOptionYieldsToNamesOfFoundFilesOnly() throws {
    let shop = try shop(["film.es.srt", "film.srt"])
    let found = shop.run("add-subtitle @film.mov --language en --dry-run")
    #expect(found.output.first?.hasPrefix("would add English") == true, "\(found)")
    #expect(found.output.first?.contains("film.srt") == true)
    #expect(found.errors.contains { $0.contains("film.es.srt: left out: its name declares Spanish, not English") })
    let only = try self.shop(["film.es.srt"]).run("add-subtitle @film.mov --language en")
    #expect(only.exitCode == .usage && only.errors.contains { $0.contains("film.es.srt: left out") }, "\(only)")
    // A variant of the language is no contradiction, and neither is a doubtful word.
    let near = try self.shop(["film.en-GB.srt"]).run("add-subtitle @film.mov --language en --dry-run")
    #expect(near.exitCode == .done && near.errors.allSatisfy { !$0.contains("left out") })

    let named = shop.run("add-subtitle @film.mov @film.es.srt --language en --dry-run --strict")
    #expect(named.exitCode == .done && named.output.first?.hasPrefix("would add English") == true)
    #expect(named.errors.contains("note: film.es.srt declares Spanish in its name; --language sets English"))
  }

  /// The files that `extract` writes are found again, with the same languages and roles.
  @Test func namesOfExtractedFilesAreFound() throws {
    let shop = try Workshop(.simple, as: "film.mov")
    let adds = ["en", "en --title B", "no", "no --title B", "pt-BR --forced", "hi --role commentary"]
    for options in adds { #expect(shop.run("add-subtitle @film.mov @en.srt --language \(options)").exitCode == .done) }
    try shop.folder.remove("en.srt")
    let outcome = shop.run("extract @film.mov")
    let names = outcome.output.compactMap { $0.components(separatedBy: " to ").last }
    #expect(
      names == [
        "film.en.3.srt", "film.en.4.srt", "film.no.5.srt", "film.no.6.srt", "film.pt-BR.forced.7.srt",
        "film.hi.commentary.8.srt",
      ])
    try shop.folder.write(TestMovie.simple, as: "film.mov")
    let found = shop.run("add-subtitle @film.mov")
    #expect(
      found.output.filter { $0.hasPrefix("added") }.compactMap { $0.components(separatedBy: ": ").first } == [
        "added English", "added Hindi, commentary", "added Norwegian", "added Portuguese (Brazil), forced only",
      ])
    #expect(found.errors.count { $0.contains("skipped: film.") } == 2, "\(found.errors)")
  }

  // MARK: - Times

  /// The movie lasts two seconds.
  @Test func suggestsTheScaleThatFitsAllCues() throws {
    let shop = try shop([])
    let late =
      "1\n00:00:00,100 --> 00:00:00,900\nA\n\n2\n00:00:02,005 --> 00:00:02,015\nB\n\n3\n00:00:02,020 --> "
      + "00:00:02,035\nC\n"
    try shop.folder.write(Array(late.utf8), as: "film.en.srt")
    let outcome = shop.run("add-subtitle @film.mov @film.en.srt --dry-run")
    #expect(outcome.errors.contains { $0.contains("; --scale 23.976/25 does that") }, "\(outcome.errors)")
    for options in ["--scale 23.976/25", "--from-fps 23.976 --to-fps 25"] {
      let scaled = shop.run("add-subtitle @film.mov @film.en.srt \(options) --dry-run --strict")
      #expect(scaled.exitCode == .done && scaled.errors.isEmpty, "\(scaled.errors)")
    }
    // No scale fits these cues.
    try shop.folder.write(Array(late.replacing("00:00:02,0", with: "00:00:09,0").utf8), as: "film.en.srt")
    #expect(!shop.run("add-subtitle @film.mov @film.en.srt --dry-run").errors.contains { $0.contains("--scale") })
  }

  @Test func requiresTwoFrameRatesWithoutAScale() throws {
    let shop = try shop(["film.en.srt"])
    for options in [
      "--from-fps 25", "--to-fps 25", "--from-fps 25 --to-fps 24 --scale 2", "--from-fps x --to-fps 25",
      "--from-fps 0 --to-fps 25", "--from-fps 1 --to-fps 1000",
    ] {
      #expect(shop.run("add-subtitle @film.mov @film.en.srt \(options) --dry-run").exitCode == .usage, "\(options)")
    }
    #expect(CueTiming.Scale(fromFrameRate: 23.976, toFrameRate: 25) == CueTiming.Scale("23.976/25"))
    #expect(CueTiming.Scale(fromFrameRate: 25, toFrameRate: 29.97) == CueTiming.Scale("25/29.97"))
    for rate in [0, -1, .nan, .infinity, 1e9] { #expect(CueTiming.Scale(fromFrameRate: rate, toFrameRate: 25) == nil) }
  }

  @Test func concatenatesParts() throws {
    let shop = try shop([])
    let text = "WEBVTT\n\n00:00.100 --> 00:00.300\nA\n\nWEBVTT\n\n00:00.050 --> 00:00.200\nB\n"
    try shop.folder.write(Array(text.utf8), as: "film.en.vtt")
    let outcome = shop.run("add-subtitle @film.mov @film.en.vtt --dry-run")
    #expect(outcome.errors.contains { $0.contains("line 6: ") && $0.contains("--part-duration SECONDS") })
    #expect(shop.run("add-subtitle @film.mov @film.en.vtt --part-duration 0.5 --strict").exitCode == .done)
    #expect(shop.run("extract @film.mov -o -").output.contains("00:00:00,550 --> 00:00:00,700"))
    for value in ["0", "-1", "x"] {
      #expect(shop.run("add-subtitle @film.mov @film.en.vtt --part-duration \(value)").exitCode == .usage)
    }
    let idle = shop.run("add-subtitle @film.mov @en.srt --part-duration 5 --dry-run")
    #expect(idle.errors.contains { $0.contains("--part-duration has no effect") })
  }

  @Test func unrollsRollUpCaptions() throws {
    let shop = try shop([])
    let text =
      "WEBVTT\n\n00:00.000 --> 00:00.200\nA\n\n00:00.200 --> 00:00.210\nA\n\n00:00.210 --> 00:00.400\nA\nB\n\n"
      + "00:00.400 --> 00:00.410\nB\n\n00:00.410 --> 00:00.600\nB\nC\n"
    try shop.folder.write(Array(text.utf8), as: "film.en.vtt")
    let outcome = shop.run("add-subtitle @film.mov @film.en.vtt --dry-run")
    #expect(
      outcome.errors.contains {
        $0.contains("line 3: captions roll up") && $0.hasSuffix("--unroll shows each line once")
      })
    let unrolled = shop.run("add-subtitle @film.mov @film.en.vtt --unroll --strict")
    #expect(unrolled.exitCode == .done, "\(unrolled.errors)")
    #expect(
      unrolled.errors.contains { $0.contains("5 cues with rolling captions became 3 cues; each line is shown once") })
    #expect(shop.run("extract @film.mov -o -").output.filter { ["A", "B", "C"].contains($0) } == ["A", "B", "C"])
    let idle = shop.run("add-subtitle @film.mov @en.srt --unroll --dry-run")
    #expect(idle.errors.contains { $0.contains("--unroll has no effect") })
  }

  // MARK: - Formats

  @Test(
    arguments: [
      ("[10][50]Hello|world\n[60][70]Two\n", "MPL2 subtitles", "ffmpeg -f mpl2 -i"),
      ("00:00:01:Hello\n00:00:03:Two\n", "TMPlayer subtitles", "ffmpeg -f vplayer -i"),
      ("10,20,\"Hello\"\n", "PJS subtitles", "ffmpeg -f pjs -i"),
      ("$FontName = Arial\n00:00:01:00 , 00:00:02:00 , Hello\n", "Spruce STL", "ffmpeg -f stl -i"),
      ("<window type=\"generic\">\n<time begin=\"00:00:01.0\"/>Hello\n", "RealText", "ffmpeg -f realtext -i"),
      ("0:00:01.00 0:00:02.00 D Hello\n", "JACOsub", "ffmpeg -f jacosub -i"),
      ("start\tend\ttext\n0\t2000\tHello\n", "Whisper transcript (TSV)", "whisper --output_format srt"),
      ("{\"text\": \"Hello\", \"segments\": []}", "Whisper transcript (JSON)", "whisper --output_format srt"),
      (
        "<?xml version=\"1.0\"?>\n<timedtext format=\"3\"><body/></timedtext>", "YouTube captions (XML)",
        "--sub-format vtt"
      ),
      ("{\"wireMagic\": \"pb3\", \"events\": []}", "YouTube captions (json3)", "--sub-format vtt"),
    ], ["film.en.srt", "film.en.vtt", "film.en.txt"])
  func suggestsTheConversionOfUnsupportedFormats(_ known: (String, String, String), name: String) throws {
    let shop = try shop([])
    try shop.folder.write(Array(known.0.utf8), as: name)
    let outcome = shop.run("add-subtitle @film.mov @\(name)")
    #expect(outcome.exitCode == .badData)
    let lines = outcome.errors.joined(separator: "\n")
    #expect(lines.contains(known.1) && lines.contains(known.2), "\(outcome.errors)")
  }
}
