import MovieBox
import Testing

struct MediaLanguageTests {
  func resolve(_ code: UInt16, _ extendedTag: String? = nil) -> String? {
    MediaLanguage.resolve(mediaHeaderCode: code, extendedTag: extendedTag)?.description
  }

  func packed(_ letters: String) throws -> UInt16 {
    try #require(LanguageCode.packed(letters))
  }

  @Test func prefersAWellFormedExtendedTag() throws {
    #expect(resolve(try packed("eng"), "pt-BR") == "pt-BR")
    #expect(resolve(try packed("und"), "yue-Hant") == "yue-Hant")
    #expect(resolve(0x7FFF, "es-419") == "es-419")
    #expect(resolve(try packed("eng"), "und") == nil)
  }

  @Test func ignoresAMalformedExtendedTag() throws {
    #expect(resolve(try packed("por"), "pt_BR") == "pt")
    #expect(resolve(try packed("por"), "") == "pt")
    #expect(resolve(11, "-") == "ja")
  }

  @Test func distinguishesPackedAmharicFromAMacintoshCode() throws {
    #expect(try packed("amh") == 0x05A8)
    #expect(resolve(try packed("amh")) == "am")
    #expect(resolve(8) == "pt")
    #expect(resolve(85) == "am")
  }

  @Test func readsBothFormsOfISO639_2() throws {
    #expect(resolve(try packed("ger")) == "de")
    #expect(resolve(try packed("deu")) == "de")
    #expect(resolve(try packed("yue")) == "yue")
  }

  @Test func treatsUnspecifiedAndUndeterminedAsNoLanguage() throws {
    #expect(resolve(0x7FFF) == nil)
    #expect(resolve(0xFFFF) == nil)
    #expect(resolve(0x55C4) == nil)
    #expect(resolve(0x3FF) == nil)
    #expect(resolve(95) == nil)
  }

  @Test(arguments: ["yue-Hant", "pt-BR", "zh-Hans", "en", "fil", "cmn", "x-any"])
  func roundTripsLanguages(text: String) throws {
    let tag = try #require(LanguageTag(text))
    let extended = tag.needsExtendedTag ? tag.description : nil
    #expect(MediaLanguage.resolve(mediaHeaderCode: LanguageCode.packed(for: tag), extendedTag: extended) == tag)
  }
}
