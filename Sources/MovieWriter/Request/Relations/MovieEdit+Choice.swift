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
    tracks[place].isEnabled = false
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
