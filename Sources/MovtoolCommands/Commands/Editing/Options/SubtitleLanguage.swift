import MovieBox

/// The language of a subtitle file, and its origin: an option, the file name, the header, or the other found files.
///
/// A language from an option or a header is reliable. A word in a file name may have another meaning, so the user is
/// warned about it.
struct SubtitleLanguage: Equatable, Sendable {
  /// The origin of a language.
  enum Origin: String, Sendable {
    case option
    case fileName = "file-name"
    /// The header of a WebVTT file.
    case header
    /// The language that all other found files have in common.
    case otherFiles = "other-files"
    /// The language is unknown.
    case unknown
  }

  /// The subtitle file.
  private let file: String
  /// The language tag, or `nil` if it is unknown or undetermined (`und`).
  private(set) var tag: LanguageTag?
  /// The origin of the language.
  private(set) var origin: Origin
  /// The reason why the file name is ambiguous or contains no language, or `nil` if it is clear.
  private let ambiguity: FileNameHints.Ambiguity?

  /// The language in the file name if the option sets a different language, or `nil` otherwise.
  let contradictedName: LanguageTag?
  /// Determines the language from the option or else from the file name.
  init(of file: String, option: String?, _ hints: FileNameHints) throws(UsageError) {
    self.file = file
    let fileNameLanguage = hints.ambiguity == nil ? hints.language?.ifDetermined : nil
    let requested = try option.map(SubtitleRequest.language)
    contradictedName = requested.flatMap { $0.language == fileNameLanguage?.language ? nil : fileNameLanguage }
    if let option {
      (tag, origin, ambiguity) = (try SubtitleRequest.language(option).ifDetermined, .option, nil)
    } else {
      (tag, origin, ambiguity) = (
        hints.language?.ifDetermined, hints.language == nil ? .unknown : .fileName, hints.ambiguity
      )
    }
  }

  /// Uses the language in the file's header if no language is known.
  mutating func adoptLanguage(inHeader header: String?) {
    guard origin == .unknown, let header, let named = WrittenValue.language(header)?.ifDetermined else { return }
    (tag, origin) = (named, .header)
  }

  /// Uses the language of the other found files if the language is unknown.
  mutating func adoptLanguage(ofOtherFiles language: LanguageTag) {
    if origin == .unknown { (tag, origin) = (language, .otherFiles) }
  }

  /// Returns the warnings about the language. `afterwards` is appended to the advice about an unknown language.
  func warnings(afterwards: String = "") -> [Warning] {
    switch origin {
    case .option, .header: return [Warning(unregistered: tag, file)].compactMap(\.self)
    case .unknown:
      let message = "the language is unknown, so \"und\" is written; \(advice ?? "--language sets it" + afterwards)"
      return [Warning(code: "language-unknown", file: file, message: message)]
    case .otherFiles:
      guard let tag else { return [] }
      let message =
        "the language is set to \(tag.englishName), the language of all other files; --language sets another language"
      return [Warning(code: "language-guessed", file: file, message: message)]
    case .fileName:
      guard let ambiguity, let tag else { return [] }
      let message =
        "the language is \(tag.englishName) according to the name, \(Self.reason(ambiguity)); --language sets another "
        + "language"
      return [Warning(code: "language-guessed", file: file, message: message)]
    }
  }

  /// Advice about ambiguous words in the file name if the language is unknown, or `nil` if there are no such words.
  var advice: String? {
    switch ambiguity {
    case .word(_, let tag) where tag.ifDetermined == nil: nil
    case .word(let word, let tag), .country(let word, let tag):
      "if \"\(word)\" in the name means \(tag.englishName), use --language \(tag)"
    case .several(let tags):
      "the name contains \(tags.map(\.description).joined(separator: " and ")); select one with --language"
    case .guess, .hearingImpaired, nil: nil
    }
  }

  private static func reason(_ ambiguity: FileNameHints.Ambiguity) -> String {
    switch ambiguity {
    case .hearingImpaired: "in which \"hi\" may also mean hearing impaired"
    case .country(let word, _): "in which \"\(word)\" is the code of a country"
    case .guess(let word), .word(let word, _): "in which \"\(word)\" may have another meaning"
    case .several(let tags): "which also contains \(tags.map(\.description).joined(separator: " and "))"
    }
  }
}
