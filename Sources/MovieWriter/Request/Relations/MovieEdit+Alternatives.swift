public import MovieBox

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
  private mutating func addToGroupOfKind(_ track: OutputTrack, asDefault: Bool) throws(MovieError) {
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

  private mutating func addChapterList(_ chapters: OutputTrack) throws(MovieError) {
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
