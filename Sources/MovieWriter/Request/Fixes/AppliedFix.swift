public import MovieBox

/// A place where an edit fixed a rule that the movie broke.
public struct AppliedFix: Hashable, Sendable {
  /// The rule.
  public let rule: Rule
  /// The track that was changed; `nil` for the movie itself.
  public let trackID: UInt32?
  /// What was done, in a sentence.
  public let message: String
}
