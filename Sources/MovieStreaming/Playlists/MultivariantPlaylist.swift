/// The playlist that a player opens (RFC 8216, 4.3.4): the variants of a programme, and what is offered beside them.
package struct MultivariantPlaylist: Hashable, Sendable {
  /// A choice beside the picture: `EXT-X-MEDIA`.
  package struct Rendition: Hashable, Sendable {
    /// What is chosen.
    package enum Kind: String, Sendable {
      case audio = "AUDIO"
      case subtitles = "SUBTITLES"
      case closedCaptions = "CLOSED-CAPTIONS"
    }

    package var kind: Kind
    package var group: String
    package var name: String
    /// A BCP 47 tag.
    package var language: String?
    /// The language that it goes with, where that is another.
    package var associatedLanguage: String?
    package var isDefault: Bool
    package var isAutomaticallySelected: Bool
    package var isForced: Bool
    package var characteristics: [String]
    package var channels: String?
    /// The channel of captions inside the picture, such as `CC1`.
    package var inStreamID: String?
    /// The media playlist; `nil` for captions inside the picture.
    package var path: String?
    /// The track of the movie whose name it has; `nil` where none was given.
    package var trackID: UInt32?
    /// The codecs of its media.
    package var codecs: [String]

    package init(
      kind: Kind, group: String, name: String, language: String?, associatedLanguage: String? = nil, isDefault: Bool,
      isAutomaticallySelected: Bool, isForced: Bool = false, characteristics: [String] = [], channels: String? = nil,
      inStreamID: String? = nil, path: String?, trackID: UInt32? = nil, codecs: [String] = []
    ) {
      self.kind = kind
      self.group = group
      self.name = name
      self.language = language
      self.associatedLanguage = associatedLanguage
      self.isDefault = isDefault
      self.isAutomaticallySelected = isAutomaticallySelected
      self.isForced = isForced
      self.characteristics = characteristics
      self.channels = channels
      self.inStreamID = inStreamID
      self.path = path
      self.trackID = trackID
      self.codecs = codecs
    }

    /// The line of the playlist.
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

  /// What the picture of a variant is.
  package struct Picture: Hashable, Sendable {
    package var width: UInt32
    package var height: UInt32
    /// Frames in a thousand seconds.
    package var framesPerThousandSeconds: UInt64?
    /// `SDR`, `HLG` or `PQ`.
    package var range: String

    package init(width: UInt32, height: UInt32, framesPerThousandSeconds: UInt64?, range: String) {
      self.width = width
      self.height = height
      self.framesPerThousandSeconds = framesPerThousandSeconds
      self.range = range
    }
  }

  /// A variant: `EXT-X-STREAM-INF`, or `EXT-X-I-FRAME-STREAM-INF`.
  package struct Variant: Hashable, Sendable {
    package var rates: BitRates
    package var codecs: [String]
    package var supplementalCodecs: [String]
    package var picture: Picture?
    package var audioGroup: String?
    package var subtitleGroup: String?
    package var captionGroup: String?
    /// The media playlist.
    package var path: String

    package init(
      rates: BitRates, codecs: [String], supplementalCodecs: [String] = [], picture: Picture?,
      audioGroup: String? = nil, subtitleGroup: String? = nil, captionGroup: String? = nil, path: String
    ) {
      self.rates = rates
      self.codecs = codecs
      self.supplementalCodecs = supplementalCodecs
      self.picture = picture
      self.audioGroup = audioGroup
      self.subtitleGroup = subtitleGroup
      self.captionGroup = captionGroup
      self.path = path
    }

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

    /// The lines of the playlist.
    package var lines: [String] {
      var attributes = attributes(isTrickPlay: false)
      attributes.add("AUDIO", quoted: audioGroup)
      attributes.add("SUBTITLES", quoted: subtitleGroup)
      if let captionGroup {
        attributes.add("CLOSED-CAPTIONS", quoted: captionGroup)
      } else {
        // Without it some players list captions that are not there.
        attributes.add("CLOSED-CAPTIONS", "NONE")
      }
      return [attributes.line("EXT-X-STREAM-INF"), uriReference(path)]
    }

    /// The line of the playlist for a variant of single pictures.
    package var trickPlayLine: String {
      var attributes = attributes(isTrickPlay: true)
      attributes.add("URI", quoted: uriReference(path))
      return attributes.line("EXT-X-I-FRAME-STREAM-INF")
    }
  }

  /// Something about the whole programme: `EXT-X-SESSION-DATA`.
  package struct SessionData: Hashable, Sendable {
    /// What a value is.
    package enum Content: Hashable, Sendable {
      case value(String)
      /// A JSON file beside the playlist.
      case file(String)
    }

    package var id: String
    package var language: String?
    package var content: Content

    package init(id: String, language: String? = nil, content: Content) {
      self.id = id
      self.language = language
      self.content = content
    }

    /// The line of the playlist.
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
  /// Whether no segment needs another to be decoded.
  package var areSegmentsIndependent = true
  /// When players begin, in microseconds from the start of the first segment; `nil` for with it.
  package var startInMicroseconds: UInt64?
  /// When the movie and its first segment begin on the clock of the media.
  package var clock = Clock(movie: 0, firstSegment: 0)

  /// Times on the clock of the media, in ticks of 90 kHz.
  ///
  /// A comment (RFC 8216, 4.1) says them, for subtitles that are added later: without others, nothing else in a
  /// presentation says where the movie begins.
  package struct Clock: Hashable, Sendable {
    /// When the movie begins: how much later times of media are than those of the movie.
    package var movie: UInt64
    /// When the first segment begins: later where the movie shows nothing at its start.
    package var firstSegment: UInt64

    package init(movie: UInt64, firstSegment: UInt64) {
      self.movie = movie
      self.firstSegment = firstSegment
    }

    private static let movieMark = "# The movie begins at MPEGTS:"
    private static let segmentMark = ", its first segment at MPEGTS:"

    /// The times that a line says; `nil` for another line.
    package init?(_ line: String) {
      guard line.hasPrefix(Self.movieMark) else { return nil }
      let words = line.dropFirst(Self.movieMark.count)
      let mark = words.firstRange(of: Self.segmentMark)
      // Clocks of 90 kHz have 33 bits.
      guard let movie = UInt64(words[..<(mark?.lowerBound ?? words.endIndex)]), movie < 1 << 33 else { return nil }
      let segment = mark.flatMap { UInt64(words[$0.upperBound...]) } ?? movie
      guard segment < 1 << 33 else { return nil }
      self.init(movie: movie, firstSegment: segment)
    }

    /// The line of the playlist.
    package var line: String {
      Self.movieMark + "\(movie)" + (firstSegment == movie ? "" : Self.segmentMark + "\(firstSegment)")
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

  /// The least version that has all that is used: 7 with captions of CEA-708, else that of the media playlists.
  private var version: Int {
    renditions.contains { $0.inStreamID?.hasPrefix("SERVICE") ?? false } ? 7 : 6
  }
}
