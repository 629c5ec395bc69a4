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
