public import MovieBox

// Enabled tracks and alternate groups.
//
// A group should have a single enabled member, which players show by default (QTFF "Alternate Groups"). The functions
// here disable the surplus members, so callers do not need to know all tracks of a group.
extension MovieEdit {
  /// Enables or disables a track.
  ///
  /// If `isEnabled` is true, the other tracks of its group are disabled and reported (QTFF "Alternate Groups"). If the
  /// request disables the last enabled audio or video track, ``notices`` contains a warning. Throws `.invalidEdit` unless
  /// exactly one track has the ID.
  public mutating func setEnabled(_ isEnabled: Bool, of id: UInt32) throws(MovieError) {
    let index = try uniqueIndex(of: id)
    let track = tracks[index]
    guard isEnabled || track.isEnabled else { return }
    if isEnabled {
      try requireNoGeneratedChapters(at: index)
      tracks[index].lostDefault = false
      for other in enable(index) { tracks[other].lostDefault = true }
      return
    }
    (tracks[index].isEnabled, tracks[index].lostDefault) = (false, false)
    if [.video, .audio].contains(track.mediaType),
      !tracks.contains(where: { $0.isEnabled && $0.mediaType == track.mediaType })
    {
      recordedNotices.append(.noTrackEnabled(track.mediaType, without: id))
    }
  }

  /// Enables the track at an index, and disables the other tracks of its group (QTFF "Alternate Groups"). Returns the
  /// indices of the tracks that were enabled before.
  @discardableResult
  mutating func enable(_ index: Int) -> [Int] {
    let group = tracks[index].alternateGroup
    return enable(index, among: group == 0 ? [] : tracks.indices.filter { tracks[$0].alternateGroup == group })
  }

  /// Enables the track at an index, and disables the other members of its group. Returns the indices of the disabled tracks.
  @discardableResult
  mutating func enable(_ index: Int, among members: [Int]) -> [Int] {
    ListPass.end(after: members.count)
    let disabledMembers = members.filter { $0 != index && tracks[$0].isEnabled }
    for other in disabledMembers { tracks[other].isEnabled = false }
    tracks[index].isEnabled = true
    tracks[index].lostDefault = false
    return disabledMembers
  }

  /// Makes a track the default of its group: enables it and disables the other tracks of the group. A track without a
  /// group is first added to the group of its kind, as by ``addAlternative(_:asDefault:)``.
  ///
  /// Throws `.invalidEdit` if the track is a chapter list, or if the ID does not belong to exactly one track.
  public mutating func makeDefault(_ id: UInt32) throws(MovieError) {
    let track = tracks[try uniqueIndex(of: id)]
    guard !tracks.chapterTrackIDs.contains(id) else {
      throw MovieError(.invalidEdit, "track \(id) cannot be a default: it is a chapter list")
    }
    if track.alternateGroup == 0, !track.hasExplicitGroup,
      track.mediaType.isLegible || [.video, .audio].contains(track.mediaType)
    {
      try addAlternative(id, asDefault: true)
    } else {
      try setEnabled(true, of: id)
    }
  }

  /// Adds a track to the alternate group with a number, or removes it from its group if the number is 0.
  ///
  /// If the group already has an enabled track, the new member is disabled and reported. Later requests do not change
  /// the group of the track. Throws `.invalidEdit` if the group contains tracks of another kind (QTFF "Alternate
  /// Groups"), if the number is above 32767, or if the ID does not belong to exactly one track.
  public mutating func setAlternateGroup(_ number: UInt16, of id: UInt32) throws(MovieError) {
    let index = try uniqueIndex(of: id)
    guard number <= UInt16(Int16.max) else {
      throw MovieError(.invalidEdit, "\(number) is not a valid alternate group: use 0 for none, or 1 to \(Int16.max)")
    }
    let track = tracks[index]
    guard track.alternateGroup != number else {
      tracks[index].hasExplicitGroup = true
      return
    }
    let members = number == 0 ? [] : tracks.filter { $0.alternateGroup == number && $0.id != id }
    for member in members { try requireOneKind(track, member, ofGroup: number) }
    try move([index], toGroup: number)
    tracks[index].hasExplicitGroup = true
    if track.isEnabled, members.contains(where: \.isEnabled) {
      tracks[index].isEnabled = false
      tracks[index].lostDefault = true
    }
  }
}

