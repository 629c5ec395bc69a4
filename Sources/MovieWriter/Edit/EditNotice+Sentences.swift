import MovieBox
import Subtitles

// The messages of notices. Requests pass values to these functions, so that all messages are in one place and can be
// reviewed together. `EditNotice+StageSentences.swift` contains the messages about stages, and
// `EditNotice+MetadataSentences.swift` the messages about metadata and chapters.

// MARK: - The movie and its file

extension EditNotice {
  /// The notice that the movie atom is stored uncompressed.
  static let movieAtomInflated = EditNotice(
    .movieAtomInflated, "the movie atom was compressed (cmov) and is now uncompressed")

  /// The notice that an edit invalidates a signature.
  static let signatureInvalidated = EditNotice(
    .signature, isWarning: true, "the edit invalidates the file's signature (C2PA)")

  /// Returns a notice that a track refers to media in another file, as before.
  static func externalMediaKept(track id: UInt32) -> EditNotice {
    EditNotice(
      .externalMedia, trackID: id, isWarning: true,
      "the media of track \(id) is in another file; the reference is unchanged and works only if the movie stays in the same folder"
    )
  }

  /// Returns a notice that the media of a track was copied from other files.
  ///
  /// - Parameter files: the names of the files, or an empty array if no other file contained samples of the track.
  static func externalMediaCopied(from files: [String], track id: UInt32) -> EditNotice {
    EditNotice(
      .externalMedia, trackID: id,
      files.isEmpty
        ? "track \(id) no longer refers to another file, which contained none of its samples"
        : "the samples of track \(id) are copied into the movie from \(files.joined(separator: ", "))")
  }

  /// Returns a notice that an atom from a camera manufacturer contains file offsets.
  static func cameraOffsetsCopied(in atom: String) -> EditNotice {
    EditNotice(
      .vendorPosition, isWarning: true,
      "the camera's own table of offsets (\(atom)) is copied unchanged and may be wrong")
  }

  /// Returns a notice that bytes after the last atom may contain file offsets.
  static func trailingBytesCopied(_ count: UInt64) -> EditNotice {
    EditNotice(
      .vendorPosition, isWarning: true,
      "\(count) bytes at the end of the file are copied unchanged; file offsets in them may be wrong")
  }

  /// Returns a notice that an item location box is enclosed in bytes that are not atoms, so parsers do not find it.
  static func hiddenItemOffsets(in path: String) -> EditNotice {
    EditNotice(
      .vendorPosition, isWarning: true,
      "\(path) contains item offsets (iloc) between bytes that are not atoms; the offsets may be wrong")
  }
}

// MARK: - Durations and starts

extension EditNotice {
  /// Returns a notice that a track made the movie longer. Durations are texts such as `0:10.5`.
  static func movieLengthened(
    to duration: String, from old: String, track id: UInt32, isWarning: Bool = false
  ) -> EditNotice {
    EditNotice(
      .movieLengthened, trackID: id, isWarning: isWarning,
      "the movie's duration in mvhd is now \(duration) instead of \(old), because track \(id) is that long")
  }

  /// Returns a notice that the longest track was removed.
  static func movieShortened(to duration: String, from old: String) -> EditNotice {
    EditNotice(
      .movieShortened,
      "the movie now lasts \(duration), as long as its longest remaining track; before, it lasted \(old)")
  }

  /// Returns a notice that a new track gets the delay that all tracks of the movie have in common.
  static func newTrackDelayed(byMilliseconds delay: Int64, track id: UInt32) -> EditNotice {
    EditNotice(
      .delayed, trackID: id,
      "track \(id) is \(abs(delay)) ms \(delay < 0 ? "earlier" : "later") than in its file, like the movie's other tracks: "
        + "ffmpeg delays all tracks of a file that it writes without edit lists; --keep-start leaves the times unchanged"
    )
  }
  /// Returns a notice that cues or chapters begin before the first picture or sound.
  static func startsBeforeMedia(
    _ early: Int, of all: String, start: String, _ remedy: String, track id: UInt32?
  ) -> EditNotice {
    EditNotice(
      .beforeStart, trackID: id, isWarning: true,
      "\(early) of \(all) \(early == 1 ? "begins" : "begin") before the first picture or sound at \(start); use \(remedy)"
    )
  }
}

