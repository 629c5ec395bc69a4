public import MovieBox

extension MovieEdit {
  /// Pairs a subtitle track with its forced-only partner of the same language, whichever of the two is new.
  ///
  /// A forced-only track is named (`forc`) by every regular track of its language, SDH too; a regular track names the
  /// forced-only track of its language (QTFF "Forced Subtitles").
  public mutating func pairForcedSubtitles(_ id: UInt32) throws(MovieError) {
    let position = try index(of: id)
    let track = tracks[position]
    for (place, other) in tracks.enumerated() where other.id != id && other.mediaType == .subtitle {
      // A pair has one language to the last subtag, in `mdhd` and `elng`.
      guard track.language != nil, other.language == track.language else { continue }
      guard other.containsOnlyForcedSubtitles != track.containsOnlyForcedSubtitles else { continue }
      let (regular, forced) = track.containsOnlyForcedSubtitles ? (other, track) : (track, other)
      let places = track.containsOnlyForcedSubtitles ? (place, position) : (position, place)
      try associate(at: places.0, with: places.1, .forcedSubtitlesOnly)
      notes.append(
        EditNote(
          .association, trackID: regular.id,
          "track \(regular.id) names track \(forced.id) as its forced subtitles (forc)"))
      if regular.id == id { return }  // It names one partner: the first.
    }
  }

  /// What is wrong with the pairs of regular and forced-only tracks that the edit made or changed: both are to have one
  /// language and to be in one alternate group (QTFF "Forced Subtitles").
  public var pairWarnings: [EditNote] {
    var notes: [EditNote] = []
    for regular in tracks {
      for id in regular.references[TrackAssociation.forcedSubtitlesOnly.rawValue] ?? [] {
        guard let forced = tracks.first(where: { $0.id == id }), regular.hasChanged || forced.hasChanged else {
          continue
        }
        if forced.language != regular.language {
          let (one, other) = (forced.language?.englishName, regular.language?.englishName)
          notes.append(
            EditNote(
              .association, trackID: id, isWarning: true,
              "track \(id) holds the forced subtitles of track \(regular.id), but is in "
                + "\(one ?? "an unknown language"), not in \(other ?? "an unknown one")"))
        }
        if forced.alternateGroup != regular.alternateGroup {
          notes.append(
            EditNote(
              .otherGroup, trackID: id, isWarning: true,
              "track \(id) holds the forced subtitles of track \(regular.id), but is in group "
                + "\(forced.alternateGroup), not in \(regular.alternateGroup)"))
        }
      }
    }
    return notes
  }

  /// Makes the audio tracks of the subtitle track's language follow it (`folw`), where no other subtitle follows them
  /// yet.
  ///
  /// A forced-only track takes over from a regular partner of its own, whatever the audio's language (QTFF: of a pair,
  /// the forced-only track is named); a regular track never takes over. An undetermined language matches nothing.
  public mutating func followAudio(_ id: UInt32) throws(MovieError) {
    let track = tracks[try index(of: id)]
    guard track.language != nil else { return }
    // Of a pair, the forced-only track is the one to name.
    let forced = track.references[TrackAssociation.forcedSubtitlesOnly.rawValue]?.first
    let follower = forced ?? id
    let target = try index(of: follower)
    let partners = Set(
      tracks.filter { $0.references[TrackAssociation.forcedSubtitlesOnly.rawValue] == [follower] }.map(\.id))
    for (place, audio) in tracks.enumerated() where audio.mediaType == .audio {
      if let current = audio.references[TrackAssociation.selectionFollower.rawValue]?.first {
        // Whatever the audio's language: where languages do not match is what the reference is for.
        guard partners.contains(current) else { continue }
      } else {
        guard speaks(audio, track.language) else { continue }
      }
      try associate(at: place, with: target, .selectionFollower)
      notes.append(
        EditNote(.association, trackID: audio.id, "audio track \(audio.id) is followed by track \(follower) (folw)"))
    }
  }

  /// The subtitle tracks of the movie with the language and role of the track, other than itself.
  public func tracksLike(_ id: UInt32) throws(MovieError) -> [UInt32] {
    let track = tracks[try index(of: id)]
    let characteristics = Set(track.taggedCharacteristics)
    return tracks.filter { other in
      other.id != id && other.mediaType == track.mediaType && other.language == track.language
        && other.containsOnlyForcedSubtitles == track.containsOnlyForcedSubtitles
        && Set(other.taggedCharacteristics) == characteristics
    }.map(\.id)
  }

  /// Whether the audio is in the language of the subtitles, whatever its region: `en` subtitles fit `en-US` audio.
  private func speaks(_ audio: EditedTrack, _ language: LanguageTag?) -> Bool {
    language != nil && audio.language?.language == language?.language
  }
}
