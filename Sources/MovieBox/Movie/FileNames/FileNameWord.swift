/// A word or word group in a subtitle file name, with its meaning.
struct FileNameWord {
  enum Meaning {
    case role(FileNameHints.Role)
    /// A word that often means forced subtitles, but is ambiguous.
    case likelyForced
    /// The word `hi`.
    case hearingImpaired
    case language(LanguageTag, Kind)
    /// A country code that often means the country's language.
    case country(LanguageTag)
    /// A word that extends the tag of a language. See ``FileNameVocabulary/qualifiers``.
    case qualifier([String: String])
    /// A number, or a word that suggests neither a language nor a role.
    case filler
    case other
  }

  /// The way in which a language is written: as a code or as a name.
  enum Kind {
    /// A code or tag.
    case code
    /// A code that is also a word, or that appears in an unusual position.
    case ambiguousCode
    case name
    /// A name that is also a word, a script or a country, such as `Latin`. It never declares a language.
    case ambiguousName
  }

  let text: String
  /// The separator before the word.
  let separator: String
  fileprivate(set) var meaning: Meaning
  /// Whether the word is in brackets.
  let isBracketed: Bool
  /// Whether all words in the same brackets, or after the same dash, are known.
  fileprivate(set) var isInKnownSegment = false
  fileprivate let segment: Int

  var tag: LanguageTag? {
    if case .language(let tag, _) = meaning { tag } else { nil }
  }

  var isLanguage: Bool { tag != nil }

  /// Whether the word is an ambiguous code or name of a language, or the code of a country.
  var isAmbiguousCode: Bool {
    switch meaning {
    case .language(_, .ambiguousCode), .language(_, .ambiguousName), .country: true
    default: false
    }
  }

  /// The language that a country code probably means, or `nil` for other words.
  var countryLanguage: LanguageTag? {
    if case .country(let tag) = meaning { tag } else { nil }
  }

  /// Whether the word often means forced subtitles, but is ambiguous.
  var isLikelyForced: Bool {
    if case .likelyForced = meaning { true } else { false }
  }

  var isRole: Bool {
    switch meaning {
    case .role, .hearingImpaired, .likelyForced: true
    default: false
    }
  }

  /// Whether the word negates an adjacent role, as `non` does.
  var isNegation: Bool { FileNameVocabulary.negations.contains(text.lowercased()) }

  /// Whether a period, a bracket or a dash between spaces precedes the word.
  var isDelimited: Bool {
    separator.contains { !" -_".contains($0) } || separator.contains(" -")
      || separator == "_" && tag != nil && !isBracketed
  }

  /// Whether the word is a number after a period, such as the track ID in the name of an extracted file.
  var isSeparateNumber: Bool { separator == "." && !text.isEmpty && text.allSatisfy { $0.isASCII && $0.isNumber } }

  /// Whether the word suggests neither a language nor a role.
  var isFiller: Bool {
    if case .filler = meaning { true } else { false }
  }

  var isKnown: Bool {
    switch meaning {
    case .other, .qualifier: false
    case .role, .likelyForced, .hearingImpaired, .language, .country, .filler: true
    }
  }

  /// The ambiguity of an ambiguous code or a country code, or `nil` for other words.
  var ambiguity: FileNameHints.Ambiguity? {
    switch meaning {
    case .country(let tag): .country(text, tag)
    case .language(let tag, .ambiguousName): .word(text, tag)
    case .language(let tag, .ambiguousCode) where text.allSatisfy(\.isLowercase) || text.allSatisfy(\.isUppercase):
      .word(text, tag)
    default: nil
    }
  }

