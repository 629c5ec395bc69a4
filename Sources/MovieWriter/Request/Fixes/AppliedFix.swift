public import MovieBox

/// A place where an edit fixed a rule that the movie broke.
public struct AppliedFix: Hashable, Sendable {
  /// The rule.
  public let rule: Rule
  /// The track that was changed; `nil` for the movie itself.
  public let trackID: UInt32?
  /// What was done, in a sentence.
  public let message: String
  /// The track in which the rule was found broken, which may be another of its group; `nil` for the movie itself.
  package let foundIn: UInt32?
}