// MARK: - Removed and replaced tracks

extension EditNotice {
  /// Returns a notice that the last video or audio track was removed.
  static func lastOfKindRemoved(track id: UInt32, _ media: MediaType) -> EditNotice {
    EditNotice(.lastOfKindRemoved, trackID: id, isWarning: true, "no \(media.name) track remains")
  }

  /// Returns a notice that the only enabled track of a group was removed.
  ///
  /// - Parameters:
  ///   - group: the alternate group, or 0 if the track was in none.
  ///   - successor: the track that was enabled instead, or `nil` for subtitles.
  static func defaultRemoved(track id: UInt32, group: UInt16, successor: UInt32?) -> EditNotice {
    let group = group == 0 ? "of its kind" : "of group \(group)"
    let consequence =
      successor.map { "track \($0) is now enabled instead" }
      ?? "players now show no subtitles unless a viewer selects a track"
    return EditNotice(
      .defaultRemoved, trackID: id, isWarning: true, "track \(id) was the default \(group); \(consequence)")
  }

  /// Returns a notice that a track was removed without a replacement.
  static func trackRemoved(track id: UInt32) -> EditNotice {
    EditNotice(.removed, trackID: id, "track \(id) was removed")
  }

  /// Returns a notice that a track now refers to the chapters of removed tracks.
  static func chaptersTakenOver(track id: UInt32) -> EditNotice {
    EditNotice(.chapters, trackID: id, "track \(id) now refers to the chapters of a removed track (chap)")
  }

  /// Returns a notice that a track was replaced by another track.
  ///
  /// - Parameter title: the title copied to the new track, or `nil` if none was copied.
  static func replaced(track old: UInt32, by new: UInt32, title: String?) -> EditNotice {
    EditNotice(
      .removed, trackID: old,
      "track \(old) was removed; track \(new) replaces it" + (title.map { " and inherits the title \"\($0)\"" } ?? "")
    )
  }

  /// Returns a notice that a replacement lacks labels or user data of the replaced track.
  static func notTakenOver(_ labels: [String], from old: UInt32, track id: UInt32) -> EditNotice {
    let suffix = labels.count > 5 ? " and \(labels.count - 5) more" : ""
    return EditNotice(
      .notTakenOver, trackID: id, isWarning: true,
      "track \(id) does not inherit from track \(old): " + labels.prefix(5).joined(separator: ", ") + suffix)
  }
}

// MARK: - Groups and references

extension EditNotice {
  /// Returns a notice that a track without a group joined the group of a new track.
  static func joinedGroup(_ group: UInt16, track id: UInt32) -> EditNotice {
    EditNotice(.joinedGroup, trackID: id, "track \(id) was in no group; it is now in group \(group)")
  }

  /// Returns a notice that a track is not in the alternate group of the other tracks of its media type.
  ///
  /// - Parameter group: the group of the track, or 0 if it is in none.
  static func inOtherGroup(_ group: UInt16, track id: UInt32) -> EditNotice {
    EditNotice(
      .otherGroup, trackID: id, isWarning: true,
      group == 0
        ? "track \(id) is still in no group, so it plays along with other tracks"
        : "track \(id) is still in another group (\(group))")
  }

  /// Returns a notice that a reference was removed.
  static func referenceRemoved(_ type: FourCC, from id: UInt32, to other: UInt32) -> EditNotice {
    EditNotice(
      .association, trackID: id, describing: .track,
      "the \(type) reference of track \(id) to track \(other) was removed")
  }

  /// Returns a notice that a track that became a chapter list was disabled and removed from its group.
  static func chapterListDisabled(track id: UInt32) -> EditNotice {
    EditNotice(
      .disabled, trackID: id,
      "track \(id) is now a chapter list; it was disabled and removed from its group so that players do not offer it as "
        + "subtitles")
  }
}

// MARK: - Subtitles and audio

extension EditNotice {
  /// Returns a notice about a repaired, changed or dropped cue.
  static func cueChanged(_ notice: SubtitleNotice, track id: UInt32) -> EditNotice {
    EditNotice(.subtitles, trackID: id, isWarning: true, notice.description)
  }

