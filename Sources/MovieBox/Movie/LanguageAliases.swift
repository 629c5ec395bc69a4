/// Codes and tags that were replaced, by what stands for them now (IANA Language Subtag Registry, Preferred-Value).
enum LanguageAliases {
  /// Codes of languages; the last three were ISO 639-2 codes until 2008.
  static let retiredCodes: [String: String] = [
    "in": "id",
    "iw": "he",
    "ji": "yi",
    "jw": "jv",
    "mo": "ro",
    "mol": "ro",
    "scc": "sr",
    "scr": "hr",
  ]

  /// Whole tags that break the grammar and are well-formed all the same (RFC 5646, 2.1, "irregular"), in lower case.
  /// Three of them have nothing newer and become private.
  static let irregularTags: [String: String] = [
    "en-gb-oed": "en-gb-oxendict",
    "i-ami": "ami",
    "i-bnn": "bnn",
    "i-default": "x-i-default",
    "i-enochian": "x-i-enochian",
    "i-hak": "hak",
    "i-klingon": "tlh",
    "i-lux": "lb",
    "i-mingo": "x-i-mingo",
    "i-navajo": "nv",
    "i-pwn": "pwn",
    "i-tao": "tao",
    "i-tay": "tay",
    "i-tsu": "tsu",
    "sgn-be-fr": "sfb",
    "sgn-be-nl": "vgt",
    "sgn-ch-de": "sgg",
  ]
}
