public import MovieBox

// Requests for alternate groups and enabled tracks. Players offer the tracks of a group as a choice and play one of
// them, so a group should have a single enabled member (QTFF "Alternate Groups"). A request disables the other members,
// so callers need not know all tracks of a group.
//
// A new track joins the group of its kind, and tracks without a group join it as well. A track that the caller or the
// movie assigned to another group remains there, and a warning reports it.
extension MovieEdit {
  /// Adds tracks to one alternate group, enables the default member and disables the other members.
  ///
  /// The group gets the number of the enabled member's group. If no member is enabled, the group of the first member
  /// with a group determines the number. If no member has a group, the group gets the lowest unused number.
  ///
  /// Throws `.invalidEdit` if a member is missing, if the members are of different kinds (QTFF "Alternate Groups"), or
  /// if the default is not a member.
  public mutating func group(_ group: TrackGroup) throws(MovieError) { try tracks.group(group) }

  /// Enables or disables a track.
  ///
  /// If `isEnabled` is true, the other tracks of its group are disabled and reported (QTFF "Alternate Groups"). If the
  /// request disables the last enabled audio or video track, ``notices`` contains a warning. Throws `.invalidEdit`
  /// unless exactly one track has the ID.
  public mutating func setEnabled(_ isEnabled: Bool, of id: UInt32) throws(MovieError) {
    let index = try tracks.uniqueIndex(of: id)
    let track = tracks[index]
    guard isEnabled || track.isEnabled else { return }
    if isEnabled {
      try tracks.requireNoGeneratedChapters(at: index)
      tracks[index].hasLostDefault = false
      for other in tracks.enable(index) { tracks[other].hasLostDefault = true }
      return
    }
    (tracks[index].isEnabled, tracks[index].hasLostDefault) = (false, false)
    if [.video, .audio].contains(track.mediaType),
      !tracks.contains(where: { $0.isEnabled && $0.mediaType == track.mediaType })
    {
      recordedNotices.append(.noTrackEnabled(track.mediaType, afterDisabling: id))
    }
  }

