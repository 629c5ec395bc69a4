import MovieBox

extension MovieEdit {
  /// A decision to keep or remove a part of a movie that is prepared for sharing.
  public struct SharingDecision: Hashable, Sendable {
    /// The part: an identifier, a track such as `track 3`, or an atom.
    public let subject: String
    /// The ID of the track that is or contains the part, or `nil` for the movie.
    public let trackID: UInt32?
    /// Whether the part is kept.
    public let stays: Bool
    /// The reason, in a few words.
    public let reason: String

    /// Returns the decisions about bytes that are removed from an item.
    ///
    /// - Parameter new: the rewritten item, or `nil` if the item is unreadable and removed.
    static func losses(
      from old: MetadataContent, to new: MetadataContent?, _ identifier: MetadataIdentifier, ofTrack trackID: UInt32?
    ) -> [MovieEdit.SharingDecision] {
      guard new?.bytes != old.bytes else { return [] }
      let (subject, reason) =
        if new == nil {
          (identifier.description, "cannot be read")
        } else if identifier.isChapterList {
          ("bytes after the list of chapters", "unknown")
        } else {
          ("notes in the picture", "may reveal a place")
        }
      return [.init(subject: subject, trackID: trackID, stays: false, reason: reason)]
    }
  }
}