  /// Returns the words of a name, in order.
  static func all(in name: some StringProtocol) -> [FileNameWord] {
    let tokens = Token.all(in: name)
    var words: [FileNameWord] = []
    var index = 0
    while index < tokens.count {
      let (count, meaning) = longestMeaning(tokens[index...])
      let token = tokens[index]
      let text = tokens[index..<index + count].reduce("") { $0 + ($0.isEmpty ? "" : $1.separator) + $1.text }
      words.append(
        FileNameWord(
          text: text, separator: token.separator, meaning: meaning, isBracketed: token.isBracketed,
          segment: token.segment))
      index += count
    }
    qualify(&words)
    // In `x264-YTS.LT`, `LT` is the top-level domain of a release site and not a language.
    for index in words.indices.dropFirst() where words[index].isLanguage {
      if FileNameVocabulary.releaseSites.contains(words[index - 1].text.lowercased()) { words[index].meaning = .other }
    }
    for index in words.indices where words[index].segment > 0 {
      let segment = words[index].segment
      words[index].isInKnownSegment = words.allSatisfy { $0.segment != segment || $0.isKnown }
    }
    return words
  }

  /// Returns the meaning of the longest known word or phrase at the start of the tokens, and the number of its tokens.
  private static func longestMeaning(_ tokens: ArraySlice<Token>) -> (Int, Meaning) {
    guard let first = tokens.first else { return (1, .other) }
    let rest = tokens.dropFirst()
    let wordPieceCount = 1 + rest.prefix { $0.separator == "-" || $0.separator == "_" }.count
    let segmentPieceCount = 1 + rest.prefix { $0.segment == first.segment }.count
    for count in stride(from: min(4, segmentPieceCount), to: 1, by: -1) {
      let texts = tokens.prefix(count).map(\.text)
      let name = texts.joined(separator: " ").lowercased()
      if let language = FileNameVocabulary.language(named: name) { return (count, language) }
      if let meaning = FileNameVocabulary.qualifiers[name] { return (count, .qualifier(meaning)) }
      if count == 2, isLanguageAndRegion(texts), let meaning = tag(texts) { return (count, meaning) }
      guard count <= wordPieceCount else { continue }
      if let role = role(texts.joined(separator: "-")) { return (count, .role(role)) }
      if let meaning = tag(texts) { return (count, meaning) }
    }
    return (1, meaning(of: first))
  }

  private static func meaning(of token: Token) -> Meaning {
    let word = token.text.lowercased()
    if word == "hi" { return token.text == "Hi" ? .other : .hearingImpaired }
    if let role = role(word) { return .role(role) }
    if FileNameVocabulary.likelyForcedWords.contains(word) { return .likelyForced }
    if let qualifier = FileNameVocabulary.qualifiers[word] { return .qualifier(qualifier) }
    if let language = FileNameVocabulary.language(named: word) { return language }
    if FileNameVocabulary.fillers.contains(word) || word.allSatisfy(\.isNumber) { return .filler }
    if let tag = FileNameVocabulary.countries[word] { return .country(tag) }
    if token.text == "UK", token.isBracketed, let english = LanguageTag("en") { return .country(english) }
    guard !FileNameVocabulary.nonLanguageCodes.contains(word), let tag = LanguageTag(word), tag.isCommon else {
      return .other
    }
    let isOneCase = token.text.allSatisfy(\.isLowercase) || token.text.allSatisfy(\.isUppercase)
    let isBracketedCode = token.isBracketed && token.text.utf8.count == 2 && token.text.allSatisfy(\.isUppercase)
    let isNumeral = token.text == "VI"
    let isAmbiguousCode = FileNameVocabulary.ambiguousCodes.contains(word) || !isOneCase || isBracketedCode || isNumeral
    return .language(tag, isAmbiguousCode ? .ambiguousCode : .code)
  }

  /// Whether the second token is a region, as in `en.GB`, and not a language or role.
  private static func isLanguageAndRegion(_ tokens: [Substring]) -> Bool {
    guard let first = tokens.first, let last = tokens.last, first.allSatisfy(\.isLowercase), last.utf8.count == 2,
      last.allSatisfy(\.isUppercase), role(last) == nil
    else { return false }
    let writtenTag = "\(first)-\(last.lowercased())"
    return FileNameVocabulary.lowercaseTags.contains(writtenTag) || LanguageTag(String(last))?.isCommon != true
  }

