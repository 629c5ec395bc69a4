public import MovieBox

// References between subtitle tracks, and from audio to subtitle tracks. A full track refers to its forced-only partner
// (`forc`), and an audio track to the subtitles that players select together with it (`folw`).
//
// An edit adds these references to tracks of one language. Either track of a pair may be new, so the edit searches for
// partners of the full tracks and of the forced-only tracks.
extension MovieEdit {
  /// Pairs a full or forced-only subtitle track with its partners in the same language.
  ///
  /// Every full track of a language, including SDH, refers to the first forced-only track of its language (`forc`; QTFF
  /// "Forced Subtitles").
  public mutating func pairForcedSubtitles(_ id: UInt32) throws(MovieError) {
    try pairForcedSubtitles(id, except: [])
  }

  /// Pairs a subtitle track with its partner, except with tracks in `others`, because the caller requests their pairs
  /// separately.
  mutating func pairForcedSubtitles(_ id: UInt32, except others: Set<UInt32>) throws(MovieError) {
    let position = try index(of: id)
    for place in ForcedPartners(among: tracks).partnerIndices(of: tracks[position])
    where !others.contains(tracks[place].id) {
      let isForced = tracks[position].containsOnlyForcedSubtitles
      let (full, forced) = isForced ? (place, position) : (position, place)
      try associate(at: full, with: forced, .forcedSubtitlesOnly)
      note(.forcedSubtitlesOnly, from: tracks[full].id, to: tracks[forced].id)
      if full == position { return }  // A full track refers to a single partner.
    }
  }

  /// Pairs each full track that has no forced-only partner with the first forced-only track of its language. Makes one
  /// pass over all tracks.
  ///
  /// Throws `.invalidEdit` if several tracks have the ID of a forced-only track.
  mutating func pairForcedSubtitles() throws(MovieError) {
    let partners = ForcedPartners(among: tracks)
    let chapters = tracks.chapterTrackIDs
    var knownNotices = Set(recordedNotices)
    ListPass.end(after: tracks.count)
    try requireOneTrack(
      ofEach: Set(tracks.filter { $0.containsOnlyForcedSubtitles && $0.containsSubtitles(except: chapters) }.map(\.id)))
    for index in tracks.indices where tracks[index].containsSubtitles(except: chapters) {
      guard !tracks[index].containsOnlyForcedSubtitles,
        tracks[index].references[TrackAssociation.forcedSubtitlesOnly.rawValue] == nil,
        let forced = partners.partnerIndices(of: tracks[index]).first
      else { continue }
      try associate(at: index, with: forced, .forcedSubtitlesOnly)
      let notice = EditNotice(.forcedSubtitlesOnly, from: tracks[index].id, to: tracks[forced].id)
      if knownNotices.insert(notice).inserted { recordedNotices.append(notice) }
    }
  }

  /// The warnings about associations of tracks that the edit added or changed.
  var associationWarnings: [EditNotice] { pairWarnings + followerWarnings }

