import Testing

@testable import MovieBox

struct FilePathTests {
  @Test func splitsPathsIntoNameStemAndExtension() {
    let cases: [(path: String, name: String, stem: String, fileExtension: String?, rest: String)] = [
      ("film.mov", "film.mov", "film", "mov", "film"), ("a.b/film", "film", "film", nil, "a.b/film"),
      ("a/film.en.srt", "film.en.srt", "film.en", "srt", "a/film.en"), ("a/.mov", ".mov", ".mov", nil, "a/.mov"),
      ("film.", "film.", "film", "", "film"), ("a/film.d/", "film.d", "film", "d", "a/film"), ("/", "", "", nil, "/"),
    ]
    for (text, name, stem, fileExtension, rest) in cases {
      let path = FilePath(text)
      let parts = [path.name, path.stem, path.fileExtension, path.withoutExtension].map { $0.map(String.init) }
      #expect(parts == [name, stem, fileExtension, rest], "\(text)")
    }
  }
}
