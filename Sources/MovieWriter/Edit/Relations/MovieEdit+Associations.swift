public import MovieBox

extension MovieEdit {
  /// Pairs a subtitle track with its forced-only partner of the same language, whichever of the two is new.
  ///
  /// A forced-only track is named (`forc`) by every full track of its language, SDH too; a full track names the
  /// forced-only track of its language (QTFF "Forced Subtitles").
  public mutating func pairForcedSubtitles(_ id: UInt32) throws(MovieError) {
    try pairForcedSubtitles(id, except: [])
  }

  /// Pairs a subtitle track with its partner, except with tracks in `others`, whose pairs the caller requests
  /// separately.
  mutating func pairForcedSubtitles(_ id: UInt32, except others: Set<UInt32>) throws(MovieError) {
    let position = try index(of: id)
    for place in ForcedPartners(among: tracks).places(for: tracks[position]) where !others.contains(tracks[place].id) {
      let isForced = tracks[position].containsOnlyForcedSubtitles
      let (full, forced) = isForced ? (place, position) : (position, place)
      try associate(at: full, with: forced, .forcedSubtitlesOnly)
      note(.forcedSubtitlesOnly, from: tracks[full].id, to: tracks[forced].id)
      if full == position { return }  // It names one partner: the first.
    }
  }

  /// Pairs each full track that has no forced-only partner with the first one of its language. Costs one pass over all
  /// tracks.
  ///
  /// Throws `.invalidEdit` if several tracks have the ID of a forced-only one.
  mutating func pairForcedSubtitles() throws(MovieError) {
    let partners = ForcedPartners(among: tracks)
    let chapters = tracks.chapterTrackIDs
    var known = Set(recordedNotices)
    ListPass.end(after: tracks.count)
    try requireOneTrack(
      ofEach: Set(tracks.filter { $0.containsOnlyForcedSubtitles && $0.holdsSubtitles(butNot: chapters) }.map(\.id)))
    for place in tracks.indices where tracks[place].holdsSubtitles(butNot: chapters) {
      guard !tracks[place].containsOnlyForcedSubtitles,
        tracks[place].references[TrackAssociation.forcedSubtitlesOnly.rawValue] == nil,
        let forced = partners.places(for: tracks[place]).first
      else { continue }
      try associate(at: place, with: forced, .forcedSubtitlesOnly)
      let notice = EditNotice(.forcedSubtitlesOnly, from: tracks[place].id, to: tracks[forced].id)
      if known.insert(notice).inserted { recordedNotices.append(notice) }
    }
  }

  /// What is wrong with associations of tracks that the edit made or changed.
  public var associationWarnings: [EditNotice] { pairWarnings + followerWarnings }

  /// What is wrong with the pairs of full and forced-only tracks that the edit made or changed: one is to be full,
  /// the other forced only, and both are to have one language and to be in one alternate group (QTFF "Forced
  /// Subtitles").
  var pairWarnings: [EditNotice] {
    let changed = Set(tracks.lazy.filter(\.hasChanged).map(\.id))
    guard !changed.isEmpty else { return [] }
    let tracksByID = Dictionary(tracks.map { ($0.id, $0) }) { first, _ in first }
    var notes: [EditNotice] = []
    for full in tracks {
      var seen: Set<UInt32> = []
      for id in full.references[TrackAssociation.forcedSubtitlesOnly.rawValue] ?? [] {
        guard changed.contains(full.id) || changed.contains(id), let forced = tracksByID[id],
          id != full.id, seen.insert(id).inserted
        else { continue }
        for fault in ForcedPartners.faults(from: full, to: forced) {
          var (kind, odd, sentence) = (
            EditNotice.Kind.association, id, "holds the forced subtitles of track \(full.id)"
          )
          switch fault {
          case .targetIsNotForcedOnly, .sourceIsNotFull:
            let isForced = fault == .sourceIsNotFull
            if isForced { odd = full.id }
            sentence =
              "track \(full.id) has its forced subtitles in track \(id) (forc), but track \(odd) is "
              + (isForced ? "no track of full subtitles" : "not forced only")
          case .otherLanguage:
            let (one, other) = (forced.language?.englishName, full.language?.englishName)
            sentence =
              "track \(id) \(sentence), but is in \(one ?? "an unknown language"), not in \(other ?? "an unknown one")"
          case .otherGroup:
            kind = .otherGroup
            sentence = "track \(id) \(sentence), but is in \(forced.groupName), not in \(full.groupName)"
          }
          notes.append(EditNotice(kind, trackID: odd, isWarning: true, sentence))
        }
      }
    }
    return notes
  }

