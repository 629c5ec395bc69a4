@testable import MovieBox
import Testing

struct LanguageCodeTests {
  @Test(
    arguments: [
      ("eng", 0x15C7), ("fra", 0x1A41), ("deu", 0x10B5), ("spa", 0x4E01), ("por", 0x41F2), ("jpn", 0x2A0E),
      ("und", 0x55C4), ("mul", 0x36AC), ("zxx", 0x6B18), ("aaa", 0x0421), ("zzz", 0x6B5A),
    ] as [(String, UInt16)])
  func packsThreeLetters(letters: String, code: UInt16) {
    #expect(LanguageCode.packed(letters) == code)
    #expect(LanguageCode.letters(packed: code) == letters)
  }

  @Test(arguments: ["", "en", "engl", "ENG", "e g", "e\u{301}n", "e{g", "e`g"])
  func rejectsOtherCodes(text: String) {
    #expect(LanguageCode.packed(text) == nil)
  }

  @Test func unpacksEveryCode() {
    for code in UInt16.min...UInt16.max {
      guard let letters = LanguageCode.letters(packed: code) else { continue }
      #expect(code >= LanguageCode.firstPacked)
      #expect(LanguageCode.packed(letters) == code & 0x7FFF)
    }
    #expect(LanguageCode.letters(packed: LanguageCode.unspecifiedMacintosh) == nil)
    #expect(LanguageCode.letters(packed: 0x8000) == nil)
  }

  @Test(
    arguments: [
      (0, "en"), (1, "fr"), (2, "de"), (9, "no"), (19, "zh-Hant"), (20, "ur"), (33, "zh-Hans"), (34, "nl-BE"),
      (49, "az-Cyrl"), (53, "ro-MD"), (57, "mn-Mong"), (80, "vi"), (85, "am"), (90, "rw"), (94, "eo"), (128, "cy"),
      (138, "jv-Latn"),
    ] as [(UInt16, String)])
  func readsMacintoshCodes(code: UInt16, tag: String) {
    #expect(LanguageCode.macintosh(code)?.description == tag)
  }

  @Test func convertsEveryMacintoshCode() {
    for code in UInt16.min...UInt16.max {
      let hasTag = code <= 94 || (128...138).contains(code)
      #expect((LanguageCode.macintosh(code) != nil) == hasTag, "\(code)")
      #expect(LanguageCode.macintosh(code)?.description == MacintoshLanguages.tag(code), "\(code)")
    }
  }

  @Test(arguments: [
    ("en", "eng"), ("de", "deu"), ("ger", "deu"), ("zh-Hant", "zho"), ("yue", "zho"), ("cmn-Hans", "zho"),
    ("am", "amh"), ("fil", "fil"), ("nb", "nob"), ("und", "und"), ("x-any", "und"), ("xq", "und"), ("aaa", "und"),
    ("ase", "sgn"), ("pes", "fas"), ("arz", "ara"), ("qtz", "qtz"), ("qua", "und"), ("lvs", "lav"),
  ])
  func findsTheClosestISO639_2Code(text: String, expected: String) throws {
    let tag = try #require(LanguageTag(text))
    #expect(LanguageCode.iso639_2T(for: tag) == expected)
    #expect(LanguageCode.packed(for: tag) == LanguageCode.packed(expected))
  }

  @Test func roundTripsEveryTwoLetterLanguage() throws {
    #expect(TwoLetterLanguage.all.count == 184)
    for row in TwoLetterLanguage.all {
      let tag = try #require(LanguageTag(row.code))
      #expect(LanguageTag(row.terminological) == tag)
      #expect(row.bibliographic.map { LanguageTag($0) == tag } ?? true)
      #expect(LanguageCode.iso639_2T(for: tag) == row.terminological)
      #expect(!tag.needsExtendedTag)
      #expect(tag.englishName == row.englishName)
    }
    #expect(Set(TwoLetterLanguage.all.map(\.code)).count == 184)
    let threeLetters = TwoLetterLanguage.all.flatMap { [$0.terminological, $0.bibliographic].compactMap { $0 } }
    #expect(Set(threeLetters).count == 204)
  }
}
