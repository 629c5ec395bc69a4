/// Writes cues as SubRip (`.srt`) in UTF-8: the way back of ``SubRipReader``.
///
///     let bytes = SubRipWriter.write([Cue(startMilliseconds: 0, endMilliseconds: 900, text: StyledText("Hello"))]).bytes
///
/// Styles are tags, places `{\an8}` and the like, forced cues have `!!!` after their times. What would be read as
/// markup and is text stands as a character reference. Players show the same, but for voices, background colours and
/// sizes, which the format does not have: those are reported in notices.
package enum SubRipWriter {
  /// The file, and what it cannot say. Costs one pass over the text.
  package static func write(_ cues: [Cue]) -> SubtitleFile.Written {
    var writer = SubtitleTextWriter()
    var notices = NoticeList(SubtitleLimits())
    for (index, cue) in cues.enumerated() {
      if index > 0 { writer.write("\n") }
      writer.write(number: UInt64(index) + 1)
      writer.write("\n")
      writer.write(time: cue.startMilliseconds, fractionMark: ",")
      writer.write(" --> ")
      writer.write(time: cue.endMilliseconds, fractionMark: ",")
      writer.write(cue.isForced ? " !!!\n" : "\n")
      if let digit = cue.placement.keypad, digit != 2 { writer.write("{\\an\(digit)}") }
      write(cue.text, to: &writer)
      writer.write("\n")
      addLosses(of: cue, to: &notices)
    }
    return SubtitleFile.Written(bytes: writer.bytes, notices: notices.finished)
  }

  private static func write(_ text: StyledText, to writer: inout SubtitleTextWriter) {
    var escaping = SubRipEscaping(of: text.text)
    // Most texts are one piece in which nothing is escaped.
    if escaping == nil, text.runs.isEmpty { return writer.write(text.text) }
    for piece in text.pieces {
      let isPlain = piece.style == .plain
      if !isPlain { writer.write(piece.style.subRipStart) }
      if escaping == nil { writer.write(piece.text) }
      escaping?.write(next: piece.text.utf8.count, to: &writer)
      if !isPlain { writer.write(piece.style.subRipEnd) }
    }
  }

  private static func addLosses(of cue: Cue, to notices: inout NoticeList) {
    if !cue.text.runs.isEmpty { addLossesOfStyle(of: cue, to: &notices) }
    if case .below = cue.placement.vertical {
      notices.add(
        .approximatedPlacement, line: cue.line,
        "\(cue.text.excerpt) has a placement that SubRip does not, and gets the nearest")
    }
  }

  private static func addLossesOfStyle(of cue: Cue, to notices: inout NoticeList) {
    var lost: [String] = []
    if cue.text.runs.contains(where: { $0.style.backgroundColor != nil }) { lost.append("a background colour") }
    if cue.text.runs.contains(where: { ($0.style.color?.alpha ?? 255) < 255 }) {
      lost.append("translucent text")
    }
    if cue.text.runs.contains(where: { $0.style.voice != nil }) { lost.append("the name of a speaker") }
    if cue.text.runs.contains(where: { $0.style.sizeInPercent != nil }) { lost.append("font sizes") }
    guard !lost.isEmpty else { return }
    let list = lost.joined(separator: ", ")
    notices.add(.inexpressibleStyle, list, line: cue.line, "\(cue.text.excerpt) has \(list), which SubRip cannot say")
  }
}

extension CuePlacement {
  /// The digit of the number pad that lies nearest.
  fileprivate var keypad: Int? {
    let row =
      switch vertical {
      case .bottom: 0
      case .middle: 1
      case .top: 2
      case .below(let depth): depth < 3_000 ? 2 : depth < 6_500 ? 1 : 0
      }
    let column =
      switch horizontal {
      case .left: 1
      case .center: 2
      case .right: 3
      }
    return 3 * row + column
  }
}

extension TextStyle {
  fileprivate var subRipStart: String {
    (color.map { "<font color=\"#\($0.hexadecimal(withAlpha: false))\">" } ?? "") + (isBold ? "<b>" : "")
      + (isItalic ? "<i>" : "") + (isUnderlined ? "<u>" : "")
  }

  fileprivate var subRipEnd: String {
    (isUnderlined ? "</u>" : "") + (isItalic ? "</i>" : "") + (isBold ? "</b>" : "") + (color == nil ? "" : "</font>")
  }
}
