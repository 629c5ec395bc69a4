public import MovieBox

extension MovieEdit {
  /// Puts tracks into one alternate group, enables the default member and disables the others.
  ///
  /// The group's number is that of the enabled member, else of the first that has one, else the lowest that no track
  /// uses. Throws `.invalidEdit` when a member is missing, when the members are of several kinds (QTFF "Alternate
  /// Groups": one kind a group), or when the default is not a member.
  public mutating func group(_ group: TrackGroup) throws(MovieError) {
    let places = Dictionary(tracks.indices.map { (tracks[$0].id, $0) }) { first, _ in first }
    let positions = try group.members.map { id throws(MovieError) in
      if let place = places[id] { place } else { try index(of: id) }
    }
    guard !positions.isEmpty else { throw MovieError(.invalidEdit, "a group needs a member") }
    try requireOneKind(positions)
    if let member = group.defaultMember, !group.members.contains(member) {
      throw MovieError(.invalidEdit, "the default, track \(member), is not a member of its group")
    }
    if let number = positions.map({ tracks[$0] }).groupNumber {
      try put(positions, intoGroup: number)
    } else {
      try put(positions, intoGroup: freeGroupNumber())
    }
    for position in positions { tracks[position].isEnabled = tracks[position].id == group.defaultMember }
  }

  /// Puts tracks of one kind into the group of this number, or into none with 0.
  mutating func put(_ places: [Int], intoGroup number: UInt16) throws(MovieError) {
    try requireOneKind(places)
    for place in places { tracks[place].alternateGroup = number }
  }

  private func requireOneKind(_ places: [Int]) throws(MovieError) {
    for place in places.dropFirst() { try requireOneKind(tracks[places[0]], tracks[place]) }
  }

  /// A group holds tracks of one kind (QTFF "Alternate Groups").
  func requireOneKind(
    _ track: EditedTrack, _ other: EditedTrack, ofGroup number: UInt16? = nil
  ) throws(MovieError) {
    guard !other.mediaType.isOfferedBeside(track.mediaType) else { return }
    throw MovieError(
      .invalidEdit,
      "a group holds tracks of one kind: track \(track.id) is \(track.mediaType.name), track \(other.id)"
        + (number.map { " of group \($0)" } ?? "") + " is \(other.mediaType.name)")
  }

  /// The group of all subtitle, text and caption tracks of the movie but chapters, as the movie has it.
  ///
  /// Tracks of another group than the one that the enabled or first member is in stay out of it, and those that
  /// ``setAlternateGroup(_:of:)`` put into no group. The default is the
  /// first enabled member.
  package var legibleGroup: TrackGroup {
    group(of: legibleTracks) { _ in true }
  }

  /// The group that tracks of one kind are in, with those that are in none and `joins` takes.
  func group(of candidates: [EditedTrack], joins: (EditedTrack) -> Bool) -> TrackGroup {
    let number = candidates.groupNumber
    let members = candidates.filter {
      $0.alternateGroup == 0 ? !$0.hasExplicitGroup && joins($0) : $0.alternateGroup == number
    }
    return TrackGroup(members: members.map(\.id), defaultMember: members.first(where: \.isEnabled)?.id)
  }

  /// Puts a track into ``legibleGroup``, as the default only when asked; says what else that changed. One that
  /// ``setAlternateGroup(_:of:)`` put elsewhere stays there.
  package mutating func addToSubtitleGroup(_ id: UInt32, asDefault: Bool) throws(MovieError) {
    guard !tracks[try index(of: id)].hasExplicitGroup else {
      if asDefault { try setEnabled(true, of: id) }
      return
    }
    try join(legibleGroup, id, asDefault: asDefault, of: legibleTracks)
  }

  /// Puts a track into a group, and says what that changed, and which of the tracks of its kind stay out of it.
  mutating func join(
    _ group: TrackGroup, _ id: UInt32, asDefault: Bool, of kind: [EditedTrack]
  ) throws(MovieError) {
    var group = group
    if !group.members.contains(id) { group.members.append(id) }
    if asDefault { group.defaultMember = id }
    try form(group, around: id)
    let members = Set(group.members)
    for track in kind where !members.contains(track.id) && !track.hasExplicitGroup {
      let state =
        track.alternateGroup == 0
        ? "plays along with others, in no group" : "is in another group, \(track.alternateGroup)"
      recordedNotices.append(
        EditNotice(.otherGroup, trackID: track.id, isWarning: true, "track \(track.id) \(state), and was left there"))
    }
  }

  /// Makes the group for the sake of a new member, and says what it changed of the others that the movie has.
  private mutating func form(_ group: TrackGroup, around id: UInt32) throws(MovieError) {
    let before = tracks
    try self.group(group)
    for (place, old) in before.enumerated() where old.id != id {
      let new = tracks[place]
      if old.alternateGroup == 0, new.alternateGroup != 0, new.old != nil {
        recordedNotices.append(
          EditNotice(
            .joinedGroup, trackID: new.id, "track \(new.id) was in no group; it is in group \(new.alternateGroup) now"))
      }
      if old.isEnabled, !new.isEnabled { tracks[place].lostDefault = true }
    }
  }

  private var legibleTracks: [EditedTrack] { tracks.places(offeredBeside: .subtitle).map { tracks[$0] } }

  /// The lowest number of a group that no track uses.
  func freeGroupNumber() throws(MovieError) -> UInt16 {
    try freeGroupNumber(besides: Set(tracks.map(\.alternateGroup)), from: 1)
  }

  /// The lowest number of a group, from one on, that is not in use.
  func freeGroupNumber(besides used: Set<UInt16>, from first: UInt16) throws(MovieError) -> UInt16 {
    guard first <= UInt16(Int16.max), let free = (first...UInt16(Int16.max)).first(where: { !used.contains($0) }) else {
      throw MovieError(.limit, "no alternate group is free")
    }
    return free
  }
}

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
