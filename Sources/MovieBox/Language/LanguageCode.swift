/// The 16 bits that name a language in `mdhd` and elsewhere: three packed letters or a Macintosh code.
package enum LanguageCode {
  /// The Macintosh code of no language. Its bits would also be three letters past `z`; they never mean that.
  package static let unspecifiedMacintosh: UInt16 = 0x7FFF

  /// The first value that is not a Macintosh code.
  package static let firstPacked: UInt16 = 0x400

  /// Three letters from `a` to `z`, each as 5 bits; `nil` for any other text.
  package static func packed(_ letters: String) -> UInt16? {
    guard letters.utf8.count == 3, letters.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { return nil }
    return letters.utf8.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
  }

  /// The ISO 639-2/T code of `tag`, packed, for `mdhd`.
  package static func packed(for tag: LanguageTag) -> UInt16 {
    packed(iso639_2T(for: tag)) ?? undetermined
  }

  /// The three letters in `code`; `nil` when it is a Macintosh code or holds something else than letters. The top
  /// bit is padding.
  package static func letters(packed code: UInt16) -> String? {
    guard code >= firstPacked else { return nil }
    var text = ""
    for shift in [10, 5, 0] as [UInt16] {
      let letter = UInt8(code >> shift & 0x1F)
      guard (1...26).contains(letter) else { return nil }
      text.unicodeScalars.append(Unicode.Scalar(0x60 + letter))
    }
    return text
  }

  /// The language of a Macintosh code; `nil` for a code without one and for ``unspecifiedMacintosh``.
  package static func macintosh(_ code: UInt16) -> LanguageTag? {
    MacintoshLanguages.tag(code).flatMap { LanguageTag($0) }
  }

  /// The ISO 639-2 code, terminological where there are two, that is closest to `tag`: its language's own, that of the
  /// language that encloses it (`zho` for `yue`), or `und`.
  package static func iso639_2T(for tag: LanguageTag) -> String {
    if let row = TwoLetterLanguage(code: tag.language) { return row.terminological }
    if ThreeLetterLanguage.isISO639_2(tag.language) { return tag.language }
    return ThreeLetterLanguage.enclosing(tag.language) ?? "und"
  }

  /// `und`, packed.
  package static let undetermined: UInt16 = 0x55C4
}
