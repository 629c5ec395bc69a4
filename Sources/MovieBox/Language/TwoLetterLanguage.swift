/// The languages of ISO 639-1, with their ISO 639-2 codes and English names.
struct TwoLetterLanguage {
  /// The ISO 639-1 code.
  let code: String
  /// The terminological ISO 639-2 code, such as `deu`. Files should use this code.
  let terminological: String
  /// The bibliographic ISO 639-2 code (`ger`), or `nil` if it equals the terminological code.
  let bibliographic: String?
  let englishName: String

  init(_ code: String, _ terminological: String, _ englishName: String, bibliographic: String? = nil) {
    self.code = code
    self.terminological = terminological
    self.bibliographic = bibliographic
    self.englishName = englishName
  }

  /// All languages, sorted by code.
  static let all: [TwoLetterLanguage] = [
    .init("aa", "aar", "Afar"), .init("ab", "abk", "Abkhazian"), .init("ae", "ave", "Avestan"),
    .init("af", "afr", "Afrikaans"), .init("ak", "aka", "Akan"), .init("am", "amh", "Amharic"),
    .init("an", "arg", "Aragonese"), .init("ar", "ara", "Arabic"), .init("as", "asm", "Assamese"),
    .init("av", "ava", "Avaric"), .init("ay", "aym", "Aymara"), .init("az", "aze", "Azerbaijani"),
    .init("ba", "bak", "Bashkir"), .init("be", "bel", "Belarusian"), .init("bg", "bul", "Bulgarian"),
    .init("bh", "bih", "Bihari"), .init("bi", "bis", "Bislama"), .init("bm", "bam", "Bambara"),
    .init("bn", "ben", "Bengali"), .init("bo", "bod", "Tibetan", bibliographic: "tib"),
    .init("br", "bre", "Breton"), .init("bs", "bos", "Bosnian"), .init("ca", "cat", "Catalan"),
    .init("ce", "che", "Chechen"), .init("ch", "cha", "Chamorro"), .init("co", "cos", "Corsican"),
    .init("cr", "cre", "Cree"), .init("cs", "ces", "Czech", bibliographic: "cze"),
    .init("cu", "chu", "Church Slavic"), .init("cv", "chv", "Chuvash"),
    .init("cy", "cym", "Welsh", bibliographic: "wel"), .init("da", "dan", "Danish"),
    .init("de", "deu", "German", bibliographic: "ger"), .init("dv", "div", "Divehi"),
    .init("dz", "dzo", "Dzongkha"), .init("ee", "ewe", "Ewe"),
    .init("el", "ell", "Greek", bibliographic: "gre"), .init("en", "eng", "English"),
    .init("eo", "epo", "Esperanto"), .init("es", "spa", "Spanish"), .init("et", "est", "Estonian"),
    .init("eu", "eus", "Basque", bibliographic: "baq"), .init("fa", "fas", "Persian", bibliographic: "per"),
    .init("ff", "ful", "Fulah"), .init("fi", "fin", "Finnish"), .init("fj", "fij", "Fijian"),
    .init("fo", "fao", "Faroese"), .init("fr", "fra", "French", bibliographic: "fre"),
    .init("fy", "fry", "Western Frisian"), .init("ga", "gle", "Irish"), .init("gd", "gla", "Scottish Gaelic"),
    .init("gl", "glg", "Galician"), .init("gn", "grn", "Guarani"), .init("gu", "guj", "Gujarati"),
    .init("gv", "glv", "Manx"), .init("ha", "hau", "Hausa"), .init("he", "heb", "Hebrew"),
    .init("hi", "hin", "Hindi"), .init("ho", "hmo", "Hiri Motu"), .init("hr", "hrv", "Croatian"),
    .init("ht", "hat", "Haitian Creole"), .init("hu", "hun", "Hungarian"),
    .init("hy", "hye", "Armenian", bibliographic: "arm"), .init("hz", "her", "Herero"),
    .init("ia", "ina", "Interlingua"), .init("id", "ind", "Indonesian"), .init("ie", "ile", "Interlingue"),
    .init("ig", "ibo", "Igbo"), .init("ii", "iii", "Sichuan Yi"), .init("ik", "ipk", "Inupiaq"),
    .init("io", "ido", "Ido"), .init("is", "isl", "Icelandic", bibliographic: "ice"),
    .init("it", "ita", "Italian"), .init("iu", "iku", "Inuktitut"), .init("ja", "jpn", "Japanese"),
    .init("jv", "jav", "Javanese"), .init("ka", "kat", "Georgian", bibliographic: "geo"),
    .init("kg", "kon", "Kongo"), .init("ki", "kik", "Kikuyu"), .init("kj", "kua", "Kuanyama"),
    .init("kk", "kaz", "Kazakh"), .init("kl", "kal", "Greenlandic"), .init("km", "khm", "Khmer"),
    .init("kn", "kan", "Kannada"), .init("ko", "kor", "Korean"), .init("kr", "kau", "Kanuri"),
    .init("ks", "kas", "Kashmiri"), .init("ku", "kur", "Kurdish"), .init("kv", "kom", "Komi"),
    .init("kw", "cor", "Cornish"), .init("ky", "kir", "Kyrgyz"), .init("la", "lat", "Latin"),
    .init("lb", "ltz", "Luxembourgish"), .init("lg", "lug", "Ganda"), .init("li", "lim", "Limburgish"),
    .init("ln", "lin", "Lingala"), .init("lo", "lao", "Lao"), .init("lt", "lit", "Lithuanian"),
    .init("lu", "lub", "Luba-Katanga"), .init("lv", "lav", "Latvian"), .init("mg", "mlg", "Malagasy"),
    .init("mh", "mah", "Marshallese"), .init("mi", "mri", "Maori", bibliographic: "mao"),
    .init("mk", "mkd", "Macedonian", bibliographic: "mac"), .init("ml", "mal", "Malayalam"),
    .init("mn", "mon", "Mongolian"), .init("mr", "mar", "Marathi"),
    .init("ms", "msa", "Malay", bibliographic: "may"), .init("mt", "mlt", "Maltese"),
    .init("my", "mya", "Burmese", bibliographic: "bur"), .init("na", "nau", "Nauru"),
    .init("nb", "nob", "Norwegian Bokmål"), .init("nd", "nde", "North Ndebele"), .init("ne", "nep", "Nepali"),
    .init("ng", "ndo", "Ndonga"), .init("nl", "nld", "Dutch", bibliographic: "dut"),
    .init("nn", "nno", "Norwegian Nynorsk"), .init("no", "nor", "Norwegian"),
    .init("nr", "nbl", "South Ndebele"), .init("nv", "nav", "Navajo"), .init("ny", "nya", "Chichewa"),
    .init("oc", "oci", "Occitan"), .init("oj", "oji", "Ojibwa"), .init("om", "orm", "Oromo"),
    .init("or", "ori", "Odia"), .init("os", "oss", "Ossetian"), .init("pa", "pan", "Punjabi"),
    .init("pi", "pli", "Pali"), .init("pl", "pol", "Polish"), .init("ps", "pus", "Pashto"),
    .init("pt", "por", "Portuguese"), .init("qu", "que", "Quechua"), .init("rm", "roh", "Romansh"),
    .init("rn", "run", "Rundi"), .init("ro", "ron", "Romanian", bibliographic: "rum"),
    .init("ru", "rus", "Russian"), .init("rw", "kin", "Kinyarwanda"), .init("sa", "san", "Sanskrit"),
    .init("sc", "srd", "Sardinian"), .init("sd", "snd", "Sindhi"), .init("se", "sme", "Northern Sami"),
    .init("sg", "sag", "Sango"), .init("si", "sin", "Sinhala"),
    .init("sk", "slk", "Slovak", bibliographic: "slo"), .init("sl", "slv", "Slovenian"),
    .init("sm", "smo", "Samoan"), .init("sn", "sna", "Shona"), .init("so", "som", "Somali"),
    .init("sq", "sqi", "Albanian", bibliographic: "alb"), .init("sr", "srp", "Serbian"),
    .init("ss", "ssw", "Swati"), .init("st", "sot", "Southern Sotho"), .init("su", "sun", "Sundanese"),
    .init("sv", "swe", "Swedish"), .init("sw", "swa", "Swahili"), .init("ta", "tam", "Tamil"),
    .init("te", "tel", "Telugu"), .init("tg", "tgk", "Tajik"), .init("th", "tha", "Thai"),
    .init("ti", "tir", "Tigrinya"), .init("tk", "tuk", "Turkmen"), .init("tl", "tgl", "Tagalog"),
    .init("tn", "tsn", "Tswana"), .init("to", "ton", "Tongan"), .init("tr", "tur", "Turkish"),
    .init("ts", "tso", "Tsonga"), .init("tt", "tat", "Tatar"), .init("tw", "twi", "Twi"),
    .init("ty", "tah", "Tahitian"), .init("ug", "uig", "Uyghur"), .init("uk", "ukr", "Ukrainian"),
    .init("ur", "urd", "Urdu"), .init("uz", "uzb", "Uzbek"), .init("ve", "ven", "Venda"),
    .init("vi", "vie", "Vietnamese"), .init("vo", "vol", "Volapük"), .init("wa", "wln", "Walloon"),
    .init("wo", "wol", "Wolof"), .init("xh", "xho", "Xhosa"), .init("yi", "yid", "Yiddish"),
    .init("yo", "yor", "Yoruba"), .init("za", "zha", "Zhuang"),
    .init("zh", "zho", "Chinese", bibliographic: "chi"), .init("zu", "zul", "Zulu"),
  ]

  /// Finds the language of a two-letter code. A linear search is sufficient, because a process looks up few languages.
  init?(code: String) {
    guard let row = Self.all.first(where: { $0.code == code }) else { return nil }
    self = row
  }

  /// Finds the language of a terminological or bibliographic code.
  init?(threeLetters code: String) {
    guard let row = Self.all.first(where: { $0.terminological == code || $0.bibliographic == code }) else { return nil }
    self = row
  }
}