  /// Returns the language tag that the tokens form, or `nil` if a subtag is not registered.
  private static func tag(_ tokens: [Substring]) -> Meaning? {
    guard let first = tokens.first, first.allSatisfy(\.isLowercase) || first.allSatisfy(\.isUppercase),
      let tag = LanguageTag(tokens.joined(separator: "-")), tag.isCommon, tag.unregisteredSubtags.isEmpty,
      tag.region?.first != "X",  // The region is for private use, including Kosovo.
      !FileNameVocabulary.isJargon(region: tag.region),
      tag.language != "und" || first.lowercased() == "und"
    else { return nil }
    let isLowercase = tokens.dropFirst().allSatisfy { $0.allSatisfy(\.isLowercase) }
    if isLowercase, FileNameVocabulary.ambiguousCodes.contains(first.lowercased()) { return nil }
    // `en-de` means English and German, and not the English of Germany. However, `pt-br` means the Portuguese of
    // Brazil.
    let writtenTag = tokens.joined(separator: "-")
    if tokens.count == 2, let second = tokens.last, second.allSatisfy(\.isLowercase), second != first,
      LanguageTag(second)?.isCommon == true, !FileNameVocabulary.lowercaseTags.contains(writtenTag)
    {
      return nil
    }
    return .language(tag, .code)
  }

  private static func role(_ word: some StringProtocol) -> FileNameHints.Role? {
    switch word.lowercased() {
    case "cc", "cc1", "cc2", "cc3", "cc4": .track(.sdh)
    case "default": .default
    case let name: FileNameHints.trackRoles.first { $0.rawValue == name }.map { .track($0) }
    }
  }

  /// Extends languages by adjacent qualifiers, as in `Chinese (Simplified)` or `pt-brasil`.
  private static func qualify(_ words: inout [FileNameWord]) {
    for index in words.indices {
      guard case .qualifier(let subtags) = words[index].meaning else { continue }
      for neighborIndex in [index - 1, index + 1] where words.indices.contains(neighborIndex) {
        guard case .language(let tag, let kind) = words[neighborIndex].meaning, tag.description == tag.language,
          let subtag = subtags[tag.language], let longer = LanguageTag(subtag)
        else { continue }
        words[neighborIndex].meaning = .language(longer, kind)
        words[index].meaning = .filler
        break
      }
      if case .qualifier = words[index].meaning, let tag = subtags[""].flatMap({ LanguageTag($0) }) {
        words[index].meaning = FileNameVocabulary.language(tag, named: words[index].text.lowercased())
      }
    }
  }
}

/// The text between two separators.
private struct Token {
  let text: Substring
  /// The separator before the token.
  let separator: String
  let isBracketed: Bool
  /// The number of brackets and dashes before the token.
  let segment: Int

  static func all(in name: some StringProtocol) -> [Token] {
    let text = Substring(name)
    var tokens: [Token] = []
    var (segment, depth, separator) = (0, 0, "")
    var start = text.startIndex
    func isSeparator(_ character: Character) -> Bool { !character.isLetter && !character.isNumber }
    while start < text.endIndex {
      guard isSeparator(text[start]) else {
        let word = text[start...].prefix { !isSeparator($0) }
        tokens.append(Token(text: word, separator: separator, isBracketed: depth > 0, segment: segment))
        (start, separator) = (word.endIndex, "")
        continue
      }
      let character = text[start]
      separator.append(character)
      switch character {
      case "(", "[", "{": (segment, depth) = (segment + 1, depth + 1)
      case ")", "]", "}": (segment, depth) = (segment + 1, max(0, depth - 1))
      case "-" where separator == " -", "–", "—": segment += 1
      default: break
      }
      start = text.index(after: start)
    }
    return tokens
  }
}