  /// Sound that was followed by subtitles in its language, and still is by the same track, which is in another now: one
  /// of the two was given another language.
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
        return EditNotice(
          .followedInOtherLanguage, trackID: id, isWarning: true,
          "audio track \(audio.id), in \(spoken.englishName), is still followed by track \(id), in \(written.englishName)"
        )
      }
    }
  }

  /// Makes the subtitle track follow the audio tracks of its language (`folw` in those), where none follows them yet.
  ///
  /// A forced-only track takes over from a full partner of its own, whatever the audio's language (QTFF: of a pair,
  /// the forced-only track is named); a full track never takes over. An undetermined language matches nothing, and of
  /// a commentary's subtitles only a commentary does: what follows is chosen with the sound, unasked.
  public mutating func followAudio(_ id: UInt32) throws(MovieError) {
    var audio = FollowedAudio(among: tracks)
    note(try followAudio([try index(of: id)], &audio))
  }

  /// A subtitle track that may belong to an audio track without a language.
  struct WithoutAudio {
    let trackID: UInt32
    let language: LanguageTag
    let audioTrackID: UInt32
  }

  /// Notes the tracks that follow no audio, once for each audio track without a language.
  mutating func note(_ tracks: [WithoutAudio]) {
    let groups = Dictionary(grouping: tracks, by: \.audioTrackID)
    for (audio, tracks) in groups.sorted(by: { $0.key < $1.key }) {
      let ids = tracks.map { String($0.trackID) }
      var (languages, known): ([String], Set<String>) = ([], [])
      for track in tracks where known.insert(track.language.englishName).inserted {
        languages.append(track.language.englishName)
      }
      let subject = ids.count == 1 ? "track \(ids[0]) follows" : "tracks \(Self.list(ids, "and")) follow"
      recordedNotices.append(
        EditNotice(
          .nothingToFollow, trackID: ids.count == 1 ? tracks.first?.trackID : nil,
          "\(subject) no audio: none is said to be in \(Self.list(languages, "or")), and the language of audio track "
            + "\(audio) is not given"))
    }
  }

  /// Words with commas between them and a conjunction before the last.
  private static func list(_ words: [String], _ conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
  }

  /// Makes subtitle tracks at these places follow audio, one after another.
  ///
  /// Returns the tracks that find none. Costs one pass over all tracks, and what changes.
  mutating func followAudio(_ places: [Int], _ audio: inout FollowedAudio) throws(MovieError) -> [WithoutAudio] {
    var silentTracks: [WithoutAudio] = []
    for place in places {
      let track = tracks[place]
      guard track.language != nil else { continue }
      let target = audio.placeOfFollower(track, at: place)
      let follower = tracks[target].id
      for place in audio.places(for: track, follower: follower) {
        let id = tracks[place].id
        // Whatever the audio's language: where languages do not match is what the reference is for.
        if let current = tracks[place].references[TrackAssociation.selectionFollower.rawValue]?.first {
          recordedNotices.append(
            EditNotice(
              .followerChanged, trackID: id,
              "audio track \(id) was followed by track \(current); it is followed by that one's forced-only partner, "
                + "track \(follower), now"))
        }
        try associate(at: place, with: target, .selectionFollower)
        audio.addFollowers(of: tracks[place])
        recordedNotices.append(
          EditNotice(.association, trackID: id, "audio track \(id) is followed by track \(follower) (folw)"))
      }
      guard let language = track.language, let silent = audio.withoutLanguage(for: track) else { continue }
      silentTracks.append(WithoutAudio(trackID: track.id, language: language, audioTrackID: tracks[silent].id))
    }
    return silentTracks
  }

  /// Which of a pair the audio names: the forced-only track (QTFF "Subtitle Follows").
  ///
  /// A `forc` that leads to no track, or to one that is not a subtitle track, makes no pair.
  func indexOfFollower(_ id: UInt32) throws(MovieError) -> Int {
    let position = try index(of: id)
    guard let forced = tracks[position].references[TrackAssociation.forcedSubtitlesOnly.rawValue]?.first else {
      return position
    }
    return tracks.firstIndex { $0.id == forced && $0.mediaType.isLegible } ?? position
  }

  /// The tracks of the movie with the kind, language and role of the track, other than itself. Subtitles in timed text,
  /// in WebVTT and in QuickTime's older text are of one kind; tags that no role has count for nothing.
  public func tracks(matching id: UInt32) throws(MovieError) -> [UInt32] {
    let track = tracks[try index(of: id)]
    func roleTags(_ track: EditedTrack) -> Set<MediaCharacteristic> {
      TrackRole.allCharacteristics.intersection(track.taggedCharacteristics)
    }
    let characteristics = roleTags(track)
    let chapters = tracks.chapterTrackIDs
    let isSubtitles = track.holdsSubtitlesOfAnyAge(butNot: chapters)
    return tracks.filter { other in
      other.id != id
        && (other.mediaType == track.mediaType || isSubtitles && other.holdsSubtitlesOfAnyAge(butNot: chapters))
        && other.language == track.language
        && other.containsOnlyForcedSubtitles == track.containsOnlyForcedSubtitles
        && roleTags(other) == characteristics
    }.map(\.id)
  }
}
