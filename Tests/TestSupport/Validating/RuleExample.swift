import Testing

/// A rule with a movie that conforms to it and one that breaks it.
package struct RuleExample: CustomTestStringConvertible {
  package enum Target: String {
    case apple, iso
  }

  package let rule: String
  /// All rules that the breaking movie breaks; one mistake may break several.
  package let breaks: Set<String>
  /// The target of the rule.
  package let target: Target
  package let keeping: [UInt8]
  package let breaking: [UInt8]
  /// The file name of the movie.
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

  /// Creates an example from a change of the conforming movie.
  package init(
    _ rule: String, for target: Target = .apple, and others: [String] = [], keeps: TestMovie? = nil,
    _ change: (inout TestMovie) -> Void
  ) {
    let base = keeps ?? (target == .iso ? TestMovie.rightISO : .right)
    self.init(rule, for: target, and: others, keeps: keeps, breaking: base.with(change).bytes())
  }

  /// Creates an example from other bytes in the payload of an atom of the conforming movie.
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
