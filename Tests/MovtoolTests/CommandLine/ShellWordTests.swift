import Testing

@testable import MovtoolCommands

struct ShellWordTests {
  @Test(
    arguments: [
      ("film.mov", "film.mov"), ("id:5", "id:5"), ("../a_b-c/1,2+3@4%5.mov", "../a_b-c/1,2+3@4%5.mov"),
      ("", "''"), ("my film.mov", "'my film.mov'"), ("it's", "'it'\\''s'"), ("$(x)", "'$(x)'"), ("~", "'~'"),
      ("'", "''\\'''"),
      ("a\nb", "'a\nb'"), ("=x", "'=x'"), ("a#b", "'a#b'"), ("'\u{301};id;'\u{301}", "''\\''\u{301};id;'\\''\u{301}'"),
      ("'\u{FE0F}", "''\\''\u{FE0F}'"), ("é.mov", "'é.mov'"),
    ] as [(String, String)])
  func quotesWordsThatAShellWouldInterpret(_ text: String, _ word: String) {
    #expect(ShellWord.quoted(text) == word)
  }
}
