// Several files of WebVTT, put together into one.
extension WebVTTScan {
  /// A cue that reaches over the end of a segment stands in the next one too. Only what is the same in all is one.
  mutating func dropRepeatedCues() {
    struct Key: Hashable {
      let start: Int64
      let end: Int64
      let text: StyledText
      let identifier: String
    }
    var seen: [Key: Int] = [:]
    var kept: [Cue] = []
    var keptSources: [WebVTTSource.CueSource] = []
    var keptSegments: [Int] = []
    for (index, cue) in cues.enumerated() {
      let origin = source.cues[index]
      let key = Key(
        start: cue.startMilliseconds, end: cue.endMilliseconds, text: cue.text, identifier: origin.identifier)
      // Two of one segment are meant to be two.
      if let first = seen[key], first != segments[index] {
        notices.add(.repeatedCue, line: cue.line, "\(cue.text.excerpt) repeated in the next segment, taken once")
        continue
      }
      seen[key] = segments[index]
      kept.append(cue)
      keptSources.append(origin)
      keptSegments.append(segments[index])
    }
    cues = kept
    source.cues = keptSources
    segments = keptSegments
  }

  /// The time by which the cues of the present part are moved, so that each part follows the one before.
  func partShift(_ duration: Int64) -> Int64 {
    let (shift, overflows) = duration.multipliedReportingOverflow(by: Int64(segment))
    return overflows || shift.magnitude > 1 << 60 ? 0 : shift
  }

  /// Reports headers at which the clock jumps back, or, if the parts have a duration, cues beyond it.
  mutating func noteClock() {
    var starts: [Int: (first: Int64, last: Int64)] = [:]  // Of each segment that has cues.
    for (cue, segment) in zip(cues, segments) {
      let start = cue.startMilliseconds
      let known = starts[segment] ?? (start, start)
      starts[segment] = (min(known.first, start), max(known.last, start))
    }
    var last: Int64?
    for segment in starts.keys.sorted() {
      guard let (first, end) = starts[segment] else { continue }
      if let partMilliseconds {
        noteLateCues(of: segment, after: partMilliseconds, last: end)
      } else if let last, first < last, !clock.isKnown {
        notices.add(
          .clockRestart, line: headerLines[segment],
          "the clock starts again at this header: a cue of this part begins at \(timeText(milliseconds: first)), one of "
            + "the part before at \(timeText(milliseconds: last)); they are shown at the same time")
      }
      last = max(last ?? end, end)
    }
  }

  private mutating func noteLateCues(of segment: Int, after duration: Int64, last: Int64) {
    let (end, overflows) = duration.multipliedReportingOverflow(by: Int64(segment) + 1)
    guard segment + 1 < headerLines.count, !overflows, last >= end else { return }
    notices.add(
      .lateInPart, line: headerLines[segment],
      "a cue of this part begins at \(timeText(milliseconds: last)), after the next part, which begins at "
        + timeText(milliseconds: end))
  }
}
