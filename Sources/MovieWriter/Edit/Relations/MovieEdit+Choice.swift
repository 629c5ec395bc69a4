public import MovieBox

// Which track of a group is shown, and which tracks form a group.
extension MovieEdit {
  /// Enables a track, or disables it.
  ///
  /// Of a group one track is enabled (QTFF "Alternate Groups"): the others of its group are disabled with it, with an
  /// ``EditNotice``. Where no track of sound or picture is enabled any more, that is a warning. Throws `.invalidEdit`
  /// when no track has the ID, or more than one.
  public mutating func setEnabled(_ isEnabled: Bool, of id: UInt32) throws(MovieError) {
    let place = try onlyIndex(of: id)
    let track = tracks[place]
    guard isEnabled || track.isEnabled else { return }
    if isEnabled {
      tracks[place].lostDefault = false
      for other in enable(place) { tracks[other].lostDefault = true }
      return
    }
    (tracks[place].isEnabled, tracks[place].lostDefault) = (false, false)
    if [.video, .audio].contains(track.mediaType),
      !tracks.contains(where: { $0.isEnabled && $0.mediaType == track.mediaType })
    {
      recordedNotices.append(
        EditNotice(
          .defaultRemoved, trackID: id, isWarning: true,
          "no \(track.mediaType.name) track is enabled now that track \(id) is not"))
    }
  }

  /// Enables a track, and disables those that were enabled in its group (QTFF "Alternate Groups"); gives the places of
  /// these.
  @discardableResult
  mutating func enable(_ place: Int) -> [Int] {
    let group = tracks[place].alternateGroup
    return enable(place, among: group == 0 ? [] : tracks.indices.filter { tracks[$0].alternateGroup == group })
  }

  /// Enables a track whose group has its members at these places, and disables those that were enabled.
  @discardableResult
  mutating func enable(_ place: Int, among members: [Int]) -> [Int] {
    ListPass.end(after: members.count)
    let others = members.filter { $0 != place && tracks[$0].isEnabled }
    for other in others { tracks[other].isEnabled = false }
    tracks[place].isEnabled = true
    tracks[place].lostDefault = false
    return others
  }

  /// Makes a track the default of its group: enabled, all others of the group disabled. One of no group is put into
  /// that of its kind, as ``addAlternative(_:asDefault:)`` does.
  ///
  /// Throws `.invalidEdit` for a chapter list, which is none of the subtitles, and when no track has the ID, or more
  /// than one.
  public mutating func makeDefault(_ id: UInt32) throws(MovieError) {
    let track = tracks[try onlyIndex(of: id)]
    guard !tracks.chapterTrackIDs.contains(id) else {
      throw MovieError(.invalidEdit, "track \(id) is a chapter list, which cannot be a default")
    }
    if track.alternateGroup == 0, !track.hasExplicitGroup,
      track.mediaType.isLegible || [.video, .audio].contains(track.mediaType)
    {
      try addAlternative(id, asDefault: true)
    } else {
      try setEnabled(true, of: id)
    }
  }

  /// Puts a track into the group of this number, or into none with 0.
  ///
  /// A group that has an enabled track keeps it, and the new member is disabled, which is said. The track stays there
  /// whatever others do: tracks that join a group, and ``addAlternative(_:asDefault:)``, leave it where it is. Throws
  /// `.invalidEdit` where the group has tracks of another kind (QTFF "Alternate Groups": one kind a group), for a
  /// number above 32767, and when no track has the ID, or more than one.
  public mutating func setAlternateGroup(_ number: UInt16, of id: UInt32) throws(MovieError) {
    let place = try onlyIndex(of: id)
    guard number <= UInt16(Int16.max) else {
      throw MovieError(.invalidEdit, "\(number) is not an alternate group: they are numbered from 1 to \(Int16.max)")
    }
    let track = tracks[place]
    guard track.alternateGroup != number else {
      tracks[place].hasExplicitGroup = true
      return
    }
    let members = number == 0 ? [] : tracks.filter { $0.alternateGroup == number && $0.id != id }
    for member in members { try requireOneKind(track, member, ofGroup: number) }
    try put([place], intoGroup: number)
    tracks[place].hasExplicitGroup = true
    if track.isEnabled, members.contains(where: \.isEnabled) {
      tracks[place].isEnabled = false
      tracks[place].lostDefault = true
    }
  }
}

