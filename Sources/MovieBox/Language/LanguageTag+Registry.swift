import Subtitles

extension LanguageTag {
  /// The subtags that mean nothing, as the tag spells them: those that IANA's Language Subtag Registry does not have in
  /// their place (RFC 5646, 2.2.9, "valid").
  ///
  /// Extensions and private use (`x-…`) mean what they were agreed to mean, and are not looked at. The table is that of
  /// ``registryDate``.
  ///
  ///     LanguageTag("en-long")?.unregisteredSubtags  // ["Long"]: no script
  public var unregisteredSubtags: [String] {
    // Registered as a whole, and without anything newer.
    if ["cel-gaulish", "zh-min"].contains(description) { return [] }
    var found: [String] = []
    var subtags = description.split(separator: "-").prefix { $0.utf8.count > 1 }
    guard let first = subtags.popFirst() else { return [] }
    if !RegisteredSubtags.hasLanguage(first) { found.append(String(first)) }
    for subtag in subtags {
      let kind: Set<String>
      switch (subtag.utf8.count, subtag.utf8.first.map { Ascii.isDigit($0) }) {
      case (3, false): kind = RegisteredSubtags.extendedLanguages
      case (4, false): kind = RegisteredSubtags.scripts
      case (2, _), (3, true): kind = RegisteredSubtags.regions
      default: kind = RegisteredSubtags.variants
      }
      let code = subtag.lowercased()
      if !kind.contains(code) { found.append(String(subtag)) }
    }
    return found
  }

  /// The date of the registry that ``unregisteredSubtags`` knows.
  public static var registryDate: String { RegisteredSubtags.date }
}

extension RegisteredSubtags {
  /// Whether a code in lower case is that of a language.
  fileprivate static func hasLanguage(_ code: Substring) -> Bool {
    let letters = code.utf8.map { Int($0) - 0x61 }
    guard letters.allSatisfy((0..<26).contains), let last = letters.last else { return false }
    let table = letters.count == 2 ? twoLetterLanguages : threeLetterLanguages
    let row = letters.dropLast().reduce(0) { $0 * 26 + $1 }
    return [2, 3].contains(letters.count) && table[row] >> last & 1 == 1
  }
}
