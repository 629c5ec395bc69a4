// Rules about alternate groups, and about pairs of full and forced subtitles.

extension Rule {
  static let groupRules = [
    mixedKinds, severalEnabledTracks, groupWithoutEnabledTrack, splitGroup, missingGroup, sameMenuLine,
  ]

  private static let groupClause = "QTFF, \"Alternate Groups\" in \"Examples and Scenarios\""

  private static let mixedKinds = Rule(
    "group.mixed-kinds", .warning, for: [.apple], clause: groupClause,
    effect: "Players ignore the groups: two audio tracks play at once, or selecting subtitles disables the video.",
    fix: [.change(.group, remark: "a different number for each media type")], automatically: .separateKinds
  ) { examination, report in
    for (number, members) in examination.groups {
      guard let first = members.first,
        let odd = members.first(where: { !$0.mediaType.isOfferedTogether(with: first.mediaType) })
      else { continue }
      report.add(
        examination.trackHeaderAtom(odd),
        "group \(number) has \(odd.mediaType.name) track \(odd.id) and \(first.mediaType.name) track "
          + "\(first.id)",
        tracks: [.track: members.onlyTrack(offeredWith: first.mediaType) ?? odd])
    }
  }

  private static let severalEnabledTracks = Rule(
    "group.two-enabled", .warning, for: [.apple], clause: groupClause,
    effect: "Two languages are heard or shown at once, or players start with the wrong language.",
    fix: [.change(.enabledInGroup, remark: "or another track of the group")], automatically: .keepFirstEnabled
  ) { examination, report in
    for (number, members) in examination.groups {
      let enabled = members.filter(\.isEnabled)
      guard let first = enabled.first, let second = enabled.dropFirst().first else { continue }
      let others = enabled.count > 2 ? " and \(enabled.count - 2) more" : ""
      report.add(
        examination.trackHeaderAtom(second), "group \(number) has tracks \(first.id) and \(second.id)\(others) enabled",
        tracks: [.track: first])
    }
  }

  private static let groupWithoutEnabledTrack = Rule(
    "group.none-enabled", .warning, for: [.apple], clause: groupClause,
    effect: "The movie has no sound or no picture until a viewer selects a track.",
    fix: [.change(.enabledInGroup, remark: "or another track of the group")], automatically: .enableFirst
  ) { examination, report in
    for (number, members) in examination.groups {
      guard let first = members.first, !first.mediaType.isLegible, first.mediaType.selectionKind != nil,
        !members.contains(where: \.isEnabled)
      else { continue }
      // If another audio track is enabled, the movie is audible. In this case, `group.split` or `group.missing`
      // reports the fault.
      if first.mediaType == .audio, examination.tracks(.audible).contains(where: \.isEnabled) { continue }
      report.add(examination.trackHeaderAtom(first), "no track of group \(number) is enabled")
    }
  }

  private static let splitGroup = Rule(
    "group.split", .warning, for: [.apple], clause: groupClause,
    effect: "The menu lists only the tracks of one group.",
    fix: [.change(.group, remark: "the same number for all tracks of the media type")]
  ) { examination, report in
    for kind in [.audible, .legible] as [MediaSelectionGroup.Kind] {
      let grouped = examination.tracks(kind).filter { $0.alternateGroup != 0 }
      guard let number = grouped.groupNumber, let main = grouped.first(where: { $0.alternateGroup == number }) else {
        continue
      }
      for track in grouped where track.alternateGroup != number {
        report.add(
          examination.trackHeaderAtom(track),
          "\(track.mediaType.name) track \(track.id) is in group \(track.alternateGroup), but track \(main.id) is in "
            + "group \(number)")
      }
    }
  }

