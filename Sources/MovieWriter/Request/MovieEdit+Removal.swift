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
    for id in ids.sorted() { _ = try index(of: id) }  // Says which is missing.
    guard tracks.contains(where: { !ids.contains($0.id) }) else {
      throw MovieError(.invalidEdit, "all tracks would go, and a movie needs one")
    }
    let gone = tracks.filter { ids.contains($0.id) }
    let duration = durationInMovieTicks
    let lists = gone.flatMap { $0.references["chap"] ?? [] }
    for track in gone { try takeOut(track.id) }
    keepChapters(lists)
    // What referred to a track and went too needs no word.
    ownNotes.removeAll { note in
      note.kind == .association && note.trackID.map(ids.contains) ?? false
    }
    for track in gone where track.isEnabled { replaceDefault(track) }
    for (type, name) in [(MediaType.video, "picture"), (.audio, "sound")] {
      let last = gone.last { $0.mediaType == type }
      guard let last, !tracks.contains(where: { $0.mediaType == type }) else { continue }
      if type == .video, conversion?.type.isSoundOnly ?? false { continue }  // That is what such a file is.
      ownNotes.append(
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
      ownNotes.append(
        EditNotice(
          .chapters, trackID: tracks[place].id,
          "track \(tracks[place].id) has the chapters of a track that went (chap)"))
    }
  }

  /// Finds another default where `gone` was the last enabled one of its group, and says so.
  private mutating func replaceDefault(_ gone: OutputTrack) {
    let candidates = tracks.indices.filter { isAlternative(tracks[$0], to: gone) }
    guard let first = candidates.first, !candidates.contains(where: { tracks[$0].isEnabled }) else { return }
    let consequence: String
    if gone.mediaType.isLegible {
      consequence = "none is shown now unless a viewer chooses"
    } else {
      enable(first)
      consequence = "track \(tracks[first].id) is now, and enabled"
    }
    let group = gone.alternateGroup == 0 ? "of its kind" : "of group \(gone.alternateGroup)"
    ownNotes.append(
      EditNotice(
        .defaultRemoved, trackID: gone.id, isWarning: true,
        "track \(gone.id) was the default \(group); \(consequence)"))
  }

  /// Whether a player would offer the one instead of the other: it is in the same group, or both are in none and
  /// of one kind.
  private func isAlternative(_ track: OutputTrack, to gone: OutputTrack) -> Bool {
    // Also by what the edit has linked; of a track that went, the movie as it was says what it was.
    let chapters = tracks.chapterTrackIDs.union(movie.chapterTrackIDs)
    guard track.alternateGroup == gone.alternateGroup, track.mediaType.isOfferedBeside(gone.mediaType),
      !chapters.contains(track.id), !chapters.contains(gone.id)
    else { return false }
    return gone.mediaType.isLegible
      ? !track.containsOnlyForcedSubtitles : [.video, .audio].contains(track.mediaType)
  }

  /// How many bytes of media tracks that went name, and no track that stays.
  var removedMediaByteCount: UInt64 {
    let kept = Set(tracks.map(\.id))
    guard movie.tracks.contains(where: { !kept.contains($0.id) }) else { return 0 }
    let all = MediaRanges(movie.tracks).byteCount
    return all - Swift.min(all, MediaRanges(movie.tracks.filter { kept.contains($0.id) }).byteCount)
  }
}
