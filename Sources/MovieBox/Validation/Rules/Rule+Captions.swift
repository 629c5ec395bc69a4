// Rules about closed caption tracks and their samples.

extension Rule {
  static let captionRules = [captionFormats, unreadableCaptions, shortCaptionSample, captionParity]

  private static let captionClause = "QTFF, \"Closed Caption Media\""

  private static let captionFormats = Rule(
    "caption.two-formats", .warning, clause: captionClause,
    effect: "Players show only the captions of one format.", fix: [addCaptionsAgain]
  ) { examination, report in
    for track in examination.tracks where track.mediaType == .closedCaption {
      let formats = Set(track.formats)
      guard formats.count > 1 else { continue }
      let list = formats.map(\.description).sorted().joined(separator: " and ")
      report.add(
        examination.atom(track, "mdia", "minf", "stbl", "stsd"),
        "has captions in the formats \(list), but a caption track must have one format")
    }
  }

  private static let unreadableCaptions = text(
    .unreadableCaptions, .warning, clause: captionClause + " (cdat, cdt2)",
    effect: "The captions of the sample are not shown.", fix: [addCaptionsAgain])

  private static let shortCaptionSample = text(
    .shortCaptionSample, .note, clause: captionClause + " (a pair for each frame)",
    effect: "Captions appear later than intended, or the last codes of the sample are lost.", fix: [addCaptionsAgain])

  private static let captionParity = text(
    .captionParity, .warning, clause: "CTA-608-E; 47 CFR 79.101 (i)",
    effect: "Players that check the parity ignore codes or show solid blocks instead of characters.",
    fix: [addCaptionsAgain])

  /// Extracts the captions and adds them again, which rewrites the track.
  private static let addCaptionsAgain = Remedy(
    Remedy.Step(action: .extractSubtitles(.track), remark: nil),
    Remedy.Step(action: .addCaptions(replacing: true), remark: nil))
}
