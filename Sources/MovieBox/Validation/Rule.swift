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
  /// The ways to fix it.
  package let remedies: [Remedy]
  /// What an edit does about it by itself; `nil` where that is left to a person.
  public let automaticFix: AutomaticFix?
  /// Whether all samples or chunks of the movie are gone through: worth it to judge a movie, too much just to show it.
  package let walksAllSamples: Bool
  /// Looks for places that break the rule.
  let check: @Sendable (MovieExamination, inout RuleReport) -> Void

  init(
    _ id: String, _ severity: Finding.Severity, for targets: [Target] = Target.allCases, clause: String,
    effect: String, fix: [Remedy], automatically automaticFix: AutomaticFix? = nil, walksAllSamples: Bool = false,
    check: @escaping @Sendable (MovieExamination, inout RuleReport) -> Void
  ) {
    self.id = id
    self.severity = severity
    self.targets = targets
    self.clause = clause
    self.effect = effect
    remedies = fix
    self.automaticFix = automaticFix
    self.walksAllSamples = walksAllSamples
    self.check = check
  }

  /// The rule of this name.
  public static func named(_ id: String) -> Rule? {
    all.first { $0.id == id }
  }

  /// Whether the rule is meant for a target; without one, whether it holds whatever plays the movie, and costs no walk
  /// over all samples.
  func applies(to target: Target?) -> Bool {
    target.map(targets.contains) ?? (targets.count == Target.allCases.count && !walksAllSamples)
  }
}

extension Rule: Hashable {
  /// Whether the two have the same name.
  public static func == (left: Rule, right: Rule) -> Bool { left.id == right.id }

  /// The name.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
