import Subtitles

/// A media playlist of a whole programme (RFC 8216, 4.3.3): what is played, in which pieces.
package struct MediaPlaylist: Hashable, Sendable {
  /// Bytes of a file.
  package struct Place: Hashable, Sendable {
    /// The file, beside the playlist.
    package let path: String
    /// The bytes; `nil` for all of the file.
    package let range: Range<UInt64>?

    package init(path: String, range: Range<UInt64>? = nil) {
      self.path = path
      self.range = range
    }
  }

  /// A piece of the programme.
  package struct Segment: Hashable, Sendable {
    /// Where its bytes are.
    package let place: Place
    /// How many bytes.
    package let byteCount: UInt64
    /// How long it lasts, in microseconds: the difference of two times that are each rounded, so that nothing adds up.
    package let microseconds: UInt64

    package init(place: Place, byteCount: UInt64, microseconds: UInt64) {
      self.place = place
      self.byteCount = byteCount
      self.microseconds = microseconds
    }
  }

  /// What its segments are.
  package enum Kind: Hashable, Sendable {
    /// WebVTT.
    case text
    /// Picture or sound, with the initialization segment.
    case media(map: Place)
    /// Single pictures, with the initialization segment.
    case iFrames(map: Place)
  }

  package let kind: Kind
  /// The segments, in the order in which they are played.
  package let segments: [Segment]
  /// When players begin, in microseconds from the start of the first segment; `nil` for with it.
  package let startInMicroseconds: UInt64?

  package init(_ kind: Kind, segments: [Segment], startInMicroseconds: UInt64? = nil) {
    self.kind = kind
    self.segments = segments
    self.startInMicroseconds = startInMicroseconds
  }

  /// The longest segment in seconds, rounded to the nearest (RFC 8216, 4.3.3.1); 1 at least.
  package var targetDuration: UInt64 { Self.targetDuration(segments.lazy.map(\.microseconds)) }

  /// The same of some durations in microseconds.
  package static func targetDuration(_ durations: some Sequence<UInt64>) -> UInt64 {
    max(1, ((durations.max() ?? 0) + 500_000) / 1_000_000)
  }

  /// The text of the playlist.
  ///
  /// - Parameters:
  ///   - targetDuration: that of all playlists of picture and sound, which must be the same.
  ///   - areSegmentsIndependent: whether no segment needs another to be decoded.
  package func text(targetDuration: UInt64, areSegmentsIndependent: Bool) -> String {
    var text = "#EXTM3U\n#EXT-X-VERSION:\(version)\n#EXT-X-TARGETDURATION:\(targetDuration)\n"
    text += "#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n"
    if let startInMicroseconds { text += Self.startLine(startInMicroseconds) + "\n" }
    switch kind {
    case .text: text += Self.independenceMark
    case .media(let map): text += (areSegmentsIndependent ? Self.independenceMark : "") + Self.line(map)
    case .iFrames(let map): text += "#EXT-X-I-FRAMES-ONLY\n" + Self.line(map)
    }
    for segment in segments {
      text += "#EXTINF:\(Self.seconds(segment.microseconds)),\n"
      if let range = segment.place.range { text += "#EXT-X-BYTERANGE:\(range.count)@\(range.lowerBound)\n" }
      text += uriReference(segment.place.path) + "\n"
    }
    return text + "#EXT-X-ENDLIST\n"
  }

  /// The line that says when players begin (RFC 8216, 4.3.5.2).
  static func startLine(_ microseconds: UInt64) -> String {
    var attributes = PlaylistAttributes()
    attributes.add("TIME-OFFSET", seconds(microseconds))
    attributes.add("PRECISE", true)
    return attributes.line("EXT-X-START")
  }

  private static let independenceMark = "#EXT-X-INDEPENDENT-SEGMENTS\n"

  private static func line(_ map: Place) -> String {
    var attributes = PlaylistAttributes()
    attributes.add("URI", quoted: uriReference(map.path))
    attributes.add("BYTERANGE", quoted: map.range.map { "\($0.count)@\($0.lowerBound)" })
    return attributes.line("EXT-X-MAP") + "\n"
  }

  /// The least version that has all that is used (RFC 8216, 7).
  package var version: Int {
    switch kind {
    case .text: 3
    case .iFrames: 5
    case .media: 6
    }
  }

  /// Seconds with three decimals, or six where three do not say all.
  static func seconds(_ microseconds: UInt64) -> String {
    let isWhole = microseconds % 1_000 == 0
    let fraction = isWhole ? microseconds % 1_000_000 / 1_000 : microseconds % 1_000_000
    return "\(microseconds / 1_000_000)." + fraction.padded(to: isWhole ? 3 : 6)
  }
}

extension Range<UInt64> {
  /// How many bytes.
  var count: UInt64 { upperBound - lowerBound }
}