extension MovieEdit {
  /// Offers a track beside those of its kind, as its media asks for: sound among sound, pictures among pictures,
  /// subtitles in the group of the movie's subtitles, chapters as the chapter list of the enabled tracks of picture and
  /// sound.
  ///
  /// The only track of sound or picture is enabled and in no group. Of several one is enabled, the default; the track
  /// becomes it only when asked. One that ``setAlternateGroup(_:of:)`` put into a group, or into none, stays there.
  /// Tracks of other kinds stay as they are. What changed of other tracks is in ``notes``.
  /// Throws `.invalidEdit` when no track has the ID.
  public mutating func addAlternative(_ id: UInt32, asDefault: Bool) throws(MovieError) {
    let track = tracks[try index(of: id)]
    if track.isChapterListElsewhere {
      try addChapterList(track)
    } else if track.mediaType.isLegible {
      try addToSubtitleGroup(id, asDefault: asDefault)
    } else if track.mediaType == .audio || track.mediaType == .video {
      try addToGroupOfKind(track, asDefault: asDefault)
    }
  }

  /// Tracks of the kind that play along with the default, each in no group, are left to do so.
  private mutating func addToGroupOfKind(_ track: EditedTrack, asDefault: Bool) throws(MovieError) {
    let others = tracks.places(offeredBeside: track.mediaType).map { tracks[$0] }.filter { $0.id != track.id }
    guard let leader = others.first(where: \.isEnabled) ?? others.first else {
      enable(try index(of: track.id))
      return
    }
    guard !track.hasExplicitGroup else {
      if asDefault { try setEnabled(true, of: track.id) }
      return
    }
    try join(group(of: others) { $0.id == leader.id || !$0.isEnabled }, track.id, asDefault: asDefault, of: others)
  }

  private mutating func addChapterList(_ chapters: EditedTrack) throws(MovieError) {
    let target = try index(of: chapters.id)
    let referrers = chapterReferrers(butNot: [chapters.id])
    for place in tracks.indices where referrers.contains(tracks[place].id) {
      let track = tracks[place]
      if let old = track.references["chap"]?.first, tracks.contains(where: { $0.id == old && $0.mediaType == .text }),
        chapters.mediaType == .text
      {
        recordedNotices.append(
          EditNotice(
            .association, trackID: track.id, isWarning: true,
            "track \(track.id) has a chapter list, track \(old), and keeps it; nothing refers to track \(chapters.id)"))
        continue
      }
      try associate(at: place, with: target, .chapterList)
      note(.chapterList, from: track.id, to: chapters.id)
    }
  }
}

/// Where a track is to stand among those of its kind.
package struct TrackPlacement: Hashable, Sendable {
  package let trackID: UInt32
  /// Whether the track is to be offered beside those of its kind.
  package var isNew: Bool
  /// 0 for no group; `nil` for the group that it is in, or for that of its kind.
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
  /// Puts tracks into groups, and enables those that are to be.
  ///
  /// Groups come first, whatever the order of the placements: what is enabled in a group is known when all members are
  /// in it. Throws ``MovieEdit/Conflict/enabledTwice(trackIDs:group:)`` where two are to be enabled in one
  /// group.
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
    // Of a group one track is enabled (QTFF "Alternate Groups").
    var enabled: [UInt16: UInt32] = [:]
    for placement in placements where placement.isDefault || placement.isEnabled == true {
      guard let group = tracks.first(where: { $0.id == placement.trackID })?.alternateGroup, group != 0 else {
        continue
      }
      if let other = enabled.updateValue(placement.trackID, forKey: group), other != placement.trackID {
        throw MovieEdit.Conflict.enabledTwice(trackIDs: [other, placement.trackID], group: group)
      }
    }
  }
}
