/// The language and roles suggested by the name of a subtitle file. For example, `film.pt-BR.sdh.srt` suggests
/// Brazilian Portuguese for the deaf.
///
/// If the name begins with the movie's name, the words after it are examined for registered language codes, tags and
/// names. Otherwise, only the last words are examined, and a role is accepted only together with a language. Ambiguous
/// words such as `no` and `is` are accepted only directly after the movie's name. Elsewhere, they cause an
/// ``Ambiguity``. The result is a guess, and later versions may guess differently.
///
///     let hints = FileNameHints(path: "film.en.sdh.srt", movie: "film.mov")
///     print(hints.language?.description ?? "und", hints.roles)
public struct FileNameHints: Hashable, Sendable {
  /// The role of subtitles, or the mark for default subtitles.
  public enum Role: Hashable, Sendable {
    /// A role in ``trackRoles``. The word in the file name is the role's name. For `sdh`, it may also be `cc`, or `hi`
    /// next to a language.
    case track(TrackRole)
    /// The track that players select by default (`default`).
    case `default`
  }

  /// The reason why a language was rejected or is uncertain.
  public enum Ambiguity: Hashable, Sendable {
    /// The language code is also a word.
    case word(String, LanguageTag)
    /// The word is a country code. The tag is the language that it probably means.
    case country(String, LanguageTag)
    /// The name contains several languages.
    case several([LanguageTag])
    /// The language is next to an unknown word.
    case guess(String)
    /// The name contains `hi` without a language. The word means Hindi or "hearing impaired".
    case hearingImpaired
  }

  /// The roles that file names can suggest. The role `original` is excluded, because titles often contain the word.
  public static let trackRoles: [TrackRole] = [.sdh, .forced, .easyToRead, .commentary]

  /// The language, or `nil` if the name suggests none.
  public private(set) var language: LanguageTag?
  /// The roles that the name suggests.
  public private(set) var roles: Set<Role> = []
  /// The reason why the language is missing or uncertain, or `nil` if it is certain.
  public private(set) var ambiguity: Ambiguity?
  /// The ambiguous word that suggests forced subtitles, such as `signs`, `songs` or `foreign`, or `nil` if the name
  /// contains none.
  public private(set) var guessedForced: String?
  /// Whether the name consists only of the movie's name, languages and roles. A file with other words in its name may
  /// belong to another movie.
  public private(set) var isOfMovie = false
  /// Whether the name negates a role, as in `non.forced`. A name with a negated role suggests no roles at all.
  private var negatesRoles = false
  private var beginsWithMovieName = false

  /// The characteristics of the roles, in order.
  public var characteristics: [MediaCharacteristic] {
    Self.trackRoles.filter { roles.contains(.track($0)) }.flatMap(\.characteristics)
  }

  /// Whether the name suggests forced subtitles. Players show forced subtitles even if subtitles are off.
  package var isForced: Bool { roles.contains(.track(.forced)) }

  /// Whether the name suggests that players select the subtitles by default.
  package var isDefault: Bool { roles.contains(.default) }

  /// `false` if the name suggests a commentary, or `nil` otherwise. Players must not select a commentary automatically.
  package var isSelectedAutomatically: Bool? { roles.contains(.track(.commentary)) ? false : nil }

  /// Returns the hints with `roles` instead of the roles in the name.
  package func replacingTrackRoles(with roles: [TrackRole]) -> FileNameHints {
    var hints = self
    hints.roles = hints.roles.intersection([.default]).union(roles.map { Role.track($0) })
    hints.guessedForced = nil
    return hints
  }

