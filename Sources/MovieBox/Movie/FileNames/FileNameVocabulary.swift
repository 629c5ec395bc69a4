/// The words in names of subtitle files, apart from language codes.
enum FileNameVocabulary {
  /// Returns the language for a lower-case name. The name may be the language's own name, its English name, or a name
  /// that subtitle sites use.
  static func language(named name: String) -> FileNameWord.Meaning? {
    ((nativeNames[name] ?? siteNames[name]).flatMap { LanguageTag($0) } ?? LanguageTag(englishName: name))
      .map { language($0, named: name) }
  }

  /// Returns the meaning of a lower-case name of a language.
  static func language(_ tag: LanguageTag, named name: String) -> FileNameWord.Meaning {
    .language(tag, ambiguousNames.contains(name) ? .ambiguousName : .name)
  }

  /// English names of languages that are also other words, or names of scripts (`latin`) or countries. Subtitles in
  /// these languages are rare.
  private static let ambiguousNames: Set<String> = ["ewe", "ido", "latin", "nauru", "pali", "tonga"]
  /// The names of languages in their own language.
  private static let nativeNames = [
    "afrikaans": "af", "العربية": "ar", "عربي": "ar", "azərbaycan": "az", "български": "bg", "বাংলা": "bn",
    "bosanski": "bs",
    "català": "ca", "čeština": "cs", "česky": "cs", "cymraeg": "cy", "dansk": "da", "deutsch": "de", "ελληνικά": "el",
    "español": "es", "espanol": "es", "eesti": "et", "euskara": "eu", "فارسی": "fa", "suomi": "fi", "français": "fr",
    "francais": "fr", "gaeilge": "ga", "galego": "gl", "עברית": "he", "हिन्दी": "hi", "हिंदी": "hi", "hrvatski": "hr",
    "magyar": "hu", "հայերեն": "hy", "bahasa indonesia": "id", "íslenska": "is", "italiano": "it", "日本語": "ja",
    "ქართული": "ka", "қазақ": "kk", "ខ្មែរ": "km", "ಕನ್ನಡ": "kn", "한국어": "ko", "lietuvių": "lt", "latviešu": "lv",
    "македонски": "mk", "മലയാളം": "ml", "монгол": "mn", "मराठी": "mr", "bahasa melayu": "ms", "nederlands": "nl",
    "norsk": "no", "norsk bokmål": "nb", "norsk nynorsk": "nn", "bokmål": "nb", "nynorsk": "nn", "polski": "pl",
    "português": "pt", "portugues": "pt", "română": "ro", "русский": "ru", "slovenčina": "sk", "slovensky": "sk",
    "slovenščina": "sl", "shqip": "sq", "српски": "sr", "srpski": "sr", "svenska": "sv", "தமிழ்": "ta", "తెలుగు": "te",
    "ไทย": "th", "türkçe": "tr", "turkce": "tr", "українська": "uk", "اردو": "ur", "tiếng việt": "vi", "中文": "zh",
    "简体中文": "zh-Hans", "简体": "zh-Hans", "简中": "zh-Hans", "繁體中文": "zh-Hant", "繁體": "zh-Hant", "繁体": "zh-Hant",
    "繁中": "zh-Hant", "粵語": "yue",
  ]

  /// Language names from subtitle sites and players, and alternative names from registries, such as `tonga`.
  private static let siteNames = [
    "en uk": "en-GB", "es la": "es-419", "old english": "ang", "brazilian portuguese": "pt-BR", "castellano": "es-ES",
    "castilian": "es-ES", "cestina": "cs", "chs": "zh-Hans",
    "cht": "zh-Hant",
    "cantonese": "yue", "farsi": "fa", "filipino": "fil", "flemish": "nl-BE", "mandarin": "cmn", "pob": "pt-BR",
    "ptbr": "pt-BR", "norwegian bokmal": "nb", "pb": "pt-BR", "chi sim": "zh-Hans", "chi tra": "zh-Hant", "tonga": "to",
  ]

