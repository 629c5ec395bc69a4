/// A language as people write it: a BCP 47 tag, well formed, in the case that RFC 5646 recommends.
struct LanguageTag: Hashable, Sendable {
  /// The tag: `en`, `pt-BR`, `zh-Hant`.
  let text: String

  /// Nothing is known of the language.
  static let undetermined = LanguageTag(wellFormed: "und")

  private init(wellFormed text: String) {
    self.text = text
  }

  /// The tag that `text` spells; underscores count as hyphens.
  ///
  /// Fails on what RFC 5646 §2.1 does not allow, and on language subtags of four letters and more, none of which is
  /// registered: they are names of languages, not codes.
  init?(_ text: some StringProtocol) {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }.map { $0.lowercased() }
    guard parts.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isLetterOrDigit) }),
      let language = parts.first, (2...3).contains(language.utf8.count), Self.isLetters(language)
    else { return nil }
    var result = [language]
    var stage = Stage.language(extensions: 0)
    var previousWasSingleton = false
    for part in parts.dropFirst() {
      guard let next = stage.after(part) else { return nil }
      if previousWasSingleton, part.utf8.count < 2, stage != .privateUse { return nil }
      previousWasSingleton = part.utf8.count == 1
      stage = next
      switch next {
      case .script: result.append(part.prefix(1).uppercased() + part.dropFirst())
      case .region: result.append(part.uppercased())
      default: result.append(part)
      }
    }
    guard !previousWasSingleton || (stage == .privateUse && result.dropLast().contains("x")) else { return nil }
    self.text = result.joined(separator: "-")
  }

  /// The language subtag, two or three letters.
  var language: String { String(text.prefix { $0 != "-" }) }

  /// Whether the language is in ISO 639-1 or among the ISO 639-2 codes for the same languages. Three letters may
  /// still be right: ISO 639-3 has thousands.
  var isCommon: Bool {
    (language.count == 2 ? Self.twoLetterCodes : Self.threeLetterCodes).split(separator: " ").contains {
      $0 == language
    }
  }

  private static func isLetters(_ text: String) -> Bool {
    text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || isDigit(byte)
  }

  /// How far into a tag one has read.
  private enum Stage: Equatable {
    case language(extensions: Int)
    case script
    case region
    case variant
    case extended
    case privateUse

    /// Where one is after a further subtag; `nil` when it may not follow.
    func after(_ part: String) -> Stage? {
      let count = part.utf8.count
      let startsWithDigit = part.utf8.first.map(LanguageTag.isDigit) ?? false
      switch self {
      case .privateUse: return .privateUse
      case .extended: return part == "x" ? .privateUse : .extended
      default: break
      }
      if count == 1 { return part == "x" ? .privateUse : .extended }
      if count >= 5 || (count == 4 && startsWithDigit) { return .variant }
      switch self {
      case .language(let extensions) where count == 3 && LanguageTag.isLetters(part) && extensions < 3:
        return .language(extensions: extensions + 1)
      case .language where count == 4 && LanguageTag.isLetters(part): return .script
      case .language, .script:
        let isRegion =
          (count == 2 && LanguageTag.isLetters(part)) || (count == 3 && part.utf8.allSatisfy(LanguageTag.isDigit))
        return isRegion ? .region : nil
      default: return nil
      }
    }
  }
}

extension LanguageTag {
  /// ISO 639-1.
  private static let twoLetterCodes = """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el \
    en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu \
    ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na \
    nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so \
    sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """

  /// The ISO 639-2 codes, terminological and bibliographic, of the languages that ISO 639-1 has, and `fil mul und zxx`.
  private static let threeLetterCodes = """
    aar abk afr aka alb amh ara arg arm asm ava ave aym aze bak bam baq bel ben bih bis bod bos bre bul bur cat ces \
    cha che chi chu chv cor cos cre cym cze dan deu div dut dzo ell eng epo est eus ewe fao fas fij fil fin fra fre \
    fry ful geo ger gla gle glg glv gre grn guj hat hau heb her hin hmo hrv hun hye ibo ice ido iii iku ile ina ind \
    ipk isl ita jav jpn kal kan kas kat kau kaz khm kik kin kir kom kon kor kua kur lao lat lav lim lin lit ltz lub \
    lug mac mah mal mao mar may mkd mlg mlt mon mri msa mul mya nau nav nbl nde ndo nep nld nno nob nor nya oci oji \
    ori orm oss pan per pli pol por pus que roh ron rum run rus sag san sin slk slo slv sme smo sna snd som sot spa \
    sqi srd srp ssw sun swa swe tah tam tat tel tgk tgl tha tib tir ton tsn tso tuk tur twi uig ukr und urd uzb ven \
    vie vol wel wln wol xho yid yor zha zho zul zxx
    """
}
