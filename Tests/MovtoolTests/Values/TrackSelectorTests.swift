import MovieBox
import Testing

@testable import MovtoolCommands

struct TrackSelectorTests {
  private func choice(_ text: String) throws -> TrackSelector.Choice {
    try TrackSelector(text, option: "follow").choice
  }

  @Test func readsIDsKindsPositionsLanguagesAndRoles() throws {
    let es = LanguageTag("es")
    let en = LanguageTag("en")
    #expect(try choice("id:5") == .id(5))
    #expect(try choice("video") == .kind(.video, position: nil, language: nil, roles: []))
    #expect(try choice("audio:2") == .kind(.audio, position: 2, language: nil, roles: []))
    #expect(try choice("subtitle:es") == .kind(.subtitle, position: nil, language: es, roles: []))
    #expect(try choice("subtitle:en,sdh") == .kind(.subtitle, position: nil, language: en, roles: [.sdh]))
    #expect(try choice("subtitle:forced") == .kind(.subtitle, position: nil, language: nil, roles: [.forced]))
    #expect(try choice("subtitle:en,2") == .kind(.subtitle, position: 2, language: en, roles: []))
  }

  @Test(arguments: [
    "", "id", "id:", "id:0", "id:+5", "audio:+2", "id:x", "id:1,2", "id:4294967296", "sound", "audio:", "audio:0",
    "audio:-1", "audio:1,2",
    "subtitle:en,fr", "subtitle:english", "subtitle:en,,sdh",
  ])
  func rejectsInvalidSelectors(text: String) throws {
    let error = try #require(throws: UsageError.self) { try choice(text) }
    #expect(error.code == .invalidValue)
    #expect(error.message.hasPrefix("--follow \(text): "))
  }

  @Test func misspelledKindNamesTheNearestOne() throws {
    let error = try #require(throws: UsageError.self) { try choice("subtitel:en") }
    #expect(error.message == "--follow subtitel:en: did you mean subtitle?")
  }

  @Test func suggestsTheColonBeforeRoles() throws {
    let error = try #require(throws: UsageError.self) { try choice("subtitle,sdh") }
    #expect(error.message == "--follow subtitle,sdh: did you mean subtitle:sdh?")
  }
}
