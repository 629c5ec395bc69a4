import Testing

@testable import MovtoolCommands

struct SuggestionTests {
  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1),
    ("kitten", "sitting", 3), ("force", "forced", 1),
  ])
  func editDistanceCountsChangesAndSwaps(left: String, right: String, distance: Int) {
    #expect(Suggestion.editDistance(from: Array(left), to: Array(right)) == distance)
    #expect(Suggestion.editDistance(from: Array(right), to: Array(left)) == distance)
  }

  @Test func ignoresLongWords() {
    let long = Array(repeating: Character("a"), count: 100_000)
    #expect(Suggestion.editDistance(from: long, to: long) == 100_000)
  }

  @Test func suggestsTheShortestNameWithThePrefix() {
    #expect(Suggestion.nearest(to: "for", among: ["forced-for", "forced", "force"]) == "force")
  }

  @Test func allowsOneWrongLetterInAShortWord() {
    #expect(Suggestion.nearest(to: "sdg", among: ["sdh"]) == "sdh")
    #expect(Suggestion.nearest(to: "sxx", among: ["sdh"]) == nil)
    #expect(Suggestion.nearest(to: "", among: ["o"]) == nil)
  }
}
