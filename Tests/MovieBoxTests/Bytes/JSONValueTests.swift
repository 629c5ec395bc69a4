import MovieBox
import Testing

struct JSONValueTests {
  private func value(_ text: String) throws(MovieError) -> JSONValue { try JSONValue(Bytes(Array(text.utf8))) }

  @Test(arguments: ["0", "-0", "12", "-1.50", "1e3", "1E+3", "0.5e-2"])
  func preservesTheSpellingOfNumbers(text: String) throws {
    #expect(try value(text) == .number(text))
  }

  @Test(arguments: ["+1", "01", "-01", ".5", "1.", "1e", "1e+", "--1", "1.2.3", "1e2e3", "-", "0x10", "1-2"])
  func rejectsInvalidNumbers(text: String) {
    #expect(throws: MovieError.self) { try value(text) }
  }

  @Test func readsEscapesOfFourDigits() throws {
    #expect(try value(#""\u00e4\ud83d\ude00""#) == .string("ä😀"))
    for text in [#""\u+041""#, #""\u00g1""#, #""\u004""#, #""\ud83d""#] {
      #expect(throws: MovieError.self) { try value(text) }
    }
  }
}
