/// Takes down where a movie breaks a rule.
struct RuleReport {
  private let rule: Rule
  private let tree: AtomTree
  private let limit: Int
  private(set) var findings: [Finding] = []

  init(_ rule: Rule, _ movie: Movie) {
    self.rule = rule
    tree = movie.tree
    limit = movie.limits.defectCount
  }

  /// Whether no more is taken: a broken movie may break a rule in each of its atoms.
  var isFull: Bool { findings.count >= limit }

  /// The rule is broken at an atom of the movie header.
  mutating func add(_ atom: Int, _ reason: @autoclosure () -> String) {
    guard !isFull else { return }
    let error = MovieError(.malformed, at: tree.range(of: atom).offset, in: tree.path(of: atom), reason())
    findings.append(Finding(rule, error))
  }

  /// The rule is broken as the error says.
  mutating func add(_ error: @autoclosure () -> MovieError) {
    guard !isFull else { return }
    findings.append(Finding(rule, error()))
  }
}
