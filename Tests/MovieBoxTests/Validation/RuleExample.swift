import MovieBox
import TestSupport
import Testing

/// A rule, a movie that keeps it and one that breaks it.
struct RuleExample: CustomTestStringConvertible {
  let rule: String
  /// All rules that the breaking movie breaks; one mistake may break several.
  let breaks: Set<String>
  let target: Rule.Target
  let keeping: [UInt8]
  let breaking: [UInt8]
  /// The name that the file goes by.
  let fileName: String?

  var testDescription: String { rule }

  init(
    _ rule: String, for target: Rule.Target = .apple, and others: [String] = [], keeps: TestMovie? = nil,
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
  init(
    _ rule: String, for target: Rule.Target = .apple, and others: [String] = [], keeps: TestMovie? = nil,
    _ change: (inout TestMovie) -> Void
  ) {
    let base = keeps ?? (target == .iso ? TestMovie.rightISO : .right)
    self.init(rule, for: target, and: others, keeps: keeps, breaking: base.with(change).bytes())
  }

  /// The movie that keeps every rule, with other bytes in the payload of one atom.
  init(
    _ rule: String, for target: Rule.Target = .apple, and others: [String] = [], keeps: TestMovie? = nil,
    at path: String, _ offset: Int, _ replacement: [UInt8]
  ) throws {
    var bytes = (keeps ?? (target == .iso ? TestMovie.rightISO : .right)).bytes()
    let tree = try Movie(of: MemorySource(Bytes(bytes))).tree
    let atom = try #require(tree.index(at: path))
    let start = Int(tree.range(of: atom).offset) + tree[atom].headerByteCount + offset
    bytes.replaceSubrange(start..<start + replacement.count, with: replacement)
    self.init(rule, for: target, and: others, keeps: keeps, breaking: bytes)
  }

  /// Which rules a movie breaks, samples and fragments looked at.
  static func broken(_ bytes: [UInt8], for target: Rule.Target?, fileName: String? = nil) throws -> [Finding] {
    let source = MemorySource(Bytes(bytes))
    let movie = try Movie(of: source)
    let fragments = movie.layout.first("moof") == nil ? nil : try movie.readFragments(of: source)
    return try movie.findings(for: target, fragments: fragments, fileName: fileName, readingTextOf: source)
  }
}
