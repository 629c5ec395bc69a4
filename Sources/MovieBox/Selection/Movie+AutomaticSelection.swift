// The automatic selection of audio and subtitles in Apple's players. Each applied rule is recorded as a step, so that
// `select` can print the reasons.

extension Movie {
  /// Returns the tracks that a player selects for a viewer with these criteria.
  ///
  /// The rules are published by Apple (QTFF "Alternate Groups", "Subtitle Follows"; AVPlayer's automatic selection).
  /// In order of priority, they use the viewer's picks, the languages, `folw`, and the default. Auxiliary tracks and
  /// tracks excluded from automatic selection (`txas`) are selected only if the viewer picks them.
  public func automaticSelection(for criteria: MediaSelectionCriteria) -> AutomaticMediaSelection {
    let chooser = MediaChooser(self, criteria)
    let audible = chooser.chooseAudible()
    let sound = audible.trackID.flatMap { id in tracks.first { $0.id == id } }
    return AutomaticMediaSelection(audible: audible, legible: chooser.chooseLegible(with: sound))
  }
}

/// Applies the selection rules to one movie and one viewer.
private struct MediaChooser {
  typealias Selection = AutomaticMediaSelection

  let movie: Movie
  let criteria: MediaSelectionCriteria
  let audible: [Track]
  let legible: [Track]
  /// The media types whose options are in an alternate group.
  let groupedKinds: Set<MediaSelectionGroup.Kind>

  init(_ movie: Movie, _ criteria: MediaSelectionCriteria) {
    self.movie = movie
    self.criteria = criteria
    var tracksByID: [UInt32: Track] = [:]
    for track in movie.tracks where tracksByID[track.id] == nil { tracksByID[track.id] = track }
    let groups = movie.mediaSelectionGroups
    func options(_ kind: MediaSelectionGroup.Kind) -> [Track] {
      groups.first { $0.kind == kind }?.options.compactMap { tracksByID[$0.trackID] } ?? []
    }
    audible = options(.audible)
    legible = options(.legible)
    groupedKinds = Set(groups.filter { $0.alternateGroup != 0 }.map(\.kind))
  }

  // MARK: - Sound

  func chooseAudible() -> Selection.Choice {
    var log = DecisionLog()
    guard !audible.isEmpty else { return log.decide(.none, nil, "the movie has no audio") }
    if let choice = pick(criteria.pickedAudible, among: audible, &log) { return choice }
    let automaticTracks = audible.filter { !$0.isAuxiliary }
    for language in criteria.preferredLanguages {
      let spoken = LanguageMatch.best(automaticTracks, for: language)
      guard let track = bestAudio(among: spoken) else {
        log.record(
          .preferredLanguage,
          "no audio in \(language.englishName), which the viewer prefers"
            + excludedTracksClause(of: audible, in: language))
        continue
      }
      return log.decide(.preferredLanguage, track, "in \(language.englishName), which the viewer prefers")
    }
    if let enabledTrack = automaticTracks.first(where: \.isEnabled) {
      let sameLanguage = automaticTracks.filter { $0.language == enabledTrack.language }
      if criteria.prefersAudioDescription, let described = sameLanguage.first(where: \.describesVideo) {
        return log.decide(.defaultOption, described, "describes the picture in the language of the default audio")
      }
      return log.decide(.defaultOption, enabledTrack, "the enabled track" + groupSuffix(.audible))
    }
    guard let first = automaticTracks.first else {
      return log.decide(.none, nil, "all audio tracks are auxiliary: players play them only if the viewer picks one")
    }
    log.record(.defaultOption, "no audio is enabled" + excludedTracksClause(of: audible.filter(\.isEnabled)))
    return log.decide(.firstOption, first, "the first track" + groupSuffix(.audible))
  }

  /// Returns a clause for each track that automatic selection excludes, with the reason.
  private func excludedTracksClause(of tracks: [Track], in language: LanguageTag? = nil) -> String {
    let excludedTracks = tracks.filter(\.isExcludedFromSelection)
    let matchingTracks = language.map { LanguageMatch.best(excludedTracks, for: $0) } ?? excludedTracks
    let excludedTracksClause = matchingTracks.prefix(3).map { track in
      ", but track \(track.id), which "
        + (track.containsOnlyForcedSubtitles ? "contains only forced subtitles" : "is never selected automatically")
    }
    return excludedTracksClause.joined() + (matchingTracks.count > 3 ? ", and \(matchingTracks.count - 3) more" : "")
  }

