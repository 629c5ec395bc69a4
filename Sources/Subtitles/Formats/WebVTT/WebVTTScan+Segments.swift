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

/// The line of an HLS segment of WebVTT that says which time stamp of a transport stream a time of it is (RFC 8216,
/// clause 3.5): `X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000`.
package struct TimestampMap {
  package static let name = "X-TIMESTAMP-MAP"

  /// The time of the segment; 0 where the line has none.
  package private(set) var localMilliseconds: Int64 = 0
  /// The time stamp: 33 bits, at 90 kHz; 0 where the line has none.
  package private(set) var timeStamp: Int64 = 0

  /// Reads a line that begins with the name; `nil` where it cannot be read.
  package init?(line: ArraySlice<UInt8>) {
    let value = line.dropFirst(Self.name.utf8.count).drop(while: Ascii.isBlank)
    guard value.first == UInt8(ascii: "=") || value.first == UInt8(ascii: ":") else { return nil }
    for part in value.dropFirst().split(separator: UInt8(ascii: ",")) {
      let part = part.drop(while: Ascii.isBlank)
      if part.starts(with: "LOCAL:".utf8) {
        var reader = WebVTTTimeReader(part.dropFirst(6))
        guard let time = reader.readTime() else { return nil }
        localMilliseconds = time
      } else if part.starts(with: "MPEGTS:".utf8) {
        let digits = part.dropFirst(7).prefix { !Ascii.isBlank($0) }
        guard let stamp = Int64(String(decoding: digits, as: UTF8.self)), (0..<1 << 33).contains(stamp) else {
          return nil
        }
        timeStamp = stamp
      }
    }
  }

  /// The line of a segment whose times count from a time stamp.
  package static func line(from timeStamp: UInt64) -> String { "\(name)=LOCAL:00:00:00.000,MPEGTS:\(timeStamp)" }
}

/// The mapping of HLS segments' times to one clock.
///
/// A movie does not say which time stamp it began with, so that the first map moves nothing; it is where later ones are
/// measured from, of segments whose times start again.
struct SegmentClock {
  private var first: TimestampMap?
  /// Milliseconds that are added to the times of the segment.
  private(set) var shift: Int64 = 0
  /// Whether the file has a map.
  var isKnown: Bool { first != nil }

  /// Reads a line of a header.
  mutating func read(_ line: ArraySlice<UInt8>, line number: Int, _ notices: inout NoticeList) {
    guard let map = TimestampMap(line: line) else {
      notices.add(.ignoredSetting, line: number, "\(excerpt(line)) not understood, ignored")
      return
    }
    guard let first else {
      first = map
      let distance = map.timeStamp / 90 - map.localMilliseconds
      guard distance != 0 else { return }
      notices.add(
        .timestampMap, line: number,
        "\(excerpt(line)): the times are taken as they stand, though they lie \(timeText(milliseconds: distance)) later "
          + "in a transport stream")
      return
    }
    // Time stamps start again at 2^33: the shorter way round is meant.
    let ticks = (map.timeStamp - first.timeStamp) & 0x1_FFFF_FFFF
    let signed = ticks < 1 << 32 ? ticks : ticks - 1 << 33
    shift = signed / 90 - (map.localMilliseconds - first.localMilliseconds)
    guard shift != 0 else { return }
    notices.add(
      .timestampMap, line: number, "\(excerpt(line)): the times from here on moved by \(timeText(milliseconds: shift))")
  }
}
