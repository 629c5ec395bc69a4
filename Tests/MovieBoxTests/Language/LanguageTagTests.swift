import MovieBox
import Testing

struct LanguageTagTests {
  @Test(arguments: [
    ("en", "en"), ("EN", "en"), ("PT-br", "pt-BR"), ("zh-hANT", "zh-Hant"), ("es-419", "es-419"),
    ("yue-hant-HK", "yue-Hant-HK"), ("ca-VALENCIA", "ca-valencia"), ("de-1996", "de-1996"), ("zh-YUE", "zh-yue"),
    ("sl-rozaj-biske-1994", "sl-rozaj-biske-1994"), ("en-US-U-Islamcal", "en-US-u-islamcal"),
    ("en-a-bbb-X-A-ccc", "en-a-bbb-x-a-ccc"), ("X-Whatever", "x-whatever"),
    ("qaa-Qaaa-QM-x-southern", "qaa-Qaaa-QM-x-southern"),
    ("i-klingon", "tlh"), ("I-Default", "x-i-default"), ("en-GB-oed", "en-GB-oxendict"),
  ])
  func normalisesCase(text: String, expected: String) {
    #expect(LanguageTag(text)?.description == expected)
  }

  @Test(arguments: [
    ("deu", "de"), ("ger", "de"), ("amh", "am"), ("chi", "zh"), ("zho-TW", "zh-TW"), ("eng-us", "en-US"),
    ("yue", "yue"), ("cmn-Hans", "cmn-Hans"), ("fil", "fil"), ("iw", "he"), ("scr", "hr"), ("mul", "mul"),
    ("und", "und"),
  ])
  func shortensCodes(text: String, expected: String) {
    #expect(LanguageTag(text)?.description == expected)
  }

  @Test(arguments: [
    "", "-", "e", "en-", "-en", "en--US", "english", "abcd", "1en", "en_US", "en US", "en-abcdefghi", "en-x", "x",
    "x-", "u-foo", "en-u", "en-u-x-y", "en-US-GB", "zh-Hant-Hans", "e\u{301}n", "\u{212A}a", "en\0", "419",
  ])
  func rejectsMalformedTags(text: String) {
    #expect(LanguageTag(text) == nil)
  }

  @Test func returnsItsSubtags() throws {
    let tag = try #require(LanguageTag("zh-hant-hk-pinyin-x-any"))
    #expect(tag.language == "zh")
    #expect(tag.script == "Hant")
    #expect(tag.region == "HK")
    #expect(tag.variants == ["pinyin"])
    #expect(LanguageTag("es-419")?.region == "419")
    #expect(LanguageTag("x-any")?.language == "und")
  }

  @Test func roundTripsTags() throws {
    for text in ["en", "zh-Hant", "es-419", "x-any", "sl-rozaj-1994", "zh-cmn-Hans-CN", "de-u-co-phonebk"] {
      let tag = try #require(LanguageTag(text))
      #expect(LanguageTag(tag.description) == tag)
    }
  }

  @Test(arguments: [
    ("en", false), ("deu", false), ("yue", true), ("cmn", true), ("pt-BR", true), ("zh-Hant", true), ("es-419", true),
    ("und", false), ("fil", false), ("x-any", true), ("qaa", false), ("ca-valencia", true), ("tlh", false),
    ("aaa", true),
  ])
  func needsAnExtendedTagIfTheTagHasMoreThanALanguage(text: String, expected: Bool) {
    #expect(LanguageTag(text)?.needsExtendedTag == expected)
  }

  @Test func knowsWhichLanguagesAreInISO639_2() {
    for text in ["en", "yue", "amh", "fil", "qtz", "pt-BR", "ase"] {
      #expect(LanguageTag(text)?.hasKnownLanguage == true, "\(text)")
    }
    for text in ["xq", "xxq", "qua"] {
      #expect(LanguageTag(text)?.hasKnownLanguage == false, "\(text)")
    }
  }

  @Test(arguments: [
    ("en", "English"), ("pt-BR", "Portuguese (Brazil)"), ("zh-Hant", "Chinese (Traditional)"),
    ("es-419", "Spanish (Latin America)"), ("zh-Hant-HK", "Chinese (Traditional, Hong Kong)"), ("yue", "Cantonese"),
    ("sr-Latn", "Serbian (Latin)"), ("en-ZZ", "English (ZZ)"), ("aaa", "aaa"), ("xq-Abcd-999", "xq (Abcd, 999)"),
    ("ca-valencia", "Catalan (valencia)"), ("x-any", "x-any"), ("und", "Undetermined"), ("nb", "Norwegian Bokmål"),
  ])
  func hasAnEnglishName(text: String, expected: String) {
    #expect(LanguageTag(text)?.englishName == expected)
  }
}
