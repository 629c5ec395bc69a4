import MovieBox
import Testing

struct LanguageRegistryTests {
  @Test(arguments: [
    "en", "eng", "pt-BR", "zh-Hant-TW", "es-419", "zh-yue", "sr-Latn", "de-1996", "ca-valencia", "qaa", "en-Qaaa",
    "en-XA", "x-klingon", "en-x-long", "en-u-ca-gregory", "de-1901-x-what", "i-klingon", "sgn-ase", "und", "mul", "zzj",
    "aaa",
    "sl-rozaj-biske", "zh-hakka", "zh-min", "no-bok", "cel-gaulish", "art-lojban",
  ])
  func findsNoUnregisteredSubtagsInRegisteredTags(_ text: String) throws {
    #expect(try #require(LanguageTag(text)).unregisteredSubtags == [])
  }

  @Test(
    arguments: [
      ("en-long", ["Long"]), ("en-song", ["Song"]), ("my-new", ["new"]), ("jp", ["jp"]), ("xx", ["xx"]),
      ("xyz", ["xyz"]), ("zz-Zzzy-ZQ-abcde", ["zz", "Zzzy", "ZQ", "abcde"]),
      ("pt-brasil", ["brasil"]), ("en-999", ["999"]), ("qub-abc", ["abc"]),
    ] as [(String, [String])])
  func findsUnregisteredSubtags(_ text: String, _ subtags: [String]) throws {
    #expect(try #require(LanguageTag(text)).unregisteredSubtags == subtags)
  }

  @Test func recordsTheDateOfTheRegistry() {
    #expect(LanguageTag.registryDate.split(separator: "-").compactMap { Int($0) }.count == 3)
  }
}
