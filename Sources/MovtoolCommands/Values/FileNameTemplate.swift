/// A template for file names with fields, such as `{stem}.{language}[.{role}].{format}`.
///
/// Text in square brackets is omitted if one of its fields is empty.
struct FileNameTemplate: Equatable, Sendable {
  /// A field that is replaced by a value.
  enum Field: String, Sendable {
    /// The movie's name without folder and extension.
    case stem
    /// Another word for ``stem``, in the names of several edited movies.
    case name
    /// The folder of the movie.
    case folder
    /// The extension of the movie's name, without the period.
    case `extension`
    case language
    /// The role as file names contain it (see ``FileNameHints``), `chapters`, or an empty string.
    case role
    /// The format: `srt`, `vtt` or `json`.
    case format
    /// The track's ID.
    case id
    /// The chapter's number, padded with zeros.
    case number
  }

  private enum Part: Equatable {
    case text(String)
    case field(Field)
    case optional([Part])
  }

  /// The default template.
  static let standard = "{stem}.{language}[.{role}].{format}"

  /// The fields for extracted tracks.
  static let ofTracks: [Field] = [.stem, .language, .role, .format, .id]

  /// The template as it was written.
  let text: String
  private var parts: [Part]

  /// Parses a template. Throws if it contains a field that is not in `fields`. The error contains `option`.
  init(_ text: String, option: String = "-o", fields: [Field] = ofTracks) throws(UsageError) {
    self.text = text
    var scanner = Scanner(rest: Substring(text), optionAndText: "\(option) \(text)", fields: fields)
    parts = try scanner.parts(isNested: false)
  }

  /// Whether the template contains the field outside of brackets.
  func contains(_ field: Field) -> Bool { parts.contains(.field(field)) }

  /// The template without `.{language}`. It is used for texts whose language is undetermined.
  var withoutLanguage: FileNameTemplate {
    var copy = self
    if let index = parts.firstIndex(of: .field(.language)), index > 0, parts[index - 1] == .text(".") {
      copy.parts.removeSubrange(index - 1...index)
    }
    return copy
  }

  /// Returns the name with all fields replaced.
  ///
  /// - Parameters:
  ///   - value: the text of a field.
  ///   - isUnknown: whether the text of a field stands for an unknown value. Brackets with this field are omitted.
  func filled(_ value: (Field) -> String, isUnknown: (Field) -> Bool = { _ in false }) -> String {
    Self.filled(parts, value, isUnknown)
  }

  private static func filled(
    _ parts: [Part], _ value: (Field) -> String, _ isUnknown: (Field) -> Bool
  ) -> String {
    var name = ""
    for part in parts {
      switch part {
      case .text(let text): name += text
      case .field(let field): name += value(field)
      case .optional(let inner):
        let isWhole = inner.allSatisfy {
          if case .field(let field) = $0 { !isUnknown(field) && !value(field).isEmpty } else { true }
        }
        if isWhole { name += filled(inner, value, isUnknown) }
      }
    }
    return name
  }

  private struct Scanner {
    var rest: Substring
    /// The option and the template, for errors.
    let optionAndText: String
    let fields: [Field]

    mutating func parts(isNested: Bool) throws(UsageError) -> [Part] {
      var parts: [Part] = []
      while let character = rest.first {
        switch character {
        case "]" where isNested: return parts
        case "{": parts.append(.field(try field()))
        // Brackets without a field between them are ordinary characters of the name.
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
      UsageError(.invalidValue, "\(optionAndText): \(reason)")
    }
  }
}

/// A sort key that compares the numbers in names by their values, so that `2_English` sorts before `10_French`. A name
/// sorts before longer names that begin with it, whatever their extensions: `film.cc.srt` sorts before `film.cc3.srt`.
struct NaturalOrder: Comparable {
  /// A run of digits, or a run of other characters.
  private enum Part: Comparable {
    /// The digits without leading zeros. Of two numbers, the number with more digits is larger.
    case number(count: Int, digits: String)
    case text(String)
  }

  /// The parts of the name without its extension, and of the extension.
  private let parts: (stem: [Part], suffix: [Part])
  private let name: String

  init(_ name: String) {
    self.name = name
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    parts = (Self.parts(of: name[..<dot]), Self.parts(of: name[dot...]))
  }

  private static func parts(of text: Substring) -> [Part] {
    var parts: [Part] = []
    var rest = text
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
    return parts
  }

  private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

  static func == (one: NaturalOrder, other: NaturalOrder) -> Bool { one.name == other.name }

  static func < (one: NaturalOrder, other: NaturalOrder) -> Bool {
    for (parts, others) in [(one.parts.stem, other.parts.stem), (one.parts.suffix, other.parts.suffix)]
    where parts != others {
      return parts.lexicographicallyPrecedes(others)
    }
    return one.name < other.name
  }
}

extension [String] {
  /// The names in natural order: numbers in the names are compared by their values.
  var inNaturalOrder: [String] {
    map { (key: NaturalOrder($0), name: $0) }.sorted { $0.key < $1.key }.map(\.name)
  }
}
