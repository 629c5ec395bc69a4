/// Codes and tags that were replaced, by what stands for them now (IANA Language Subtag Registry, Preferred-Value).
enum LanguageAliases {
  /// What stands for a code of a language that was replaced; `mol`, `scc` and `scr` were ISO 639-2 codes until 2008.
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