  /// The options of the menu and the forced-only subtitle tracks.
  private var optionsAndForcedTracks: [Track] {
    let chapters = movie.chapterTrackIDs
    return legible
      + movie.tracks.filter { $0.mediaType.isLegible && $0.containsOnlyForcedSubtitles && !chapters.contains($0.id) }
  }

  private func groupSuffix(_ kind: MediaSelectionGroup.Kind) -> String {
    groupedKinds.contains(kind) ? " of the group" : ""
  }

  private func bestAudio(among tracks: [Track]) -> Track? {
    bestTrack(among: tracks) { $0.describesVideo == criteria.prefersAudioDescription }
  }

  private func bestTrack(among tracks: [Track], preferring isPreferred: (Track) -> Bool) -> Track? {
    let preferredTracks = tracks.filter(isPreferred)
    let choice = preferredTracks.isEmpty ? tracks : preferredTracks
    return choice.first(where: \.isEnabled) ?? choice.first
  }

  // MARK: - Subtitles

  func chooseLegible(with sound: Track?) -> Selection.Choice {
    var log = DecisionLog()
    if let choice = pick(criteria.pickedLegible, among: legible, &log) { return choice }
    let automaticTracks = legible.filter { !$0.isAuxiliary }
    if criteria.showsSubtitles {
      if !automaticTracks.isEmpty, let choice = chooseRegular(automaticTracks, with: sound, &log) { return choice }
    } else {
      log.record(.subtitlesOff, "subtitles are off: only forced subtitles are shown")
    }
    if let choice = chooseForced(with: sound, &log) { return choice }
    guard criteria.showsSubtitles else { return log.decide(.none, nil, "no forced subtitles match the audio") }
    let isEmpty = automaticTracks.isEmpty
    return log.decide(
      .none, nil,
      isEmpty
        ? "the movie has no subtitles to select" + excludedTracksClause(of: optionsAndForcedTracks)
        : "no rule selects subtitles, and no subtitles are enabled"
          + excludedTracksClause(of: legible.filter(\.isEnabled)))
  }

  private func chooseRegular(_ automatic: [Track], with sound: Track?, _ log: inout DecisionLog) -> Selection.Choice? {
    for language in criteria.preferredLanguages {
      guard let track = bestText(among: LanguageMatch.best(automatic, for: language)) else {
        log.record(
          .preferredLanguage,
          "no subtitles in \(language.englishName), which the viewer prefers"
            + excludedTracksClause(of: optionsAndForcedTracks, in: language))
        continue
      }
      return log.decide(
        .preferredLanguage, track, "in \(language.englishName), which the viewer prefers" + roleSuffix(track))
    }
    if let spoken = sound?.language {
      if let track = bestText(among: LanguageMatch.best(automatic, for: spoken)) {
        return log.decide(
          .audioLanguage, track, "in \(spoken.englishName), the language of the audio" + roleSuffix(track))
      }
      if !criteria.preferredLanguages.contains(spoken) {
        log.record(
          .audioLanguage,
          "no subtitles in \(spoken.englishName), the language of the audio"
            + excludedTracksClause(of: optionsAndForcedTracks, in: spoken))
      }
    } else {
      log.record(.audioLanguage, sound == nil ? "there is no audio" : "the language of the audio is unknown")
    }
    if let follower = follower(of: sound) {
      // The audio may refer to the forced-only track of a pair. Players then show the full track of the pair if
      // subtitles are on.
      let full = automatic.first { $0.referenced("forc").contains(follower.id) }
      let shown = full ?? automatic.first { $0.id == follower.id }
      if let shown { return log.decide(.selectionFollower, shown, "follows the audio (folw)") }
      let reason =
        follower.containsOnlyForcedSubtitles ? "contains only forced subtitles" : "is never selected automatically"
      log.record(.selectionFollower, "track \(follower.id), which follows the audio (folw), \(reason)")
    } else if sound != nil {
      log.record(.selectionFollower, "no subtitles follow the audio (folw)")
    }
    return automatic.first(where: \.isEnabled).map { enabled in
      log.decide(.defaultOption, enabled, "the enabled track" + groupSuffix(.legible))
    }
  }

