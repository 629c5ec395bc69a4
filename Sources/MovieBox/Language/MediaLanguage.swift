/// Which language a media is in, by what its atoms say.
package enum MediaLanguage {
  /// The language of a media, by the order of trust: a well-formed tag in `elng`, else the code in `mdhd`, packed or
  /// Macintosh. `nil` when the one that counts says that the language is unspecified or undetermined.
  ///
  /// QTFF, "Extended language tag atom": the tag overrides the code; one that is not well-formed counts as absent.
  package static func resolve(mediaHeaderCode: UInt16, extendedTag: String?) -> LanguageTag? {
    let tag = extendedTag.flatMap { LanguageTag($0) } ?? language(ofCode: mediaHeaderCode)
    return tag?.description == "und" ? nil : tag
  }

  private static func language(ofCode code: UInt16) -> LanguageTag? {
    guard code >= LanguageCode.firstPacked else { return LanguageCode.macintosh(code) }
    return LanguageCode.letters(packed: code).flatMap { LanguageTag($0) }
  }
}
