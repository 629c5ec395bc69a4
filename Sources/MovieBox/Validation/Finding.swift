/// A breach of a rule in a movie, with its location.
///
/// Findings are computed by running the rules over one `MovieExamination`. Each examination reads the movie atom.
/// Callers choose whether it also reads the fragments, and the samples of subtitles and chapters.
public struct Finding: Hashable, Sendable {
  /// The severity of a finding.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// A harmless fact.
    case note
    /// Players may behave differently than the author intended.
    case warning
    /// The movie or one of its tracks cannot be played or edited.
    case error
  }

  /// The broken rule.
  public let rule: Rule
  /// The description of the breach, with its location.
  public let error: MovieError
  /// The ID of the track that contains the breach, or `nil` for the movie itself.
  public let trackID: UInt32?
  /// The remedies of the rule that apply to this finding.
  package let remedies: [Remedy]
  /// The IDs of the tracks that the remedies refer to, by their role in the remedies. If the dictionary lacks a role,
  /// the user must choose the track.
  package let tracks: [Remedy.Subject: UInt32]

  /// The severity.
  public var severity: Severity { rule.severity }
}

extension Finding: CustomStringConvertible {
  /// The finding as one line: `warning: moov/trak[2] at byte 812: …`.
  public var description: String { "\(severity.rawValue): \(error)" }
}

extension Movie {
  /// The findings of the rules that apply to all players, require only the movie atom, and do not examine every sample
  /// or chunk.
  ///
  /// Makes one pass over the sample tables and reads nothing from a source.
  public var findings: [Finding] { findings(for: nil) }

  /// Returns the findings that follow from the movie atom and the fragments.
  ///
  /// The findings are in the order of ``Rule/all``, with at most ``MovieLimits/defectCount`` findings per rule. The
  /// rules make a few passes over the sample tables and, if there is a target, sort the chunks.
  ///
  /// - Parameters:
  ///   - target: the players to validate for. If it is `nil`, only rules that apply to all players and need no pass
  ///     over all samples are checked.
  ///   - fragments: the fragments of the movie. If it is `nil`, fragments are not examined.
  ///   - fileName: the name of the file. Some players depend on its extension.
  package func findings(
    for target: Rule.Target?, fragments: MovieFragments? = nil, fileName: String? = nil
  ) -> [Finding] {
    Self.findings(MovieExamination(self, fragments: fragments, fileName: fileName, text: nil), for: target)
  }

  /// Returns the findings, including findings in the samples of subtitles. Also reads the chapters if tracks and user
  /// data both contain chapters, and the headers of some key pictures of `hev1` and `dvhe`.
  ///
  /// Reads at most ``MovieLimits/textByteCount`` of samples. Throws the errors of the source and ``MovieError``. The
  /// error is `.sourceChanged` if the source does not contain this movie.
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

  /// Returns the reasons why tracks with `hev1` and `dvhe` cannot be renamed, by track atom.
  private func parameterSetObstacles(
    _ fragments: MovieFragments?, in source: some RandomAccessSource
  ) throws -> [Int: String] {
    var obstacles: [Int: String] = [:]
    // Examining a track may require reading 4 MiB, so only 16 tracks are examined. Movies rarely have more than a few
    // video tracks.
    for (count, track) in tracks.lazy.filter({ InBandParameterSets.mayContainParameterSets($0) }).enumerated() {
      obstacles[track.atom] =
        count < 16
        ? try InBandParameterSets.obstacle(to: track, of: self, fragments, in: source)
        : "is not examined, because the movie contains more than 16 tracks of this format"
    }
    return obstacles
  }

  /// Whether tracks and user data both contain chapters. The two lists may disagree.
  private var hasChaptersTwice: Bool {
    !chapterTrackIDs.isEmpty && tree.children(of: tree.root, "udta").contains { tree.child(of: $0, "chpl") != nil }
  }

  /// Returns the findings, including findings in the fragments and in the samples of subtitles and chapters.
  ///
  /// `fileName` is the name of the file. Some players depend on its extension. Reads the fragments and at most
  /// ``MovieLimits/textByteCount`` of samples. Throws the errors of the source and ``MovieError``. The error is
  /// `.sourceChanged` if the source does not contain this movie.
  ///
  ///     for finding in try movie.findings(for: .apple, fileName: "film.mov", from: source) {
  ///     }
  public func findings(
    for target: Rule.Target?, fileName: String? = nil, from source: some RandomAccessSource
  ) throws -> [Finding] {
    let fragments = isFragmented ? try readFragments(of: source) : nil
    return try findings(for: target, fragments: fragments, fileName: fileName, readingTextOf: source)
  }

  /// Returns the breaches of the given rules. Examines only the movie atom.
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

struct RuleReport {
  private let rule: Rule
  private let movie: Movie
  private(set) var findings: [Finding] = []

  init(_ rule: Rule, _ movie: Movie) {
    self.rule = rule
    self.movie = movie
  }

  /// Whether the limit of findings is reached. A damaged movie may break a rule in each of its atoms.
  var isFull: Bool { findings.count >= movie.limits.defectCount }

  /// Adds a breach at an atom of the movie atom.
  ///
  /// - Parameters:
  ///   - fix: the applicable remedies. Defaults to the remedies of the rule.
  ///   - tracks: the tracks that the remedies refer to. The subject `.track` defaults to the track that contains the
  ///     atom.
  mutating func add(
    _ atom: Int, _ reason: @autoclosure () -> String, fix: [Remedy]? = nil, tracks: [Remedy.Subject: Track?] = [:]
  ) {
    guard !isFull else { return }
    let tree = movie.tree
    let error = tree.error(.malformed, at: atom, reason())
    add(error, fix, tracks)
  }

  /// Adds a breach described by an error.
  mutating func add(_ error: @autoclosure () -> MovieError) {
    guard !isFull else { return }
    add(error(), nil, [:])
  }

  private mutating func add(_ error: MovieError, _ fix: [Remedy]?, _ tracks: [Remedy.Subject: Track?]) {
    let position = error.offset.flatMap(movie.track(at:))
    var ids = tracks.compactMapValues { $0?.id }
    if ids[.track] == nil { ids[.track] = position?.id }
    // Omit tracks with the invalid ID 0, because a remedy cannot refer to them.
    findings.append(
      Finding(
        rule: rule, error: error, trackID: position?.id, remedies: fix ?? rule.remedies,
        tracks: ids.filter { $0.value != 0 }))
  }
}
