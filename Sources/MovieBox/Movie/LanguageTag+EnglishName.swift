extension LanguageTag {
  /// What an English speaker calls it: `English`, `Portuguese (Brazil)`, `Chinese (Traditional)`.
  ///
  /// A subtag without a name in our tables stands as it is.
  public var englishName: String {
    guard !description.hasPrefix("x-") else { return description }
    let name =
      TwoLetterLanguage.byCode[language]?.englishName ?? ThreeLetterLanguage.englishName(language) ?? language
    let qualifiers =
      [
        script.map { LanguageSubtagNames.scripts[$0] ?? $0 },
        region.map { LanguageSubtagNames.regions[$0] ?? $0 },
      ].compactMap { $0 } + variants
    return qualifiers.isEmpty ? name : name + " (" + qualifiers.joined(separator: ", ") + ")"
  }
}
