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

  /// The initialization segment; `nil` for text.
  package let map: Place?
  /// The segments, in the order in which they are played.
  package let segments: [Segment]
  /// Whether each segment is a single picture.
  package let hasOnlyIFrames: Bool

  package init(map: Place?, segments: [Segment], hasOnlyIFrames: Bool = false) {
    self.map = map
    self.segments = segments
    self.hasOnlyIFrames = hasOnlyIFrames
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
  ///   - targetDuration: that of all playlists of the programme, which must be the same.
  ///   - areSegmentsIndependent: whether no segment needs another to be decoded.
  package func text(targetDuration: UInt64, areSegmentsIndependent: Bool) -> String {
    var text = "#EXTM3U\n#EXT-X-VERSION:\(version)\n#EXT-X-TARGETDURATION:\(targetDuration)\n"
    text += "#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n"
    if hasOnlyIFrames { text += "#EXT-X-I-FRAMES-ONLY\n" }
    if areSegmentsIndependent, !hasOnlyIFrames { text += "#EXT-X-INDEPENDENT-SEGMENTS\n" }
    if let map {
      var attributes = PlaylistAttributes()
      attributes.add("URI", quoted: uriReference(map.path))
      attributes.add("BYTERANGE", quoted: map.range.map { "\($0.count)@\($0.lowerBound)" })
      text += attributes.line("EXT-X-MAP") + "\n"
    }
    for segment in segments {
      text += "#EXTINF:\(Self.seconds(segment.microseconds)),\n"
      if let range = segment.place.range { text += "#EXT-X-BYTERANGE:\(range.count)@\(range.lowerBound)\n" }
      text += uriReference(segment.place.path) + "\n"
    }
    return text + "#EXT-X-ENDLIST\n"
  }

  /// The least version that has all that is used (RFC 8216, 7).
  package var version: Int {
    if map != nil { return hasOnlyIFrames ? 5 : 6 }
    return segments.contains { $0.place.range != nil } ? 4 : 3
  }

  /// Seconds with three decimals, or six where three do not say all.
  static func seconds(_ microseconds: UInt64) -> String {
    let isWhole = microseconds % 1_000 == 0
    let fraction = isWhole ? microseconds % 1_000_000 / 1_000 : microseconds % 1_000_000
    let digits = String(fraction)
    return "\(microseconds / 1_000_000)." + String(repeating: "0", count: (isWhole ? 3 : 6) - digits.count) + digits
  }
}

extension Range<UInt64> {
  /// How many bytes.
  var count: UInt64 { upperBound - lowerBound }
}
