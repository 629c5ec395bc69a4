import Testing

@testable import movtool

struct LanguageTagTests {
  @Test(arguments: [
    ("en", "en"), ("EN", "en"), ("pt-br", "pt-BR"), ("PT_BR", "pt-BR"), ("zh-hant", "zh-Hant"), ("ES-419", "es-419"),
    ("zh-hant-tw", "zh-Hant-TW"), ("eng", "eng"), ("zh-yue-hk", "zh-yue-HK"), ("sl-rozaj-biske", "sl-rozaj-biske"),
    ("de-CH-1901", "de-CH-1901"), ("en-u-ca-buddhist", "en-u-ca-buddhist"), ("en-x-a", "en-x-a"),
    ("de-a-foo-x-bar", "de-a-foo-x-bar"), ("und", "und"),
  ])
  func wellFormedTagTakesTheRecommendedCase(text: String, tag: String) {
    #expect(LanguageTag(text)?.text == tag)
  }

  @Test(arguments: [
    "", "e", "engl", "english", "en-", "-en", "en--us", "en-x", "en-u", "en-a-b", "en-toolonglong", "en us", "e1",
    "en-usa-usa-usa-usa", "en-US-Latn", "en-ü", "12",
  ])
  func refusesWhatIsNotWellFormed(text: String) {
    #expect(LanguageTag(text) == nil)
  }

  @Test func commonLanguagesAreThoseOfISO639Part1() {
    #expect(["en", "pt-BR", "eng", "fre", "fra", "und", "fil"].allSatisfy { LanguageTag($0)?.isCommon == true })
    #expect(["jp", "xx", "web", "day", "yue"].allSatisfy { LanguageTag($0)?.isCommon == false })
  }
}
