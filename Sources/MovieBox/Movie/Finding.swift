/// Something odd about a movie that is worth telling: a rule that it breaks, and where.
public struct Finding: Hashable, Sendable {
  /// How much it matters.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// Worth knowing, harmless.
    case note
    /// A player may do something else than the author meant.
    case warning
    /// Something in the movie cannot be played or edited.
    case error
  }

  /// The rule that is broken: what comes of it, and how to mend it.
  public let rule: Rule
  /// What, and where.
  public let error: MovieError

  /// How much it matters.
  public var severity: Severity { rule.severity }

  init(_ rule: Rule, _ error: MovieError) {
    self.rule = rule
    self.error = error
  }
}

extension Finding: CustomStringConvertible {
  /// The line that a person reads: `warning: moov/trak[2] at byte 812: …`.
  public var description: String { "\(severity.rawValue): \(error)" }
}
