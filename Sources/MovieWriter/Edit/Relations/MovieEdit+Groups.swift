public import MovieBox

// Players offer the tracks of an alternate group as a choice and play one of them. A new track joins the group of its
// kind, and tracks without a group join it as well. A track that the caller or the movie assigned to another group
// remains there, and a warning reports it.
extension MovieEdit {
  /// Adds tracks to one alternate group, enables the default member and disables the other members.
  ///
  /// The group gets the number of the enabled member's group. If no member is enabled, the group of the first member with
  /// a group determines the number. If no member has a group, the group gets the lowest unused number.
  ///
  /// Throws `.invalidEdit` if a member is missing, if the members are of different kinds (QTFF "Alternate Groups"), or if
  /// the default is not a member.
  public mutating func group(_ group: TrackGroup) throws(MovieError) {
    let indicesByID = Dictionary(tracks.indices.map { (tracks[$0].id, $0) }) { first, _ in first }
    let positions = try group.members.map { id throws(MovieError) in
      if let index = indicesByID[id] { index } else { try index(of: id) }
    }
    guard !positions.isEmpty else {
      throw MovieError(.invalidEdit, "cannot make an empty group: a group needs at least one member")
    }
    try requireOneKind(positions)
    if let member = group.defaultMember, !group.members.contains(member) {
      throw MovieError(.invalidEdit, "track \(member) cannot be the default of a group of which it is not a member")
    }
    if let number = positions.map({ tracks[$0] }).groupNumber {
      try move(positions, toGroup: number)
    } else {
      try move(positions, toGroup: freeGroupNumber())
    }
    for position in positions { tracks[position].isEnabled = tracks[position].id == group.defaultMember }
  }

  /// Adds tracks of one kind to the group with this number. The number 0 removes them from their groups.
  mutating func move(_ indices: [Int], toGroup number: UInt16) throws(MovieError) {
    try requireOneKind(indices)
    if number != 0 { for index in indices { try requireNoGeneratedChapters(at: index) } }
    for index in indices { tracks[index].alternateGroup = number }
  }

  private func requireOneKind(_ indices: [Int]) throws(MovieError) {
    for index in indices.dropFirst() { try requireOneKind(tracks[indices[0]], tracks[index]) }
  }

  /// Throws `.invalidEdit` if two tracks are of different kinds and therefore cannot share a group (QTFF "Alternate
  /// Groups").
  ///
  /// - Parameter number: the group of the second track, which the error names.
  func requireOneKind(
    _ track: EditedTrack, _ other: EditedTrack, ofGroup number: UInt16? = nil
  ) throws(MovieError) {
    guard !other.mediaType.isOfferedTogether(with: track.mediaType) else { return }
    throw MovieError(
      .invalidEdit,
      "a group cannot mix kinds of tracks: track \(track.id) is \(track.mediaType.name), and track \(other.id)"
        + (number.map { " of group \($0)" } ?? "") + " is \(other.mediaType.name)")
  }

  /// The group of the movie's subtitle, text and caption tracks, without chapters. Its default is the first enabled member.
  ///
  /// The group does not include tracks in a group other than the group of the enabled or first member. It also does not
  /// include tracks that ``setAlternateGroup(_:of:)`` removed from their group.
  package var legibleGroup: TrackGroup {
    group(of: legibleTracks) { _ in true }
  }

  /// Returns the group of tracks of one kind. A track without a group is a member if `joins` returns true for it, unless
  /// the caller removed the track from its group.
  func group(of candidates: [EditedTrack], joins: (EditedTrack) -> Bool) -> TrackGroup {
    let number = candidates.groupNumber
    let members = candidates.filter {
      $0.alternateGroup == 0 ? !$0.hasExplicitGroup && joins($0) : $0.alternateGroup == number
    }
    return TrackGroup(members: members.map(\.id), defaultMember: members.first(where: \.isEnabled)?.id)
  }

  /// Adds a track to ``legibleGroup`` and reports the changes to existing tracks. A track whose group the caller set with
  /// ``setAlternateGroup(_:of:)`` remains in that group.
  package mutating func addToSubtitleGroup(_ id: UInt32, asDefault: Bool) throws(MovieError) {
    guard !tracks[try index(of: id)].hasExplicitGroup else {
      if asDefault { try setEnabled(true, of: id) }
      return
    }
    try join(legibleGroup, id, asDefault: asDefault, of: legibleTracks)
  }

  /// Adds a track to a group. Reports the changes to existing tracks, and the tracks of `kind` that are not members.
  mutating func join(
    _ group: TrackGroup, _ id: UInt32, asDefault: Bool, of kind: [EditedTrack]
  ) throws(MovieError) {
    var group = group
    if !group.members.contains(id) { group.members.append(id) }
    if asDefault { group.defaultMember = id }
    try createGroup(group, around: id)
    let members = Set(group.members)
    for track in kind where !members.contains(track.id) && !track.hasExplicitGroup {
      recordedNotices.append(.notInGroupOfKind(track.alternateGroup, track: track.id))
    }
  }

  /// Creates the group for a new member and reports the changes to existing tracks.
  private mutating func createGroup(_ group: TrackGroup, around id: UInt32) throws(MovieError) {
    let oldTracks = tracks
    try self.group(group)
    for (index, old) in oldTracks.enumerated() where old.id != id {
      let new = tracks[index]
      if old.alternateGroup == 0, new.alternateGroup != 0, new.old != nil {
        recordedNotices.append(.joinedGroup(new.alternateGroup, track: new.id))
      }
      if old.isEnabled, !new.isEnabled { tracks[index].lostDefault = true }
    }
  }

  private var legibleTracks: [EditedTrack] { tracks.indices(offeredWith: .subtitle).map { tracks[$0] } }

  /// Returns the lowest group number that no track uses.
  func freeGroupNumber() throws(MovieError) -> UInt16 {
    try freeGroupNumber(besides: Set(tracks.map(\.alternateGroup)), from: 1)
  }

  /// Returns the lowest group number from `first` on that is not in `used`.
  func freeGroupNumber(besides used: Set<UInt16>, from first: UInt16) throws(MovieError) -> UInt16 {
    guard first <= UInt16(Int16.max), let free = (first...UInt16(Int16.max)).first(where: { !used.contains($0) }) else {
      throw MovieError(.limit, "no alternate group number is free: all numbers up to \(Int16.max) are in use")
    }
    return free
  }
}

/// A set of tracks of which players play one track at a time, like an input group of AVFoundation's asset writer.
///
/// It is written as an alternate group. The default member is enabled, and all other members are disabled.
///
///     let group = TrackGroup(members: [spanish, english], defaultMember: spanish)
public struct TrackGroup: Hashable, Sendable {
  /// The IDs of the tracks, which are all of one kind.
  public var members: [UInt32]
  /// The ID of the track that is played unless the viewer selects another track, or `nil` if there is no default.
  public var defaultMember: UInt32?

  /// Creates a group. A default member must be one of the members.
  public init(members: [UInt32], defaultMember: UInt32? = nil) {
    self.members = members
    self.defaultMember = defaultMember
  }
}
