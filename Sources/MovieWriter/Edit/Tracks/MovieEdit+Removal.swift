public import MovieBox

// Removing a track requires more than removing its atom. Other tracks may refer to it, it may be the only enabled track
// of its group, and its chapters may belong to the whole movie.
extension MovieEdit {
  /// Removes tracks and the references of other tracks to them.
  ///
  /// If a video or audio group loses its enabled track, its first track becomes the default. Otherwise, players that
  /// follow track headers would show a black screen or play no sound. A subtitle group remains without a default, because
  /// a menu of subtitles needs none. A notice warns of a lost default, and of the removal of the last video or audio
  /// track.
  ///
  /// Throws `.invalidEdit` if an ID belongs to no track or to several tracks, and if no track would remain.
  ///
  /// - Parameters:
  ///   - ids: the IDs of the tracks.
  ///   - reportsLostKinds: whether a notice reports that no video or no audio track remains.
  public mutating func remove(_ ids: Set<UInt32>, reportsLostKinds: Bool = true) throws(MovieError) {
    try requireOneTrack(ofEach: ids)
    guard tracks.contains(where: { !ids.contains($0.id) }) else {
      throw MovieError(.invalidEdit, "cannot remove every track: a movie needs at least one")
    }
    let duration = durationInMovieTicks
    let removedTracks = removeTracks(ids)
    keepChapters(removedTracks.flatMap { $0.references["chap"] ?? [] })
    replaceDefaults(removedTracks.filter(\.isEnabled))
    for type in [MediaType.video, .audio] where reportsLostKinds {
      let last = removedTracks.last { $0.mediaType == type }
      guard let last, !tracks.contains(where: { $0.mediaType == type }) else { continue }
      if type == .video, stages.converted?.type.isSoundOnly ?? false { continue }  // An audio file has no video.
      recordedNotices.append(.lastOfKindRemoved(track: last.id, type))
    }
    noteDuration(before: duration)
  }

  /// Returns the IDs of the chapter tracks that are removed together with these tracks.
  ///
  /// If these tracks include a video or audio track, `own` contains every chapter track of the movie, regardless of the
  /// track that lists it. `shared` contains tracks that are listed as chapters but have another purpose, such as
  /// subtitles of a group.
  package func chapterTracks(of ids: Set<UInt32>) -> (own: Set<UInt32>, shared: [UInt32]) {
    let lists = tracks.chapterTrackIDs
    let includesVideoOrAudio = tracks.contains { track in
      ids.contains(track.id) && !lists.contains(track.id) && [.video, .audio].contains(track.mediaType)
    }
    guard includesVideoOrAudio else { return ([], []) }
    let listedTracks = tracks.filter { lists.contains($0.id) }
    let otherReferences = tracksReferencedForOtherPurposes
    let exclusiveIDs = Set(listedTracks.filter { Self.containsOnlyChapters($0, otherReferences) }.map(\.id))
    return (exclusiveIDs, listedTracks.filter { $0.mediaType.isLegible && !exclusiveIDs.contains($0.id) }.map(\.id))
  }

  /// Makes the remaining video and audio tracks refer to the chapter tracks to which only removed tracks referred.
  ///
  /// Without a reference, players would show the titles as subtitles and the pictures as a video.
  ///
  /// - Parameter lists: the IDs of the chapter tracks to which the removed tracks referred.
  private mutating func keepChapters(_ lists: [UInt32]) {
    var unlisted = Set(tracks.map(\.id)).subtracting(tracks.chapterTrackIDs)
    let orphans = lists.filter { unlisted.remove($0) != nil }
    guard !orphans.isEmpty else { return }
    let referrers = chapterReferrers(except: Set(orphans))
    for index in tracks.indices where referrers.contains(tracks[index].id) {
      tracks[index].references["chap", default: []] += orphans
      recordedNotices.append(.chaptersTakenOver(track: tracks[index].id))
    }
  }

  /// The key of tracks among which players offer a choice: tracks of one kind that are in one alternate group or in no
  /// group.
  private struct Choice: Hashable {
    let group: UInt16
    /// The media type, which is `.subtitle` for text and captions as well.
    let media: MediaType
  }

  /// The remaining tracks among which players offer a choice.
  private struct Alternatives {
    /// The index of the first track that is not a commentary, or of the first track if all are commentaries.
    let first: Int
    var isAnyEnabled: Bool
  }

  /// Enables another track if the last enabled track of a group was removed, and reports the new default. Makes one
  /// pass over all tracks, and one pass over each group with a new default.
  private mutating func replaceDefaults(_ removed: [EditedTrack]) {
    // The edit may have linked new chapter tracks; the removed chapter tracks are listed only in the unedited movie.
    let chapters = tracks.chapterTrackIDs.union(movie.chapterTrackIDs)
    func choice(of track: EditedTrack) -> Choice? {
      guard !chapters.contains(track.id), track.mediaType.selectionKind != nil else { return nil }
      return Choice(group: track.alternateGroup, media: track.mediaType.isLegible ? .subtitle : track.mediaType)
    }
    var alternatives: [Choice: Alternatives] = [:]
    for (index, track) in tracks.enumerated() {
      // Players do not offer forced-only subtitles in a menu.
      guard let choice = choice(of: track), !(track.mediaType.isLegible && track.containsOnlyForcedSubtitles) else {
        continue
      }
      let isAnyEnabled = alternatives[choice]?.isAnyEnabled ?? false || track.isEnabled
      var first = alternatives[choice]?.first ?? index
      if tracks[first].isAuxiliary, !track.isAuxiliary { first = index }
      alternatives[choice] = Alternatives(first: first, isAnyEnabled: isAnyEnabled)
    }
    ListPass.end(after: tracks.count)
    let members = Dictionary(grouping: tracks.indices) { tracks[$0].alternateGroup }
    for track in removed {
      guard let choice = choice(of: track), let found = alternatives[choice], !found.isAnyEnabled else { continue }
      var successor: UInt32?
      if !track.mediaType.isLegible {
        enable(found.first, among: choice.group == 0 ? [] : members[choice.group] ?? [])
        for media in [.video, .audio, .subtitle] as [MediaType] where choice.group != 0 {
          alternatives[Choice(group: choice.group, media: media)]?.isAnyEnabled = false
        }
        alternatives[choice]?.isAnyEnabled = true
        successor = tracks[found.first].id
      }
      recordedNotices.append(.defaultRemoved(track: track.id, group: choice.group, successor: successor))
    }
  }

  /// The number of media bytes to which only removed tracks refer.
  var removedMediaByteCount: UInt64 {
    let remainingIDs = Set(tracks.map(\.id))
    guard movie.tracks.contains(where: { !remainingIDs.contains($0.id) }) else { return 0 }
    let totalByteCount = MediaRanges(movie.tracks).byteCount
    return totalByteCount
      - Swift.min(totalByteCount, MediaRanges(movie.tracks.filter { remainingIDs.contains($0.id) }).byteCount)
  }
}
