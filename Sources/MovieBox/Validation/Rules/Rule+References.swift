// Rules about references from track to track: chapters, selection followers, forced subtitles.

extension Rule {
  static let referenceRules = [
    missingTarget, selfReference, followerSource, followerTarget, followerCount, fallbackKind,
  ]

  private static let referenceClause = "QTFF, \"Track Reference Atoms\"; ISO/IEC 14496-12, 8.3.3"
  private static let removeReference = Remedy.step(.removeReferences(from: .source, to: .target))
  private static let associateFollower = Remedy.Step(
    action: .associateFollower(from: .audio, to: .subtitles), remark: nil)

  private static let missingTarget = Rule(
    "reference.missing", .warning, clause: referenceClause,
    effect: "Chapters, forced subtitles or the time code are missing.", fix: [.fixAutomatically],
    automatically: .removeMissingTargets
  ) { examination, report in
    for (_, reference) in examination.references {
      for id in reference.trackIDs where id != 0 && examination.track(id) == nil {
        report.add(reference.atom, "refers to track \(id), which does not exist")
      }
    }
  }

  private static let selfReference = Rule(
    "reference.self", .warning, clause: referenceClause,
    effect: "Most players ignore the reference, but some players hang.", fix: [removeReference],
    automatically: .removeSelfReferences
  ) { examination, report in
    for (track, reference) in examination.references where reference.trackIDs.contains(track.id) {
      report.add(
        reference.atom, "refers to its own track, \(track.id)", tracks: [.source: track, .target: track])
    }
  }

  private static let followerClause = "QTFF, \"Subtitle Follows\" in \"Relationships Between Tracks\""

  private static let followerSource = Rule(
    "reference.follower-place", .warning, for: [.apple], clause: followerClause,
    effect: "Players do not select the subtitles that belong to the audio.",
    fix: [Remedy(Remedy.Step(action: .removeReferences(from: .source, to: .target), remark: nil), associateFollower)]
  ) { examination, report in
    for (track, reference) in examination.references
    where reference.type == "folw" && !ReferenceKinds(of: "folw").isAllowed(in: track.mediaType) {
      let named = reference.trackIDs.lazy.compactMap { examination.track($0) }.first
      report.add(
        reference.atom,
        "a \(track.mediaType.name) track refers to a selection follower (folw), but only an audio track may do so",
        tracks: [.source: track, .target: named, .subtitles: named?.mediaType.isLegible == true ? named : nil])
    }
  }

  private static let followerTarget = Rule(
    "reference.follower-kind", .warning, for: [.apple], clause: followerClause,
    effect: "Players do not select the subtitles that belong to the audio.", fix: [Remedy(associateFollower)]
  ) { examination, report in
    for (track, atom, target) in examination.references("folw")
    where target.id != track.id && !ReferenceKinds(of: "folw").mayRefer(to: target.mediaType) {
      report.add(
        atom, "refers to \(target.mediaType.name) track \(target.id), not subtitles", tracks: [.audio: track])
    }
  }

  private static let followerCount = Rule(
    "reference.follower-count", .warning, for: [.apple], clause: followerClause,
    effect: "Players disagree about the subtitles that belong to the audio.", fix: [Remedy(associateFollower)]
  ) { examination, report in
    for track in examination.tracks {
      let named = track.referenced("folw")
      guard named.count > 1, let reference = track.references.first(where: { $0.type == "folw" }) else { continue }
      report.add(
        reference.atom, "refers to \(named.count) tracks as followers; at most one is allowed",
        tracks: [.audio: track])
    }
  }

  private static let fallbackKind = Rule(
    "reference.fallback-kind", .warning, for: [.apple], clause: "QTFF, \"Track Reference Atoms\" (fall)",
    effect: "A player that cannot decode the audio finds no replacement.",
    fix: [
      .step(.removeReferences(from: .source, to: .target), "and add a fallback reference (fall) to the right track")
    ]
  ) { examination, report in
    let kinds = ReferenceKinds(of: "fall")
    for (track, atom, target) in examination.references("fall")
    where !kinds.isAllowed(in: track.mediaType) || !kinds.mayRefer(to: target.mediaType) {
      report.add(
        atom,
        "track \(track.id) (\(track.mediaType.name)) uses track \(target.id) (\(target.mediaType.name)) as its fallback (fall), but both tracks must be audio",
        tracks: [.source: track, .target: target])
    }
  }
}
