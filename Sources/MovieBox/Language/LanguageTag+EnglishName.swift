extension LanguageTag {
  /// The tag of the language that has this name in English, among those of ISO 639-1; case does not matter.
  public init?(englishName name: some StringProtocol) {
    guard let code = Self.codes[name.lowercased()] else { return nil }
    self.init(code)
  }

  /// The codes of the languages, by their names in lower case.
  private static let codes = Dictionary(TwoLetterLanguage.all.map { ($0.englishName.lowercased(), $0.code) }) { $1 }

  /// What an English speaker calls it: `English`, `Portuguese (Brazil)`, `Chinese (Traditional)`.
  ///
  /// A subtag without a name in our tables stands as it is.
  public var englishName: String {
    guard !description.hasPrefix("x-") else { return description }
    let name =
      TwoLetterLanguage(code: language)?.englishName ?? ThreeLetterLanguage.englishName(language) ?? language
    return qualified(name) { _ in nil }
  }

  /// A name of the language, and after it script, region and variants in parentheses: by the names that are given for
  /// scripts and regions, else by the English ones.
  package func qualified(_ name: String, by names: (String) -> String?) -> String {
    let qualifiers =
      [
        script.map { names($0) ?? LanguageSubtagNames.scripts[$0] ?? $0 },
        region.map { names($0) ?? LanguageSubtagNames.regions[$0] ?? $0 },
      ].compactMap { $0 } + variants
    return qualifiers.isEmpty ? name : name + " (" + qualifiers.joined(separator: ", ") + ")"
  }
}
