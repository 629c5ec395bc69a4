public import MovieBox

extension MovieEdit {
  /// Takes tracks out, and the references of the others to them; gives another track of sound or picture the place of a
  /// default that went.
  ///
  /// A group that had an enabled track and has none any more gets its first as the default, else players that follow
  /// the tracks' headers would show a black screen or play no sound. Of subtitles none is enabled: a menu may have no
  /// default. Either is a warning, and so is taking out the last track of video or of audio. Throws `.invalidEdit` when
  /// an ID is not a track's or several tracks', and when no track would stay.
  public mutating func remove(_ ids: Set<UInt32>) throws(MovieError) {
    try remove(ids, reportsLostKinds: true)
  }

  /// - Parameter reportsLostKinds: whether a notice reports that no picture or no sound remains.
  package mutating func remove(_ ids: Set<UInt32>, reportsLostKinds: Bool) throws(MovieError) {
    try requireOneTrack(ofEach: ids)
    guard tracks.contains(where: { !ids.contains($0.id) }) else {
      throw MovieError(.invalidEdit, "all tracks would go, and a movie needs one")
    }
    let duration = durationInMovieTicks
    let gone = removeTracks(ids)
    let lists = gone.flatMap { $0.references["chap"] ?? [] }
    keepChapters(lists)
    replaceDefaults(gone.filter(\.isEnabled))
    for (type, name) in [(MediaType.video, "picture"), (.audio, "sound")] where reportsLostKinds {
      let last = gone.last { $0.mediaType == type }
      guard let last, !tracks.contains(where: { $0.mediaType == type }) else { continue }
      if type == .video, stages.converted?.type.isSoundOnly ?? false { continue }  // That is what such a file is.
      recordedNotices.append(
        EditNotice(.lastOfKindRemoved, trackID: last.id, isWarning: true, "the movie has no \(name) any more"))
    }
    noteDuration(before: duration)
  }

  /// The tracks of chapters that belong to these tracks: all of the movie where picture or sound is among them, whichever
  /// lists them; and those that are listed and are something else too, such as subtitles of a group.
  package func chapterTracks(of ids: Set<UInt32>) -> (own: Set<UInt32>, shared: [UInt32]) {
    let lists = tracks.chapterTrackIDs
    let areHeardOrSeen = tracks.contains { track in
      ids.contains(track.id) && !lists.contains(track.id) && [.video, .audio].contains(track.mediaType)
    }
    guard areHeardOrSeen else { return ([], []) }
    let listed = tracks.filter { lists.contains($0.id) }
    let others = referredToOtherwise
    let own = Set(listed.filter { Self.isNothingButChapters($0, others) }.map(\.id))
    return (own, listed.filter { $0.mediaType.isLegible && !own.contains($0.id) }.map(\.id))
  }

  /// Has the tracks of picture and sound that stay refer to chapters that only tracks that went referred to: without
  /// that, players would show their titles as subtitles, and their pictures as a film.
  private mutating func keepChapters(_ lists: [UInt32]) {
    var unlisted = Set(tracks.map(\.id)).subtracting(tracks.chapterTrackIDs)
    let orphans = lists.filter { unlisted.remove($0) != nil }
    guard !orphans.isEmpty else { return }
    let referrers = chapterReferrers(butNot: Set(orphans))
    for place in tracks.indices where referrers.contains(tracks[place].id) {
      tracks[place].references["chap", default: []] += orphans
      recordedNotices.append(
        EditNotice(
          .chapters, trackID: tracks[place].id,
          "track \(tracks[place].id) has the chapters of a track that went (chap)"))
    }
  }

  /// A set of tracks among which players offer a choice: one kind, in one alternate group or in none.
  private struct Choice: Hashable {
    let group: UInt16
    /// The media; subtitles, text and captions are one kind.
    let media: MediaType
  }

  /// The tracks that players offer instead of each other.
  private struct Alternatives {
    /// The place of the first of them.
    let first: Int
    var isAnyEnabled: Bool
  }

  /// Enables another track where the last enabled one of its group is gone, and reports it. Costs one pass over all
  /// tracks, and one over each group that gets another default.
  private mutating func replaceDefaults(_ gone: [EditedTrack]) {
    // Also by what the edit has linked; of a track that went, the movie as it was says what it was.
    let chapters = tracks.chapterTrackIDs.union(movie.chapterTrackIDs)
    func choice(of track: EditedTrack) -> Choice? {
      guard !chapters.contains(track.id), track.mediaType.selectionKind != nil else { return nil }
      return Choice(group: track.alternateGroup, media: track.mediaType.isLegible ? .subtitle : track.mediaType)
    }
    var alternatives: [Choice: Alternatives] = [:]
    for (place, track) in tracks.enumerated() {
      // Forced-only subtitles are in no menu.
      guard let choice = choice(of: track), !(track.mediaType.isLegible && track.containsOnlyForcedSubtitles) else {
        continue
      }
      let isAnyEnabled = alternatives[choice]?.isAnyEnabled ?? false || track.isEnabled
      alternatives[choice] = Alternatives(first: alternatives[choice]?.first ?? place, isAnyEnabled: isAnyEnabled)
    }
    ListPass.end(after: tracks.count)
    let members = Dictionary(grouping: tracks.indices) { tracks[$0].alternateGroup }
    for track in gone {
      guard let choice = choice(of: track), let found = alternatives[choice], !found.isAnyEnabled else { continue }
      let consequence: String
      if track.mediaType.isLegible {
        consequence = "none is shown now unless a viewer chooses"
      } else {
        enable(found.first, among: choice.group == 0 ? [] : members[choice.group] ?? [])
        for media in [.video, .audio, .subtitle] as [MediaType] where choice.group != 0 {
          alternatives[Choice(group: choice.group, media: media)]?.isAnyEnabled = false
        }
        alternatives[choice]?.isAnyEnabled = true
        consequence = "track \(tracks[found.first].id) is now, and enabled"
      }
      let group = choice.group == 0 ? "of its kind" : "of group \(choice.group)"
      recordedNotices.append(
        EditNotice(
          .defaultRemoved, trackID: track.id, isWarning: true,
          "track \(track.id) was the default \(group); \(consequence)"))
    }
  }

  /// How many bytes of media tracks that went name, and no track that stays.
  var removedMediaByteCount: UInt64 {
    let kept = Set(tracks.map(\.id))
    guard movie.tracks.contains(where: { !kept.contains($0.id) }) else { return 0 }
    let all = MediaRanges(movie.tracks).byteCount
    return all - Swift.min(all, MediaRanges(movie.tracks.filter { kept.contains($0.id) }).byteCount)
  }
}
