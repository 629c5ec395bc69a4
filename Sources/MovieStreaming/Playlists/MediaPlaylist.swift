import Subtitles

/// A media playlist of a whole presentation (RFC 8216, 4.3.3), with its segments.
package struct MediaPlaylist: Hashable, Sendable {
  /// A file or a range of a file.
  package struct FileRange: Hashable, Sendable {
    /// The path of the file, relative to the playlist.
    package let path: String
    /// The range of bytes, or `nil` for the whole file.
    package let range: Range<UInt64>?

    package init(path: String, range: Range<UInt64>? = nil) {
      self.path = path
      self.range = range
    }
  }

  /// A segment of the presentation.
  package struct Segment: Hashable, Sendable {
    /// The file or range that contains the segment.
    package let fileRange: FileRange
    /// The size of the segment.
    package let byteCount: UInt64
    /// The duration in microseconds. It is the difference of two rounded times, so that rounding errors do not
    /// accumulate.
    package let microseconds: UInt64

    package init(fileRange: FileRange, byteCount: UInt64, microseconds: UInt64) {
      self.fileRange = fileRange
      self.byteCount = byteCount
      self.microseconds = microseconds
    }
  }

  /// The kind of segments.
  package enum Kind: Hashable, Sendable {
    /// WebVTT.
    case text
    /// Video or audio, with the initialization segment.
    case media(map: FileRange)
    /// Single pictures, with the initialization segment.
    case iFrames(map: FileRange)
  }

  package let kind: Kind
  /// The segments in playback order.
  package let segments: [Segment]
  /// The time at which players start, in microseconds from the start of the first segment, or `nil` to start with the
  /// first segment.
  package let startInMicroseconds: UInt64?

  package init(_ kind: Kind, segments: [Segment], startInMicroseconds: UInt64? = nil) {
    self.kind = kind
    self.segments = segments
    self.startInMicroseconds = startInMicroseconds
  }

  /// The target duration: the longest segment in seconds, rounded to the nearest integer, at least 1 (RFC 8216,
  /// 4.3.3.1).
  package var targetDuration: UInt64 { Self.targetDuration(segments.lazy.map(\.microseconds)) }

  /// Returns the target duration of a playlist whose segments have these durations in microseconds.
  package static func targetDuration(_ durations: some Sequence<UInt64>) -> UInt64 {
    max(1, ((durations.max() ?? 0) + 500_000) / 1_000_000)
  }

  /// Returns the text of the playlist.
  ///
  /// - Parameters:
  ///   - targetDuration: the target duration in seconds. All video and audio playlists must have the same value.
  ///   - areSegmentsIndependent: whether each segment can be decoded without other segments.
  package func text(targetDuration: UInt64, areSegmentsIndependent: Bool) -> String {
    var text = "#EXTM3U\n#EXT-X-VERSION:\(version)\n#EXT-X-TARGETDURATION:\(targetDuration)\n"
    text += "#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n"
    if let startInMicroseconds { text += Self.startLine(startInMicroseconds) + "\n" }
    switch kind {
    case .text: text += Self.independentSegmentsTag
    case .media(let map): text += (areSegmentsIndependent ? Self.independentSegmentsTag : "") + Self.line(map)
    case .iFrames(let map): text += "#EXT-X-I-FRAMES-ONLY\n" + Self.line(map)
    }
    for segment in segments {
      text += "#EXTINF:\(Self.seconds(segment.microseconds)),\n"
      if let range = segment.fileRange.range { text += "#EXT-X-BYTERANGE:\(range.count)@\(range.lowerBound)\n" }
      text += uriReference(segment.fileRange.path) + "\n"
    }
    return text + "#EXT-X-ENDLIST\n"
  }

  /// Returns the tag with the time at which players start (RFC 8216, 4.3.5.2).
  static func startLine(_ microseconds: UInt64) -> String {
    var attributes = PlaylistAttributes()
    attributes.add("TIME-OFFSET", seconds(microseconds))
    attributes.add("PRECISE", true)
    return attributes.line("EXT-X-START")
  }

  private static let independentSegmentsTag = "#EXT-X-INDEPENDENT-SEGMENTS\n"

  private static func line(_ map: FileRange) -> String {
    var attributes = PlaylistAttributes()
    attributes.add("URI", quoted: uriReference(map.path))
    attributes.add("BYTERANGE", quoted: map.range.map { "\($0.count)@\($0.lowerBound)" })
    return attributes.line("EXT-X-MAP") + "\n"
  }

  /// The smallest version that supports all used features (RFC 8216, 7).
  package var version: Int {
    switch kind {
    case .text: 3
    case .iFrames: 5
    case .media: 6
    }
  }

  /// Formats seconds with three decimals, or six if three are not exact.
  static func seconds(_ microseconds: UInt64) -> String {
    let isWhole = microseconds % 1_000 == 0
    let fraction = isWhole ? microseconds % 1_000_000 / 1_000 : microseconds % 1_000_000
    return "\(microseconds / 1_000_000)." + fraction.padded(to: isWhole ? 3 : 6)
  }
}

extension Range<UInt64> {
  /// The number of bytes.
  var count: UInt64 { upperBound - lowerBound }
}