  private static let missingGroup = Rule(
    "group.missing", .warning, for: [.apple], clause: groupClause + "; \"Subtitle Media\"",
    effect: "The track is not in the menu, or is played in addition to the other tracks.",
    fix: [
      .change(
        .group,
        remark:
          "the group number of the other tracks of its media type, or else an unused number; subtitles need a group even if "
          + "they are its only member"
      )
    ], automatically: .joinGroup
  ) { examination, report in
    for kind in [.audible, .legible] as [MediaSelectionGroup.Kind] {
      let tracks = examination.tracks(kind)
      let isGrouped = tracks.contains { $0.alternateGroup != 0 }
      // Players mix audio tracks without a group, as intended for cameras with several microphones. So report them only
      // if other audio tracks have a group, or if the languages differ.
      let areAlternates = isGrouped || Set(tracks.compactMap(\.language)).count > 1
      for track in tracks where track.alternateGroup == 0 {
        guard areAlternates && tracks.count > 1 || [.subtitle, .closedCaption].contains(track.mediaType)
        else { continue }
        report.add(
          examination.trackHeaderAtom(track), "\(track.mediaType.name) track \(track.id) is in no alternate group")
      }
    }
  }

  private static let sameMenuLine = Rule(
    "menu.same-line", .warning, clause: "players' menus: language, SDH or CC, title",
    effect: "Two options of the menu are equal: a viewer cannot distinguish them.",
    fix: [.change(.title, remark: "or add a role or a language")]
  ) { examination, report in
    for group in examination.movie.mediaSelectionGroups where group.kind != .visual {
      // Skip audio without a group, because a viewer cannot select it.
      guard group.kind == .legible || group.alternateGroup != 0 else { continue }
      let fallbacks = Fallbacks(among: group.options.compactMap { examination.track($0.trackID) })
      var first: [String: UInt32] = [:]
      for option in group.options {
        guard let other = first.updateValue(option.trackID, forKey: option.displayName) else { continue }
        first[option.displayName] = other
        guard let track = examination.track(option.trackID) else { continue }
        // Skip tracks that are fallbacks of each other, because the player chooses between them without the viewer.
        if fallbacks.areLinked(other, track.id) { continue }
        report.add(track.atom, "tracks \(other) and \(track.id) are both listed as \"\(option.displayName)\"")
      }
    }
  }
}

/// The sets of tracks that contain equal content in different formats (`fall`; QTFF, "Track Reference Types").
private struct Fallbacks {
  /// For each track with a fallback, the ID of the track that represents its set.
  private var representativeIDs: [UInt32: UInt32] = [:]

  init(among tracks: [Track]) {
    var neighbours: [UInt32: [UInt32]] = [:]
    for track in tracks {
      for target in track.references.filter({ $0.type == "fall" }).flatMap(\.trackIDs) where target != 0 {
        neighbours[track.id, default: []].append(target)
        neighbours[target, default: []].append(track.id)
      }
    }
    for id in neighbours.keys where representativeIDs[id] == nil {
      var waiting = [id]
      representativeIDs[id] = id
      while let next = waiting.popLast() {
        for neighbour in neighbours[next] ?? [] where representativeIDs.updateValue(id, forKey: neighbour) == nil {
          waiting.append(neighbour)
        }
      }
    }
  }

  /// Whether two tracks are linked, either directly or through other tracks.
  func areLinked(_ one: UInt32, _ other: UInt32) -> Bool {
    representativeIDs[one].map { $0 == representativeIDs[other] } ?? false
  }
}

extension [Track] {
  /// Returns the only track in the menu that lists a media type, or `nil` if the menu has no track or several tracks.
  fileprivate func onlyTrack(offeredWith media: MediaType) -> Track? {
    let tracks = filter { $0.mediaType.isOfferedTogether(with: media) }
    return tracks.count == 1 ? tracks.first : nil
  }
}

extension Rule {
  static let forcedRules = [
    incompleteForcedFlags, forcedTarget, forcedPartner, forcedWithoutReference, followerIsNotForced,
  ]

  private static let forcedSubtitleClause = "QTFF, \"Forced Subtitles\" in \"Subtitle Media\""
  private static let associateForced = Remedy.step(.associateForced(from: .fullSubtitles, to: .forcedSubtitles))

