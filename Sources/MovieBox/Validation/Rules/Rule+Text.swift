extension Rule {
  static let textRules = [
    unreadableText, textEncoding, trailingNewline, styleRuns, invisibleStyle, boxWithoutFlag, flagWithoutBox, boxPlace,
    forcedWithoutFlag, flagWithoutForced, noDuration, unreadText,
  ]

  /// A rule on what samples of subtitles hold; ``TextExamination`` looks at them.
  private static func text(
    _ id: TextExamination.Oddity, _ severity: Finding.Severity, for targets: [Target] = Target.allCases,
    clause: String, effect: String, fix: [Remedy] = [.addAgain]
  ) -> Rule {
    Rule(id.rawValue, severity, for: targets, clause: clause, effect: effect, fix: fix) { examination, report in
      for error in examination.text?.oddities[id] ?? [] { report.add(error) }
    }
  }

  private static let clauseOfFlags = "QTFF, \"Subtitle Sample Description\" (display flags)"
  private static let clauseOfSamples = "3GPP TS 26.245, 5.17; QTFF, \"Subtitle Sample Data\""

  private static let unreadableText = text(
    .unreadable, .warning, clause: clauseOfSamples, effect: "The subtitle is not shown, or garbage is.")

  private static let textEncoding = text(
    .encoding, .warning, clause: clauseOfSamples, effect: "Letters are shown as boxes or question marks.",
    fix: [.addAgain("first correct what the subtitle file shows as U+FFFD")])

  private static let trailingNewline = text(
    .trailingNewline, .note, clause: clauseOfSamples, effect: "The text stands a line too high.")

  private static let styleRuns = text(
    .styleRuns, .warning, clause: "3GPP TS 26.245, 5.17.1.1",
    effect: "Italics and colors begin or end at the wrong letter, or are missing.")

  private static let invisibleStyle = text(
    .invisibleStyle, .warning, clause: "3GPP TS 26.245, 5.17.1.1 (a record repeats size and color)",
    effect: "The styled words are missing.")

  private static let boxWithoutFlag = text(
    .boxWithoutFlag, .warning, for: [.apple], clause: clauseOfFlags,
    effect: "Text that belongs at the top stands at the bottom, over other text.")

  private static let flagWithoutBox = text(
    .flagWithoutBox, .note, for: [.apple], clause: clauseOfFlags,
    effect: "Nothing, where the track is as large as the picture.")

  private static let boxPlace = text(
    .boxPlace, .warning, for: [.apple], clause: "QTFF, \"Subtitle Track Header Size and Placement\"",
    effect: "Text stands outside the picture, or is wrapped too early.")

  private static let forcedWithoutFlag = text(
    .forcedWithoutFlag, .warning, for: [.apple], clause: clauseOfFlags,
    effect: "Forced subtitles are not shown while subtitles are off.",
    fix: [.addAgain, .change(.role(.forced), remark: "where all are forced")])

  private static let flagWithoutForced = text(
    .flagWithoutForced, .warning, for: [.apple], clause: clauseOfFlags,
    effect: "A player promises forced subtitles, and shows none.")

  private static let noDuration = text(
    .noDuration, .warning, clause: "QTFF, \"Time-to-Sample Atoms\"; 3GPP TS 26.245, 5.4",
    effect: "The text is never shown.")

  private static let unreadText = text(
    .unread, .note, clause: "the limits of this reader", effect: "Nothing: validate did not look at all subtitles.",
    fix: [.person("none needed")])
}
