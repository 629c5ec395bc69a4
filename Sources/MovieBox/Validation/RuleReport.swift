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
  ///   - fix: what helps there, where that is not all that the rule lists.
  ///   - tracks: the tracks that the remedies are about. `.track` is the one that the atom is in, unless it is given.
  mutating func add(
    _ atom: Int, _ reason: @autoclosure () -> String, fix: [Remedy]? = nil, tracks: [Remedy.Subject: Track?] = [:]
  ) {
    guard !isFull else { return }
    let tree = movie.tree
    let error = tree.error(.malformed, at: atom, reason())
    add(error, fix, tracks)
  }

  /// The rule is broken as the error says.
  mutating func add(_ error: @autoclosure () -> MovieError) {
    guard !isFull else { return }
    add(error(), nil, [:])
  }

  private mutating func add(_ error: MovieError, _ fix: [Remedy]?, _ tracks: [Remedy.Subject: Track?]) {
    let place = error.offset.flatMap(movie.track(at:))
    var ids = tracks.compactMapValues { $0?.id }
    if ids[.track] == nil { ids[.track] = place?.id }
    // An ID of 0 is none.
    findings.append(
      Finding(
        rule: rule, error: error, trackID: place?.id, remedies: fix ?? rule.remedies,
        tracks: ids.filter { $0.value != 0 }))
  }
}
