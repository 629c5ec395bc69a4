// Rules about the handlers, formats and sample descriptions of subtitle tracks, and about their samples.

import Subtitles

extension Rule {
  static let subtitleRules = [
    textHandler, phoneHandler, subtitleFormat, descriptionCount, fontTable, fontName, fixedFields, invisibleText,
    subtitleLayer, subtitleVolume,
  ]

  private static let subtitleClause = "QTFF, \"Subtitle Media\""
  private static let sampleDescriptionClause = "QTFF, \"Subtitle Sample Description\""

  private static let textHandler = Rule(
    "subtitle.text-handler", .warning, for: [.apple], clause: subtitleClause + "; GPAC issues 1573 and 1861",
    effect: "The subtitles are not in the menu of QuickTime Player, iPhone or Apple TV.", fix: [.addAgain],
    automatically: .rewriteAsTimedText
  ) { examination, report in
    for (track, obstacle) in examination.handlerObstacles where !examination.movie.type.isMobile {
      report.add(examination.atom(track, "mdia", "hdlr"), "subtitles have \(obstacle.description)")
    }
  }

  /// 3GP files require the handler `text`. Players on phones support this handler.
  private static let phoneHandler = Rule(
    "subtitle.3gp-handler", .note, for: [.apple], clause: subtitleClause + "; 3GPP TS 26.245, 5.2",
    effect: "The subtitles are valid for 3GP, but are not in the menu of QuickTime Player, iPhone or Apple TV.",
    fix: [.step(.convert(.mp4))]
  ) { examination, report in
    for (track, obstacle) in examination.handlerObstacles where examination.movie.type.isMobile {
      report.add(examination.atom(track, "mdia", "hdlr"), "subtitles have \(obstacle.description)")
    }
  }

  private static let subtitleFormat = Rule(
    "subtitle.format", .warning, for: [.apple], clause: subtitleClause + "; \"Closed Caption Media\"",
    effect: "The subtitles are not in the menu of QuickTime Player, iPhone or Apple TV.",
    fix: [.addAgain, addFromOtherProgram]
  ) { examination, report in
    for track in examination.tracks(.legible) {
      guard let obstacle = track.menuObstacle, case .format = obstacle else { continue }
      report.add(
        examination.atom(track, "mdia", "minf", "stbl", "stsd"),
        "\(track.mediaType.name) track \(track.id) has \(obstacle.description)",
        fix: track.hasReadableText
          ? [track.mediaType == .closedCaption || track.hasClosedCaptions ? addAsRightMediaType(track) : .addAgain]
          : [addFromOtherProgram])
    }
  }

  /// Extracts a track whose handler does not match its format, and adds the file as a track of the right media type.
  /// The new track does not replace the old track, because their media types differ.
  private static func addAsRightMediaType(_ track: Track) -> Remedy {
    Remedy(
      Remedy.Step(action: .extractSubtitles(.track), remark: nil),
      Remedy.Step(action: .removeTrack(.track), remark: nil),
      Remedy.Step(
        action: track.hasClosedCaptions ? .addCaptions(replacing: false) : .addSubtitles(replacing: false), remark: nil)
    )
  }

  private static let addFromOtherProgram = Remedy(
    Remedy.Step(action: .removeTrack(.track), remark: nil),
    Remedy.Step(
      action: .addSubtitles(replacing: false),
      remark: "with a subtitle file from another program: pictures (mp4s) and TTML (stpp) cannot be extracted"))

  private static let descriptionCount = Rule(
    "subtitle.description-count", .warning, for: [.apple], clause: sampleDescriptionClause,
    effect: "Some subtitles are not shown, or look different than intended.", fix: [.addAgain]
  ) { examination, report in
    for (track, _) in examination.subtitles where track.sampleDescriptions.entries.count > 1 {
      report.add(
        examination.atom(track, "mdia", "minf", "stbl", "stsd"),
        "has \(track.sampleDescriptions.entries.count) sample descriptions, but subtitles must have one")
    }
  }

