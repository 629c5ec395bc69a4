public import MovieBox

// Requests for references between tracks (`tref`). Each type of reference prescribes which track contains it. A
// reference in the wrong track has no effect on players, so requests are checked against the kinds of both tracks.
//
// A full subtitle track refers to its forced-only partner (`forc`), and an audio track to the subtitles that players
// select together with it (`folw`). An edit adds these references to tracks of one language. Either track of a pair may
// be new, so the edit searches for partners of the full tracks and of the forced-only tracks.
extension MovieEdit {
  /// Adds a reference from one track to another, and returns the ID of the track to which it refers.
  ///
  /// Audio always refers to the forced-only track of a subtitle pair, even if the caller passes the full track (QTFF
  /// "Subtitle Follows"). A track that becomes a chapter list is disabled and removed from its group, because players
  /// would otherwise list it among the subtitles.
  ///
  /// Throws `.invalidEdit` if a track is missing or of the wrong kind, if the two tracks are in the wrong order, and
  /// for audio fallbacks that would form a cycle.
  @discardableResult
  public mutating func link(
    _ id: UInt32, to other: UInt32, _ association: TrackAssociation
  ) throws(MovieError) -> UInt32 {
    let index = try tracks.uniqueIndex(of: id)
    var target = try tracks.uniqueIndex(of: other)
    let (from, to) = (tracks[index], tracks[target])
    if let objection = association.objection(from: from.mediaType, to: to.mediaType) ?? association.objection(from, to)
    {
      throw MovieError(.invalidEdit, objection)
    }
    if association == .audioFallback, id != other, let chain = tracks.chain(from: other, to: id, association) {
      throw MovieError(
        .invalidEdit,
        "audio fallbacks (fall) must not form a cycle: track "
          + chain.map(String.init).joined(separator: " falls back to track "))
    }
    if association == .selectionFollower { target = try tracks.indexOfFollower(other) }
    let targetID = tracks[target].id
    let oldIDs = from.references[association.rawValue] ?? []
    try tracks.associate(at: index, with: target, association)
    if association == .chapterList, to.mediaType == .text { try disableChapterTrack(at: target) }
    guard tracks[index].references[association.rawValue] != oldIDs else { return targetID }
    for old in oldIDs where association.isSingle && old != targetID {
      recordedNotices.append(.referenceRemoved(association.rawValue, from: id, to: old))
    }
    note(association, from: id, to: targetID)
    return targetID
  }

  /// Removes the references of a track to another track, and returns the types of the references.
  ///
  /// Throws `.invalidEdit` if a track is missing or has no such reference, and for references to titles of chapters
  /// that the edit sets.
  ///
  /// - Parameters:
  ///   - id: the ID of the track with the references.
  ///   - other: the ID of the track to which they refer.
  ///   - association: the type of the references, or `nil` for any type.
  @discardableResult
  public mutating func unlink(
    _ id: UInt32, from other: UInt32, _ association: TrackAssociation? = nil
  ) throws(MovieError) -> [TrackAssociation] {
    let index = try tracks.uniqueIndex(of: id)
    let types = tracks[index].references.filter { type, ids in
      ids.contains(other) && (association.map { $0.rawValue == type } ?? true)
    }.keys.sorted { $0.rawValue < $1.rawValue }
    guard !types.isEmpty else {
      let type = association.map { "\($0.rawValue) " } ?? ""
      throw MovieError(.invalidEdit, "track \(id) has no \(type)reference to track \(other)")
    }
    if types.contains("chap"), tracks.contains(where: { $0.id == other && $0.chapterKind == .titles }) {
      throw MovieError(
        .invalidEdit,
        "track \(id) must refer to the titles of the new chapters, track \(other); remove the chapters instead")
    }
    for type in types {
      _ = tracks[index].removeReferences(ofType: type) { $0 == other }
      recordedNotices.append(.referenceRemoved(type, from: id, to: other))
    }
    return types.map { TrackAssociation(rawValue: $0) }
  }

  /// Associates the movie's subtitle tracks with each other and with its audio, as if the subtitle tracks were new.
  ///
  /// Full tracks refer to the forced-only track of their language, audio refers to subtitles of its language, the main
  /// picture refers to captions, and all subtitles share one group. In ISO files, tags are also written as roles
  /// (`kind`). Existing associations are kept. Notices report the changes. If the function throws, the edit is
  /// unchanged.
  public mutating func linkByLanguage() throws(MovieError) {
    try atomically { edit throws(MovieError) in try edit.associateByLanguage() }
  }

  private mutating func associateByLanguage() throws(MovieError) {
    let chapters = tracks.chapterTrackIDs
    try pairForcedSubtitles()
    recordedNotices += referToCaptions(tracks.filter { $0.mediaType == .closedCaption }.map(\.id))
    let subtitles = tracks.indices.filter { tracks[$0].containsSubtitles(except: chapters) }
    // If a language has plain subtitles and SDH, audio refers to the plain subtitles.
    let inOrder = subtitles.filter { !tracks[$0].isSDH } + subtitles.filter { tracks[$0].isSDH }
    var audio = AudioTrackIndex(among: tracks)
    note(try followAudio(inOrder, &audio))
    if let first = subtitles.first, subtitles.count > 1 {
      try addToSubtitleGroup(tracks[first].id, asDefault: false)
    }
    addRolesByTags()
  }

