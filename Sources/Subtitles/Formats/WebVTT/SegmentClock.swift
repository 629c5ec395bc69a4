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

/// Where the times of HLS segments lie on one clock.
///
/// A movie does not say which time stamp it began with, so that the first map moves nothing; it is where later ones are
/// measured from, of segments whose times start again.
struct SegmentClock {
  private var first: TimestampMap?
  /// Milliseconds that are added to the times of the segment.
  private(set) var shift: Int64 = 0
  /// Whether the file has a map.
  var isKnown: Bool { first != nil }

  /// Takes in a line of a header.
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
