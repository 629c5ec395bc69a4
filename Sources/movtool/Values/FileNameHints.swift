import MovieBox

/// What the name of a subtitle file says about it: `film.pt-BR.sdh.srt` holds Brazilian Portuguese for the deaf.
struct FileNameHints: Equatable, Sendable {
  /// What subtitles are for, beside being read.
  enum Role: Hashable, Sendable {
    /// One of ``trackRoles`` by its name; `sdh` is `cc` too, and `hi` beside a language.
    case track(TrackRole)
    /// The track that players choose by themselves: `default`.
    case `default`
  }

  /// The roles that names of subtitle files give. `original` is too common a word of titles.
  static let trackRoles: [TrackRole] = [.sdh, .forced, .easyToRead, .commentary]

  /// The language, where the name has one.
  private(set) var language: LanguageTag?
  /// The roles that the name has.
  private(set) var roles: Set<Role> = []

  /// Reads the words between the dots, from the last to the first that is neither language nor role.
  ///
  /// The first word is the film's title unless nothing else says the language (`en.srt`, `en.sdh.srt`). `hi` alone is
  /// Hindi; beside a language it means "hearing impaired": `film.en.hi.srt` and `film.hi.en.srt` are English for the
  /// deaf. A role may hang on to the word before it: `film.en-sdh.srt`, `film.en_forced.srt`. A language is written
  /// `en`, `EN`, `eng`, `pt-BR` or `English`; `Be` in `Let.It.Be.srt` is a word of a title. A language may hang on to the
  /// name of the movie, `film_en.srt` beside `film.mp4`, or by its whole name to any word: `disc1_English.srt`. What
  /// stands in brackets at the end of a word is a word of its own: `film (2020) [en].srt`, `film [en] (SDH).srt`. There a
  /// code of two letters in capitals is none: `[DV]`, `[SD]` and `(UK)` are marks of releases.
  init(path: String, movie: String? = nil) {
    let title = movie.map(Self.title)
    var parts = (path.split(separator: "/").last ?? "").split(separator: ".")
    if parts.count > 1 { parts.removeLast() }
    var words = parts.flatMap(Self.words)
    // `Johnny.English.srt` beside `Johnny.English.mp4` says nothing.
    let titleWords = title.map { $0.split(separator: ".").flatMap(Self.words) } ?? []
    let titleWordCount = words.starts(with: titleWords) ? titleWords.count : 0
    while let word = words.popLast() {
      if let role = Self.role(word) {
        roles.insert(role)
      } else if word.lowercased() == "hi", language != nil || Self.endsInLanguage(words) {
        roles.insert(.track(.sdh))
      } else if let (word, role) = Self.split(word) {
        roles.insert(role)
        words.append(word)
      } else if language == nil,
        let tag = Self.language(word)
          ?? (words.count < titleWordCount ? nil : LanguageTag(englishName: word))
      {
        language = tag
      } else if language == nil, let title,
        let tag = Self.language(behind: title, words + [word])
          ?? Self.language(behind: titleWords.joined(separator: ".")[...], words + [word])
      {
        language = tag
        return
      } else if language == nil, let (_, name) = Self.cut(word), let tag = LanguageTag(englishName: name) {
        language = tag
        return
      } else {
        return
      }
    }
  }

  /// A word, and behind it those that stand in brackets at its end.
  private static func words(of part: Substring) -> [Substring] {
    var (rest, bracketed): (Substring, [Substring]) = (part, [])
    while let close = rest.last, let open = Self.opening[close], let start = rest.lastIndex(of: open) {
      let word = rest[rest.index(after: start)...].dropLast()
      bracketed.append(word.count == 2 && word.allSatisfy(\.isUppercase) ? rest[start...] : word)
      rest = rest[..<start]
      while rest.last == " " { rest.removeLast() }
    }
    return (rest.isEmpty ? [] : [rest]) + bracketed.reversed()
  }

  private static let opening: [Character: Character] = ["]": "[", ")": "("]

  private static func role(_ word: Substring) -> Role? {
    switch word.lowercased() {
    case "cc": .track(.sdh)
    case "default": .default
    case let name: trackRoles.first { $0.rawValue == name }.map { .track($0) }
    }
  }

  /// The parts of a word that ends in a hyphen or underscore and a role.
  private static func split(_ word: Substring) -> (word: Substring, role: Role)? {
    guard let (word, name) = cut(word), let role = role(name) else { return nil }
    return (word, role)
  }

  /// What stands before and behind the last hyphen or underscore of a word.
  private static func cut(_ word: Substring) -> (Substring, Substring)? {
    guard let mark = word.lastIndex(where: { $0 == "-" || $0 == "_" }), mark > word.startIndex else { return nil }
    return (word[..<mark], word[word.index(after: mark)...])
  }

  /// The name of a movie's file without folder and extension.
  private static func title(_ path: String) -> Substring {
    let name = path.split(separator: "/").last ?? ""
    return name.lastIndex(of: ".").map { name[..<$0] } ?? name
  }

  /// The language that stands behind the movie's name and a hyphen or underscore.
  private static func language(behind title: Substring, _ words: [Substring]) -> LanguageTag? {
    let name = words.joined(separator: ".")
    guard !title.isEmpty, name.lowercased().hasPrefix(title.lowercased()) else { return nil }
    let rest = name.dropFirst(title.count)
    guard let mark = rest.first, mark == "-" || mark == "_" else { return nil }
    return language(rest.dropFirst())
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