  /// The warnings about pairs with a track that the edit added or changed.
  ///
  /// A pair consists of a full and a forced-only track with the same language and alternate group (QTFF "Forced Subtitles").
  var pairWarnings: [EditNotice] {
    let changedIDs = Set(tracks.lazy.filter(\.hasChanged).map(\.id))
    guard !changedIDs.isEmpty else { return [] }
    let tracksByID = Dictionary(tracks.map { ($0.id, $0) }) { first, _ in first }
    var notices: [EditNotice] = []
    for full in tracks {
      var seen: Set<UInt32> = []
      for id in full.references[TrackAssociation.forcedSubtitlesOnly.rawValue] ?? [] {
        guard changedIDs.contains(full.id) || changedIDs.contains(id), let forced = tracksByID[id],
          id != full.id, seen.insert(id).inserted
        else { continue }
        for fault in ForcedPartners.faults(from: full, to: forced) {
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

  /// The warnings about audio tracks that shared a language with their selection follower before the edit and no longer
  /// do.
  private var followerWarnings: [EditNotice] {
    let tracksByID = Dictionary(tracks.map { ($0.id, $0) }) { first, _ in first }
    return tracks.flatMap { audio -> [EditNotice] in
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

  /// Makes a subtitle track follow the audio tracks in its language that have no follower yet. Each of these audio tracks
  /// gets a `folw` reference to the subtitle track.
  ///
  /// A forced-only track also replaces its full partner as a follower, regardless of the audio's language, because audio
  /// refers to the forced-only track of a pair (QTFF "Subtitle Follows"). A full track replaces no follower. An
  /// undetermined language matches no language. The subtitles of a commentary follow only commentary audio, because
  /// players select a follower together with the audio.
  public mutating func followAudio(_ id: UInt32) throws(MovieError) {
    var audio = AudioTrackIndex(among: tracks)
    note(try followAudio([try index(of: id)], &audio))
  }

  /// A subtitle track that may belong to an audio track without a language.
  struct TrackWithoutAudio {
    let trackID: UInt32
    let language: LanguageTag
    let audioTrackID: UInt32
  }

  /// Reports the tracks that follow no audio, once for each audio track without a language.
  mutating func note(_ tracks: [TrackWithoutAudio]) {
    let groups = Dictionary(grouping: tracks, by: \.audioTrackID)
    for (audio, tracks) in groups.sorted(by: { $0.key < $1.key }) {
      var (languages, known): ([String], Set<String>) = ([], [])
      for track in tracks where known.insert(track.language.englishName).inserted {
        languages.append(track.language.englishName)
      }
      recordedNotices.append(.nothingToFollow(tracks.map(\.trackID), languages: languages, audio: audio))
    }
  }

  /// Makes the subtitle tracks at these indices follow audio, in order. Returns the tracks that may belong to an audio
  /// track without a language. Makes one pass over all tracks, and the cost of the changes.
  mutating func followAudio(_ indices: [Int], _ audio: inout AudioTrackIndex) throws(MovieError) -> [TrackWithoutAudio]
  {
    var silentTracks: [TrackWithoutAudio] = []
    for index in indices {
      let track = tracks[index]
      guard track.language != nil else { continue }
      let target = audio.indexOfFollower(track, at: index)
      let follower = tracks[target].id
      for audioIndex in audio.audioIndices(for: track, follower: follower) {
        let id = tracks[audioIndex].id
        // The language of the audio is not compared, because a reference may deliberately relate two languages.
        if let current = tracks[audioIndex].references[TrackAssociation.selectionFollower.rawValue]?.first {
          recordedNotices.append(.followerChanged(audio: id, from: current, to: follower))
        }
        try associate(at: audioIndex, with: target, .selectionFollower)
        audio.addFollowers(of: tracks[audioIndex])
        recordedNotices.append(
          EditNotice(.association, trackID: id, "audio track \(id) is followed by track \(follower) (folw)"))
      }
      guard let language = track.language, let silent = audio.firstAudioWithoutLanguage(for: track) else { continue }
      silentTracks.append(TrackWithoutAudio(trackID: track.id, language: language, audioTrackID: tracks[silent].id))
    }
    return silentTracks
  }

  /// Returns the index of the track to which audio refers. It is the track's forced-only partner (QTFF "Subtitle
  /// Follows"), or the track itself if it has no partner. Ignores a `forc` reference to a missing track or to other
  /// media.
  func indexOfFollower(_ id: UInt32) throws(MovieError) -> Int {
    let position = try index(of: id)
    guard let forced = tracks[position].references[TrackAssociation.forcedSubtitlesOnly.rawValue]?.first else {
      return position
    }
    return tracks.firstIndex { $0.id == forced && $0.mediaType.isLegible } ?? position
  }

  /// Returns the IDs of the other tracks with the kind, language and role of a track. Timed text, WebVTT and QuickTime
  /// text count as one kind. Tags that belong to no role are ignored.
  public func tracks(matching id: UInt32) throws(MovieError) -> [UInt32] {
    let track = tracks[try index(of: id)]
    func roleTags(_ track: EditedTrack) -> Set<MediaCharacteristic> {
      TrackRole.allCharacteristics.intersection(track.taggedCharacteristics)
    }
    let characteristics = roleTags(track)
    let chapters = tracks.chapterTrackIDs
    let isSubtitles = track.containsModernOrLegacySubtitles(except: chapters)
    return tracks.filter { other in
      other.id != id
        && (other.mediaType == track.mediaType
          || isSubtitles && other.containsModernOrLegacySubtitles(except: chapters))
        && other.language == track.language
        && other.containsOnlyForcedSubtitles == track.containsOnlyForcedSubtitles
        && roleTags(other) == characteristics
    }.map(\.id)
  }
}