extension MovieEdit {
  /// Makes players offer a track as an alternative to the other tracks of its kind.
  ///
  /// An audio, video or subtitle track is added to the group of its kind. A chapter list becomes the chapter list of the
  /// enabled audio and video tracks. If the movie has a single audio or video track, that track is enabled and in no
  /// group. If there are several tracks, only the default is enabled; the track becomes the default only if `asDefault`
  /// is true. If ``setAlternateGroup(_:of:)`` set the group of the track, the group does not change. Tracks of other
  /// media types are unchanged. ``notices`` lists the changes to other tracks. Throws `.invalidEdit` if no track has the
  /// ID.
  public mutating func addAlternative(_ id: UInt32, asDefault: Bool) throws(MovieError) {
    let index = try index(of: id)
    try requireNoGeneratedChapters(at: index)
    let track = tracks[index]
    if track.isChapterListElsewhere {
      try addChapterList(track)
    } else if track.mediaType.isLegible {
      try addToSubtitleGroup(id, asDefault: asDefault)
    } else if track.mediaType == .audio || track.mediaType == .video {
      try addToGroupOfKind(track, asDefault: asDefault)
    }
  }

  /// Adds an audio or video track to the group of its kind. Enabled tracks without a group are not added, except the
  /// first, because they play together with the default.
  private mutating func addToGroupOfKind(_ track: EditedTrack, asDefault: Bool) throws(MovieError) {
    let otherTracks = tracks.indices(offeredWith: track.mediaType).map { tracks[$0] }.filter { $0.id != track.id }
    guard let leader = otherTracks.first(where: \.isEnabled) ?? otherTracks.first else {
      if asDefault || !track.isAuxiliary { enable(try index(of: track.id)) }
      return
    }
    guard !track.hasExplicitGroup else {
      if asDefault { try setEnabled(true, of: track.id) }
      return
    }
    try join(
      group(of: otherTracks) { $0.id == leader.id || !$0.isEnabled }, track.id, asDefault: asDefault, of: otherTracks)
  }

  private mutating func addChapterList(_ chapters: EditedTrack) throws(MovieError) {
    let target = try index(of: chapters.id)
    let referrers = chapterReferrers(except: [chapters.id])
    for place in tracks.indices where referrers.contains(tracks[place].id) {
      let track = tracks[place]
      if let old = track.references["chap"]?.first, tracks.contains(where: { $0.id == old && $0.mediaType == .text }),
        chapters.mediaType == .text
      {
        recordedNotices.append(.otherChapterListKept(old, track: track.id, unused: chapters.id))
        continue
      }
      try associate(at: place, with: target, .chapterList)
      note(.chapterList, from: track.id, to: chapters.id)
    }
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

extension MovieEdit {
  /// Adds tracks to groups, and enables or disables tracks as requested.
  ///
  /// All groups are set before tracks are enabled, because the enabled track of a group depends on all its members. Throws
  /// ``MovieEdit/Conflict/enabledTwice(trackIDs:group:)`` if the placements enable two tracks of a group.
  package mutating func place(_ placements: [TrackPlacement]) throws {
    for placement in placements {
      if let number = placement.alternateGroup { try setAlternateGroup(number, of: placement.trackID) }
    }
    for placement in placements {
      if placement.isNew {
        try addAlternative(placement.trackID, asDefault: placement.isDefault)
      } else if placement.isDefault {
        try makeDefault(placement.trackID)
      }
    }
    for placement in placements {
      if let isEnabled = placement.isEnabled { try setEnabled(isEnabled, of: placement.trackID) }
    }
    // A group has one enabled track (QTFF "Alternate Groups").
    var enabledIDs: [UInt16: UInt32] = [:]
    for placement in placements where placement.isDefault || placement.isEnabled == true {
      guard let group = tracks.first(where: { $0.id == placement.trackID })?.alternateGroup, group != 0 else {
        continue
      }
      if let other = enabledIDs.updateValue(placement.trackID, forKey: group), other != placement.trackID {
        throw MovieEdit.Conflict.enabledTwice(trackIDs: [other, placement.trackID], group: group)
      }
    }
  }
}