  /// Reads the name of the file at `path`, for the movie at `movie`.
  public init(path: String, movie: String? = nil) {
    var name = FilePath(path).name
    if let dot = name.lastIndex(of: "."), dot > name.startIndex || name.count > 1 { name = name[..<dot] }
    name = Self.removingConversionSuffix(name, movie)
    let (words, isNamedAfterMovie) = Self.words(of: name, after: movie.map { FilePath($0).stem })
    let beginsWithMovieName = isNamedAfterMovie || Self.isInFolder(path, named: movie)
    let isKnown = words.allSatisfy(\.isKnown)
    // The name of an extracted file may end with the track ID: `film.no.3.srt`.
    let endsWithNumber = words.count > 1 && words.last?.isSeparateNumber == true
    let isPlain = (endsWithNumber ? words.dropLast() : words[...]).allSatisfy { word in
      !word.isFiller && word.separator != " "
    }
    negatesRoles = Self.containsNegatedRole(words)
    self.beginsWithMovieName = beginsWithMovieName
    if isKnown, beginsWithMovieName || !words.contains(where: \.isAmbiguousCode) {
      read(words[...], acceptsAmbiguousCodes: beginsWithMovieName && isPlain && !negatesRoles, isWholeName: true)
    } else {
      let last = words.lastIndex { !$0.isKnown || $0.isAmbiguousCode } ?? words.startIndex
      let end = words[words.index(after: last)...]
      if beginsWithMovieName || end.first(where: { !$0.isFiller && !$0.isLikelyForced })?.isDelimited == true {
        read(end, acceptsAmbiguousCodes: false, isWholeName: false)
      }
      let first = words.prefix { $0.isKnown && !$0.isAmbiguousCode }
      if language == nil, ambiguity == nil, beginsWithMovieName, first.contains(where: \.isLanguage) {
        read(first, acceptsAmbiguousCodes: false, isWholeName: true)
        if language != nil { ambiguity = .guess(first.first { $0.isLanguage }?.text ?? "") }
      }
    }
    if !beginsWithMovieName, language == nil { roles = [] }  // The words belong to another title.
    if negatesRoles { roles = [] }
    let negatedLanguage = zip(words, words.dropFirst()).first {
      $1.tag == language && $0.isNegation
    }
    if language != nil, let (_, word) = negatedLanguage {
      (language, ambiguity) = (nil, word.tag.map { .word(word.text, $0) })
    }
    if language == nil, ambiguity == nil { ambiguity = words.reversed().lazy.compactMap(\.ambiguity).first }
    if !isForced { guessedForced = nil }
    isOfMovie =
      beginsWithMovieName && isKnown
      && (words.first.map { $0.isLanguage || $0.isRole || $0.countryLanguage != nil && language != nil } ?? true)
  }

  /// Returns the name without the suffix that a converter appended, as in `film.en-converted`.
  private static func removingConversionSuffix(_ name: Substring, _ movie: String?) -> Substring {
    let mark = "-converted"
    guard name.count > mark.count, name.lowercased().hasSuffix(mark) else { return name }
    let stem = movie.map { FilePath($0).stem.lowercased() } ?? ""
    let rest = name.dropLast(mark.count)
    return stem.hasSuffix(mark) && !rest.lowercased().hasPrefix(stem) ? name : rest
  }

  /// Whether the file is in a folder that has the movie's name, but does not contain the movie. An example is the
  /// folder `film` in `Subs/film/2_English.srt`.
  private static func isInFolder(_ path: String, named movie: String?) -> Bool {
    guard let movie else { return false }
    let (folder, moviePath) = (FilePath(path).folder, FilePath(movie))
    return folder != moviePath.folder && FilePath(folder).name.lowercased() == moviePath.stem.lowercased()
  }

  /// Whether a negation such as `non` or `removed` is next to a role.
  private static func containsNegatedRole(_ words: [FileNameWord]) -> Bool {
    zip(words, words.dropFirst()).contains { first, second in
      first.isRole && second.isNegation || second.isRole && first.isNegation
    }
  }

