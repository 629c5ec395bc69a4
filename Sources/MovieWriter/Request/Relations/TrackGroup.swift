/// Tracks of which a player shows one at a time: what AVFoundation calls a writer input group.
///
/// It becomes an alternate group of the movie, with the default member enabled and all others disabled.
///
///     let group = TrackGroup(members: [spanish, english], defaultMember: spanish)
public struct TrackGroup: Hashable, Sendable {
  /// The IDs of the tracks; all of one kind.
  public var members: [UInt32]
  /// The ID of the track that is shown unless a viewer chooses another; `nil` for none.
  public var defaultMember: UInt32?

  /// A group of these tracks; the default member, if there is one, is among them.
  public init(members: [UInt32], defaultMember: UInt32? = nil) {
    self.members = members
    self.defaultMember = defaultMember
  }
}
