package import MovieBox

/// How a presentation is cut and what is added to it.
public struct StreamOptions: Hashable, Sendable {
  /// Something about the whole programme (`EXT-X-SESSION-DATA`).
  public struct SessionData: Hashable, Sendable {
    /// A name in reversed domain notation.
    public var id: String
    /// The text; of the form `common/title`, what the movie says of that, in each language.
    public var value: String

    /// An item of these values.
    public init(id: String, value: String) {
      self.id = id
      self.value = value
    }
  }

  /// A rule for cues of a class, for the style sheets of text: `huge`, `font-size: 150%`.
  public struct Style: Hashable, Sendable {
    /// The class, without the point.
    public var name: String
    /// The declaration of the style sheet.
    public var declaration: String

    /// A rule of these words.
    public init(name: String, declaration: String) {
      self.name = name
      self.declaration = declaration
    }
  }

  /// How long segments are to be; each begins with a picture that can be shown alone.
  public var segmentMilliseconds: Int
  /// How long segments of text are to be; `nil` for as long as those of the picture.
  public var textSegmentMilliseconds: Int?
  /// Whether all segments of a track are one file, of which playlists name ranges.
  public var isSingleFile: Bool
  /// What is said about the programme.
  public var sessionData: [SessionData]
  /// Rules that the style sheets of all text have.
  public var styles: [Style]
  /// Whether the presentation keeps the clock of a fragmented movie that starts after 0. Without it the start of the
  /// earliest track is subtracted from all times.
  public var keepsStart: Bool
  /// Whether the presentation begins with the first key picture after picture and sound have both begun. Without it the
  /// presentation has all that the movie shows, and players disagree about tracks that begin later than others.
  public var trimsStart: Bool
  /// Whether a movie with pictures gets a variant of its sound alone, which players choose where the network is too slow
  /// for the pictures.
  public var hasAudioOnlyVariant: Bool
  /// Whether the pictures are left out: a presentation of the sound alone. Without it, a movie none of whose pictures
  /// plays in HLS is refused.
  public var isAudioOnly: Bool
  /// How large the presentation may be.
  package var limits = StreamLimits()
  /// The names of the movies, for messages.
  package var movieNames: [String] = []

  /// The name of a movie; its number where it has none.
  func name(ofMovie index: Int) -> String {
    movieNames.indices.contains(index) ? movieNames[index] : "movie \(index + 1)"
  }

  /// Segments of 6 seconds in files of their own, as Apple's authoring specification has them.
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

  /// The same, for a presentation that may be so large.
  package init(limits: StreamLimits) {
    self.init()
    self.limits = limits
  }
}

/// A change to the options that avoids a notice or lifts a refusal. A command names its own option for the change.
package enum StreamRemedy: Hashable, Sendable {
  /// To begin where all tracks have begun (``StreamOptions/trimsStart``).
  case trimmedStart
  /// Not to trim the start.
  case wholeStart
  /// Not to keep the clock of the recording (``StreamOptions/keepsStart``).
  case subtractedStart
  /// To make segments of so many milliseconds (``StreamOptions/segmentMilliseconds``).
  case segmentDuration(milliseconds: Int)
  /// To add sound without pictures to one of the movies instead.
  case soundOfAnotherFile
  /// To rename the format in the movie, if its samples allow that.
  case renamedFormat
  /// To encode the picture as viewers are to see it, without a matrix.
  case uprightPicture
}

/// The refusal to stream a movie, with the track that causes it and the change that lifts it.
///
/// A message of this library does not name options of commands. The library throws the error alone; a command gets the
/// refusal, and knows the file and the option.
package struct StreamRefusal: Error {
  package let error: MovieError
  /// The track that causes the refusal, or `nil` if no single track does.
  package let trackID: UInt32?
  /// The change that lifts the refusal, or `nil` if no option does.
  package let remedy: StreamRemedy?

  init(_ error: MovieError, trackID: UInt32? = nil, remedy: StreamRemedy? = nil) {
    (self.error, self.trackID, self.remedy) = (error, trackID, remedy)
  }

  /// The error with the track that causes it. A refusal keeps its track, and errors of sources have none.
  static func make(of error: any Error, trackID: UInt32?) -> any Error {
    switch error {
    case let refusal as StreamRefusal:
      StreamRefusal(refusal.error, trackID: refusal.trackID ?? trackID, remedy: refusal.remedy)
    case let error as MovieError where trackID != nil: StreamRefusal(error, trackID: trackID)
    default: error
    }
  }
}
