import MovieBox

// Alternate groups of a list of tracks: the functions that only look up and change tracks, and report nothing.
// `MovieEdit+Groups.swift` contains the requests of callers, which also report their effects.

/// A set of tracks of which players play one track at a time, like an input group of AVFoundation's asset writer.
///
/// It is written as an alternate group. The default member is enabled, and all other members are disabled.
///
///     let group = TrackGroup(members: [spanish, english], defaultMember: spanish)
public struct TrackGroup: Hashable, Sendable {
  /// The IDs of the tracks. All tracks must be of one kind.
  public var members: [UInt32]
  /// The ID of the track that is played unless the viewer selects another track, or `nil` if there is no default.
  public var defaultMember: UInt32?

  /// Creates a group. A default member must be one of the members.
  public init(members: [UInt32], defaultMember: UInt32? = nil) {
    self.members = members
    self.defaultMember = defaultMember
  }
}

/// The requested group and state of a track among the tracks of its kind.
package struct TrackPlacement: Hashable, Sendable {
  package let trackID: UInt32
  /// Whether the track is new and is added to the group of its kind.
  package var isNew: Bool
  /// The alternate group, or 0 for no group. If it is `nil`, a new track is added to the group of its kind, and an
  /// existing track keeps its group.
  package var alternateGroup: UInt16?
  package var isEnabled: Bool?
  package var isDefault: Bool

  package init(
    trackID: UInt32, isNew: Bool = false, alternateGroup: UInt16? = nil, isEnabled: Bool? = nil, isDefault: Bool = false
  ) {
    self.trackID = trackID
    self.isNew = isNew
    self.alternateGroup = alternateGroup
    self.isEnabled = isEnabled
    self.isDefault = isDefault
  }
}

extension [EditedTrack] {
  /// Adds tracks to one alternate group, enables the default member and disables the other members; see
  /// ``MovieEdit/group(_:)``.
  mutating func group(_ group: TrackGroup) throws(MovieError) {
    let indicesByID = Dictionary(indices.map { (self[$0].id, $0) }) { first, _ in first }
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
    if let number = positions.map({ self[$0] }).groupNumber {
      try move(positions, toGroup: number)
    } else {
      try move(positions, toGroup: freeGroupNumber())
    }
    for position in positions { self[position].isEnabled = self[position].id == group.defaultMember }
  }

  /// Adds tracks of one kind to the group with this number. The number 0 removes them from their groups.
  mutating func move(_ indices: [Int], toGroup number: UInt16) throws(MovieError) {
    try requireOneKind(indices)
    if number != 0 { for index in indices { try requireNoGeneratedChapters(at: index) } }
    for index in indices { self[index].alternateGroup = number }
  }

  private func requireOneKind(_ indices: [Int]) throws(MovieError) {
    for index in indices.dropFirst() { try requireOneKind(self[indices[0]], self[index]) }
  }

  /// Throws `.invalidEdit` if two tracks are of different kinds and therefore cannot share a group (QTFF "Alternate
  /// Groups").
  ///
  /// - Parameter number: the group of the second track, for the error.
  func requireOneKind(
    _ track: EditedTrack, _ other: EditedTrack, ofGroup number: UInt16? = nil
  ) throws(MovieError) {
    guard !other.mediaType.isOfferedTogether(with: track.mediaType) else { return }
    throw MovieError(
      .invalidEdit,
      "a group cannot mix kinds of tracks: track \(track.id) is \(track.mediaType.name), and track \(other.id)"
        + (number.map { " of group \($0)" } ?? "") + " is \(other.mediaType.name)")
  }

  /// Returns the group of these tracks. The tracks must be of one kind. A track without a group is a member if `joins`
  /// returns true for it, unless the caller removed the track from its group.
  func group(joins: (EditedTrack) -> Bool) -> TrackGroup {
    let number = groupNumber
    let members = filter {
      $0.alternateGroup == 0 ? !$0.hasExplicitGroup && joins($0) : $0.alternateGroup == number
    }
    return TrackGroup(members: members.map(\.id), defaultMember: members.first(where: \.isEnabled)?.id)
  }

  /// Returns the lowest group number that no track uses.
  func freeGroupNumber() throws(MovieError) -> UInt16 {
    try freeGroupNumber(except: Set(map(\.alternateGroup)), from: 1)
  }

  /// Returns the lowest group number from `first` on that is not in `used`.
  func freeGroupNumber(except used: Set<UInt16>, from first: UInt16) throws(MovieError) -> UInt16 {
    guard first <= UInt16(Int16.max), let free = (first...UInt16(Int16.max)).first(where: { !used.contains($0) }) else {
      throw MovieError(.limit, "no alternate group number is free: all numbers up to \(Int16.max) are in use")
    }
    return free
  }

  /// Enables the track at an index, and disables the other tracks of its group (QTFF "Alternate Groups"). Returns the
  /// indices of the disabled tracks.
  @discardableResult
  mutating func enable(_ index: Int) -> [Int] {
    let group = self[index].alternateGroup
    return enable(index, among: group == 0 ? [] : indices.filter { self[$0].alternateGroup == group })
  }

  /// Enables the track at an index, and disables the other members of its group. Returns the indices of the disabled
  /// tracks.
  @discardableResult
  mutating func enable(_ index: Int, among members: [Int]) -> [Int] {
    ListPass.end(after: members.count)
    let disabledMembers = members.filter { $0 != index && self[$0].isEnabled }
    for other in disabledMembers { self[other].isEnabled = false }
    self[index].isEnabled = true
    self[index].hasLostDefault = false
    return disabledMembers
  }

  /// Throws `.invalidEdit` if the edit generates the track at an index from chapters. Players would show such a track
  /// as subtitles or as a picture if it were enabled or in a group.
  func requireNoGeneratedChapters(at index: Int) throws(MovieError) {
    guard self[index].chapterKind != nil else { return }
    throw MovieError(
      .invalidEdit,
      "track \(self[index].id) cannot be enabled or in a group: it contains chapters, which players would show as a track"
    )
  }
}
