extension LanguageTag {
  /// The tag of the language that has this name in English, among those of ISO 639-1; case does not matter.
  public init?(englishName name: some StringProtocol) {
    let name = name.lowercased()
    guard let language = TwoLetterLanguage.all.first(where: { $0.englishName.lowercased() == name }) else { return nil }
    self.init(language.code)
  }

  /// What an English speaker calls it: `English`, `Portuguese (Brazil)`, `Chinese (Traditional)`.
  ///
  /// A subtag without a name in our tables stands as it is.
  public var englishName: String {
    guard !description.hasPrefix("x-") else { return description }
    let name =
      TwoLetterLanguage(code: language)?.englishName ?? ThreeLetterLanguage.englishName(language) ?? language
    let qualifiers =
      [
        script.map { LanguageSubtagNames.scripts[$0] ?? $0 },
        region.map { LanguageSubtagNames.regions[$0] ?? $0 },
      ].compactMap { $0 } + variants
    return qualifiers.isEmpty ? name : name + " (" + qualifiers.joined(separator: ", ") + ")"
  }
}
