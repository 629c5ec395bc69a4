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

  @Test(
    arguments: [
      ("72", 72), ("72.0", 72), ("-7.2e1", -72), ("1e3", 1_000), ("1.50E+2", 150), ("100e-2", 1), ("0.0e99", 0),
      ("-0", 0), ("9007199254740993", 9_007_199_254_740_993), ("1.5", nil), ("1e-1", nil), ("1e39", nil),
      ("1e-99999999999999999999", nil),
    ] as [(String, Int128?)])
  func readsWholeNumbers(text: String, number: Int128?) throws {
    #expect(try value(text).wholeNumber == number)
    #expect(try value(text).word == number.flatMap { UInt32(exactly: $0) })
  }

  @Test func refusesRepeatedMembersOnRequest() throws {
    let repeated = Bytes(Array(#"{"a": {"b": 1, "b": 2}}"#.utf8))
    #expect(try JSONValue(repeated)["a"]?["b"] == .number("2"))
    #expect(throws: MovieError.self) { try JSONValue(repeated, allowsRepeatedMembers: false) }
    let others = Bytes(Array(#"[{"b": 1}, {"b": 2}]"#.utf8))
    #expect(try JSONValue(others, allowsRepeatedMembers: false).array?.count == 2)
  }

  @Test func readsEscapesOfFourDigits() throws {
    #expect(try value(#""\u00e4\ud83d\ude00""#) == .string("ä😀"))
    for text in [#""\u+041""#, #""\u00g1""#, #""\u004""#, #""\ud83d""#] {
      #expect(throws: MovieError.self) { try value(text) }
    }
  }
}
