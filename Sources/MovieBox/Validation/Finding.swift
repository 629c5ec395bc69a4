/// Something odd about a movie that is worth knowing: a rule that it breaks, and where.
public struct Finding: Hashable, Sendable {
  /// The severity of a finding.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// Worth knowing, harmless.
    case note
    /// A player may do something else than the author meant.
    case warning
    /// Something in the movie cannot be played or edited.
    case error
  }

  /// The rule that is broken.
  public let rule: Rule
  /// The error, with its place.
  public let error: MovieError
  /// The track that the place is in; `nil` for one of the movie itself.
  public let trackID: UInt32?
  /// The ways to fix it: those of the rule, as far as they help here.
  package let remedies: [Remedy]
  /// The tracks that the remedies are about, as far as the movie says which they are, by ID; others are for a person to
  /// choose.
  package let tracks: [Remedy.Subject: UInt32]

  /// The severity.
  public var severity: Severity { rule.severity }
}

extension Finding: CustomStringConvertible {
  /// The line that a person reads: `warning: moov/trak[2] at byte 812: …`.
  public var description: String { "\(severity.rawValue): \(error)" }
}

extension Movie {
  /// The oddities of the movie for every player that the movie atom shows without another pass over samples or chunks.
  ///
  /// Costs a pass over the sample tables; reads nothing.
  public var findings: [Finding] { findings(for: nil) }

  /// The rules that the movie breaks, as far as its movie atom and its fragments say.
  ///
  /// In the order of ``Rule/all``, and of each rule no more than ``MovieLimits/defectCount``. Costs a few passes over
  /// the sample tables, and for a target a sort of the chunks.
  ///
  /// - Parameters:
  ///   - target: whose rules count; `nil` for those that hold whatever plays the movie and do not go
  ///     through all samples or chunks.
  ///   - fragments: the movie's fragments, where it has some; without them nothing is said of them.
  ///   - fileName: the file's name, whose ending some players go by.
  package func findings(
    for target: Rule.Target?, fragments: MovieFragments? = nil, fileName: String? = nil
  ) -> [Finding] {
    Self.findings(MovieExamination(self, fragments: fragments, fileName: fileName, text: nil), for: target)
  }

  /// The rules that the movie breaks, the samples of its subtitles looked at too, those of chapters where there are
  /// chapters in user data beside them, and the heads of some key pictures of `hev1` and `dvhe`.
  ///
  /// Reads these samples, and no others, up to ``MovieLimits/textByteCount``. Throws what the source throws, and
  /// ``MovieError`` `.sourceChanged` for another source than the movie's.
  package func findings(
    for target: Rule.Target?, fragments: MovieFragments? = nil, fileName: String? = nil,
    readingTextOf source: some RandomAccessSource
  ) throws -> [Finding] {
    let hasChaptersTwice = hasChaptersTwice && (fragments != nil || !isFragmented)
    let (text, chapterList, obstacles) = try reading(source) {
      let text = try TextExamination(of: self, fragments, in: source)
      let chapterList = hasChaptersTwice ? try readChapters(from: source, fragments) : nil
      let obstacles = target == .apple ? try parameterSetObstacles(fragments, in: source) : nil
      return (text, chapterList, obstacles)
    }
    return Self.findings(
      MovieExamination(
        self, fragments: fragments, fileName: fileName, text: text, chapterList: chapterList,
        parameterSetObstacles: obstacles),
      for: target)
  }

  /// The reasons why tracks of `hev1` and `dvhe` cannot be renamed, by their atoms.
  private func parameterSetObstacles(
    _ fragments: MovieFragments?, in source: some RandomAccessSource
  ) throws -> [Int: String] {
    var obstacles: [Int: String] = [:]
    // Each track costs up to 4 MiB, and movies have few tracks of pictures.
    for (count, track) in tracks.lazy.filter({ InBandParameterSets.mayHaveThem($0) }).enumerated() {
      obstacles[track.atom] =
        count < 16
        ? try InBandParameterSets.obstacle(to: track, of: self, fragments, in: source)
        : "is one of more than 16 such tracks, whose samples are not read"
    }
    return obstacles
  }

  /// Whether there are chapters in tracks and in user data, which may say something else.
  private var hasChaptersTwice: Bool {
    !chapterTrackIDs.isEmpty && tree.children(of: tree.root, "udta").contains { tree.child(of: $0, "chpl") != nil }
  }

  /// The rules that the movie breaks, its fragments and the samples of its subtitles and chapters looked at too.
  ///
  /// `fileName` is the file's, whose ending some players go by. Reads the fragments and these samples, and no others,
  /// up to ``MovieLimits/textByteCount``. Throws what the source throws, and ``MovieError`` `.sourceChanged` for
  /// another source than the movie's.
  ///
  ///     for finding in try movie.findings(for: .apple, fileName: "film.mov", from: source) {
  ///       print(finding.severity, finding.rule.id, finding.error.reason)
  ///     }
  public func findings(
    for target: Rule.Target?, fileName: String? = nil, from source: some RandomAccessSource
  ) throws -> [Finding] {
    let fragments = isFragmented ? try readFragments(of: source) : nil
    return try findings(for: target, fragments: fragments, fileName: fileName, readingTextOf: source)
  }

  /// Returns the places in which the movie breaks these rules, as far as its movie atom shows; costs what they do.
  package func findings(of rules: [Rule]) -> [Finding] {
    Self.findings(MovieExamination(self, fragments: nil, fileName: nil, text: nil), of: rules)
  }

  private static func findings(_ examination: MovieExamination, for target: Rule.Target?) -> [Finding] {
    findings(examination, of: Rule.all.filter { $0.applies(to: target) })
  }

  private static func findings(_ examination: MovieExamination, of rules: [Rule]) -> [Finding] {
    var findings: [Finding] = []
    for rule in rules {
      var report = RuleReport(rule, examination.movie)
      rule.check(examination, &report)
      findings += report.findings
    }
    return findings
  }
}

/// Collects the places in which a movie breaks a rule.
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
