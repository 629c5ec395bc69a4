import MovieBox

/// The language of a subtitle file with its origin: an option, the file name, the header, or the other files.
///
/// The origin decides whether the user is warned. A language from an option or a header is reliable, while a word in a
/// file name can mean something else.
struct SubtitleLanguage: Equatable, Sendable {
  /// The origin of a language.
  enum Origin: String, Sendable {
    case option
    case fileName = "file-name"
    /// The header of a WebVTT file.
    case header
    /// The language that all other found files have in common.
    case otherFiles = "other-files"
    /// No source.
    case unknown
  }

  /// The subtitle file.
  private let file: String
  /// The language tag, or `nil` if it is unknown or undetermined (`und`).
  private(set) var tag: LanguageTag?
  /// The origin of the language.
  private(set) var origin: Origin
  /// The reason why the file name does not declare a language or may be misread, or `nil` if it is clear.
  private let ambiguity: FileNameHints.Ambiguity?

  /// The language from the option or else from the file name.
  init(of file: String, option: String?, _ hints: FileNameHints) throws(UsageError) {
    self.file = file
    if let option {
      (tag, origin, ambiguity) = (try SubtitleRequest.language(option).ifDetermined, .option, nil)
    } else {
      (tag, origin, ambiguity) = (
        hints.language?.ifDetermined, hints.language == nil ? .unknown : .fileName, hints.ambiguity
      )
    }
  }

  /// Uses the language in the file's header if no language is known.
  mutating func take(header: String?) {
    guard origin == .unknown, let header, let named = WrittenValue.language(header)?.ifDetermined else { return }
    (tag, origin) = (named, .header)
  }

  /// Uses the language of the other files if no language is known.
  mutating func take(ofOtherFiles named: LanguageTag) {
    if origin == .unknown { (tag, origin) = (named, .otherFiles) }
  }

  /// Returns the warnings about the language. `afterwards` is added to the advice for an unknown language.
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
      guard let ambiguity, let tag else { return [] }
      let message = "\(tag.englishName) by its name, \(Self.reason(ambiguity)); --language sets another"
      return [Warning(code: "language-guessed", file: file, message: message)]
    }
  }

  /// Advice about an unknown language, based on ambiguous words in the file name, or `nil` if there are none.
  var advice: String? {
    switch ambiguity {
    case .word(_, let tag) where tag.ifDetermined == nil: nil
    case .word(let word, let tag), .country(let word, let tag):
      "--language \(tag) if \"\(word)\" in its name stands for \(tag.englishName)"
    case .several(let tags):
      "its name says \(tags.map(\.description).joined(separator: " and ")), --language says which"
    case .guess, .hearingImpaired, nil: nil
    }
  }

  private static func reason(_ ambiguity: FileNameHints.Ambiguity) -> String {
    switch ambiguity {
    case .hearingImpaired: "in which \"hi\" may also stand for hearing impaired"
    case .country(let word, _): "in which \"\(word)\" is the code of a country"
    case .guess(let word), .word(let word, _): "in which \"\(word)\" may be something else"
    case .several(let tags): "which also says \(tags.map(\.description).joined(separator: " and "))"
    }
  }
}