  /// Selects the forced subtitles for the audio if no other subtitles are selected.
  private func chooseForced(with sound: Track?, _ log: inout DecisionLog) -> Selection.Choice? {
    let forcedTracks = movie.tracks.filter { $0.containsOnlyForcedSubtitles && !$0.isAuxiliary }
    if let spoken = sound?.language, let track = LanguageMatch.best(forcedTracks, for: spoken).first {
      return log.decide(.audioLanguage, track, "forced subtitles in \(spoken.englishName), the language of the audio")
    }
    if let follower = follower(of: sound), forcedTracks.contains(where: { $0.id == follower.id }) {
      return log.decide(.selectionFollower, follower, "forced subtitles that follow the audio (folw)")
    }
    return nil
  }

  private func follower(of sound: Track?) -> Track? {
    let followedIDs = Set(sound?.referenced("folw") ?? [])
    return movie.tracks.first { followedIDs.contains($0.id) && $0.mediaType.isLegible }
  }

  private func bestText(among tracks: [Track]) -> Track? {
    bestTrack(among: tracks) { $0.isForDeafViewers == criteria.prefersSDH }
  }

  private func roleSuffix(_ track: Track) -> String {
    switch (criteria.prefersSDH, track.isForDeafViewers) {
    case (true, true): ", for the deaf and hard of hearing as preferred"
    case (true, false): "; no track is for the deaf and hard of hearing"
    case (false, true): "; all of these tracks are for the deaf and hard of hearing"
    case (false, false): ""
    }
  }

  private func pick(_ id: UInt32?, among options: [Track], _ log: inout DecisionLog) -> Selection.Choice? {
    guard let id else { return nil }
    guard let track = options.first(where: { $0.id == id }) else {
      log.record(.picked, "track \(id), which the viewer picked, is not in the menu")
      return nil
    }
    return log.decide(.picked, track, "the viewer picked the track")
  }

  private struct DecisionLog {
    private var steps: [Selection.Step] = []

    mutating func record(_ rule: Selection.Rule, _ description: String) {
      steps.append(Selection.Step(rule: rule, isDecisive: false, description: description))
    }

    mutating func decide(_ rule: Selection.Rule, _ track: Track?, _ description: String) -> Selection.Choice {
      if let track, let obstacle = track.menuObstacle {
        record(
          .unlisted,
          "track \(track.id) has \(obstacle.description): QuickTime Player, iPhone and Apple TV do not list it")
      }
      steps.append(Selection.Step(rule: rule, isDecisive: true, description: description))
      return Selection.Choice(trackID: track?.id, steps: steps)
    }
  }
}

/// Matches tracks with a requested language, following RFC 4647, 3.4.
private enum LanguageMatch {
  /// Returns the tracks with the best match, in order. The array is empty if no language matches.
  static func best(_ tracks: [Track], for requested: LanguageTag) -> [Track] {
    let scores = tracks.map { $0.language.map { score($0, requested) } ?? 0 }
    guard let highestScore = scores.max(), highestScore > 0 else { return [] }
    return zip(tracks, scores).filter { $0.1 == highestScore }.map(\.0)
  }

  /// Returns a score, or 0 if the language differs. A different script also scores 0, because viewers may be unable
  /// to read it.
  private static func score(_ language: LanguageTag, _ requested: LanguageTag) -> Int {
    if language == requested { return 4 }
    guard language.language == requested.language, language.language != "und" else { return 0 }
    if let one = language.script, let other = requested.script, one != other { return 0 }
    if language.region == requested.region { return 3 }
    return language.region == nil || requested.region == nil ? 2 : 1
  }
}

extension Track {
  fileprivate var describesVideo: Bool { taggedCharacteristics.contains(.describesVideo) }
  fileprivate var isForDeafViewers: Bool { isSDH || mediaType == .closedCaption }
  /// Whether automatic selection excludes the track. It excludes auxiliary tracks and tracks that contain only forced
  /// subtitles.
  fileprivate var isExcludedFromSelection: Bool { isAuxiliary || containsOnlyForcedSubtitles }
}
