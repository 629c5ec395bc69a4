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

/// Codes and tags that were replaced, by what stands for them now (IANA Language Subtag Registry, Preferred-Value).
enum LanguageAliases {
  /// Returns the replacement of a language code; `mol`, `scc` and `scr` were ISO 639-2 codes until 2008.
  static func currentCode(_ code: String) -> String? {
    switch code {
    case "in": "id"
    case "iw": "he"
    case "ji": "yi"
    case "jw": "jv"
    case "mo": "ro"
    case "mol": "ro"
    case "scc": "sr"
    case "scr": "hr"
    default: nil
    }
  }

  /// The tag that takes the place of a grandfathered one (RFC 5646, 2.1; IANA registry, "Preferred-Value"), in lower
  /// case. Three of them have nothing newer and become private.
  static func preferredTag(forGrandfathered tag: String) -> String? {
    switch tag {
    case "art-lojban": "jbo"
    case "en-gb-oed": "en-gb-oxendict"
    case "i-ami": "ami"
    case "i-bnn": "bnn"
    case "i-default": "x-i-default"
    case "i-enochian": "x-i-enochian"
    case "i-hak": "hak"
    case "i-klingon": "tlh"
    case "i-lux": "lb"
    case "i-mingo": "x-i-mingo"
    case "i-navajo": "nv"
    case "i-pwn": "pwn"
    case "i-tao": "tao"
    case "i-tay": "tay"
    case "i-tsu": "tsu"
    case "no-bok": "nb"
    case "no-nyn": "nn"
    case "sgn-be-fr": "sfb"
    case "sgn-be-nl": "vgt"
    case "sgn-ch-de": "sgg"
    case "zh-guoyu": "cmn"
    case "zh-hakka": "hak"
    case "zh-min-nan": "nan"
    case "zh-xiang": "hsn"
    default: nil
    }
  }
}

/// The language codes of the Macintosh Script Manager (QTFF, table 5-1): the one place for them.
enum MacintoshLanguages {
  /// The BCP 47 tag of `code`, `nil` when it has none.
  static func tag(_ code: UInt16) -> String? {
    let code = Int(code)
    if code < fromZero.count { return fromZero[code] }
    return code >= 128 && code - 128 < from128.count ? from128[code - 128] : nil
  }

  /// Codes 0 to 94. 86 is not in the table; QuickTime's headers call it Tigrinya.
  private static let fromZero = [
    "en", "fr", "de", "it", "nl", "sv", "es", "da", "pt", "no",  // 0
    "he", "ja", "ar", "fi", "el", "is", "mt", "tr", "hr", "zh-Hant",  // 10
    "ur", "hi", "th", "ko", "lt", "pl", "hu", "et", "lv", "se",  // 20
    "fo", "fa", "ru", "zh-Hans", "nl-BE", "ga", "sq", "ro", "cs", "sk",  // 30
    "sl", "yi", "sr", "mk", "bg", "uk", "be", "uz", "kk", "az-Cyrl",  // 40
    "az-Arab", "hy", "ka", "ro-MD", "ky", "tg", "tk", "mn-Mong", "mn-Cyrl", "ps",  // 50
    "ku", "ks", "sd", "bo", "ne", "sa", "mr", "bn", "as", "gu",  // 60
    "pa", "or", "ml", "kn", "ta", "te", "si", "my", "km", "lo",  // 70
    "vi", "id", "tl", "ms-Latn", "ms-Arab", "am", "ti", "om", "so", "sw",  // 80
    "rw", "rn", "ny", "mg", "eo",  // 90
  ]

  /// Codes 128 to 138.
  private static let from128 = [
    "cy", "eu", "ca", "la", "qu", "gn", "ay", "tt", "ug", "dz", "jv-Latn",
  ]
}

/// The language of media, by its atoms.
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
