import MovieBox

/// What becomes of a part of a movie that is prepared for sharing, and why.
public struct SharingDecision: Hashable, Sendable {
  /// What it is about: an identifier, `track 3`, an atom.
  public let subject: String
  /// The track that it is, or is in; `nil` for the movie.
  public let trackID: UInt32?
  /// Whether it stays.
  public let stays: Bool
  /// Why, in a few words.
  public let reason: String

  /// What an item loses that is to say something else; `nil` for one that cannot be read, and goes.
  static func losses(
    from old: MetadataContent, to new: MetadataContent?, _ identifier: MetadataIdentifier, ofTrack trackID: UInt32?
  ) -> [SharingDecision] {
    guard new?.bytes != old.bytes else { return [] }
    let (subject, reason) =
      if new == nil {
        (identifier.description, "cannot be read")
      } else if identifier.isChapterList {
        ("bytes after the list of chapters", "not known")
      } else {
        ("notes in the picture", "may say where it was taken")
      }
    return [.init(subject: subject, trackID: trackID, stays: false, reason: reason)]
  }
}
