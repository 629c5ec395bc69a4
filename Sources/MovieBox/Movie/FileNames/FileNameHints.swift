/// The hints in the name of a subtitle file: `film.pt-BR.sdh.srt` contains Brazilian Portuguese for the deaf.
///
/// The movie's own name is removed first; what remains says the language where it is a code, a tag or a name of one
/// that is registered. Beside a movie of another name its last words do, and a role counts with a language only. What
/// may as well be something else, such as `no` or `is`, counts directly after the movie's name alone; elsewhere it is a
/// ``Doubt``. What is read is a good guess, and later versions may guess better.
///
///     let hints = FileNameHints(path: "film.en.sdh.srt", movie: "film.mov")
///     print(hints.language?.description ?? "und", hints.roles)
public struct FileNameHints: Hashable, Sendable {
  /// The purpose of subtitles.
  public enum Role: Hashable, Sendable {
    /// One of ``trackRoles`` by its name; `sdh` is `cc` too, and `hi` beside a language.
    case track(TrackRole)
    /// The track that players choose by themselves: `default`.
    case `default`
  }

  /// The reason why a language was not taken, or may be wrong.
  public enum Doubt: Hashable, Sendable {
    /// The code of a language that is a word too.
    case word(String, LanguageTag)
    /// The code of a country, and the language that it was likely meant for.
    case country(String, LanguageTag)
    /// More than one language.
    case several([LanguageTag])
    /// Something stands beside it that is not known.
    case guess(String)
    /// `hi` without a language, which is Hindi or "hearing impaired".
    case hearingImpaired
  }

  /// The roles that names of subtitle files give. `original` is too common a word of titles.
  public static let trackRoles: [TrackRole] = [.sdh, .forced, .easyToRead, .commentary]

  /// The language, where the name has one.
  public private(set) var language: LanguageTag?
  /// The roles that the name has.
  public private(set) var roles: Set<Role> = []
  /// The reason why the language is missing, or may be another.
  public private(set) var doubt: Doubt?
  /// The word that the name was taken for forced subtitles by, though it may mean something else, or `nil` if there is
  /// none: `signs`, `songs`, `foreign`.
  public private(set) var guessedForced: String?
  /// Whether the name is the movie's, and languages and roles: no other movie's whose name goes on.
  public private(set) var isOfMovie = false
  /// Whether the name says that it has no role.
  private var deniesRoles = false
  private var beginsWithMovieName = false

  /// The tags of its roles, in order.
  public var characteristics: [MediaCharacteristic] {
    Self.trackRoles.filter { roles.contains(.track($0)) }.flatMap(\.characteristics)
  }

  /// Whether the name says that the subtitles are shown though subtitles are off.
  package var isForced: Bool { roles.contains(.track(.forced)) }

  /// Whether the name says that players choose the subtitles by themselves.
  package var isDefault: Bool { roles.contains(.default) }

  /// Whether players may choose the subtitles by themselves, where the name says it: those of a commentary not.
  package var isSelectedAutomatically: Bool? { roles.contains(.track(.commentary)) ? false : nil }

  /// Returns the hints with these roles instead of the name's.
  package func replacingTrackRoles(with roles: [TrackRole]) -> FileNameHints {
    var hints = self
    hints.roles = hints.roles.intersection([.default]).union(roles.map { Role.track($0) })
    hints.guessedForced = nil
    return hints
  }

  /// Reads the name of the file at `path`, beside the movie at `movie`.
  public init(path: String, movie: String? = nil) {
    var name = FilePath(path).name
    if let dot = name.lastIndex(of: "."), dot > name.startIndex || name.count > 1 { name = name[..<dot] }
    name = Self.withoutMark(name, movie)
    let (words, isNamedAfterMovie) = Self.words(of: name, without: movie.map { FilePath($0).stem })
    let beginsWithMovieName = isNamedAfterMovie || Self.isInFolder(path, of: movie)
    let isKnown = words.allSatisfy(\.isKnown)
    let isPlain = words.allSatisfy { word in
      !word.isFiller && word.separator != " "
    }
    deniesRoles = Self.areDenied(words)
    self.beginsWithMovieName = beginsWithMovieName
    if isKnown, beginsWithMovieName || !words.contains(where: \.isAmbiguousCode) {
      read(words[...], acceptsAmbiguousCodes: beginsWithMovieName && isPlain && !deniesRoles, isWholeName: true)
    } else {
      let last = words.lastIndex { !$0.isKnown || $0.isAmbiguousCode } ?? words.startIndex
      let end = words[words.index(after: last)...]
      if beginsWithMovieName || end.first(where: { !$0.isFiller && !$0.isLikelyForced })?.isDelimited == true {
        read(end, acceptsAmbiguousCodes: false, isWholeName: false)
      }
      let first = words.prefix { $0.isKnown && !$0.isAmbiguousCode }
      if language == nil, doubt == nil, beginsWithMovieName, first.contains(where: \.isLanguage) {
        read(first, acceptsAmbiguousCodes: false, isWholeName: true)
        if language != nil { doubt = .guess(first.first { $0.isLanguage }?.text ?? "") }
      }
    }
    if !beginsWithMovieName, language == nil { roles = [] }  // Words of another title.
    if deniesRoles { roles = [] }
    let denied = zip(words, words.dropFirst()).first {
      $1.tag == language && $0.isDenial
    }
    if language != nil, let (_, word) = denied { (language, doubt) = (nil, word.tag.map { .word(word.text, $0) }) }
    if language == nil, doubt == nil { doubt = words.reversed().lazy.compactMap(\.doubt).first }
    if !isForced { guessedForced = nil }
    isOfMovie =
      beginsWithMovieName && isKnown
      && (words.first.map { $0.isLanguage || $0.isRole || $0.languageOfCountry != nil && language != nil } ?? true)
  }

