import Testing

@testable import MovieBox

/// Decimal numbers in the text of metadata. Swift's own conversions serve as a witness.
struct DecimalNumberTests {
  /// Numbers with 1 to 17 digits at all positions of the point, from a linear congruential generator.
  private static let numbers: [String] = {
    var state: UInt64 = 1
    return (0..<20_000).map { index in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let digits = String(state >> 8).prefix(1 + index % 17)
      let point = index / 17 % (digits.count + 1)
      let sign = ["", "-", "+"][index % 3]
      return sign + digits.prefix(point) + (index % 5 == 0 ? "" : "." + digits.dropFirst(point))
    }
  }()

  @Test func parsesAsSwiftDoes() {
    for text in Self.numbers {
      #expect(Double(decimal: text.utf8) == (text.contains { $0.isNumber } ? Double(text) : nil), "\(text)")
    }
    for text in ["1e5", "-2.5E-3", "1.7976931348623157e308", "1e999", "00000000000000000000001"] {
      #expect(Double(decimal: text.utf8) == Double(text), "\(text)")
    }
  }

  @Test(arguments: ["", "+", "-", ".", "--1", "1.2.3", "1 ", "nan", "inf", "0x10", "1_000", "１", "1,5", "e5"])
  func rejectsOtherTexts(text: String) {
    #expect(Double(decimal: text.utf8) == nil)
  }

  @Test func rejectsLongTexts() {
    #expect(Double(decimal: String(repeating: "1", count: 64).utf8) != nil)
    #expect(Double(decimal: String(repeating: "1", count: 65).utf8) == nil)
  }

  @Test func keepsTheSign() {
    #expect(Double(decimal: "-0".utf8)?.sign == .minus)
  }

  /// The text is the shortest text that reads back as the number.
  @Test func writesAsSwiftDoes() throws {
    for text in Self.numbers {
      guard let number = Double(decimal: text.utf8), number.magnitude < 9e15, number != 0 else { continue }
      let written = number.decimalText
      if number.magnitude >= 1e-4 {
        #expect(written == number.description)
      }
      #expect(!written.contains("e"))
    }
    #expect(
      [0, -0.0, 5e-5, -1e-9, 1e-12, 1e-13, 1].map(\.decimalText)
        == ["0.0", "0.0", "0.00005", "-0.000000001", "0.000000000001", "0.000000000000", "1.0"])
  }

  @Test func appendsWholeNumbers() {
    for (number, count, text) in [(0, 1, "0"), (7, 3, "007"), (1_000, 2, "1000"), (UInt64.max, 1, "\(UInt64.max)")]
      as [(UInt64, Int, String)]
    {
      var utf8 = Array("x".utf8)
      utf8.append(decimal: number, digitCount: count)
      #expect(String(decoding: utf8, as: UTF8.self) == "x" + text)
    }
  }
}
