import Testing

/// A rule, a movie that keeps it and one that breaks it.
package struct RuleExample: CustomTestStringConvertible {
  package enum Target: String {
    case apple, iso
  }

  package let rule: String
  /// All rules that the breaking movie breaks; one mistake may break several.
  package let breaks: Set<String>
  /// Whom the rule is for, as an option names them.
  package let target: Target
  package let keeping: [UInt8]
  package let breaking: [UInt8]
  /// The name that the file goes by.
  package let fileName: String?

  package var testDescription: String { rule }

  package init(
    _ rule: String, for target: Target = .apple, and others: [String] = [], keeps: TestMovie? = nil,
    fileName: String? = nil, breaking: [UInt8]
  ) {
    self.rule = rule
    self.target = target
    self.breaks = Set([rule] + others)
    self.fileName = fileName
    keeping = (keeps ?? (target == .iso ? .rightISO : .right)).bytes()
    self.breaking = breaking
  }

  /// The movie that keeps every rule, with a change.
  package init(
    _ rule: String, for target: Target = .apple, and others: [String] = [], keeps: TestMovie? = nil,
    _ change: (inout TestMovie) -> Void
  ) {
    let base = keeps ?? (target == .iso ? TestMovie.rightISO : .right)
    self.init(rule, for: target, and: others, keeps: keeps, breaking: base.with(change).bytes())
  }

  /// The movie that keeps every rule, with other bytes in the payload of one atom.
  package init(
    _ rule: String, for target: Target = .apple, and others: [String] = [], keeps: TestMovie? = nil,
    at path: String, _ offset: Int, _ replacement: [UInt8]
  ) throws {
    var bytes = (keeps ?? (target == .iso ? TestMovie.rightISO : .right)).bytes()
    let atom = try #require(SecondReader(bytes).atom(path))
    let start = Int(atom.contentOffset) + offset
    bytes.replaceSubrange(start..<start + replacement.count, with: replacement)
    self.init(rule, for: target, and: others, keeps: keeps, breaking: bytes)
  }
}
