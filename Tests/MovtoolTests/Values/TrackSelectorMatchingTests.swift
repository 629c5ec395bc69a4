import MovieBox
import MovieWriter
import TestSupport
import Testing

@testable import MovtoolCommands

struct TrackSelectorMatchingTests {
  private func matches(_ text: String, in movie: TestMovie = .talk) throws -> [UInt32] {
    let edit = try MovieEdit(of: Movie(of: MemorySource(Bytes(movie.bytes()))))
    return try TrackSelector(text, option: "follow").matches(among: edit.tracks).map(\.id)
  }

  @Test(
    arguments: [
      ("id:3", [3]), ("id:9", []), ("video", [1]), ("audio", [2, 3]), ("audio:1", [2]), ("audio:2", [3]),
      ("audio:3", []), ("audio:en", [2]), ("audio:spa", [3]), ("audio:es,2", []), ("subtitle", [4]),
      ("subtitle:es", [4]), ("subtitle:es,sdh", []), ("subtitle:forced", []), ("video:und", [1]), ("text", []),
    ] as [(String, [UInt32])])
  func findsTracksByKindPositionLanguageAndRole(text: String, ids: [UInt32]) throws {
    #expect(try matches(text) == ids)
  }

  @Test func matchesRolesThatSetAssigns() throws {
    for role in TrackRole.allCases {
      let kind = role.suits(.audio) ? "audio" : "subtitle"
      let id: UInt32 = kind == "audio" ? 3 : 4
      let shop = try Workshop(.talk)
      #expect(shop.run("set @in.mov --track id:\(id) --role \(role.rawValue)").exitCode != .badData)
      let tracks = try shop.movie().tracks.map { EditedTrack($0) }
      let found = try TrackSelector("\(kind):\(role.rawValue)", option: "track").matches(among: tracks).map(\.id)
      #expect(found.contains(id), "\(role)")
      #expect(
        try TrackSelector("\(kind):regular", option: "track").matches(among: tracks).contains { $0.id == id }
          == (role == .regular))
      guard role != .regular else { continue }
      let shown = try shop.movie().track(id)?.role(in: shop.movie())?.lowercased()
      #expect(shown?.contains(role.rawValue) == true, "\(role): \(shown ?? "")")
    }
  }

  @Test func listsRolesAndTitles() throws {
    let shop = try Workshop(.talk)
    let title = String(repeating: "x", count: 41)
    let outcome = shop.run(
      "set @in.mov --track id:2 --role commentary --title \(title.dropLast()) --track id:3 --role dub --title \(title) "
        + "--track id:4 --role sdh --title Two")
    #expect(outcome.exitCode == .done, "\(outcome.errors)")
    #expect(
      try shop.movie().tracks.map { EditedTrack($0).line } == [
        "id:1 is video", "id:2 is audio, English, commentary, \"\(title.dropLast())\"",
        "id:3 is audio, Spanish, dub, \"\(title.dropLast())…\"", "id:4 is subtitle, Spanish SDH, \"Two\"",
      ])
  }

  @Test func matchesRegionsOfALanguageUnlessATrackHasTheExactTag() throws {
    let regions = TestMovie.talk.with {
      $0.tracks[1].extendedLanguage = "en-US"
      $0.tracks[2].extendedLanguage = "en-GB"
    }
    #expect(try matches("audio:en", in: regions) == [2, 3])
    #expect(try matches("audio:en-GB", in: regions) == [3])
    #expect(try matches("audio:en", in: regions.with { $0.tracks[2].extendedLanguage = "en" }) == [3])
  }
}
