import MovieBox

/// The language of a subtitle file: what an option says, else its name, else its header.
struct SubtitleLanguage: Equatable, Sendable {
  /// Where a language was found.
  enum Origin: String, Sendable {
    case option
    case fileName = "file-name"
    /// The header of a WebVTT file.
    case header
    /// The names of all other files that were found beside the movie and have one.
    case otherFiles = "other-files"
    /// Nowhere.
    case unknown
  }

  /// The subtitle file.
  private let file: String
  /// The language; `nil` when nothing says it, or `und` does.
  private(set) var tag: LanguageTag?
  /// What says the language.
  private(set) var origin: Origin
  /// Why the name of the file does not say it, or may be misread.
  private let doubt: FileNameHints.Doubt?

  /// What the option says, else the name of the file.
  init(of file: String, option: String?, _ hints: FileNameHints) throws(UsageError) {
    self.file = file
    if let option {
      (tag, origin, doubt) = (try SubtitleRequest.language(option).ifDetermined, .option, nil)
    } else {
      (tag, origin, doubt) = (hints.language?.ifDetermined, hints.language == nil ? .unknown : .fileName, hints.doubt)
    }
  }

  /// Takes the language that the file's header names, if nothing else says it.
  mutating func take(header: String?) {
    guard origin == .unknown, let header, let named = WrittenValue.language(header)?.ifDetermined else { return }
    (tag, origin) = (named, .header)
  }

  /// Takes the language that all other files have, if nothing else says it.
  mutating func take(ofOtherFiles named: LanguageTag) {
    if origin == .unknown { (tag, origin) = (named, .otherFiles) }
  }

  /// What a person should know of it. `afterwards` says what else can be done where it is unknown.
  func warnings(afterwards: String = "") -> [Warning] {
    switch origin {
    case .option, .header: return [Warning(unregistered: tag, file)].compactMap(\.self)
    case .unknown:
      let message = "language unknown, \"und\" is written; \(advice ?? "--language sets it" + afterwards)"
      return [Warning(code: "language-unknown", file: file, message: message)]
    case .otherFiles:
      guard let tag else { return [] }
      let message = "taken for \(tag.englishName), the language of all other files; --language sets another"
      return [Warning(code: "language-guessed", file: file, message: message)]
    case .fileName:
      guard let doubt, let tag else { return [] }
      let message = "\(tag.englishName) by its name, \(Self.reason(doubt)); --language sets another"
      return [Warning(code: "language-guessed", file: file, message: message)]
    }
  }

  /// What to do about a language that is unknown, by what the name of the file may have meant.
  var advice: String? {
    switch doubt {
    case .word(_, let tag) where tag.ifDetermined == nil: nil
    case .word(let word, let tag), .country(let word, let tag):
      "--language \(tag) if \"\(word)\" in its name stands for \(tag.englishName)"
    case .several(let tags):
      "its name says \(tags.map(\.description).joined(separator: " and ")), --language says which"
    case .guess, .hearingImpaired, nil: nil
    }
  }

  private static func reason(_ doubt: FileNameHints.Doubt) -> String {
    switch doubt {
    case .hearingImpaired: "in which \"hi\" may also stand for hearing impaired"
    case .country(let word, _): "in which \"\(word)\" is the code of a country"
    case .guess(let word), .word(let word, _): "in which \"\(word)\" may be something else"
    case .several(let tags): "which also says \(tags.map(\.description).joined(separator: " and "))"
    }
  }
}