  private static let incompleteForcedFlags = Rule(
    "forced.half-flag", .warning, for: [.apple], clause: "QTFF, \"Subtitle Sample Description\" (display flags)",
    effect: "Forced subtitles are not shown while subtitles are off.",
    fix: [.change(.role(.forced))]
  ) { examination, report in
    for (track, description) in examination.subtitles
    where description.displayFlags.intersection(.forcedOnly) == .allSamplesForced {
      report.add(
        examination.atom(track, "mdia", "minf", "stbl", "stsd"),
        "has the flag 0x80000000, but not the required flag 0x40000000")
    }
  }

  private static let forcedTarget = Rule(
    "forced.target", .warning, for: [.apple], clause: forcedSubtitleClause,
    effect: "While subtitles are off, players show no forced subtitles, or show all subtitles.",
    fix: [
      associateForced, .step(.removeReferences(from: .source, to: .target), "if the first track has no full subtitles"),
    ]
  ) { examination, report in
    for (track, atom, target) in examination.references("forc") where target.id != track.id {
      switch ForcedPartners.faultsOfReference(from: track, to: target).first {
      case .targetIsNotForcedOnly:
        report.add(
          atom, "refers to track \(target.id), which is not forced only",
          tracks: [.fullSubtitles: track, .source: track, .target: target])
      case .sourceIsNotFull:
        report.add(
          atom, "belongs to track \(track.id), which has no full subtitles",
          tracks: [.forcedSubtitles: target, .source: track, .target: target])
      case .otherLanguage, .otherGroup, nil: break  // `forced.pair-differs` reports these faults.
      }
    }
  }

  private static let forcedPartner = Rule(
    "forced.pair-differs", .warning, for: [.apple], clause: forcedSubtitleClause,
    effect: "The forced subtitles are not shown for their language.",
    fix: [.change(.group, .language(nil), remark: "equal for both tracks")]
  ) { examination, report in
    for (track, atom, target) in examination.references("forc") {
      let faults = ForcedPartners.faultsOfReference(from: track, to: target)
      if faults.contains(.otherGroup) {
        report.add(
          atom,
          "track \(track.id) is in \(track.groupName), but its forced partner \(target.id) is in \(target.groupName)",
          tracks: [.track: target])
      }
      if faults.contains(.otherLanguage) {
        let (one, other) = (track.language?.description ?? "und", target.language?.description ?? "und")
        report.add(
          atom, "track \(track.id) is in \(one), but its forced partner \(target.id) is in \(other)",
          tracks: [.track: target])
      }
    }
  }

  private static let forcedWithoutReference = Rule(
    "forced.no-reference", .warning, for: [.apple], clause: forcedSubtitleClause + "; GPAC issue 1868",
    effect: "The forced subtitles are neither listed nor shown on an iPhone.",
    fix: [associateForced, .step(.associateForcedByLanguage)], automatically: .referToForcedPartner
  ) { examination, report in
    let chapters = examination.movie.chapterTrackIDs
    let partners = ForcedPartners(among: examination.tracks)
    for track in examination.tracks
    where !track.containsOnlyForcedSubtitles && track.containsSubtitles(except: chapters) {
      guard let position = partners.partnerIndices(of: track).first, track.referenced("forc").isEmpty else { continue }
      let partner = examination.tracks[position]
      report.add(
        track.atom, "does not refer to track \(partner.id), the forced subtitles of its language (forc)",
        tracks: [.fullSubtitles: track, .forcedSubtitles: partner])
    }
  }

  private static let followerIsNotForced = Rule(
    "forced.follower", .note, for: [.apple], clause: "QTFF, \"Subtitle Follows\" in \"Relationships Between Tracks\"",
    effect: "Signs and foreign speech may remain untranslated while subtitles are off.",
    fix: [.step(.associateFollower(from: .audio, to: .forcedSubtitles))]
  ) { examination, report in
    for (track, atom, target) in examination.references("folw") {
      guard let partner = target.referenced("forc").first, partner != target.id else { continue }
      report.add(
        atom, "refers to track \(target.id) instead of its forced-only partner, track \(partner)",
        tracks: [.audio: track, .forcedSubtitles: examination.track(partner)])
    }
  }
}
