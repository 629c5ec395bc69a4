extension Rule {
  static let forcedRules = [forcedAlone, forcedTarget, forcedPartner, forcedWithoutReference, followerIsNotForced]

  private static let clauseOfForced = "QTFF, \"Forced Subtitles\" in \"Subtitle Media\""
  private static let linkForced = "movtool link FILE --forced REGULAR=FORCED"

  private static let forcedAlone = Rule(
    "forced.half-flag", .warning, for: [.apple], clause: "QTFF, \"Subtitle Sample Description\" (display flags)",
    effect: "Forced subtitles are not shown while subtitles are off.",
    fix: "movtool set FILE --track SELECTOR --role forced"
  ) { movie, report in
    for (track, description) in movie.subtitles
    where description.displayFlags.intersection(.forcedOnly) == .allSamplesForced {
      report.add(
        movie.atom(track, "mdia", "minf", "stbl", "stsd"),
        "has the flag 0x80000000 without 0x40000000, which belongs to it")
    }
  }

  private static let forcedTarget = Rule(
    "forced.target", .warning, for: [.apple], clause: clauseOfForced,
    effect: "With subtitles off, no forced subtitles are shown, or all are.",
    fix: linkForced + "\nor movtool link FILE --clear A=B # where A has no regular subtitles"
  ) { movie, report in
    for (track, atom, target) in movie.references("forc") where target.id != track.id {
      if !target.containsOnlyForcedSubtitles {
        report.add(
          atom, "refers to track \(target.id), which is not one of forced subtitles only",
          words: words(["REGULAR": track, "A": track, "B": target]))
      } else if !track.mediaType.isLegible || track.containsOnlyForcedSubtitles {
        report.add(
          atom, "is in track \(track.id), which has no regular subtitles",
          words: words(["FORCED": target, "A": track, "B": target]))
      }
    }
  }

  private static let forcedPartner = Rule(
    "forced.pair-differs", .warning, for: [.apple], clause: clauseOfForced,
    effect: "The forced subtitles are not shown for the language that they belong to.",
    fix: "movtool set FILE --track SELECTOR --group NUMBER --language TAG # the same for both"
  ) { movie, report in
    for (track, atom, target) in movie.references("forc") where target.containsOnlyForcedSubtitles {
      if track.alternateGroup != target.alternateGroup {
        report.add(
          atom,
          "track \(track.id) is in \(groupName(track)), its forced partner \(target.id) in \(groupName(target))",
          words: words(["SELECTOR": target]))
      }
      if track.language != target.language {
        let (one, other) = (track.language?.description ?? "und", target.language?.description ?? "und")
        report.add(
          atom, "track \(track.id) is in \(one), its forced partner \(target.id) in \(other)",
          words: words(["SELECTOR": target]))
      }
    }
  }

  private static func groupName(_ track: Track) -> String {
    track.alternateGroup == 0 ? "no group" : "group \(track.alternateGroup)"
  }

  private static let forcedWithoutReference = Rule(
    "forced.no-reference", .warning, for: [.apple], clause: clauseOfForced + "; GPAC issue 1868",
    effect: "The forced subtitles are neither listed nor shown on an iPhone.",
    fix: linkForced + "\nor movtool link FILE --auto"
  ) { movie, report in
    let legible = movie.tracks(.legible)
    let forced = legible.filter(\.containsOnlyForcedSubtitles)
    guard !forced.isEmpty else { return }
    let partners = Dictionary(forced.map { ($0.language, $0) }) { first, _ in first }
    for track in legible where !track.containsOnlyForcedSubtitles && track.mediaType != .closedCaption {
      guard let partner = partners[track.language], track.referenced("forc").isEmpty else { continue }
      report.add(
        track.atom, "does not refer to track \(partner.id), the forced subtitles of its language (forc)",
        words: words(["REGULAR": track, "FORCED": partner]))
    }
  }

  private static let followerIsNotForced = Rule(
    "forced.follower", .note, for: [.apple], clause: "QTFF, \"Subtitle Follows\" in \"Relationships Between Tracks\"",
    effect: "Signs and foreign speech may stay untranslated while subtitles are off.",
    fix: "movtool link FILE --follow AUDIO=FORCED"
  ) { movie, report in
    for (track, atom, target) in movie.references("folw") {
      guard let partner = target.referenced("forc").first, partner != target.id else { continue }
      report.add(
        atom, "refers to track \(target.id), not its forced partner \(partner)",
        words: words(["AUDIO": track, "FORCED": movie.track(partner)]))
    }
  }
}
