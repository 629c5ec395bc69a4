package import MovieBox

/// What a player's menu calls a rendition: its title, else its language in its own words and what it is for.
package enum RenditionName {
  /// The name of a track.
  ///
  /// - Parameter isForced: whether only what must be read is in it.
  package static func of(_ track: Track, isForced: Bool = false) -> String {
    if let title = track.title, !title.isEmpty, !isForced || track.containsOnlyForcedSubtitles { return title }
    let other = track.mediaType == .audio ? "Audio" : "Subtitles"
    return of(
      track.language, track.taggedCharacteristics, isForced: isForced, unknown: other,
      isAuxiliary: track.isExcludedFromAutomaticSelection)
  }

  /// The name of something in a language with these tags.
  package static func of(
    _ language: LanguageTag?, _ tags: [MediaCharacteristic], isForced: Bool, unknown: String = "Subtitles",
    isAuxiliary: Bool = false
  ) -> String {
    var name = language.map(ownName) ?? unknown
    if MediaCharacteristic.areSDH(tags) { name += " SDH" }
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

  /// What those who speak a language call it, with its script and region; in English where our tables have no words of
  /// their own.
  package static func ownName(_ tag: LanguageTag) -> String {
    let written = tag.script.flatMap { ownNames["\(tag.language)-\($0)"] }
    guard let name = written ?? ownNames[tag.language] else { return tag.englishName }
    let words = tag.script.flatMap { ownQualifiers["\(tag.language)-\($0)"] }
    return tag.qualified(name) { words?[$0] ?? ownQualifiers[tag.language]?[$0] }
  }

  /// By ISO 639-1, with the script where that has a name of its own, as the CLDR has them, with a capital.
  private static let ownNames: [String: String] = [
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

  /// Scripts and regions in the words of the languages whose subtitles are told apart by them, in short forms; by the language, or by
  /// it and its script where that writes them otherwise.
  private static let ownQualifiers: [String: [String: String]] = [
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
