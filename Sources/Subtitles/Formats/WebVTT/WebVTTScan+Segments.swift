// Concatenated WebVTT files, such as HLS segments.
//
// Each segment begins with a header. Its times may restart, and it may repeat cues that began in the previous segment.
extension WebVTTScan {
  /// Drops repeated cues. If a cue extends beyond the end of an HLS segment, the next segment repeats the cue. A cue
  /// that differs in its times or text is not dropped.
  mutating func dropRepeatedCues() {
    struct Key: Hashable {
      let start: Int64
      let end: Int64
      let text: StyledText
      let identifier: String
    }
    var seenCues: [Key: Int] = [:]
    var keptCues: [Cue] = []
    var keptSources: [WebVTTSource.CueSource] = []
    var keptSegments: [Int] = []
    for (index, cue) in cues.enumerated() {
      let origin = source.cues[index]
      let key = Key(
        start: cue.startMilliseconds, end: cue.endMilliseconds, text: cue.text, identifier: origin.identifier)
      // Keep equal cues within one segment, because the author intended them.
      if let first = seenCues[key], first != segments[index] {
        notices.add(
          .repeatedCue, line: cue.line,
          "\(cue.text.excerpt), which is repeated in the next segment, was read once")
        continue
      }
      seenCues[key] = segments[index]
      keptCues.append(cue)
      keptSources.append(origin)
      keptSegments.append(segments[index])
    }
    cues = keptCues
    source.cues = keptSources
    segments = keptSegments
  }

  /// Returns the number of milliseconds to add to the times of the current segment. All segments have the given
  /// duration.
  func segmentShift(_ duration: Int64) -> Int64 {
    let (shift, overflows) = duration.multipliedReportingOverflow(by: Int64(segment))
    return overflows || shift.magnitude > 1 << 60 ? 0 : shift
  }

  /// Reports headers at which the times restart. If the caller specified the duration of the segments, reports cues
  /// after the end of their segment instead.
  mutating func noteClock() {
    var starts: [Int: (first: Int64, last: Int64)] = [:]  // Keys are the segments with cues.
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
          "the times restart at this header: a cue begins at \(timeText(milliseconds: first)), but a cue before the "
            + "header begins at \(timeText(milliseconds: last))")
      }
      last = max(last ?? end, end)
    }
  }

  private mutating func noteLateCues(of segment: Int, after duration: Int64, last: Int64) {
    let (end, overflows) = duration.multipliedReportingOverflow(by: Int64(segment) + 1)
    guard segment + 1 < headerLines.count, !overflows, last >= end else { return }
    notices.add(
      .lateInPart, line: headerLines[segment],
      "a cue after this header begins at \(timeText(milliseconds: last)), but the times after the next header begin at "
        + timeText(milliseconds: end))
  }
}

/// The line of an HLS segment that maps a time of the segment to a timestamp of an MPEG transport stream (RFC 8216,
/// clause 3.5). An example is `X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000`.
package struct TimestampMap {
  package static let name = "X-TIMESTAMP-MAP"

  /// The time in the segment, or 0 if the line contains no time.
  package private(set) var localMilliseconds: Int64 = 0
  /// The timestamp, a 33-bit count at 90 kHz, or 0 if the line contains no timestamp.
  package private(set) var timeStamp: Int64 = 0

  /// Parses a line that begins with `X-TIMESTAMP-MAP`. Returns `nil` if the line is malformed.
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

  /// Returns the line for a segment whose time 0 corresponds to a timestamp.
  package static func line(from timeStamp: UInt64) -> String { "\(name)=LOCAL:00:00:00.000,MPEGTS:\(timeStamp)" }
}

/// Converts the times of HLS segments to the times of the first segment.
///
/// The timestamp at which the movie begins is unknown. Therefore, the times of the first segment do not change. The
/// times of later segments restart, and are shifted by the difference between their timestamp and the first timestamp.
struct SegmentClock {
  private var firstMap: TimestampMap?
  /// The shift of the segment's times in milliseconds.
  private(set) var shiftInMilliseconds: Int64 = 0
  /// Whether a timestamp map has been read.
  var isKnown: Bool { firstMap != nil }

  mutating func read(_ line: ArraySlice<UInt8>, lineNumber number: Int, _ notices: inout NoticeList) {
    guard let map = TimestampMap(line: line) else {
      notices.add(.ignoredSetting, line: number, "the malformed line \(excerpt(line)) was ignored")
      return
    }
    guard let firstMap else {
      firstMap = map
      let distance = map.timeStamp / 90 - map.localMilliseconds
      guard distance != 0 else { return }
      notices.add(
        .timestampMap, line: number,
        "\(excerpt(line)): the times are not shifted, although they are \(timeText(milliseconds: distance)) later "
          + "in the transport stream")
      return
    }
    // Timestamps wrap around at 2³³. Use the shorter of the two distances.
    let ticks = (map.timeStamp - firstMap.timeStamp) & 0x1_FFFF_FFFF
    let signed = ticks < 1 << 32 ? ticks : ticks - 1 << 33
    shiftInMilliseconds = signed / 90 - (map.localMilliseconds - firstMap.localMilliseconds)
    guard shiftInMilliseconds != 0 else { return }
    notices.add(
      .timestampMap, line: number,
      "\(excerpt(line)): the following times were shifted by "
        + "\(timeText(milliseconds: shiftInMilliseconds))")
  }
}
