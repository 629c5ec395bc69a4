/// Something odd about a movie that is worth knowing: a rule that it breaks, and where.
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

  /// The rule that is broken.
  public let rule: Rule
  /// What, and where.
  public let error: MovieError
  /// The track that the place is in; `nil` for one of the movie itself.
  public let trackID: UInt32?
  /// The ways to fix it: those of the rule, as far as they help here.
  package let remedies: [Remedy]
  /// The tracks that the remedies are about, as far as the movie says which they are, by ID; others are for a person to
  /// choose.
  package let tracks: [Remedy.Subject: UInt32]

  /// How much it matters.
  public var severity: Severity { rule.severity }
}

extension Finding: CustomStringConvertible {
  /// The line that a person reads: `warning: moov/trak[2] at byte 812: …`.
  public var description: String { "\(severity.rawValue): \(error)" }
}
