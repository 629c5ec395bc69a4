import MovieBox
import Subtitles

/// The line of a segment of WebVTT that says where its times are on the clock of the media.
struct SegmentMap {
  /// In ticks of 90 kHz.
  let delay: UInt64

  init?(_ segment: Bytes) {
    let lines = Array(segment.prefix(1_024)).split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    guard let line = lines.first(where: { $0.starts(with: TimestampMap.name.utf8) }),
      let map = TimestampMap(line: line), (0..<1 << 33).contains(map.localMilliseconds)
    else { return nil }
    delay = UInt64(max(0, map.timeStamp - map.localMilliseconds * 90))
  }
}
