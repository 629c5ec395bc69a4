// Captions that roll up, as YouTube makes them of speech: each line stands in a cue of its own time, in one of ten
// milliseconds without the words' times, and above the next line.
extension SubtitleFile {
  /// Whether most cues begin with what the cue before ends with, and follow it without a gap.
  package var hasRollingCaptions: Bool {
    guard cues.count > 3 else { return false }
    var otherCount = 0
    var newLineCount = 0
    var previous: (lines: [String], end: Int64)?
    for cue in cues {
      let lines = cue.text.lines.map(\.text)
      if let previous {
        let shownCount = Self.shownLineCount(cue, lines, after: previous)
        if shownCount == 0 { otherCount += 1 } else if shownCount < lines.count { newLineCount += 1 }
      }
      guard otherCount * 3 < cues.count else { return false }
      previous = (lines, cue.endMilliseconds)
    }
    // A text that is repeated alone does not roll.
    return newLineCount * 4 >= cues.count
  }

  /// The file with each line of captions that roll up once: from its first cue until the next line appears.
  ///
  /// A line is left out of a cue if the cue before ends with it and no gap lies between them, or one of five seconds at
  /// most if a new line is below. Drops cues without text. Keeps ``droppedCueCount`` and all notices except the one on
  /// rolling captions.
  ///
  ///     let file = try SubtitleFile.read(bytes, named: "talk.en.vtt").unrolled()
  public func unrolled() -> SubtitleFile {
    var file = self
    file.cues = []
    let sources = webVTT?.cues.count == cues.count ? webVTT?.cues : nil
    file.webVTT?.cues = []
    var previous: (lines: [String], end: Int64)?
    for (index, cue) in cues.enumerated() {
      let lines = cue.text.lines
      // A blank cue shows nothing, so no line that was shown before lasts until its end.
      guard !lines.isEmpty else {
        previous = nil
        continue
      }
      let texts = lines.map(\.text)
      let shownCount = previous.map { Self.shownLineCount(cue, texts, after: $0) } ?? 0
      previous = (texts, cue.endMilliseconds)
      guard shownCount < lines.count else {
        // Nothing new: what is shown stays for as long.
        if let last = file.cues.indices.last {
          file.cues[last].endMilliseconds = max(file.cues[last].endMilliseconds, cue.endMilliseconds)
        }
        continue
      }
      if shownCount > 0, let last = file.cues.indices.last,
        file.cues[last].startMilliseconds < cue.startMilliseconds
      {
        file.cues[last].endMilliseconds = min(file.cues[last].endMilliseconds, cue.startMilliseconds)
      }
      var kept = cue
      kept.text = StyledText.joined(Array(lines.dropFirst(shownCount)))
      file.cues.append(kept)
      if var source = sources?[index] {
        if kept.text != cue.text { source.text = String(decoding: kept.text.webVTT, as: UTF8.self) }
        source.readCue = kept
        file.webVTT?.cues.append(source)
      }
    }
    file.notices.removeAll { $0.kind == .rollingCaptions }
    return file
  }

  /// Returns the number of lines at the start of a cue that the cue before showed already, and that roll up.
  ///
  /// A line alone that comes again after a gap is said again. Above a new line, it may stay over a pause of the speaker.
  private static func shownLineCount(
    _ cue: Cue, _ lines: [String], after previous: (lines: [String], end: Int64)
  ) -> Int {
    let count = overlap(previous.lines, lines)
    let (gap, overflows) = cue.startMilliseconds.subtractingReportingOverflow(previous.end)
    return !overflows && gap <= (count < lines.count ? 5_000 : 50) ? count : 0
  }

  /// Returns the number of lines at the end of one cue that begin the next.
  private static func overlap(_ first: [String], _ second: [String]) -> Int {
    let longest = min(first.count, second.count, 8)
    return stride(from: longest, to: 0, by: -1).first { first.suffix($0).elementsEqual(second.prefix($0)) } ?? 0
  }
}

extension StyledText {
  /// The lines that are not blank, without blanks at their ends.
  fileprivate var lines: [StyledText] {
    var lines: [StyledText] = []
    let scalars = Array(text.unicodeScalars)
    for line in scalars.split(separator: "\n") {
      guard let first = line.firstIndex(where: { !$0.properties.isWhitespace }),
        let last = line.lastIndex(where: { !$0.properties.isWhitespace })
      else { continue }
      let range = first..<last + 1
      let kept = runs.compactMap { run -> Run? in
        let shared = run.range.clamped(to: range)
        return shared.isEmpty ? nil : Run(shared.lowerBound - first..<shared.upperBound - first, run.style)
      }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars[range])
      lines.append(StyledText(String(text), checkedRuns: kept))
    }
    return lines
  }
}
