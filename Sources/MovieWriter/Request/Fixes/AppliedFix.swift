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

extension Rule {
  /// What ``MovieEdit/fix(for:readingTextOf:)`` does where a movie breaks the rule, and where it leaves that to a
  /// person; `nil` for rules that it always leaves.
  public var safeFix: String? {
    id == MovieEdit.textHandlerRule ? MovieEdit.textHandlerDescription : SafeFix(rawValue: id)?.description
  }
}