  /// Makes the main picture refer to those caption tracks to which no track refers (`clcp`; QTFF "Closed Caption
  /// Media"). Returns notices about the new references. Makes one pass over all tracks.
  @discardableResult
  mutating func referToCaptions(_ ids: [UInt32]) -> [EditNotice] {
    let association = TrackAssociation.closedCaptions
    let referenced = Set(tracks.flatMap { $0.references[association.rawValue] ?? [] })
    let missing = ids.filter { !referenced.contains($0) }
    guard !missing.isEmpty, let picture = movie.mainPicture?.id,
      let index = tracks.firstIndex(where: { $0.id == picture })
    else { return [] }
    tracks[index].references[association.rawValue, default: []] += missing
    return missing.map { EditNotice(association, from: picture, to: $0) }
  }

  private mutating func disableChapterTrack(at index: Int) throws(MovieError) {
    let chapters = tracks[index]
    guard chapters.isEnabled || chapters.alternateGroup != 0 else { return }
    try setEnabled(false, of: chapters.id)
    try setAlternateGroup(0, of: chapters.id)
    recordedNotices.append(.chapterListDisabled(track: chapters.id))
  }

  /// Reports once that a track refers to another track.
  mutating func note(_ association: TrackAssociation, from id: UInt32, to other: UInt32) {
    recordOnce(EditNotice(association, from: id, to: other))
  }

  // MARK: - Forced subtitles

  /// Pairs a full or forced-only subtitle track with its partners in the same language.
  ///
  /// Every full track of a language, including SDH, refers to the first forced-only track of its language (`forc`; QTFF
  /// "Forced Subtitles").
  public mutating func pairForcedSubtitles(_ id: UInt32) throws(MovieError) {
    try atomically { edit throws(MovieError) in
      try edit.pairForcedSubtitles(id, ForcedPartners(among: edit.tracks), except: [])
    }
  }

  /// Pairs a subtitle track with its partner. Ignores the tracks in `others`, for which the caller requests pairs
  /// separately. `partners` finds the partners of a track among all tracks.
  mutating func pairForcedSubtitles(
    _ id: UInt32, _ partners: ForcedPartners, except others: Set<UInt32>
  ) throws(MovieError) {
    let position = try tracks.index(of: id)
    for place in partners.partnerIndices(of: tracks[position])
    where !others.contains(tracks[place].id) {
      let isForced = tracks[position].containsOnlyForcedSubtitles
      let (full, forced) = isForced ? (place, position) : (position, place)
      try tracks.associate(at: full, with: forced, .forcedSubtitlesOnly)
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
    try tracks.requireOneTrack(
      ofEach: Set(tracks.filter { $0.containsOnlyForcedSubtitles && $0.containsSubtitles(except: chapters) }.map(\.id)))
    for index in tracks.indices where tracks[index].containsSubtitles(except: chapters) {
      guard !tracks[index].containsOnlyForcedSubtitles,
        tracks[index].references[TrackAssociation.forcedSubtitlesOnly.rawValue] == nil,
        let forced = partners.partnerIndices(of: tracks[index]).first
      else { continue }
      try tracks.associate(at: index, with: forced, .forcedSubtitlesOnly)
      let notice = EditNotice(.forcedSubtitlesOnly, from: tracks[index].id, to: tracks[forced].id)
      if knownNotices.insert(notice).inserted { recordedNotices.append(notice) }
    }
  }

  // MARK: - Followed audio

  /// Makes a subtitle track follow the audio tracks in its language that have no follower yet. Each of these audio
  /// tracks gets a `folw` reference to the subtitle track.
  ///
  /// A forced-only track also replaces its full partner as a follower, regardless of the audio's language, because
  /// audio refers to the forced-only track of a pair (QTFF "Subtitle Follows"). A full track replaces no follower. An
  /// undetermined language matches no language. The subtitles of a commentary follow only commentary audio, because
  /// players select a follower together with the audio.
  public mutating func followAudio(_ id: UInt32) throws(MovieError) {
    try atomically { edit throws(MovieError) in
      var audio = AudioTrackIndex(among: edit.tracks)
      edit.note(try edit.followAudio([try edit.tracks.index(of: id)], &audio))
    }
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
      recordedNotices.append(.noAudioToFollow(tracks: tracks.map(\.trackID), languages: languages, audio: audio))
    }
  }

  /// Makes the subtitle tracks at these indices follow audio, in the order of `indices`. Returns the tracks that may
  /// belong to an audio track without a language.
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
        try tracks.associate(at: audioIndex, with: target, .selectionFollower)
        audio.addFollowers(of: tracks[audioIndex])
        recordedNotices.append(
          EditNotice(
            .association, trackID: id, describing: .track, "audio track \(id) is followed by track \(follower) (folw)"))
      }
      guard let language = track.language, let silent = audio.firstAudioWithoutLanguage(for: track) else { continue }
      silentTracks.append(TrackWithoutAudio(trackID: track.id, language: language, audioTrackID: tracks[silent].id))
    }
    return silentTracks
  }

  /// Returns the IDs of the other tracks with the kind, language and role of a track. Timed text, WebVTT and QuickTime
  /// text count as one kind. Tags that belong to no role are ignored.
  public func tracks(matching id: UInt32) throws(MovieError) -> [UInt32] {
    let track = tracks[try tracks.index(of: id)]
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
