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
      if !target.containsOnlyForcedSubtitles {
        report.add(
          atom, "refers to track \(target.id), which is not one of forced subtitles only",
          tracks: [.fullSubtitles: track, .source: track, .target: target])
      } else if !track.mediaType.isLegible || track.containsOnlyForcedSubtitles {
        report.add(
          atom, "is in track \(track.id), which has no full subtitles",
          tracks: [.forcedSubtitles: target, .source: track, .target: target])
      }
    }
  }

  private static let forcedPartner = Rule(
    "forced.pair-differs", .warning, for: [.apple], clause: clauseOfForced,
    effect: "The forced subtitles are not shown for the language that they belong to.",
    fix: [.change(.group, .language(nil), remark: "the same for both")]
  ) { examination, report in
    for (track, atom, target) in examination.references("forc") where target.containsOnlyForcedSubtitles {
      if track.alternateGroup != target.alternateGroup {
        report.add(
          atom,
          "track \(track.id) is in \(groupName(track)), its forced partner \(target.id) in \(groupName(target))",
          tracks: [.track: target])
      }
      if track.language != target.language {
        let (one, other) = (track.language?.description ?? "und", target.language?.description ?? "und")
        report.add(
          atom, "track \(track.id) is in \(one), its forced partner \(target.id) in \(other)",
          tracks: [.track: target])
      }
    }
  }

  private static func groupName(_ track: Track) -> String {
    track.alternateGroup == 0 ? "no group" : "group \(track.alternateGroup)"
  }

  private static let forcedWithoutReference = Rule(
    "forced.no-reference", .warning, for: [.apple], clause: clauseOfForced + "; GPAC issue 1868",
    effect: "The forced subtitles are neither listed nor shown on an iPhone.",
    fix: [associateForced, .step(.associateForcedByLanguage)], automatically: .referToForcedPartner
  ) { examination, report in
    let legible = examination.tracks(.legible)
    let forced = legible.filter(\.containsOnlyForcedSubtitles)
    guard !forced.isEmpty else { return }
    let partners = Dictionary(forced.map { ($0.language, $0) }) { first, _ in first }
    for track in legible where !track.containsOnlyForcedSubtitles && track.mediaType != .closedCaption {
      guard let partner = partners[track.language], track.referenced("forc").isEmpty else { continue }
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
