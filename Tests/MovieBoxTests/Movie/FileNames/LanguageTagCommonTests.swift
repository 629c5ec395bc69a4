import Testing

@testable import MovieBox

struct LanguageTagCommonTests {
  @Test func coversISO639Part1() {
    #expect(["en", "pt-BR", "eng", "fre", "fra", "und", "fil", "iw"].allSatisfy { LanguageTag($0)?.isCommon == true })
    #expect(["jp", "xx", "web", "day"].allSatisfy { LanguageTag($0)?.isCommon == false })
  }
}
