/// Something odd about a movie that is worth telling.
public struct Finding: Hashable, Sendable {
  /// How much it matters.
  public enum Severity: String, Hashable, Sendable {
    /// Worth knowing, harmless.
    case note
    /// A player may do something else than the author meant.
    case warning
    /// Something in the movie cannot be played or edited.
    case error
  }

  /// How much it matters.
  public let severity: Severity
  /// What, and where.
  public let error: MovieError

  /// A finding.
  public init(_ severity: Severity, _ error: MovieError) {
    self.severity = severity
    self.error = error
  }
}

extension Finding: CustomStringConvertible {
  /// The line that a person reads: `warning: moov/trak[2] at byte 812: …`.
  public var description: String { "\(severity.rawValue): \(error)" }
}
