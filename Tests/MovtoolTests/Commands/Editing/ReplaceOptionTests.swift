import MovieBox
import TestSupport
import Testing

@testable import MovtoolCommands

/// `add-subtitle --replace`.
struct ReplaceOptionTests {
  @Test func replacesATrackByItsExtractedFile() throws {
    for (role, name) in [("commentary", "in.en.commentary.srt"), ("easy-to-read", "in.en.easy-to-read.srt")] {
      let shop = try Workshop(.right)
      #expect(shop.run("add-subtitle @in.mov @en.srt --language en --role \(role)").exitCode == .done)
      #expect(shop.run("extract @in.mov --track id:8").exitCode == .done)
      let outcome = shop.run("add-subtitle @in.mov @\(name) --replace")
      #expect(outcome.exitCode == .done, "\(outcome.errors)")
      let movie = try shop.movie()
      #expect(movie.track(8) == nil && movie.tracks.count == 8)
      let new = try #require(movie.tracks.last)
      #expect(TrackRole(rawValue: role)?.isSignalled(by: new.taggedCharacteristics, isForcedOnly: false) == true)
      #expect(new.isExcludedFromAutomaticSelection == (role == "commentary"))
    }
  }

  @Test func keepsGroupAndDefaultOfAReplacedTrack() throws {
    let shop = try Workshop(.right.with { $0.tracks[3].group = 7 })
    let outcome = shop.run("add-subtitle @in.mov @en.srt --language es --replace")
    #expect(outcome.exitCode == .done)
    let new = try #require(try shop.movie().tracks.last)
    #expect(new.alternateGroup == 7 && new.isEnabled)
  }

  @Test func replacesAQuickTime7TextTrack() throws {
    let corpus = try Corpus.require()
    let shop = try Workshop()
    try shop.folder.write(readFile(corpus.folder + "/made-spanish-text-entry.mov"), as: "in.mov")
    func isTold() -> Bool { shop.run("validate @in.mov").output.contains { $0.contains("subtitle.text-handler") } }
    #expect(isTold())
    #expect(shop.run("extract @in.mov --track text").exitCode == .done)
    #expect(shop.run("add-subtitle @in.mov @in.es.srt --replace").exitCode == .done)
    #expect(!isTold())
    #expect(try shop.movie().tracks.filter(\.mediaType.isLegible).map(\.mediaType) == [.subtitle])
  }

  @Test func replacesNeitherOfTwoMatches() throws {
    let shop = try Workshop(.right)
    #expect(shop.run("add-subtitle @in.mov @en.srt --language en --title Second").exitCode == .done)
    let before = try shop.folder.read("in.mov")
    let outcome = shop.run("add-subtitle @in.mov @en.srt --language en --replace")
    #expect(
      outcome.exitCode == .usage
        && outcome.errors.first?.contains("several tracks have its language and role: id:5 is ") == true)
    #expect(try shop.folder.read("in.mov") == before)
  }
}
