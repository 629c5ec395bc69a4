import Testing

@testable import MovieBox

struct FileNameHintsTests {
  @Test(arguments: FileNameExamples.all)
  func readsLanguageAndRoleFromNames(_ example: FileNameExamples.Example) {
    let hints = FileNameHints(path: example.name, movie: example.movie)
    #expect(hints.language?.description == example.language)
    #expect(Set(hints.roles.map(Self.name)) == example.roles)
    #expect(hints.ambiguity.map(Self.name) == example.ambiguity)
  }

  @Test func coversManyExamples() {
    #expect(FileNameExamples.all.count >= 200)
  }

  @Test(arguments: ["", ".srt", "en", "/", "a/", "((((", "----.srt", "[en", "\u{FEFF}.srt"])
  func survivesAnyName(_ name: String) {
    for movie in [nil, "", ".", "film.mov", name] {
      let hints = FileNameHints(path: name, movie: movie)
      #expect(hints.roles.isEmpty)
    }
  }

  private static func name(_ role: FileNameHints.Role) -> String {
    switch role {
    case .track(let role): role.rawValue
    case .default: "default"
    }
  }

  private static func name(_ ambiguity: FileNameHints.Ambiguity) -> String {
    switch ambiguity {
    case .word: "word"
    case .country: "country"
    case .several: "several"
    case .guess: "guess"
    case .hearingImpaired: "hi"
    }
  }
}
