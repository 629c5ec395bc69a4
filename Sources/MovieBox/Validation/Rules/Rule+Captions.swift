// Rules about closed caption tracks, and about the contents of their samples.

extension Rule {
  static let captionRules = [
    captionFormats, captionReference, unreadableCaptions, shortCaptionSample, captionParity,
  ]

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

  private static let captionReference = Rule(
    "caption.no-reference", .note, for: [.apple], clause: "QTFF, \"Track Reference Atoms\" (clcp)",
    effect: "Players that search for captions by the references of the video do not find the track.",
    fix: [.step(.associateCaptions(from: .source, to: .target))]
  ) { examination, report in
    guard let picture = examination.movie.mainPicture else { return }
    let referenced = Set(examination.references("clcp").map(\.target.id))
    for track in examination.tracks where track.mediaType == .closedCaption && !referenced.contains(track.id) {
      report.add(
        track.atom, "no track refers to the captions (clcp)", tracks: [.source: picture, .target: track])
    }
  }

  private static let unreadableCaptions = text(
    .unreadableCaptions, .warning, clause: captionClause + " (cdat, cdt2, ccdp)",
    effect: "The captions of the sample are not shown.",
    fix: [
      addCaptionsAgain,
      Remedy(
        Remedy.Step(action: .removeTrack(.track), remark: "if no captions can be extracted"),
        Remedy.Step(action: .addCaptions(replacing: false), remark: "with a caption file from another program")),
    ])

  private static let shortCaptionSample = text(
    .shortCaptionSample, .note, clause: captionClause + " (a pair for each frame)",
    effect: "Captions appear later than intended, or the last codes of the sample are lost.",
    fix: [
      Remedy(
        Remedy.Step(action: .extractCaptions(.track), remark: nil),
        Remedy.Step(action: .addCaptions(replacing: true), remark: nil))
    ])

  private static let captionParity = text(
    .captionParity, .warning, clause: "CTA-608-E; 47 CFR 79.101 (i)",
    effect: "Players that check the parity ignore codes or show solid blocks instead of characters.",
    fix: [addCaptionsAgain])

  /// Rewrites the track: extracts the captions and adds them again.
  private static let addCaptionsAgain = Remedy(
    Remedy.Step(action: .extractSubtitles(.track), remark: nil),
    Remedy.Step(action: .addCaptions(replacing: true), remark: nil))
}
