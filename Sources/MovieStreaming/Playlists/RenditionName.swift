package import MovieBox

/// The display name of a rendition: its title, or else the native name of its language and its purpose.
///
/// Players show the name in their menus and do not translate it, so it is in the language of the rendition.
package enum RenditionName {
  /// Returns the name of a track.
  ///
  /// - Parameter isForced: whether the rendition contains only the forced subtitles of the track.
  package static func name(of track: Track, isForced: Bool = false) -> String {
    if let title = track.title, !title.isEmpty, !isForced || track.containsOnlyForcedSubtitles { return title }
    let unknownLanguageName = track.mediaType == .audio ? "Audio" : "Subtitles"
    return name(
      of: track.language, track.taggedCharacteristics, isForced: isForced, unknown: unknownLanguageName,
      isAuxiliary: track.isExcludedFromAutomaticSelection, isCaptions: track.mediaType == .closedCaption)
  }

  /// Returns the name of a rendition with this language and these characteristics.
  package static func name(
    of language: LanguageTag?, _ tags: [MediaCharacteristic], isForced: Bool, unknown: String = "Subtitles",
    isAuxiliary: Bool = false, isCaptions: Bool = false
  ) -> String {
    var name = language.map(nativeName) ?? unknown
    if isCaptions { name += " CC" } else if MediaCharacteristic.areSDH(tags) { name += " SDH" }
    var purposes: [PurposeWords.Purpose] = isForced ? [.forced] : []
    for (characteristic, purpose) in purposesByCharacteristic where tags.contains(characteristic) {
      purposes.append(purpose)
    }
    if purposes.isEmpty, isAuxiliary { purposes.append(.commentary) }
    let words = purposes.map { PurposeWords.word($0, in: language) }
    return words.isEmpty ? name : "\(name) (\(words.joined(separator: ", ")))"
  }

  private static let purposesByCharacteristic: [(MediaCharacteristic, PurposeWords.Purpose)] = [
    (.describesVideo, .audioDescription), (.auxiliaryContent, .commentary), (.easyToRead, .easyToRead),
    (.enhancesSpeechIntelligibility, .clearSpeech),
  ]

  /// Returns the native name of a language with its script and region, or the English name if the tables do not contain
  /// the language.
  package static func nativeName(_ tag: LanguageTag) -> String {
    let nameWithScript = tag.script.flatMap { nativeNames["\(tag.language)-\($0)"] }
    guard let name = nameWithScript ?? nativeNames[tag.language] else { return tag.englishName }
    let words = tag.script.flatMap { nativeQualifiers["\(tag.language)-\($0)"] }
    return tag.qualified(name) { words?[$0] ?? nativeQualifiers[tag.language]?[$0] }
  }

  /// Native names from the CLDR, capitalized. The keys are ISO 639-1 codes, or codes with a script if the language has
  /// a separate name in that script.
  private static let nativeNames: [String: String] = [
    "ar": "العربية", "bg": "Български", "bn": "বাংলা", "ca": "Català", "cs": "Čeština", "cy": "Cymraeg",
    "da": "Dansk", "de": "Deutsch", "el": "Ελληνικά", "en": "English", "es": "Español", "et": "Eesti",
    "eu": "Euskara", "fa": "فارسی", "fi": "Suomi", "fr": "Français", "ga": "Gaeilge", "gl": "Galego",
    "he": "עברית", "hi": "हिन्दी", "hr": "Hrvatski", "hu": "Magyar", "id": "Indonesia", "is": "Íslenska",
    "it": "Italiano", "ja": "日本語", "ko": "한국어", "lt": "Lietuvių", "lv": "Latviešu", "ms": "Melayu",
    "nb": "Norsk bokmål", "nl": "Nederlands", "nn": "Norsk nynorsk", "no": "Norsk", "pl": "Polski",
    "pt": "Português", "ro": "Română", "ru": "Русский", "sk": "Slovenčina", "sl": "Slovenščina",
    "sq": "Shqip", "sr": "Српски", "sr-Latn": "Srpski", "sv": "Svenska", "ta": "தமிழ்", "th": "ไทย", "tr": "Türkçe",
    "uk": "Українська", "ur": "اردو", "vi": "Tiếng Việt", "zh": "中文",
  ]

  /// Short native names of scripts and regions that distinguish subtitles. The keys are languages, or languages with a
  /// script if the script changes the spelling.
  private static let nativeQualifiers: [String: [String: String]] = [
    "de": ["AT": "Österreich", "BE": "Belgien", "CH": "Schweiz", "DE": "Deutschland", "LI": "Liechtenstein"],
    "es": [
      "419": "Latinoamérica", "AR": "Argentina", "CL": "Chile", "CO": "Colombia", "ES": "España", "MX": "México",
      "PE": "Perú", "US": "Estados Unidos",
    ],
    "fr": ["BE": "Belgique", "CA": "Canada", "CH": "Suisse", "FR": "France", "LU": "Luxembourg"],
    "it": ["CH": "Svizzera", "IT": "Italia"],
    "ja": ["JP": "日本"],
    "ko": ["KR": "대한민국"],
    "nb": ["NO": "Norge"],
    "nl": ["BE": "België", "NL": "Nederland"],
    "nn": ["NO": "Noreg"],
    "no": ["NO": "Norge"],
    "pt": ["BR": "Brasil", "PT": "Portugal"],
    "ru": ["RU": "Россия"],
    "sr": ["BA": "Босна и Херцеговина", "Cyrl": "ћирилица", "ME": "Црна Гора", "RS": "Србија"],
    "sr-Latn": ["BA": "Bosna i Hercegovina", "Latn": "latinica", "ME": "Crna Gora", "RS": "Srbija"],
    "sv": ["FI": "Finland", "SE": "Sverige"],
    "zh": [
      "CN": "中国", "HK": "香港", "Hans": "简体", "Hant": "繁體", "MO": "澳門", "SG": "新加坡", "TW": "台灣",
    ],
    "zh-Hans": ["MO": "澳门", "TW": "台湾"],
    "zh-Hant": ["CN": "中國"],
  ]
}

