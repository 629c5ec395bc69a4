/// The name of a file with places to be filled in: `{stem}.{language}[.{role}].{format}`.
///
/// What stands in square brackets is left out where a place in it has nothing to say.
struct FileNameTemplate: Equatable, Sendable {
  /// What can be filled in.
  enum Field: String, Sendable {
    /// The movie's name without folder and extension.
    case stem
    case language
    /// What ``FileNameHints`` reads as a role, `chapters`, or nothing.
    case role
    /// `srt`, `vtt`, `json`.
    case format
    /// The track's ID.
    case id
    /// The chapter's number, with zeros before it.
    case number
  }

  private enum Part: Equatable {
    case text(String)
    case field(Field)
    case optional([Part])
  }

  /// What holds without `-o`.
  static let standard = "{stem}.{language}[.{role}].{format}"

  /// What can be filled in where tracks are extracted.
  static let ofTracks: [Field] = [.stem, .language, .role, .format, .id]

  /// The template as it was written.
  let text: String
  private let parts: [Part]

  /// The template that `text` spells, as an option has it; throws for a place of another name than `fields` have.
  init(_ text: String, option: String = "-o", fields: [Field] = ofTracks) throws(UsageError) {
    self.text = text
    var scanner = Scanner(rest: Substring(text), written: "\(option) \(text)", fields: fields)
    parts = try scanner.parts(isNested: false)
  }

  /// Whether a field stands in it, and not between brackets.
  func contains(_ field: Field) -> Bool { parts.contains(.field(field)) }

  /// The name with everything filled in.
  func filled(_ value: (Field) -> String) -> String {
    Self.filled(parts, value)
  }

  private static func filled(_ parts: [Part], _ value: (Field) -> String) -> String {
    var name = ""
    for part in parts {
      switch part {
      case .text(let text): name += text
      case .field(let field): name += value(field)
      case .optional(let inner):
        let isWhole = inner.allSatisfy { if case .field(let field) = $0 { !value(field).isEmpty } else { true } }
        if isWhole { name += filled(inner, value) }
      }
    }
    return name
  }

  private struct Scanner {
    var rest: Substring
    /// The template with the option before it.
    let written: String
    let fields: [Field]

    mutating func parts(isNested: Bool) throws(UsageError) -> [Part] {
      var parts: [Part] = []
      while let character = rest.first {
        switch character {
        case "]" where isNested: return parts
        case "{": parts.append(.field(try field()))
        // Brackets without a place in them are part of the name.
        case "[" where !isNested && rest.prefix(while: { $0 != "]" }).contains("{"):
          rest.removeFirst()
          parts.append(.optional(try self.parts(isNested: true)))
          guard rest.popFirst() == "]" else { throw error("the [ is not closed") }
        default:
          rest.removeFirst()
          if case .text(let before) = parts.last {
            parts[parts.count - 1] = .text(before + String(character))
          } else {
            parts.append(.text(String(character)))
          }
        }
      }
      return parts
    }

    private mutating func field() throws(UsageError) -> Field {
      guard let end = rest.firstIndex(of: "}") else { throw error("the { is not closed") }
      let name = String(rest[rest.index(after: rest.startIndex)..<end])
      guard let field = Field(rawValue: name), fields.contains(field) else {
        let known = fields.map { "{\($0.rawValue)}" }.joined(separator: " ")
        throw error("{\(name)} is none of \(known)")
      }
      rest = rest[rest.index(after: end)...]
      return field
    }

    private func error(_ reason: String) -> UsageError {
      UsageError(.invalidValue, "\(written): \(reason)")
    }
  }
}

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
