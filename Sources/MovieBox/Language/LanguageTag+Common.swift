extension LanguageTag {
  /// Whether the language is one that people write into the names of files: one of ISO 639-1, by either code, and
  /// `fil mul und yue zxx`, and those for private use.
  ///
  /// Other words of three letters (`day`, `web`) are rather words of a title, though ISO 639 may have them.
  var isCommon: Bool {
    if ThreeLetterLanguage.isForPrivateUse(language) { return true }
    return language.utf8.count == 2 ? hasKnownLanguage : ["fil", "mul", "und", "yue", "zxx"].contains(language)
  }
}
