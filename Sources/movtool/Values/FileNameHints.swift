import MovieBox

/// What the name of a subtitle file says about it: `film.pt-BR.sdh.srt` holds Brazilian Portuguese for the deaf.
struct FileNameHints: Equatable, Sendable {
  /// What subtitles are for, beside being read.
  enum Role: Hashable, Sendable {
    /// For the deaf and hard of hearing: `sdh`, `cc`, and `hi` beside a language.
    case sdh
    /// Shown though subtitles are off: `forced`.
    case forced
    /// The track that players choose by themselves: `default`.
    case `default`
  }

  /// The language, where the name has one.
  private(set) var language: LanguageTag?
  /// The roles that the name has.
  private(set) var roles: Set<Role> = []

  /// Reads the words between the dots, from the last to the first that is neither language nor role.
  ///
  /// The first word is the film's title unless nothing else says the language (`en.srt`, `en.sdh.srt`). `hi` alone is
  /// Hindi; beside a language it means "hearing impaired": `film.en.hi.srt` and `film.hi.en.srt` are English for the
  /// deaf. A role may hang on to the word before it: `film.en-sdh.srt`, `film.en_forced.srt`. A language is written
  /// `en`, `EN`, `eng` or `pt-BR`; `Be` in `Let.It.Be.srt` is a word of a title.
  init(path: String) {
    var words = (path.split(separator: "/").last ?? "").split(separator: ".")
    if words.count > 1 { words.removeLast() }
    while let word = words.popLast() {
      if let role = Self.role(word) {
        roles.insert(role)
      } else if word.lowercased() == "hi", language != nil || Self.endsInLanguage(words) {
        roles.insert(.sdh)
      } else if let (word, role) = Self.split(word) {
        roles.insert(role)
        words.append(word)
      } else if language == nil, let tag = Self.language(word) {
        language = tag
      } else {
        return
      }
    }
  }

  private static func role(_ word: Substring) -> Role? {
    switch word.lowercased() {
    case "sdh", "cc": .sdh
    case "forced": .forced
    case "default": .default
    default: nil
    }
  }

  /// The parts of a word that ends in a hyphen or underscore and a role.
  private static func split(_ word: Substring) -> (word: Substring, role: Role)? {
    guard let mark = word.lastIndex(where: { $0 == "-" || $0 == "_" }), mark > word.startIndex,
      let role = role(word[word.index(after: mark)...])
    else { return nil }
    return (word[..<mark], role)
  }

  /// Whether the last of the words that is no role is a language.
  private static func endsInLanguage(_ words: [Substring]) -> Bool {
    words.last { role($0) == nil }.flatMap(language) != nil
  }

  private static func language(_ word: Substring) -> LanguageTag? {
    let code = word.prefix { $0 != "-" && $0 != "_" }
    guard code.allSatisfy(\.isLowercase) || code.allSatisfy(\.isUppercase) else { return nil }
    guard let tag = LanguageTag(written: word), tag.isCommon else { return nil }
    return tag
  }
}
