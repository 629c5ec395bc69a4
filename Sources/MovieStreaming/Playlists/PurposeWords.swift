import MovieBox

/// What a rendition is for, in the words of those who speak its language.
struct PurposeWords: Sendable {
  /// What a rendition may be for.
  enum Purpose: Sendable {
    case forced, audioDescription, commentary, easyToRead, clearSpeech
  }

  private let forced: String
  private let audioDescription: String
  private let commentary: String
  /// These two are English where our table does not have them.
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

  /// The word for a purpose in a language; in English where our table does not have the language.
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

  /// By ISO 639-1.
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