  /// The name without the word that the advised conversions append to it: `film.en-converted`.
  private static func withoutMark(_ name: Substring, _ movie: String?) -> Substring {
    let mark = "-converted"
    guard name.count > mark.count, name.lowercased().hasSuffix(mark) else { return name }
    let stem = movie.map { FilePath($0).stem.lowercased() } ?? ""
    let rest = name.dropLast(mark.count)
    return stem.hasSuffix(mark) && !rest.lowercased().hasPrefix(stem) ? name : rest
  }

  /// Whether a file lies in a folder of the movie's name, which is not the movie's own: `Subs/film/2_English.srt`.
  private static func isInFolder(_ path: String, of movie: String?) -> Bool {
    guard let movie else { return false }
    let (folder, own) = (FilePath(path).folder, FilePath(movie))
    return folder != own.folder && FilePath(folder).name.lowercased() == own.stem.lowercased()
  }

  /// Whether a word such as `non` or `removed` stands beside a role.
  private static func areDenied(_ words: [FileNameWord]) -> Bool {
    zip(words, words.dropFirst()).contains { first, second in
      first.isRole && second.isDenial || second.isRole && first.isDenial
    }
  }

  /// The words of a name after that of the movie, and whether all of the movie's name stands before them.
  private static func words(of name: Substring, without title: Substring?) -> ([FileNameWord], Bool) {
    guard let title, !title.isEmpty else { return (FileNameWord.all(in: name), false) }
    let (folded, foldedTitle) = (name.lowercased(), title.lowercased())
    if folded.hasPrefix(foldedTitle) {
      let rest = name.dropFirst(title.count)
      if rest.first.map({ !$0.isLetter && !$0.isNumber }) ?? true { return (FileNameWord.all(in: rest), true) }
    }
    let (words, titleWords) = (FileNameWord.all(in: name), FileNameWord.all(in: title))
    let common = zip(words, titleWords).prefix { $0.text.lowercased() == $1.text.lowercased() }.count
    return (Array(words.dropFirst(common)), false)
  }

  /// Reads languages and roles from words that are all known.
  private mutating func read(_ words: ArraySlice<FileNameWord>, acceptsAmbiguousCodes: Bool, isWholeName: Bool) {
    var found: [FileNameWord] = []
    var hiCount = 0
    var beginsWithHI = false
    var likelyForced: [(word: FileNameWord, isBeforeLanguage: Bool)] = []
    var countries: [(word: FileNameWord, tag: LanguageTag)] = []
    for word in words {
      switch word.meaning {
      case .role(let role): roles.insert(role)
      case .hearingImpaired:
        hiCount += 1
        beginsWithHI = beginsWithHI || found.isEmpty
      case .language(let tag, let kind):
        if kind == .ambiguousCode, !acceptsAmbiguousCodes || word.isBracketed { continue }
        if kind == .code, !isWholeName, !acceptsAmbiguousCodes,
          !FileNameVocabulary.trustedLanguages.contains(tag.language),
          !ThreeLetterLanguage.isForPrivateUse(tag.language)
        {
          doubt = .word(word.text, tag)
          continue
        }
        // A longer tag of the same language says more: `Portuguese` and `Brazilian`.
        if let index = found.firstIndex(where: { $0.tag?.language == tag.language }) {
          if found[index].tag?.description.utf8.count ?? 0 < tag.description.utf8.count { found[index] = word }
        } else {
          found.append(word)
        }
      case .likelyForced: likelyForced.append((word, found.isEmpty))
      case .country(let tag):
        if acceptsAmbiguousCodes, !word.isBracketed { countries.append((word, tag)) }
      case .qualifier, .filler, .other: break
      }
    }
    // Before a language in any title, one alone may be of the title.
    let isOfTitle = !beginsWithMovieName && likelyForced.count == 1 && likelyForced.allSatisfy(\.isBeforeLanguage)
    if let first = likelyForced.first, !isOfTitle, !roles.contains(.track(.forced)) {
      roles.insert(.track(.forced))
      guessedForced = first.word.text
    }
    if let (word, tag) = countries.last, found.allSatisfy({ $0.tag?.language == tag.language }) {
      // `film.pt.br` is of one language, of which the country says more.
      (language, doubt) = (tag, .country(word.text, tag))
      if hiCount > 0, !deniesRoles { roles.insert(.track(.sdh)) }
      return
    }
    if deniesRoles { hiCount = 0 }
    if found.isEmpty, hiCount > 0 {
      language = LanguageTag("hi")
      hiCount -= 1
      if hiCount == 0, !roles.contains(.track(.sdh)) { doubt = .hearingImpaired }
    }
    if hiCount > 0 { roles.insert(.track(.sdh)) }
    if found.count > 1 { return doubt = .several(found.compactMap(\.tag)) }
    guard let word = found.first, case .language(let tag, let kind) = word.meaning else { return }
    if kind == .name, !isWholeName, !word.hasOwnSegment {
      if word.isBracketed { return }
      doubt = .guess(word.text)
    }
    language = tag
    // `film.en.hi` is what programs write; in front, it may as well be Hindi.
    if beginsWithHI, doubt == nil, !deniesRoles { doubt = .guess("hi") }
  }
}
