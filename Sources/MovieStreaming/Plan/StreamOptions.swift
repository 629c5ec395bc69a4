package import MovieBox

/// The options of a presentation.
public struct StreamOptions: Hashable, Sendable {
  /// A fact about the whole presentation (`EXT-X-SESSION-DATA`).
  public struct SessionData: Hashable, Sendable {
    /// The identifier, in reverse domain notation.
    public var id: String
    /// The text, or a metadata identifier such as `common/title` for the movie's values in each language.
    public var value: String

    /// Creates an item.
    public init(id: String, value: String) {
      self.id = id
      self.value = value
    }
  }

  /// A style rule for cues of a class, such as `huge` with `font-size: 150%`.
  public struct Style: Hashable, Sendable {
    /// The name of the class, without the period.
    public var name: String
    /// The CSS declaration.
    public var declaration: String

    /// Creates a rule.
    public init(name: String, declaration: String) {
      self.name = name
      self.declaration = declaration
    }
  }

  /// The target duration of segments, in milliseconds. Each segment begins with a key picture.
  public var segmentMilliseconds: Int
  /// The target duration of text segments, in milliseconds, or `nil` to use the boundaries of the media segments.
  public var textSegmentMilliseconds: Int?
  /// Whether each track is a single file whose byte ranges are its segments.
  public var isSingleFile: Bool
  /// The facts about the presentation.
  public var sessionData: [SessionData]
  /// The style rules for all text.
  public var styles: [Style]
  /// Whether to keep the clock of a fragmented movie that starts after 0. Otherwise, the start of the earliest track is
  /// subtracted from all times.
  public var keepsStart: Bool
  /// Whether the presentation begins with the first key picture after the start of both video and audio.
  ///
  /// Otherwise, the presentation contains everything that the movie shows. Players then disagree about tracks that
  /// begin late.
  public var trimsStart: Bool
  /// Whether a movie with video gets an audio-only variant, which players select if the network is too slow for video.
  public var hasAudioOnlyVariant: Bool
  /// Whether the presentation contains only audio. Otherwise, a movie whose video is not supported in HLS is rejected.
  public var isAudioOnly: Bool
  /// The timed metadata that becomes ID3 tags in events (`emsg`), as patterns of identifiers such as
  /// `mdta/com.example.*`. Other timed metadata is omitted.
  public var timedID3: [String] = []
  /// The limits of the presentation.
  package var limits = StreamLimits()
  /// The names of the movies, for messages.
  package var movieNames: [String] = []

  /// Returns the name of a movie for messages, or its number if it has no name.
  func name(ofMovie index: Int) -> String {
    movieNames.indices.contains(index) ? movieNames[index] : "movie \(index + 1)"
  }

  /// Creates options, by default for segments of 6 seconds in separate files, as Apple's authoring specification
  /// recommends.
  public init(
    segmentMilliseconds: Int = 6_000, textSegmentMilliseconds: Int? = nil, isSingleFile: Bool = false,
    sessionData: [SessionData] = [], styles: [Style] = [], keepsStart: Bool = false, trimsStart: Bool = false,
    hasAudioOnlyVariant: Bool = true, isAudioOnly: Bool = false
  ) {
    self.segmentMilliseconds = segmentMilliseconds
    self.textSegmentMilliseconds = textSegmentMilliseconds
    self.isSingleFile = isSingleFile
    self.sessionData = sessionData
    self.styles = styles
    self.keepsStart = keepsStart
    self.trimsStart = trimsStart
    self.hasAudioOnlyVariant = hasAudioOnlyVariant
    self.isAudioOnly = isAudioOnly
  }

  /// Creates default options with other limits.
  package init(limits: StreamLimits) {
    self.init()
    self.limits = limits
  }
}

/// A change of the input or the options that avoids a notice or a refusal. Each command describes the change by its own
/// options.
package enum StreamRemedy: Hashable, Sendable {
  /// Start the presentation after the start of all tracks (``StreamOptions/trimsStart``).
  case trimmedStart
  /// Do not trim the start.
  case untrimmedStart
  /// Do not keep the clock of the recording (``StreamOptions/keepsStart``).
  case subtractedStart
  /// Use segments with this duration (``StreamOptions/segmentMilliseconds``).
  case segmentDuration(milliseconds: Int)
  /// Add the audio-only movie as an additional audio file for another movie.
  case audioFileOfAnotherMovie
  /// Rename the format in the movie, if the samples allow that.
  case renamedFormat
  /// Encode the video again in its displayed orientation, without a matrix.
  case upright
  /// Write items of timed metadata as events (``StreamOptions/timedID3``).
  case timedEvents
}

/// The refusal to stream a movie, with the track that causes it and the change that avoids it.
///
/// A message of this library does not refer to options of commands. Callers of the library receive only the error. A
/// command receives the refusal, and adds the file and the option to the message.
package struct StreamRefusal: Error {
  package let error: MovieError
  /// The track that causes the refusal, or `nil` if no single track does.
  package let trackID: UInt32?
  /// The change that avoids the refusal, or `nil` if there is none.
  package let remedy: StreamRemedy?

  init(_ error: MovieError, trackID: UInt32? = nil, remedy: StreamRemedy? = nil) {
    (self.error, self.trackID, self.remedy) = (error, trackID, remedy)
  }

  /// Returns the error as a refusal with the track that causes it. A refusal that already has a track is unchanged, and
  /// so is an error of a source.
  static func addingTrack(_ trackID: UInt32?, to error: any Error) -> any Error {
    switch error {
    case let refusal as StreamRefusal:
      StreamRefusal(refusal.error, trackID: refusal.trackID ?? trackID, remedy: refusal.remedy)
    case let error as MovieError where trackID != nil: StreamRefusal(error, trackID: trackID)
    default: error
    }
  }
}