  /// Words that make the tag of an adjacent language more specific, such as `brazilian`. Each word maps language codes
  /// to longer tags. The tag for the empty code applies if no language is adjacent.
  static let qualifiers: [String: [String: String]] = {
    let brazil = ["pt": "pt-BR"]
    let latinAmerica = ["es": "es-419"]
    let europe = ["es": "es-ES", "pt": "pt-PT"]
    let latin = ["es": "es-419", "sr": "sr-Latn", "uz": "uz-Latn", "az": "az-Latn", "bs": "bs-Latn", "": "la"]
    let cyrillic = ["sr": "sr-Cyrl", "uz": "uz-Cyrl", "az": "az-Cyrl", "bs": "bs-Cyrl"]
    return [
      "brazil": brazil, "brasil": brazil, "brazilian": ["pt": "pt-BR", "": "pt-BR"], "portugal": europe,
      "spain": europe,
      "españa": europe, "european": europe, "latin america": latinAmerica, "latin american": latinAmerica,
      "latinoamérica": latinAmerica, "latinoamerica": latinAmerica, "latino": latinAmerica, "latam": latinAmerica,
      "latin": latin, "cyrillic": cyrillic, "mexico": ["es": "es-MX"], "mexican": ["es": "es-MX"],
      "canada": ["fr": "fr-CA", "en": "en-CA"], "canadian": ["fr": "fr-CA", "en": "en-CA"], "québec": ["fr": "fr-CA"],
      "france": ["fr": "fr-FR"], "british": ["en": "en-GB"], "american": ["en": "en-US"],
      "simplified": ["zh": "zh-Hans"],
      "sim": ["zh": "zh-Hans"], "traditional": ["zh": "zh-Hant"], "tra": ["zh": "zh-Hant"], "taiwan": ["zh": "zh-TW"],
      "hong kong": ["zh": "zh-HK"],
    ]
  }()

  /// Country codes that rarely or never mean a language, with the language of the country. For example, `se` is the
  /// code of Northern Sami, but usually means Sweden.
  static let countries: [String: LanguageTag] = [
    "br": "pt-BR", "cn": "zh-Hans", "cz": "cs", "dk": "da", "gr": "el", "jp": "ja", "kr": "ko", "mx": "es-MX",
    "se": "sv",
    "tw": "zh-Hant", "ua": "uk", "vn": "vi",
  ]
  .compactMapValues { LanguageTag($0) }

  /// Language codes that are also words, or that often end the names of other files.
  static let ambiguousCodes = Set(
    """
    am an as ay be bi co do el et go ha he ho id ie ii in io is it ki la li lo me mi my na ne no nu om or os pa pi \
    rm ro so si su ta te ti to un ve wa yo za \
    bel ben bis bos cat cha cos dan dut est ewe fin fry hat her ice ido ile ina kin kit las lim lin lit may mal man \
    mar mon nau nav nor pan per que rum sag san sin som sot sun tam tat tel ton tur ven vie und
    """.split(separator: " ").map(String.init))

  /// Language codes that have other meanings in file names, such as backups (`bak`), test runs (`run`), formats and
  /// release labels. The private-use code `qed` is also a word.
  static let nonLanguageCodes = Set(
    "ae arm av bak cor div dv ff mac mg ps qed run scc scr sd sub tk ts tt vo vol ia".split(separator: " ")
      .map(String.init))

  /// Lower-case tags whose region is also a language code. For example, `pt-br` means the Portuguese of Brazil, and not
  /// Portuguese and Breton.
  static let lowercaseTags = Set(
    """
    ar-ae ar-ma ar-sa ar-tn bs-ba de-be de-ch de-li en-ca en-in en-sg en-za es-ar es-cl es-co es-cr es-cu es-pa es-sv \
    et-ee fa-af fi-se fr-be fr-ca fr-ch it-ch ko-kr ms-my nb-no nl-be nn-no ps-af pt-br sl-si sv-se zh-mo zh-sg zh-tw
    """.split(separator: " ").map(String.init))

  /// Whether a word that could be a region probably has another meaning, such as a role (`cc`), a rating (`pg`), a
  /// release label or a number. `la` means Latin America and not Laos.
  static func isJargon(region: String?) -> Bool {
    guard let region else { return false }
    if region.first?.isNumber == true { return region != "419" && region != "150" }
    return ["AD", "AI", "CC", "LA", "ME", "PG", "TV"].contains(region)
  }

  /// Names of web sites that release films, without their top-level domains.
  static let releaseSites: Set<String> = ["yts", "eztv", "rarbg", "ettv"]

  /// Words that negate an adjacent role.
  static let negations = Set(
    "no non not never un without minus removed stripped off free nicht ohne keine sans sin senza sem maybe was"
      .split(separator: " ").map(String.init))

  /// The languages whose codes are accepted at the end of any title.
  static let trustedLanguages = Set(
    """
    ar bg bn ca cs da de el en es et eu fa fi fil fr gl he hi hr hu id is it ja ko lt lv mk ms mul nb nl nn no pl pt ro ru \
    sk sl sq sr sv ta te th tr vi zh yue
    """.split(separator: " ").map(String.init))

  /// Words for subtitles that contain only foreign dialogue, signs or songs.
  static let likelyForcedWords: Set<String> = ["foreign", "sign", "signs", "song", "songs"]

  /// Words that suggest neither a language nor a role.
  static let fillers = Set(
    """
    full complete long short lyrics karaoke dialog dialogue hard soft clean final fixed corrected revised \
    sync synced resync retimed sub subs subtitle subtitles caption captions text utf8 utf ansi srt vtt mp4 mov m4v mkv \
    avi track disc disk cd cd1 cd2 v1 v2 v3 part1 part2 new old copy version
    """.split(separator: " ").map(String.init))
}
