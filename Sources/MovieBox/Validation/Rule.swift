/// Something that a movie should keep to: its name, where it comes from, what breaking it brings, how to fix it.
///
/// `inspect` and `validate` know nothing of movies but what these rules find; ``all`` is the one table of them.
///
///     for rule in Rule.all where rule.targets.contains(.apple) { print(rule.id, rule.clause) }
public struct Rule: Sendable, Identifiable {
  /// What a movie is meant to play on.
  public enum Target: String, Hashable, Sendable, CaseIterable {
    /// QuickTime Player, TV, iPhone, Safari: whatever plays by AVFoundation.
    case apple
    /// Whatever reads ISO base media files by the standard.
    case iso
  }

  /// The name, a subject and what is wrong, such as `group.two-enabled`. Stable.
  public let id: String
  /// How much it matters when the rule is broken.
  public let severity: Finding.Severity
  /// Whom the rule is for; a rule for all of them holds whatever plays the movie.
  public let targets: [Target]
  /// The document and clause that it comes from, or the players that are known to insist.
  public let clause: String
  /// What a viewer would notice, in one sentence.
  public let effect: String
  /// How to fix it, with movtool where it can. Words in capitals stand for what differs from movie to movie: a finding
  /// knows some of them (``Finding/fixes(ofFile:quoted:)``). What is no part of a command stands in parentheses.
  public var fix: String {
    fixLines.split(separator: "\n").map { line in
      let (command, remark) = Self.split(line)
      return [command.map(String.init), remark.map { command == nil ? String($0) : "(\($0))" }].compactMap { $0 }
        .joined(separator: " ")
    }.joined(separator: ", ")
  }
  /// The same with a command a line, a remark after `#`; before those after the first stands `then`, or `or` where
  /// another way begins.
  let fixLines: String
  /// Whether all samples or chunks of the movie are gone through: worth it to judge a movie, too much just to show it.
  package let isThorough: Bool
  /// Looks for places that break the rule.
  let check: @Sendable (MovieExamination, inout RuleReport) -> Void

  init(
    _ id: String, _ severity: Finding.Severity, for targets: [Target] = Target.allCases, clause: String,
    effect: String, fix: String, isThorough: Bool = false,
    check: @escaping @Sendable (MovieExamination, inout RuleReport) -> Void
  ) {
    self.id = id
    self.severity = severity
    self.targets = targets
    self.clause = clause
    self.effect = effect
    fixLines = fix
    self.isThorough = isThorough
    self.check = check
  }

  /// The rule of this name.
  public static func named(_ id: String) -> Rule? {
    all.first { $0.id == id }
  }

  /// Whether the rule holds for a target; without one, whether it holds whatever plays the movie and is not thorough.
  func holds(for target: Target?) -> Bool {
    target.map(targets.contains) ?? (targets.count == Target.allCases.count && !isThorough)
  }

  /// The command of a line of ``fixLines``, and the remark.
  static func split(_ line: Substring) -> (command: Substring?, remark: Substring?) {
    guard line.contains("movtool ") else { return (nil, line) }
    guard let mark = line.firstRange(of: " # ") else { return (line, nil) }
    return (line[..<mark.lowerBound], line[mark.upperBound...])
  }

  /// The words in capitals that stand for tracks, as far as those can be named.
  static func words(_ tracks: [String: Track?]) -> [String: String] { tracks.compactMapValues { $0?.selector } }

  /// What no command of movtool changes.
  static let makeAgain = "make the file again with the program that wrote it, or with another one"
}

extension Rule: Hashable {
  /// Whether the two have the same name.
  public static func == (left: Rule, right: Rule) -> Bool { left.id == right.id }

  /// The name.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