  private static let fontTable = Rule(
    "subtitle.font-table", .warning, for: [.apple], clause: sampleDescriptionClause + "; 3GPP TS 26.245, 5.16",
    effect: "The text does not have the intended font or size, and Android ignores its position.", fix: [.addAgain]
  ) { examination, report in
    for (track, description) in examination.subtitles {
      let fonts = description.fonts
      let stsd = examination.atom(track, "mdia", "minf", "stbl", "stsd")
      if fonts.count != 1 {
        report.add(stsd, "has \(fonts.count) fonts (ftab), but subtitles must have one")
      } else if fonts[0].id != description.defaultStyle.fontID {
        report.add(
          stsd,
          "the default style refers to font \(description.defaultStyle.fontID), but ftab "
            + "contains font \(fonts[0].id)")
      }
    }
  }

  private static let fontName = Rule(
    "subtitle.font-name", .note, for: [.apple], clause: sampleDescriptionClause + "; AndroidX Media3",
    effect: "None in Apple's players; Android shows the text in white and at a lower position.", fix: [.addAgain]
  ) { examination, report in
    for (track, description) in examination.subtitles {
      guard let font = description.fonts.first, !["Serif", "Sans-Serif"].contains(font.name) else { continue }
      report.add(
        examination.atom(track, "mdia", "minf", "stbl", "stsd"), "the font is \"\(font.name)\", not Serif or Sans-Serif"
      )
    }
  }

  private static let fixedFields = Rule(
    "subtitle.fixed-fields", .note, for: [.apple], clause: sampleDescriptionClause,
    effect: "Some players show the text at the left or in a black box.", fix: [.addAgain]
  ) { examination, report in
    for (track, description) in examination.subtitles {
      var odd: [String] = []
      if description.horizontalJustification != 1 {
        odd.append("horizontal justification \(description.horizontalJustification), not 1")
      }
      if description.verticalJustification != -1 {
        odd.append("vertical justification \(description.verticalJustification), not -1")
      }
      if description.background != .transparent { odd.append("a background") }
      if description.defaultStyle.start != 0 || description.defaultStyle.end != 0 {
        odd.append("a default style limited to some characters")
      }
      guard !odd.isEmpty else { continue }
      report.add(examination.atom(track, "mdia", "minf", "stbl", "stsd"), "has " + odd.joined(separator: ", "))
    }
  }

  private static let invisibleText = Rule(
    "subtitle.invisible", .warning, clause: "3GPP TS 26.245, 5.16",
    effect: "The text is transparent, or has no size: some players show nothing.", fix: [.addAgain]
  ) { examination, report in
    for (track, description) in examination.subtitles {
      let style = description.defaultStyle
      guard style.color.alpha == 0 || style.fontSize == 0 else { continue }
      report.add(
        examination.atom(track, "mdia", "minf", "stbl", "stsd"),
        style.fontSize == 0 ? "the font size is 0" : "the text color is transparent")
    }
  }

  private static let subtitleLayer = Rule(
    "subtitle.layer", .note, for: [.apple], clause: "QTFF, \"Track Header Atoms\" (layer)",
    effect: "Old players draw the video over the text.", fix: [.addAgain]
  ) { examination, report in
    guard let picture = examination.tracks(.visual).map(\.header.layer).min() else { return }
    for (track, _) in examination.subtitles where track.header.layer >= picture {
      report.add(
        examination.trackHeaderAtom(track),
        "the layer is \(track.header.layer), which is not in front of the video's "
          + "layer \(picture)")
    }
  }

  private static let subtitleVolume = Rule(
    "subtitle.volume", .note, clause: "QTFF, \"Track Header Atoms\"; ISO/IEC 14496-12, 8.3.2",
    effect: "None: the field has no meaning here.", fix: [.addAgain]
  ) { examination, report in
    for (track, _) in examination.subtitles where track.header.volume != 0 {
      report.add(examination.trackHeaderAtom(track), "subtitles have the volume \(track.header.volume) instead of 0")
    }
  }
}