  /// Returns the words after the movie's name, and whether the name begins with the movie's complete name.
  private static func words(of name: Substring, after title: Substring?) -> ([FileNameWord], Bool) {
    guard let title, !title.isEmpty else { return (FileNameWord.all(in: name), false) }
    let (lowercaseName, foldedTitle) = (name.lowercased(), title.lowercased())
    if lowercaseName.hasPrefix(foldedTitle) {
      let rest = name.dropFirst(title.count)
      if rest.first.map({ !$0.isLetter && !$0.isNumber }) ?? true { return (FileNameWord.all(in: rest), true) }
    }
    let (words, titleWords) = (FileNameWord.all(in: name), FileNameWord.all(in: title))
    let commonWordCount = zip(words, titleWords).prefix { $0.text.lowercased() == $1.text.lowercased() }.count
    return (Array(words.dropFirst(commonWordCount)), false)
  }

  /// Reads languages and roles from known words.
  private mutating func read(_ words: ArraySlice<FileNameWord>, acceptsAmbiguousCodes: Bool, isWholeName: Bool) {
    var foundWords: [FileNameWord] = []
    var hiCount = 0
    var beginsWithHI = false
    var likelyForced: [(word: FileNameWord, isBeforeLanguage: Bool)] = []
    var countries: [(word: FileNameWord, tag: LanguageTag)] = []
    for word in words {
      switch word.meaning {
      case .role(let role): roles.insert(role)
      case .hearingImpaired:
        hiCount += 1
        beginsWithHI = beginsWithHI || foundWords.isEmpty
      case .language(let tag, let kind):
        if kind == .ambiguousName || kind == .ambiguousCode && (!acceptsAmbiguousCodes || word.isBracketed) { continue }
        if kind == .code, !isWholeName, !acceptsAmbiguousCodes,
          !FileNameVocabulary.trustedLanguages.contains(tag.language),
          !ThreeLetterLanguage.isForPrivateUse(tag.language)
        {
          ambiguity = .word(word.text, tag)
          continue
        }
        // If a language appears twice, as in `Portuguese` and `Brazilian`, use the longer tag, because it is more
        // specific.
        if let index = foundWords.firstIndex(where: { $0.tag?.language == tag.language }) {
          if foundWords[index].tag?.description.utf8.count ?? 0 < tag.description.utf8.count {
            foundWords[index] = word
          }
        } else {
          foundWords.append(word)
        }
      case .likelyForced: likelyForced.append((word, foundWords.isEmpty))
      case .country(let tag):
        if acceptsAmbiguousCodes, !word.isBracketed { countries.append((word, tag)) }
      case .qualifier, .filler, .other: break
      }
    }
    // A single ambiguous word before a language may be part of another movie's title.
    let isOfTitle = !beginsWithMovieName && likelyForced.count == 1 && likelyForced.allSatisfy(\.isBeforeLanguage)
    if let first = likelyForced.first, !isOfTitle, !roles.contains(.track(.forced)) {
      roles.insert(.track(.forced))
      guessedForced = first.word.text
    }
    if let (word, tag) = countries.last, foundWords.allSatisfy({ $0.tag?.language == tag.language }) {
      // `film.pt.br` names only one language. The country code `br` makes the language more specific.
      (language, ambiguity) = (tag, .country(word.text, tag))
      if hiCount > 0, !negatesRoles { roles.insert(.track(.sdh)) }
      return
    }
    if negatesRoles { hiCount = 0 }
    if foundWords.isEmpty, hiCount > 0 {
      language = LanguageTag("hi")
      hiCount -= 1
      if hiCount == 0, !roles.contains(.track(.sdh)) { ambiguity = .hearingImpaired }
    }
    if hiCount > 0 { roles.insert(.track(.sdh)) }
    if foundWords.count > 1 { return ambiguity = .several(foundWords.compactMap(\.tag)) }
    guard let word = foundWords.first, case .language(let tag, let kind) = word.meaning else { return }
    if kind == .name, !isWholeName, !word.isInKnownSegment {
      if word.isBracketed { return }
      ambiguity = .guess(word.text)
    }
    language = tag
    // Programs write `hi` (hearing impaired) after the language, as in `film.en.hi`. Before a language, `hi` may mean
    // Hindi.
    if beginsWithHI, ambiguity == nil, !negatesRoles { ambiguity = .guess("hi") }
  }
}
