import Testing

@testable import MovtoolCommands

/// The sort order of names with numbers.
struct NaturalOrderTests {
  @Test func sortsNumbersInNamesByValue() {
    let names = ["10_French", "2_English", "1_German", "a10b2", "a10b10", "a9b99", "a", "02_English", "b007", "b7"]
    #expect(
      names.inNaturalOrder == [
        "1_German", "02_English", "2_English", "10_French", "a", "a9b99", "a10b2", "a10b10", "b007", "b7",
      ])
    #expect(["x99999999999999999999999", "x100000000000000000000000"].inNaturalOrder.first?.hasPrefix("x9") == true)
    #expect([""].inNaturalOrder == [""])
    let prefixes = ["film.cc.srt", "film.cc3.srt", "film.en.srt", "film.en.2.srt", "v1.2", "v1.10"]
    #expect(prefixes.reversed().inNaturalOrder == prefixes)
  }
}
