extension Rule {
  static let forcedRules = [forcedAlone, forcedTarget, forcedPartner, forcedWithoutReference, followerIsNotForced]

  private static let clauseOfForced = "QTFF, \"Forced Subtitles\" in \"Subtitle Media\""
  private static let associateForced = Remedy.step(.associateForced(.fullSubtitles, .forcedSubtitles))

  private static let forcedAlone = Rule(
    "forced.half-flag", .warning, for: [.apple], clause: "QTFF, \"Subtitle Sample Description\" (display flags)",
    effect: "Forced subtitles are not shown while subtitles are off.",
    fix: [.change(.role(.forced))]
  ) { examination, report in
    for (track, description) in examination.subtitles
    where description.displayFlags.intersection(.forcedOnly) == .allSamplesForced {
      report.add(
        examination.atom(track, "mdia", "minf", "stbl", "stsd"),
        "has the flag 0x80000000 without 0x40000000, which belongs to it")
    }
  }

  private static let forcedTarget = Rule(
    "forced.target", .warning, for: [.apple], clause: clauseOfForced,
    effect: "With subtitles off, no forced subtitles are shown, or all are.",
    fix: [
      associateForced, .step(.removeReferences(.source, .target), "where the first track is not one of full subtitles"),
    ]
  ) { examination, report in
    for (track, atom, target) in examination.references("forc") where target.id != track.id {
      switch ForcedPartners.faults(from: track, to: target).first {
      case .targetIsNotForcedOnly:
        report.add(
          atom, "refers to track \(target.id), which is not one of forced subtitles only",
          tracks: [.fullSubtitles: track, .source: track, .target: target])
      case .sourceIsNotFull:
        report.add(
          atom, "is in track \(track.id), which has no full subtitles",
          tracks: [.forcedSubtitles: target, .source: track, .target: target])
      case .otherLanguage, .otherGroup, nil: break  // `forced.pair-differs` says so.
      }
    }
  }

  private static let forcedPartner = Rule(
    "forced.pair-differs", .warning, for: [.apple], clause: clauseOfForced,
    effect: "The forced subtitles are not shown for the language that they belong to.",
    fix: [.change(.group, .language(nil), remark: "the same for both")]
  ) { examination, report in
    for (track, atom, target) in examination.references("forc") {
      let faults = ForcedPartners.faults(from: track, to: target)
      if faults.contains(.otherGroup) {
        report.add(
          atom,
          "track \(track.id) is in \(track.groupName), its forced partner \(target.id) in \(target.groupName)",
          tracks: [.track: target])
      }
      if faults.contains(.otherLanguage) {
        let (one, other) = (track.language?.description ?? "und", target.language?.description ?? "und")
        report.add(
          atom, "track \(track.id) is in \(one), its forced partner \(target.id) in \(other)",
          tracks: [.track: target])
      }
    }
  }

  private static let forcedWithoutReference = Rule(
    "forced.no-reference", .warning, for: [.apple], clause: clauseOfForced + "; GPAC issue 1868",
    effect: "The forced subtitles are neither listed nor shown on an iPhone.",
    fix: [associateForced, .step(.associateForcedByLanguage)], automatically: .referToForcedPartner
  ) { examination, report in
    let chapters = examination.movie.chapterTrackIDs
    let partners = ForcedPartners(among: examination.tracks)
    for track in examination.tracks
    where !track.containsOnlyForcedSubtitles && track.holdsSubtitles(butNot: chapters) {
      guard let place = partners.places(for: track).first, track.referenced("forc").isEmpty else { continue }
      let partner = examination.tracks[place]
      report.add(
        track.atom, "does not refer to track \(partner.id), the forced subtitles of its language (forc)",
        tracks: [.fullSubtitles: track, .forcedSubtitles: partner])
    }
  }

  private static let followerIsNotForced = Rule(
    "forced.follower", .note, for: [.apple], clause: "QTFF, \"Subtitle Follows\" in \"Relationships Between Tracks\"",
    effect: "Signs and foreign speech may stay untranslated while subtitles are off.",
    fix: [.step(.associateFollower(.audio, .forcedSubtitles))]
  ) { examination, report in
    for (track, atom, target) in examination.references("folw") {
      guard let partner = target.referenced("forc").first, partner != target.id else { continue }
      report.add(
        atom, "refers to track \(target.id), not to the forced-only partner of that track, \(partner)",
        tracks: [.audio: track, .forcedSubtitles: examination.track(partner)])
    }
  }
}