/// Words for the purposes of a rendition in one language.
struct PurposeWords: Sendable {
  /// The purpose of a rendition.
  enum Purpose: Sendable {
    case forced, audioDescription, commentary, easyToRead, clearSpeech
  }

  private let forced: String
  private let audioDescription: String
  private let commentary: String
  /// The table lacks some words for easy-to-read text and clear speech. English words are used instead.
  private var easyToRead = "easy to read"
  private var clearSpeech = "clear speech"

  private init(_ forced: String, _ audioDescription: String, _ commentary: String) {
    (self.forced, self.audioDescription, self.commentary) = (forced, audioDescription, commentary)
  }

  private init(
    _ forced: String, _ audioDescription: String, _ commentary: String, easyToRead: String, clearSpeech: String
  ) {
    self.init(forced, audioDescription, commentary)
    (self.easyToRead, self.clearSpeech) = (easyToRead, clearSpeech)
  }

  /// Returns the word for a purpose in a language, or in English if the table does not contain the language.
  static func word(_ purpose: Purpose, in language: LanguageTag?) -> String {
    let words = language.flatMap { byLanguage[$0.language] } ?? english
    return switch purpose {
    case .forced: words.forced
    case .audioDescription: words.audioDescription
    case .commentary: words.commentary
    case .easyToRead: words.easyToRead
    case .clearSpeech: words.clearSpeech
    }
  }

  private static let english = PurposeWords("forced", "audio description", "commentary")
  private static let norwegian = PurposeWords(
    "tvungne", "synstolking", "kommentar", easyToRead: "lettlest", clearSpeech: "tydelig tale")

  /// The words by ISO 639-1 code.
  private static let byLanguage: [String: PurposeWords] = [
    "cs": PurposeWords("vynucené", "zvukový popis", "komentář"),
    "da": PurposeWords("tvungne", "synstolkning", "kommentar", easyToRead: "letlæst", clearSpeech: "tydelig tale"),
    "de": PurposeWords(
      "erzwungen", "Audiodeskription", "Kommentar", easyToRead: "Leichte Sprache", clearSpeech: "klare Sprache"),
    "es": PurposeWords(
      "forzados", "audiodescripción", "comentarios", easyToRead: "lectura fácil", clearSpeech: "diálogo claro"),
    "fi": PurposeWords(
      "pakotetut", "kuvailutulkkaus", "kommentit", easyToRead: "selkokieli", clearSpeech: "selkeä puhe"),
    "fr": PurposeWords(
      "forcés", "audiodescription", "commentaires", easyToRead: "facile à lire", clearSpeech: "dialogues clairs"),
    "it": PurposeWords(
      "forzati", "audiodescrizione", "commento", easyToRead: "facile da leggere", clearSpeech: "dialoghi chiari"),
    "ja": PurposeWords("強制", "音声ガイド", "コメンタリー"),
    "ko": PurposeWords("강제", "화면 해설", "코멘터리"),
    "nb": norwegian,
    "nl": PurposeWords(
      "gedwongen", "audiodescriptie", "commentaar", easyToRead: "makkelijk leesbaar", clearSpeech: "heldere spraak"),
    "no": norwegian,
    "pl": PurposeWords("wymuszone", "audiodeskrypcja", "komentarz"),
    "pt": PurposeWords(
      "forçadas", "audiodescrição", "comentários", easyToRead: "leitura fácil", clearSpeech: "diálogo claro"),
    "ru": PurposeWords("форсированные", "тифлокомментарий", "комментарии"),
    "sv": PurposeWords("tvingade", "syntolkning", "kommentarer", easyToRead: "lättläst", clearSpeech: "tydligt tal"),
    "zh": PurposeWords("强制", "口述影像", "评论"),
  ]
}

/// A generator of unique names, which appends a number to a name that is already taken.
package struct UniqueNames: Sendable {
  /// The separator before the number.
  private let separator: String
  private var names: Set<String>
  /// The next number to try for each name. It avoids repeated searches, because a movie may have thousands of tracks in
  /// one language.
  private var numbers: [String: Int] = [:]

  /// Creates a generator of names that differ from the names in `taken`.
  package init(numberSeparator separator: String, taken: some Sequence<String> = EmptyCollection<String>()) {
    self.separator = separator
    names = Set(taken)
  }

  /// Returns the name, followed by a number if the name is already taken.
  package mutating func name(_ name: String) -> String {
    if names.insert(name).inserted { return name }
    var number = numbers[name] ?? 2
    while !names.insert("\(name)\(separator)\(number)").inserted { number += 1 }
    numbers[name] = number + 1
    return "\(name)\(separator)\(number)"
  }
}

extension Track {
  /// The characteristics of a rendition of the track. A track of closed captions is for the deaf even if it has no
  /// tags. The tags are added here, because players recognize captions in WebVTT only by tags (HLS Authoring
  /// Specification 4.5).
  package var renditionCharacteristics: [MediaCharacteristic] {
    guard mediaType == .closedCaption else { return taggedCharacteristics }
    return MediaCharacteristic.sdh + taggedCharacteristics.filter { !MediaCharacteristic.sdh.contains($0) }
  }
}
