import Foundation
import MovieBox
import Subtitles
import TestSupport
import Testing

@testable import MovtoolCommands

/// SCC and MCC files are added and extracted like other subtitle files.
struct CaptionFilesTests {
  /// A yellow caption in the second row, from frame 3 to frame 20 after a time code of whole seconds.
  private func scc(_ start: String, separator: Character = ":") -> [UInt8] {
    Array(
      """
      Scenarist_SCC V1.0

      \(start)\(separator)00\t9420 91ea c8e9 942f

      \(start)\(separator)20\t942c

      """.utf8)
  }

  private func cues(_ shop: Workshop, _ movie: String = "film.mov") throws -> [Cue] {
    let source = try FileSource(path: shop.folder.file(movie))
    let read = try Movie(of: source)
    let track = try #require(read.tracks.last)
    return try TextTrackReader(track, of: read).read(from: source).cues
  }

  @Test func aCaptionBecomesTimedTextWithItsPlaceAndColor() throws {
    let shop = try Workshop(.simple, as: "film.mov")
    try shop.folder.write(scc("00:00:00"), as: "film.en.scc")
    let outcome = shop.run("add-subtitle @film.mov @film.en.scc --json")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    let cue = try #require(try cues(shop).first)
    #expect(cue.startMilliseconds == 100 && cue.endMilliseconds == 667)
    #expect(cue.text.text == "Hi")
    #expect(cue.text.runs.map(\.style.color) == [StyledText.Color(red: 255, green: 255, blue: 0)])
    guard case .fromTop(let hundredths) = cue.placement.vertical else {
      Issue.record("\(cue.placement)")
      return
    }
    // 15.3 % of the small picture, rounded to its pixels.
    #expect((1_400...1_700).contains(hundredths))
    // The text is at the left edge, and timed text is centered.
    let warnings = try #require(outcome.json["warnings"] as? [[String: Any]])
    #expect(warnings.compactMap { $0["code"] as? String } == ["placement-lost"])
    #expect((warnings.first?["message"] as? String)?.contains("10 % right of the left edge") == true)
    #expect((outcome.json["tracks"] as? [[String: Any]])?.first?["language"] as? String == "en")
  }

  /// An SCC file contains the original codes, which its SubRip conversion lacks.
  @Test func captionFilesPrecedeSubtitlesForCaptionTracks() throws {
    let shop = try Workshop(.talk, as: "film.mov")
    try shop.folder.write(scc("00:00:00"), as: "film.en.scc")
    try shop.write("film.en.cc.srt", ["Hi"])
    let outcome = shop.run("add-captions @film.mov --replace --dry-run")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    #expect(
      outcome.errors.contains("warning: film.en.cc.srt: skipped: film.en.scc has the same language and role"),
      "\(outcome.errors)")
    #expect(outcome.output.first?.contains("from film.en.scc") == true, "\(outcome.output)")
  }

  @Test func timecodesCountFromTheBase() throws {
    for separator in [":", ";"] as [Character] {
      let shop = try Workshop(.simple, as: "film.mov")
      try shop.folder.write(scc("01:00:00", separator: separator), as: "film.en.scc")
      let late = shop.run("add-subtitle @film.mov @film.en.scc")
      #expect(late.exitCode == .badData)
      #expect(
        late.errors.last == "the time codes begin in hour 1: --timecode-base 01:00:00:00 subtracts it", "\(late.errors)"
      )
      let outcome = shop.run("add-subtitle @film.mov @film.en.scc --timecode-base 01:00:00:00")
      #expect(outcome.exitCode == .done, "\(outcome.errors)")
      // Drop-frame time codes of a whole hour are 3.6 ms early.
      let start = try #require(try cues(shop).first).startMilliseconds
      #expect((96...100).contains(start), "\(start)")
    }
  }

  @Test func captionsBesideTheMovieAreFound() throws {
    let shop = try Workshop(.simple, as: "film.mov")
    try shop.folder.write(scc("00:00:00"), as: "film.es.scc")
    let outcome = shop.run("add-subtitle --pair @film.mov")
    #expect(outcome.output.first?.contains("added Spanish") == true, "\(outcome.output)")
  }

  @Test(arguments: ["scc", "mcc"]) func extractedCaptionsAreTheSameCues(_ format: String) throws {
    let shop = try Workshop(.simple, as: "film.mov")
    let text = "1\n00:00:00,600 --> 00:00:00,900\n<i>Äh…</i> who?\n"
    try shop.folder.write(Array(text.utf8), as: "film.en.srt")
    #expect(shop.run("add-subtitle @film.mov @film.en.srt").exitCode == .done)
    let outcome = shop.run("extract @film.mov --format \(format)")
    #expect(outcome.exitCode == .done)
    #expect(outcome.errors.contains { $0.contains("replaced 1 character that CEA-608 lacks by similar characters") })
    let file = try SubtitleFile.read(try shop.folder.read("film.en.\(format)"), named: "film.en.\(format)")
    #expect(file.cues.map(\.text) == [StyledText("Äh... who?", runs: [.init(0..<5, .init(isItalic: true))])])
    // The codes take 19 frames to load, and the cue begins after 18 frames.
    #expect(file.cues.first?.startMilliseconds == 633)
    #expect(shop.run("extract @film.mov -o @other.\(format)").exitCode == .done)
    #expect(try shop.folder.read("other.\(format)") == shop.folder.read("film.en.\(format)"))
  }

  @Test func aMalformedLineIsNamed() throws {
    let shop = try Workshop(.simple, as: "film.mov")
    try shop.folder.write(Array("Scenarist_SCC V1.0\n\n00:00:00:00\t942\n".utf8), as: "film.en.scc")
    let outcome = shop.run("add-subtitle @film.mov @film.en.scc")
    #expect(outcome.exitCode == .badData)
    #expect(outcome.errors.first?.contains("film.en.scc: line 3: \"942\" has 3 digits; a word has four") == true)
  }
}
