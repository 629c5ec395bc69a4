/// Takes down where a movie breaks a rule.
struct RuleReport {
  private let rule: Rule
  private let movie: Movie
  private(set) var findings: [Finding] = []

  init(_ rule: Rule, _ movie: Movie) {
    self.rule = rule
    self.movie = movie
  }

  /// Whether no more is taken: a broken movie may break a rule in each of its atoms.
  var isFull: Bool { findings.count >= movie.limits.defectCount }

  /// The rule is broken at an atom of the movie atom.
  ///
  /// - Parameters:
  ///   - fix: what helps there, where that is not all that the rule names.
  ///   - words: what words in capitals stand for in it. `SELECTOR` is the track that the atom is in, unless it is given.
  mutating func add(
    _ atom: Int, _ reason: @autoclosure () -> String, fix: String? = nil, words: [String: String] = [:]
  ) {
    guard !isFull else { return }
    let tree = movie.tree
    let error = MovieError(.malformed, at: tree.range(of: atom).offset, in: tree.path(of: atom), reason())
    add(error, fix, words)
  }

  /// The rule is broken as the error says.
  mutating func add(_ error: @autoclosure () -> MovieError) {
    guard !isFull else { return }
    add(error(), nil, [:])
  }

  private mutating func add(_ error: MovieError, _ fix: String?, _ words: [String: String]) {
    var words = words
    if words["SELECTOR"] == nil { words["SELECTOR"] = error.offset.flatMap(movie.track(at:))?.selector }
    findings.append(Finding(rule, error, fix: fix, words: words))
  }
}

extension Track {
  /// What names the track in a command; `nil` where its ID is none.
  var selector: String? { id == 0 ? nil : "id:\(id)" }
}
