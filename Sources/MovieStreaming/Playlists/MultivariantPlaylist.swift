/// The playlist that a player opens (RFC 8216, 4.3.4), with the variants of a presentation and the renditions offered
/// with them.
package struct MultivariantPlaylist: Hashable, Sendable {
  /// A selectable rendition: `EXT-X-MEDIA`.
  package struct Rendition: Hashable, Sendable {
    /// The type of media.
    package enum Kind: String, Sendable {
      case audio = "AUDIO"
      case subtitles = "SUBTITLES"
      case closedCaptions = "CLOSED-CAPTIONS"
    }

    package var kind: Kind
    package var group: String
    package var name: String
    /// The BCP 47 tag of the language.
    package var language: String?
    /// The associated language, if it differs from the language.
    package var associatedLanguage: String?
    package var isDefault: Bool
    package var isAutomaticallySelected: Bool
    package var isForced: Bool = false
    package var characteristics: [String] = []
    package var channels: String?
    /// The ID of captions in the video, such as `CC1`.
    package var inStreamID: String?
    /// The path of the media playlist, or `nil` for captions in the video.
    package var path: String?
    /// The ID of the track that the rendition is named after, or `nil` if there is none.
    package var trackID: UInt32?
    /// The codecs of the rendition's media.
    package var codecs: [String] = []

    /// The tag of the rendition.
    package var line: String {
      var attributes = PlaylistAttributes()
      attributes.add("TYPE", kind.rawValue)
      attributes.add("GROUP-ID", quoted: group)
      attributes.add("NAME", quoted: name)
      attributes.add("LANGUAGE", quoted: language)
      attributes.add("ASSOC-LANGUAGE", quoted: associatedLanguage)
      attributes.add("DEFAULT", isDefault)
      attributes.add("AUTOSELECT", isAutomaticallySelected)
      if kind == .subtitles { attributes.add("FORCED", isForced) }
      if !characteristics.isEmpty {
        attributes.add("CHARACTERISTICS", quoted: characteristics.joined(separator: ","))
      }
      attributes.add("CHANNELS", quoted: channels)
      attributes.add("INSTREAM-ID", quoted: inStreamID)
      attributes.add("URI", quoted: path.map(uriReference))
      return attributes.line("EXT-X-MEDIA")
    }
  }

  /// The properties of a variant's video.
  package struct Picture: Hashable, Sendable {
    package var width: UInt32
    package var height: UInt32
    /// The number of frames in a thousand seconds.
    package var framesPerThousandSeconds: UInt64?
    /// `SDR`, `HLG` or `PQ`.
    package var range: String
  }

  /// A variant: `EXT-X-STREAM-INF`, or `EXT-X-I-FRAME-STREAM-INF`.
  package struct Variant: Hashable, Sendable {
    package var rates: BitRates
    package var codecs: [String]
    package var supplementalCodecs: [String] = []
    package var picture: Picture?
    package var audioGroup: String?
    package var subtitleGroup: String?
    package var captionGroup: String?
    /// The path of the media playlist.
    package var path: String

    private func attributes(isTrickPlay: Bool) -> PlaylistAttributes {
      var attributes = PlaylistAttributes()
      attributes.add("BANDWIDTH", "\(rates.peak)")
      attributes.add("AVERAGE-BANDWIDTH", "\(rates.average)")
      attributes.add("CODECS", quoted: codecs.joined(separator: ","))
      if !supplementalCodecs.isEmpty {
        attributes.add("SUPPLEMENTAL-CODECS", quoted: supplementalCodecs.joined(separator: ","))
      }
      if let picture {
        attributes.add("RESOLUTION", "\(picture.width)x\(picture.height)")
        if !isTrickPlay {
          attributes.add("FRAME-RATE", picture.framesPerThousandSeconds.map { MediaPlaylist.seconds($0 * 1_000) })
        }
        attributes.add("VIDEO-RANGE", picture.range)
      }
      return attributes
    }

    /// The tag and the path of the variant.
    package var lines: [String] {
      var attributes = attributes(isTrickPlay: false)
      attributes.add("AUDIO", quoted: audioGroup)
      attributes.add("SUBTITLES", quoted: subtitleGroup)
      if let captionGroup {
        attributes.add("CLOSED-CAPTIONS", quoted: captionGroup)
      } else {
        // Without `CLOSED-CAPTIONS=NONE`, some players list captions that do not exist.
        attributes.add("CLOSED-CAPTIONS", "NONE")
      }
      return [attributes.line("EXT-X-STREAM-INF"), uriReference(path)]
    }

    /// The tag of a variant of single pictures.
    package var trickPlayLine: String {
      var attributes = attributes(isTrickPlay: true)
      attributes.add("URI", quoted: uriReference(path))
      return attributes.line("EXT-X-I-FRAME-STREAM-INF")
    }
  }

  /// An item of data about the whole presentation: `EXT-X-SESSION-DATA`.
  package struct SessionData: Hashable, Sendable {
    /// A value, or a reference to a file.
    package enum Content: Hashable, Sendable {
      case value(String)
      /// A JSON file with this path, relative to the playlist.
      case file(String)
    }

    package var id: String
    package var language: String?
    package var content: Content

    /// The tag of the data.
    package var line: String {
      var attributes = PlaylistAttributes()
      attributes.add("DATA-ID", quoted: id)
      switch content {
      case .value(let text): attributes.add("VALUE", quoted: text)
      case .file(let path): attributes.add("URI", quoted: uriReference(path))
      }
      attributes.add("LANGUAGE", quoted: language)
      return attributes.line("EXT-X-SESSION-DATA")
    }
  }

  package var sessionData: [SessionData] = []
  package var renditions: [Rendition] = []
  package var variants: [Variant] = []
  package var trickPlay: [Variant] = []
  /// Whether each segment can be decoded without other segments.
  package var areSegmentsIndependent = true
  /// The time at which players start, in microseconds from the start of the first segment, or `nil` to start with the
  /// first segment.
  package var startInMicroseconds: UInt64?
  /// The times of the movie's start and of the first segment on the media clock.
  package var clock = Clock(movieStart: 0, firstSegmentStart: 0)

  /// Times on the media clock, in ticks of 90 kHz.
  ///
  /// The playlist contains these times in a comment (RFC 8216, 4.1), so that subtitles can be added to the presentation
  /// later. Without subtitles, nothing else in a presentation declares the start of the movie.
  package struct Clock: Hashable, Sendable {
    /// The media time at which the movie starts. It is the difference between media times and movie times.
    package var movieStart: UInt64
    /// The media time at which the first segment starts. It is later than ``movieStart`` if the movie begins with an
    /// empty edit.
    package var firstSegmentStart: UInt64

    package init(movieStart: UInt64, firstSegmentStart: UInt64) {
      self.movieStart = movieStart
      self.firstSegmentStart = firstSegmentStart
    }

    private static let moviePrefix = "# The movie begins at MPEGTS:"
    private static let segmentPrefix = ", its first segment at MPEGTS:"

    /// Parses the comment, or returns `nil` for another line.
    package init?(_ line: String) {
      guard line.hasPrefix(Self.moviePrefix) else { return nil }
      let words = line.dropFirst(Self.moviePrefix.count)
      let mark = words.firstRange(of: Self.segmentPrefix)
      // The media clock has 33 bits, so larger numbers are invalid.
      guard let movie = UInt64(words[..<(mark?.lowerBound ?? words.endIndex)]), movie < 1 << 33 else { return nil }
      let segment = mark.flatMap { UInt64(words[$0.upperBound...]) } ?? movie
      guard segment < 1 << 33 else { return nil }
      self.init(movieStart: movie, firstSegmentStart: segment)
    }

    /// The comment with the times.
    package var line: String {
      Self.moviePrefix + "\(movieStart)"
        + (firstSegmentStart == movieStart ? "" : Self.segmentPrefix + "\(firstSegmentStart)")
    }
  }

  package init() {}

  /// The text of the playlist.
  package var text: String {
    var lines = ["#EXTM3U", "#EXT-X-VERSION:\(version)"]
    if areSegmentsIndependent { lines.append("#EXT-X-INDEPENDENT-SEGMENTS") }
    if let startInMicroseconds { lines.append(MediaPlaylist.startLine(startInMicroseconds)) }
    lines.append(clock.line)
    lines +=
      sessionData.map(\.line) + renditions.map(\.line) + variants.flatMap(\.lines) + trickPlay.map(\.trickPlayLine)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The smallest version that supports all used features: 7 with CEA-708 captions, or else the version of the media
  /// playlists.
  private var version: Int {
    renditions.contains { $0.inStreamID?.hasPrefix("SERVICE") ?? false } ? 7 : 6
  }
}
