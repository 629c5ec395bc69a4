/// The 16-bit language code in `mdhd` and other atoms: a packed ISO 639-2 code or a Macintosh code.
package enum LanguageCode {
  /// The Macintosh code for an unspecified language. The code is above ``firstPacked``, but is not a packed ISO 639-2
  /// code.
  package static let unspecifiedMacintosh: UInt16 = 0x7FFF

  /// The lowest value that is not a Macintosh code.
  package static let firstPacked: UInt16 = 0x400

  /// Packs three letters from `a` to `z` into 5 bits each. Returns `nil` if `letters` contains other characters or has
  /// another length.
  package static func packed(_ letters: String) -> UInt16? {
    guard letters.utf8.count == 3, letters.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { return nil }
    return letters.utf8.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
  }

  /// Returns the packed ISO 639-2/T code that represents a tag in `mdhd`.
  package static func packed(for tag: LanguageTag) -> UInt16 {
    packed(iso639_2T(for: tag)) ?? undetermined
  }

  /// Returns the three letters of a packed code. Returns `nil` if `code` is a Macintosh code, or if one of the three
  /// values is not a letter. The top bit is padding.
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

  /// Returns the language of a Macintosh code, or `nil` if the code is unassigned or ``unspecifiedMacintosh``.
  package static func macintosh(_ code: UInt16) -> LanguageTag? {
    MacintoshLanguages.tag(code).flatMap { LanguageTag($0) }
  }

  /// Returns the ISO 639-2 code that best represents a tag. If the language has no code, returns the code of its
  /// macrolanguage, such as `zho` for `yue`. If the macrolanguage has no code either, returns `und`. If a language has
  /// two codes, returns the terminological code.
  package static func iso639_2T(for tag: LanguageTag) -> String {
    if let row = TwoLetterLanguage(code: tag.language) { return row.terminological }
    if ThreeLetterLanguage.isISO639_2(tag.language) { return tag.language }
    return ThreeLetterLanguage.macrolanguage(of: tag.language) ?? "und"
  }

  /// The packed code of `und`.
  package static let undetermined: UInt16 = 0x55C4
}

/// Deprecated codes and tags with their replacements (IANA Language Subtag Registry, Preferred-Value).
enum LanguageAliases {
  /// Returns the replacement of a language code, or `nil` if the code is current. `mol`, `scc` and `scr` were ISO
  /// 639-2 codes until 2008.
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

  /// Returns the replacement of a grandfathered tag in lower case (RFC 5646, 2.1; IANA registry, "Preferred-Value"),
  /// or `nil` if the tag is not grandfathered. Three tags have no replacement and become private-use tags.
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

/// The language codes of the Macintosh Script Manager (QTFF, table 5-1).
enum MacintoshLanguages {
  /// Returns the BCP 47 tag for `code`, or `nil` if the code has no tag.
  static func tag(_ code: UInt16) -> String? {
    let code = Int(code)
    if code < tagsFromZero.count { return tagsFromZero[code] }
    return code >= 128 && code - 128 < tagsFrom128.count ? tagsFrom128[code - 128] : nil
  }

  /// The tags of codes 0 to 94. The table in QTFF lacks code 86, which QuickTime's headers define as Tigrinya.
  private static let tagsFromZero = [
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

  /// The tags of codes 128 to 138.
  private static let tagsFrom128 = [
    "cy", "eu", "ca", "la", "qu", "gn", "ay", "tt", "ug", "dz", "jv-Latn",
  ]
}

/// The language of media, determined from several atoms.
package enum MediaLanguage {
  /// Returns the language of media, or `nil` if it is unspecified or undetermined. A well-formed tag in `elng` takes
  /// precedence over the packed or Macintosh code in `mdhd`.
  ///
  /// A malformed tag is ignored (QTFF, "Extended language tag atom").
  package static func resolve(mediaHeaderCode: UInt16, extendedTag: String?) -> LanguageTag? {
    let tag = extendedTag.flatMap { LanguageTag($0) } ?? language(ofCode: mediaHeaderCode)
    return tag?.description == "und" ? nil : tag
  }

  private static func language(ofCode code: UInt16) -> LanguageTag? {
    guard code >= LanguageCode.firstPacked else { return LanguageCode.macintosh(code) }
    return LanguageCode.letters(packed: code).flatMap { LanguageTag($0) }
  }
}
