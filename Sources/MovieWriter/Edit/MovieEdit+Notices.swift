import MovieBox

// A request records an effect that no later request can undo (`recordedNotices`). All other notices are computed from the
// whole edit when the caller reads them, so that no notice is ever retracted.
extension MovieEdit {
  /// Records a notice unless an equal notice is already recorded.
  mutating func recordOnce(_ notice: EditNotice) {
    if !recordedNotices.contains(notice) { recordedNotices.append(notice) }
  }

  /// The notices of an edit whose output keeps the layout of the movie; see ``notices(for:)``.
  public var notices: [EditNotice] { notices(for: OutputLayout()) }

  /// Returns the side effects and omissions of the edit, including the effects of removing fragments if the layout
  /// requires that.
  ///
  /// ``MovieFileWriter/notices`` also lists the file offsets that become wrong in a new file.
  public func notices(for layout: OutputLayout) -> [EditNotice] {
    let noticesOfEdit = noticesOfConversion + noticesOfRequests + splitGroupWarnings + hiddenTagWarnings
    guard let flattened = stages.flattened, flattens(for: layout) else { return noticesOfEdit }
    var notices = flattened.notices
    if couldKeepFragments, let reason = reasonToFlatten(layout) {
      notices.append(
        EditNotice(.fragments, "the fragments could not be kept, although no samples are added: \(reason)"))
    }
    return notices + noticesOfEdit
  }

  /// The notices about the movie and about requests.
  private var noticesOfRequests: [EditNotice] {
    let trackIDs = Set(tracks.map(\.id))
    let recorded = recordedNotices.filter { notice in
      // A changed reference is irrelevant if its track was removed later.
      notice.kind != .association || notice.trackID.map(trackIDs.contains) ?? true
    }
    let disabled = tracks.filter { $0.lostDefault && !$0.isEnabled }.map { track in
      EditNotice(.disabled, trackID: track.id, "track \(track.id) is no longer the default and was disabled")
    }
    let allNotices = noticesAboutMovie + recorded + disabled + noticesOfCommentaries + changes.notices
    guard let conversion = stages.converted else { return allNotices }
    let mirrored = changes.metadata.noticeOfMirroredItems(of: conversion).map { [$0] } ?? []
    let ids = tracksOfConversion(conversion)
    return (allNotices + mirrored).filter { notice in
      // The caller may have removed a track that the notice describes, or may have replaced the chapters.
      notice.kind != .converted
        || notice.trackID.map(ids.contains) ?? true && (changes.chapters == nil || notice != .chaptersAreListed)
    }
  }

  /// Notices about commentaries that players play by default, or that no other audio plays beside.
  private var noticesOfCommentaries: [EditNotice] {
    let hasAudio = tracks.contains { $0.mediaType == .audio && $0.isEnabled }
    return tracks.filter(\.isAuxiliary).compactMap { track in
      if let old = track.old {
        let became = !old.isAuxiliary && old.isEnabled && track.isEnabled
        return became ? .commentaryIsDefault(track: track.id) : nil
      }
      return track.mediaType == .audio && !hasAudio ? .commentaryNotEnabled(track: track.id) : nil
    }
  }
  /// Warnings about tracks that the caller added to a different group than the group of their kind. A player's menu lists
  /// only the tracks of one group (QTFF "Alternate Groups"); the rule in `validate` is `group.split`.
  private var splitGroupWarnings: [EditNotice] {
    guard tracks.contains(where: \.hasExplicitGroup) else { return [] }
    let chapters = tracks.chapterTrackIDs
    return [true, false].flatMap { isLegible -> [EditNotice] in
      let kind = tracks.filter { track in
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

  /// The notices of the conversion to another type, without notices about tracks that the caller removed.
  private var noticesOfConversion: [EditNotice] {
    guard let conversion = stages.converted else { return [] }
    let ids = tracksOfConversion(conversion)
    let cleared = conversion.clearedFieldsNote(ofTracks: tracks.map(\.id)).map { [$0] } ?? []
    return conversion.notices.filter { $0.trackID.map(ids.contains) ?? true } + cleared
  }

  /// Returns the tracks about which a conversion has notices: the tracks of the edit and the tracks that the type does
  /// not support.
  private func tracksOfConversion(_ conversion: ConvertedMovie) -> Set<UInt32> {
    conversion.omittedTracks.union(tracks.map(\.id))
  }
}