  /// Returns a notice that the full track of a pair contains only forced subtitles, or its forced-only track contains
  /// all subtitles.
  ///
  /// - Parameter isForced: whether the full track contains only forced subtitles. Otherwise, the forced-only track
  ///   contains all subtitles.
  static func wrongKindInPair(full: UInt32, forced: UInt32, isForced: Bool) -> EditNotice {
    let wrongID = isForced ? full : forced
    return EditNotice(
      .association, trackID: wrongID, isWarning: true,
      "track \(full) has track \(forced) as its forced subtitles (forc), but track \(wrongID) is "
        + (isForced ? "not a full subtitle track" : "not forced-only"))
  }

  /// Returns a notice that the forced-only track of a pair is in another language than the full track.
  static func pairInTwoLanguages(full: EditedTrack, forced: EditedTrack) -> EditNotice {
    EditNotice(
      .association, trackID: forced.id, isWarning: true,
      "track \(forced.id) contains the forced subtitles of track \(full.id), but is in "
        + "\(forced.language?.englishName ?? "an unknown language"), not in "
        + "\(full.language?.englishName ?? "an unknown language")")
  }

  /// Returns a notice that the forced-only track of a pair is in another alternate group than the full track.
  static func pairInTwoGroups(full: EditedTrack, forced: EditedTrack) -> EditNotice {
    EditNotice(
      .otherGroup, trackID: forced.id, isWarning: true,
      "track \(forced.id) contains the forced subtitles of track \(full.id), but is in \(forced.groupName), not in "
        + full.groupName)
  }

  /// Returns a notice that an audio track or its selection follower got another language, and the reference was kept.
  static func followedInOtherLanguage(
    audio: UInt32, _ spoken: LanguageTag, by id: UInt32, _ written: LanguageTag
  ) -> EditNotice {
    EditNotice(
      .followedInOtherLanguage, trackID: id, isWarning: true,
      "audio track \(audio), in \(spoken.englishName), is still followed by track \(id), in \(written.englishName)")
  }

  /// Returns a notice that subtitle tracks may belong to an audio track without a language.
  static func noAudioToFollow(tracks ids: [UInt32], languages: [String], audio: UInt32) -> EditNotice {
    let names = ids.map(String.init)
    let subject = names.count == 1 ? "track \(names[0]) has" : "tracks \(joinedList(names, "and")) have"
    return EditNotice(
      .nothingToFollow, trackID: ids.count == 1 ? ids.first : nil,
      "\(subject) no audio to follow: no audio track is marked as \(joinedList(languages, "or")), and audio track "
        + "\(audio) has no language")
  }

  /// Returns words separated by commas, with a conjunction before the last word.
  private static func joinedList(_ words: [String], _ conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
  }

  /// Returns a notice that an audio track no longer refers to a full track, but to the forced-only partner of that
  /// track.
  static func followerChanged(audio: UInt32, from full: UInt32, to forced: UInt32) -> EditNotice {
    EditNotice(
      .followerChanged, trackID: audio,
      "audio track \(audio) is now followed by track \(forced), the forced-only partner of track \(full)")
  }

  /// Returns a notice that the last enabled video or audio track was disabled.
  static func noTrackEnabled(_ media: MediaType, afterDisabling id: UInt32) -> EditNotice {
    EditNotice(
      .defaultRemoved, trackID: id, isWarning: true,
      "track \(id) was disabled; no \(media.name) track is enabled now")
  }

  /// Returns a notice that a track already has a chapter list, so it does not refer to the new list.
  static func otherChapterListKept(_ old: UInt32, track id: UInt32, unused: UInt32) -> EditNotice {
    EditNotice(
      .association, trackID: id, isWarning: true, describing: .track,
      "track \(id) keeps track \(old) as its chapter list; no track refers to the new list, track \(unused)")
  }
}

// MARK: - Imported tracks

extension EditNotice {
  /// Returns a notice that samples or times of another movie changed when the movie was flattened for an import.
  ///
  /// - Parameter id: the imported track, or `nil` if the notice concerns the whole movie.
  static func importedMovieChanged(_ notice: EditNotice, track id: UInt32?) -> EditNotice {
    let location = id == nil ? "in the imported movie" : "in its original movie"
    var imported = EditNotice(notice.kind, trackID: id, isWarning: notice.isWarning, "\(location), \(notice.message)")
    if id != nil { imported.messageInOriginalMovie = notice.message }
    return imported
  }

