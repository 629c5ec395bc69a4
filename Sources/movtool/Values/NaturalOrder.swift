/// The order of names in which numbers count by their value: `2_English` comes before `10_French`.
struct NaturalOrder: Comparable {
  /// Digits by their value, and other characters.
  private enum Part: Comparable {
    /// The digits without leading zeros; more digits are a larger number.
    case number(count: Int, digits: String)
    case text(String)
  }

  private let parts: [Part]
  private let name: String

  init(_ name: String) {
    self.name = name
    var parts: [Part] = []
    var rest = name[...]
    while let first = rest.first {
      let isNumber = Self.isDigit(first)
      let run = rest.prefix { Self.isDigit($0) == isNumber }
      if isNumber {
        let digits = run.drop { $0 == "0" }
        parts.append(.number(count: digits.count, digits: String(digits)))
      } else {
        parts.append(.text(String(run)))
      }
      rest = rest[run.endIndex...]
    }
    self.parts = parts
  }

  private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

  static func < (one: NaturalOrder, other: NaturalOrder) -> Bool {
    for (part, otherPart) in zip(one.parts, other.parts) where part != otherPart { return part < otherPart }
    return (one.parts.count, one.name) < (other.parts.count, other.name)
  }
}

extension [String] {
  /// The names with numbers in the order of their values.
  var inNaturalOrder: [String] {
    map { (key: NaturalOrder($0), name: $0) }.sorted { $0.key < $1.key }.map(\.name)
  }
}
