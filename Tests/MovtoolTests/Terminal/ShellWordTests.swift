import Testing

@testable import movtool

struct ShellWordTests {
  @Test(
    arguments: [
      ("film.mov", "film.mov"), ("id:5", "id:5"), ("../a_b-c/1,2+3@4%5=6.mov", "../a_b-c/1,2+3@4%5=6.mov"),
      ("", "''"), ("my film.mov", "'my film.mov'"), ("it's", "'it'\\''s'"), ("$(x)", "'$(x)'"), ("~", "'~'"),
      ("'", "''\\'''"),
      ("a\nb", "'a\nb'"), ("é.mov", "'é.mov'"),
    ] as [(String, String)])
  func whatAShellReadsOtherwiseIsQuoted(_ text: String, _ word: String) {
    #expect(ShellWord.quoted(text) == word)
  }
}