extension MovieExamination {
  /// The subtitle tracks that are missing in the menu only because of their handler.
  fileprivate var handlerObstacles: [(track: Track, obstacle: MenuObstacle)] {
    tracks(.legible).compactMap { track in
      guard let obstacle = track.menuObstacle, case .handler = obstacle else { return nil }
      return (track, obstacle)
    }
  }
}

extension Rule {
  static let textRules = [
    unreadableText, textEncoding, trailingNewline, styleRuns, invisibleStyle, boxWithoutFlag, flagWithoutBox,
    boxPosition,
    forcedWithoutFlag, flagWithoutForced, noDuration, unreadText,
  ]

  /// Creates a rule about subtitle samples. ``TextExamination`` examines the samples.
  static func text(
    _ id: TextExamination.Oddity, _ severity: Finding.Severity, for targets: [Target] = Target.allCases,
    clause: String, effect: String, fix: [Remedy] = [.addAgain]
  ) -> Rule {
    Rule(id.rawValue, severity, for: targets, clause: clause, effect: effect, fix: fix) { examination, report in
      for error in examination.text?.oddities[id] ?? [] { report.add(error) }
    }
  }

  private static let displayFlagClause = "QTFF, \"Subtitle Sample Description\" (display flags)"
  private static let textSampleClause = "3GPP TS 26.245, 5.17; QTFF, \"Subtitle Sample Data\""

  private static let unreadableText = text(
    .unreadable, .warning, clause: textSampleClause, effect: "The subtitle is not shown, or is shown as garbage.")

  private static let textEncoding = text(
    .encoding, .warning, clause: textSampleClause, effect: "Letters are shown as boxes or question marks.",
    fix: [.addAgain("first correct the characters U+FFFD in the extracted subtitle file")])

  private static let trailingNewline = text(
    .trailingNewline, .note, clause: textSampleClause, effect: "The text is shown one line too high.")

  private static let styleRuns = text(
    .styleRuns, .warning, clause: "3GPP TS 26.245, 5.17.1.1",
    effect: "Italics and colors begin or end at the wrong letter, or are missing.")

  private static let invisibleStyle = text(
    .invisibleStyle, .warning, clause: "3GPP TS 26.245, 5.17.1.1 (a record repeats size and color)",
    effect: "The styled words are missing.")

  private static let boxWithoutFlag = text(
    .boxWithoutFlag, .warning, for: [.apple], clause: displayFlagClause,
    effect: "Text that belongs at the top is shown at the bottom, over other text.")

  private static let flagWithoutBox = text(
    .flagWithoutBox, .note, for: [.apple], clause: displayFlagClause,
    effect: "None, if the track is as large as the picture.")

  private static let boxPosition = text(
    .boxPosition, .warning, for: [.apple], clause: "QTFF, \"Subtitle Track Header Size and Placement\"",
    effect: "Text is shown outside the picture, or is wrapped too early.")

  private static let forcedWithoutFlag = text(
    .forcedWithoutFlag, .warning, for: [.apple], clause: displayFlagClause,
    effect: "Forced subtitles are not shown while subtitles are off.",
    fix: [.addAgain, .change(.role(.forced), remark: "if all subtitles are forced")])

  private static let flagWithoutForced = text(
    .flagWithoutForced, .warning, for: [.apple], clause: displayFlagClause,
    effect: "Players list forced subtitles, but show no text.")

  private static let noDuration = text(
    .noDuration, .warning, clause: "QTFF, \"Time-to-Sample Atoms\"; 3GPP TS 26.245, 5.4",
    effect: "The text is never shown.")

  private static let unreadText = text(
    .unread, .note, clause: "the limits of this reader", effect: "None: validate did not examine all subtitles.",
    fix: [.manual("none needed")])
}
