import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

struct SelectCommandTests {
  /// English (2, enabled) and Spanish (3) audio, and Spanish subtitles (4) that follow the English audio.
  private let talk = TestMovie.talk.with { $0.tracks[1].references = [TestReference("folw", 4)] }

  @Test func explainsTheChoice() throws {
    let outcome = try Workshop(talk).run("select @in.mov --language fr")
    #expect(outcome.exitCode == .done && outcome.errors.isEmpty)
    #expect(
      outcome.output == [
        "Audio: English, track 2",
        "    no audio in French, which the viewer prefers",
        "  → the enabled track of the group",
        "",
        "Subtitles: Spanish, track 4",
        "    no subtitles in French, which the viewer prefers",
        "    no subtitles in English, the language of the audio",
        "  → follows the audio (folw)",
      ])
  }

  @Test func printsRuleNamesAsJSON() throws {
    let json = try Workshop(talk).run("select --json --subtitles off --audio audio:es @in.mov").json
    let audible = try #require(json["audible"] as? [String: Any])
    #expect(audible["track"] as? Int == 3)
    let legible = try #require(json["legible"] as? [String: Any])
    let rules = try #require(legible["steps"] as? [[String: Any]]).map { $0["rule"] as? String }
    #expect(rules == ["subtitlesOff", "none"])
    #expect(legible["track"] is String == false && legible["track"] as? Int == nil)
  }

  @Test func rejectsInvalidUsage() throws {
    let shop = try Workshop(talk)
    #expect(shop.run("select @in.mov --subtitles maybe").exitCode == .usage)
    #expect(shop.run("select @in.mov --language ???").exitCode == .usage)
    #expect(shop.run("select @in.mov --audio subtitle:es").exitCode == .usage)
    #expect(shop.run("select").exitCode == .usage)
    #expect(shop.run("select @none.mov").exitCode == .noInput)
  }
}