  /// Returns a notice that an imported track referred to tracks that are not imported.
  static func importedReferenceDropped(_ type: FourCC, to others: [UInt32], track id: UInt32) -> EditNotice {
    let list = others.map(String.init).joined(separator: ", ")
    var notice = EditNotice(
      .association, trackID: id, describing: .track,
      "the \(type) reference of track \(id) to track \(list) in its original movie is dropped")
    notice.lostReferenceType = type
    return notice
  }

  /// Returns a notice that times in the edit list of an imported track were rounded.
  static func editsRounded(timeScale: UInt32, track id: UInt32) -> EditNotice {
    EditNotice(
      .timesRounded, trackID: id,
      "times in the edit list of track \(id) are rounded to the movie's time scale, by less than 1/\(timeScale) s")
  }

  /// Returns a notice that edits of an imported track are too short for the time scale of the movie.
  static func editsVanished(_ count: Int, timeScale: UInt32, track id: UInt32) -> EditNotice {
    EditNotice(
      .timesRounded, trackID: id, isWarning: true,
      "the edit list of track \(id) contains \(counted(count, "segment")) shorter than half a tick of the movie "
        + "(1/\(timeScale) s), so the duration is rounded to 0")
  }

  /// Returns a notice about an imported track whose last sample lasts until the end of the movie.
  static func lastSampleIsOpen(until new: String, insteadOf old: String, track id: UInt32) -> EditNotice {
    EditNotice(
      .timedMetadata, trackID: id,
      "the last sample of track \(id) has no duration, so it lasts until the end of the movie at \(new) instead of \(old)"
    )
  }

  /// Returns a notice about a track with a QuickTime sound description that was imported into an MP4 file.
  static func quickTimeSoundImported(_ format: FourCC, track id: UInt32) -> EditNotice {
    EditNotice(
      .foreignFormat, trackID: id, isWarning: true,
      "track \(id) has a QuickTime sound description (\(format)), which players of MP4 files may not support; convert its "
        + "original movie first (remux -o NAME.mp4)")
  }

  /// Returns a notice that only the original movie of an imported track contains the information about the track's
  /// encryption keys.
  static func keysNotImported(track id: UInt32) -> EditNotice {
    EditNotice(
      .foreignFormat, trackID: id, isWarning: true,
      "track \(id) is encrypted, but the information about its keys (pssh) was not imported")
  }
}

// MARK: - Labels

extension EditNotice {
  /// Returns a notice that a new title replaced titles in other languages.
  static func titlesReplaced(_ titles: [String], track id: UInt32) -> EditNotice {
    let suffix = titles.count > 5 ? " and \(titles.count - 5) more" : ""
    return EditNotice(
      .titlesReplaced, trackID: id, isWarning: true,
      "the new title of track \(id) replaces its titles in other languages: "
        + titles.prefix(5).joined(separator: ", ") + suffix)
  }

  /// Returns a notice that a tag is intended for tracks of another media type.
  static func unfitCharacteristic(
    _ tag: MediaCharacteristic, for kind: MediaSelectionGroup.Kind, track id: UInt32, _ media: MediaType
  ) -> EditNotice {
    EditNotice(
      .unfitCharacteristic, trackID: id, isWarning: true,
      "\(tag.rawValue) is intended for \(kind.rawValue) tracks, but track \(id) is \(media.name): players ignore the tag or "
        + "offer the track to the wrong viewers")
  }

  /// Returns a notice that roles (`kind`) were written because a track's tags imply them.
  static func roleWritten(_ role: String, track id: UInt32) -> EditNotice {
    EditNotice(.role, trackID: id, "the role of track \(id), \(role), is also written in its ISO form (kind)")
  }
}

// MARK: - Commentaries

extension EditNotice {
  /// Returns a notice that a track became a commentary and is still enabled.
  static func commentaryIsDefault(track id: UInt32) -> EditNotice {
    EditNotice(
      .role, trackID: id, isWarning: true,
      "track \(id) is a commentary now and still enabled, so players play it by default; make another track the default"
    )
  }

  /// Returns a notice that a new commentary is the only audio and was not enabled.
  static func commentaryNotEnabled(track id: UInt32) -> EditNotice {
    EditNotice(
      .disabled, trackID: id,
      "track \(id) is a commentary and therefore not enabled, although it is the only audio; --default enables it")
  }
}