  /// Makes a track the default of its group: enables it and disables the other tracks of the group. A track without a
  /// group is first added to the group of its kind, as by ``addAlternative(_:asDefault:)``.
  ///
  /// Throws `.invalidEdit` if the track is a chapter list, or if the ID does not belong to exactly one track.
  public mutating func makeDefault(_ id: UInt32) throws(MovieError) {
    let track = tracks[try tracks.uniqueIndex(of: id)]
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
  /// If the group already has an enabled track, the new member is disabled and reported. Later requests change the group
  /// only if they set it as well. Throws `.invalidEdit` if the group contains tracks of another kind (QTFF "Alternate
  /// Groups"), if the number is above 32767, or if the ID does not belong to exactly one track.
  public mutating func setAlternateGroup(_ number: UInt16, of id: UInt32) throws(MovieError) {
    let index = try tracks.uniqueIndex(of: id)
    guard number <= UInt16(Int16.max) else {
      throw MovieError(.invalidEdit, "\(number) is not a valid alternate group: use 0 for none, or 1 to \(Int16.max)")
    }
    let track = tracks[index]
    guard track.alternateGroup != number else {
      tracks[index].hasExplicitGroup = true
      return
    }
    let members = number == 0 ? [] : tracks.filter { $0.alternateGroup == number && $0.id != id }
    for member in members { try tracks.requireOneKind(track, member, ofGroup: number) }
    try tracks.move([index], toGroup: number)
    tracks[index].hasExplicitGroup = true
    if track.isEnabled, members.contains(where: \.isEnabled) {
      tracks[index].isEnabled = false
      tracks[index].hasLostDefault = true
    }
  }

  // MARK: - New tracks

  /// Makes players offer a track as an alternative to the other tracks of its kind.
  ///
  /// An audio, video or subtitle track is added to the group of its kind. A chapter list becomes the chapter list of
  /// the enabled audio and video tracks. If the movie has a single audio or video track, that track is enabled and in
  /// no group. If there are several tracks, only the default is enabled; the track becomes the default only if
  /// `asDefault` is true. If ``setAlternateGroup(_:of:)`` set the group of the track, the group does not change. Tracks
  /// of other media types are unchanged. ``notices`` lists the changes to other tracks. Throws `.invalidEdit` if no
  /// track has the ID.
  public mutating func addAlternative(_ id: UInt32, asDefault: Bool) throws(MovieError) {
    let index = try tracks.index(of: id)
    try tracks.requireNoGeneratedChapters(at: index)
    let track = tracks[index]
    if track.isChapterListElsewhere {
      try addChapterList(track)
    } else if track.mediaType.isLegible {
      try addToSubtitleGroup(id, asDefault: asDefault)
    } else if track.mediaType == .audio || track.mediaType == .video {
      try addToMediaGroup(track, asDefault: asDefault)
    }
  }

  /// Adds an audio or video track to the group of its kind. Disabled tracks without a group also join, and so does the
  /// first enabled track of the kind. Further enabled tracks stay outside the group, because they play at the same time
  /// as the first.
  private mutating func addToMediaGroup(_ track: EditedTrack, asDefault: Bool) throws(MovieError) {
    let otherTracks = tracks.indices(offeredWith: track.mediaType).map { tracks[$0] }.filter { $0.id != track.id }
    guard let leader = otherTracks.first(where: \.isEnabled) ?? otherTracks.first else {
      if asDefault || !track.isAuxiliary { tracks.enable(try tracks.index(of: track.id)) }
      return
    }
    guard !track.hasExplicitGroup else {
      if asDefault { try setEnabled(true, of: track.id) }
      return
    }
    try join(
      otherTracks.group { $0.id == leader.id || !$0.isEnabled }, track.id, asDefault: asDefault, candidates: otherTracks
    )
  }

  private mutating func addChapterList(_ chapters: EditedTrack) throws(MovieError) {
    let target = try tracks.index(of: chapters.id)
    let referrers = tracks.chapterReferrers(except: [chapters.id])
    for place in tracks.indices where referrers.contains(tracks[place].id) {
      let track = tracks[place]
      if let old = track.references["chap"]?.first, tracks.contains(where: { $0.id == old && $0.mediaType == .text }),
        chapters.mediaType == .text
      {
        recordedNotices.append(.otherChapterListKept(old, track: track.id, unused: chapters.id))
        continue
      }
      try tracks.associate(at: place, with: target, .chapterList)
      note(.chapterList, from: track.id, to: chapters.id)
    }
  }

  /// The group of the movie's subtitle, text and caption tracks, without chapters. Its default is the first enabled
  /// member.
  ///
  /// The group is the alternate group of the enabled member, or else of the first member. Tracks in another alternate
  /// group are not members. Tracks that ``setAlternateGroup(_:of:)`` removed from their group are not members either.
  package var legibleGroup: TrackGroup {
    legibleTracks.group { _ in true }
  }

  /// Adds a track to ``legibleGroup`` and reports the changes to existing tracks. A track whose group the caller set
  /// with ``setAlternateGroup(_:of:)`` remains in that group.
  package mutating func addToSubtitleGroup(_ id: UInt32, asDefault: Bool) throws(MovieError) {
    guard !tracks[try tracks.index(of: id)].hasExplicitGroup else {
      if asDefault { try setEnabled(true, of: id) }
      return
    }
    try join(legibleGroup, id, asDefault: asDefault, candidates: legibleTracks)
  }

  /// Adds a track to a group, and reports the changes to existing tracks. Also reports each of the `candidates` that is
  /// not a member, unless the caller set its group.
  mutating func join(
    _ group: TrackGroup, _ id: UInt32, asDefault: Bool, candidates: [EditedTrack]
  ) throws(MovieError) {
    var group = group
    if !group.members.contains(id) { group.members.append(id) }
    if asDefault { group.defaultMember = id }
    try createGroup(group, around: id)
    let members = Set(group.members)
    for track in candidates where !members.contains(track.id) && !track.hasExplicitGroup {
      recordedNotices.append(.inOtherGroup(track.alternateGroup, track: track.id))
    }
  }

  /// Creates the group for a new member and reports the changes to existing tracks.
  private mutating func createGroup(_ group: TrackGroup, around id: UInt32) throws(MovieError) {
    let oldTracks = tracks
    try tracks.group(group)
    for (index, old) in oldTracks.enumerated() where old.id != id {
      let new = tracks[index]
      if old.alternateGroup == 0, new.alternateGroup != 0, new.old != nil {
        recordedNotices.append(.joinedGroup(new.alternateGroup, track: new.id))
      }
      if old.isEnabled, !new.isEnabled { tracks[index].hasLostDefault = true }
    }
  }

  private var legibleTracks: [EditedTrack] { tracks.indices(offeredWith: .subtitle).map { tracks[$0] } }

  /// Adds tracks to groups, and enables or disables tracks as requested.
  ///
  /// All groups are set before tracks are enabled, because the enabled track of a group depends on all its members.
  /// Throws ``MovieEdit/Conflict/enabledTwice(trackIDs:group:)`` if the placements enable two tracks of a group.
  package mutating func place(_ placements: [TrackPlacement]) throws {
    try atomically { edit in try edit.carryOut(placements) }
  }

  private mutating func carryOut(_ placements: [TrackPlacement]) throws {
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
    let groups = Dictionary(tracks.map { ($0.id, $0.alternateGroup) }) { first, _ in first }
    ListPass.end(after: tracks.count)
    var enabledIDs: [UInt16: UInt32] = [:]
    for placement in placements where placement.isDefault || placement.isEnabled == true {
      guard let group = groups[placement.trackID], group != 0 else { continue }
      if let other = enabledIDs.updateValue(placement.trackID, forKey: group), other != placement.trackID {
        throw MovieEdit.Conflict.enabledTwice(trackIDs: [other, placement.trackID], group: group)
      }
    }
  }
}
