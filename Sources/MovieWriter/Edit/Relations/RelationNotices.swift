import MovieBox

// Notices about the relations of tracks, computed from the state of the tracks after the edit.
extension [EditedTrack] {
  /// Notices about enabled tracks that became commentaries, and about new commentaries in a movie without enabled
  /// audio.
  var commentaryNotices: [EditNotice] {
    let hasAudio = contains { $0.mediaType == .audio && $0.isEnabled }
    return filter(\.isAuxiliary).compactMap { track in
      if let old = track.old {
        let became = !old.isAuxiliary && old.isEnabled && track.isEnabled
        return became ? .commentaryIsDefault(track: track.id) : nil
      }
      return track.mediaType == .audio && !hasAudio ? .commentaryNotEnabled(track: track.id) : nil
    }
  }

  /// Warnings about tracks that the caller put outside the group of the other audio or legible tracks. A player's menu
  /// lists only the tracks of one group (QTFF "Alternate Groups"). The rule `group.split` of `validate` reports these
  /// tracks too.
  var splitGroupWarnings: [EditNotice] {
    guard contains(where: \.hasExplicitGroup) else { return [] }
    let chapters = chapterTrackIDs
    return [true, false].flatMap { isLegible -> [EditNotice] in
      let kind = filter { track in
        (isLegible ? track.mediaType.isLegible : track.mediaType == .audio) && track.alternateGroup != 0
          && !chapters.contains(track.id)
      }
      guard let others = kind.first(where: { !$0.hasExplicitGroup }) ?? kind.first else { return [] }
      return kind.filter { $0.hasExplicitGroup && $0.alternateGroup != others.alternateGroup }.map { track in
        EditNotice(
          .splitGroup, trackID: track.id, isWarning: true,
          "track \(track.id) is in group \(track.alternateGroup), but other \(track.mediaType.name) tracks are in group "
            + "\(others.alternateGroup): menus list the tracks of one group only; add the track to group "
            + "\(others.alternateGroup)")
      }
    }
  }

  /// The warnings about associations of tracks that the edit added or changed.
  var associationWarnings: [EditNotice] { pairWarnings + followerWarnings }

  /// The warnings about pairs with a track that the edit added or changed.
  ///
  /// A pair consists of a full and a forced-only track with the same language and alternate group (QTFF "Forced
  /// Subtitles").
  var pairWarnings: [EditNotice] {
    let changedIDs = Set(lazy.filter(\.hasChanged).map(\.id))
    guard !changedIDs.isEmpty else { return [] }
    let tracksByID = Dictionary(map { ($0.id, $0) }) { first, _ in first }
    var notices: [EditNotice] = []
    for full in self {
      var seen: Set<UInt32> = []
      for id in full.references[TrackAssociation.forcedSubtitlesOnly.rawValue] ?? [] {
        guard changedIDs.contains(full.id) || changedIDs.contains(id), let forced = tracksByID[id],
          id != full.id, seen.insert(id).inserted
        else { continue }
        for fault in ForcedPartners.faultsOfReference(from: full, to: forced) {
          let notice: EditNotice =
            switch fault {
            case .targetIsNotForcedOnly, .sourceIsNotFull:
              .wrongKindInPair(full: full.id, forced: id, isForced: fault == .sourceIsNotFull)
            case .otherLanguage: .pairInTwoLanguages(full: full, forced: forced)
            case .otherGroup: .pairInTwoGroups(full: full, forced: forced)
            }
          notices.append(notice)
        }
      }
    }
    return notices
  }

  /// The warnings about audio tracks whose selection follower had their language before the edit, but has another
  /// language now.
  private var followerWarnings: [EditNotice] {
    let tracksByID = Dictionary(map { ($0.id, $0) }) { first, _ in first }
    return flatMap { audio -> [EditNotice] in
      guard audio.mediaType == .audio, let oldAudio = audio.old else { return [] }
      return (audio.references[TrackAssociation.selectionFollower.rawValue] ?? []).compactMap { id in
        guard let follower = tracksByID[id], let old = follower.old,
          oldAudio.referenced("folw").contains(id), let wasIn = old.language,
          oldAudio.language?.language == wasIn.language,
          let spoken = audio.language, let written = follower.language, spoken.language != written.language
        else { return nil }
        return .followedInOtherLanguage(audio: audio.id, spoken, by: id, written)
      }
    }
  }
}
