public import MovieBox
public import Subtitles

/// A subtitle track to be added to a movie: its cues, with its group, role and associations in the movie.
///
/// | AVAssetWriterInput | SubtitleInput |
/// |---|---|
/// | `mediaType` | ``mediaType`` |
/// | `languageCode`, `extendedLanguageTag` | ``language`` |
/// | `metadata` with a track name | ``title`` |
/// | `metadata` with tagged characteristics | ``mediaCharacteristics`` |
/// | `append(_:)` | ``cues`` |
///
///     let file = try SubtitleFile.read(bytes, named: "film.en.sdh.srt")
///     var english = SubtitleInput(file, named: "film.en.sdh.srt", besideMovie: "film.mov")
///     english.title = "English"
///     try edit.addSubtitles(english)
public struct SubtitleInput: Hashable, Sendable {
  /// The audio tracks that a new subtitle track follows. Each of these audio tracks refers to the subtitle track
  /// (`folw`).
  public enum Follow: Hashable, Sendable {
    /// The audio tracks that are in the language of the new track and have no follower.
    case automatic
    /// The audio tracks with these IDs.
    case tracks([UInt32])
    /// No audio track.
    case nothing
  }

  /// The treatment of an existing track that has the language and role of a new track.
  public enum ExistingTrackPolicy: Hashable, Sendable {
    /// The new track is added, and the existing track is kept.
    case keep
    /// The new track replaces the existing track.
    case replace
    /// The new track is not added.
    case skip
  }

  /// The media type: text for WebVTT, closed captions for captions, and subtitles otherwise.
  public var mediaType: MediaType {
    switch format {
    case .tx3g: .subtitle
    case .webVTT: .text
    case .captions: .closedCaption
    }
  }
  /// The cues, with times in milliseconds.
  public var cues: [Cue]
  /// The format of the samples. WebVTT is allowed only in MP4 files. Only timed text can be marked as forced.
  public var format = SubtitleTrackFormat.tx3g
  /// The source text of the WebVTT file from which ``cues`` were read, or `nil` to encode the cues. A WebVTT track
  /// contains this text if the number of cues is unchanged.
  package var webVTT: WebVTTSource?
  /// The caption pairs of the SCC or MCC file from which ``cues`` were read, or `nil` to encode the cues. A caption
  /// track contains these pairs if the cues are unchanged.
  package var captions: CaptionSource?
  /// The language, or `nil` if undetermined.
  public var language: LanguageTag?
  /// The title that players show, or `nil` for no title.
  public var title: String?
  /// The tags for the purpose of the track, in addition to the tags of its role.
  public var mediaCharacteristics: [MediaCharacteristic] = []
  /// The role, or `nil` if the tags and ``containsOnlyForcedSubtitles`` declare it.
  public var role: TrackRole?
  /// Whether the track contains only subtitles that players show even if subtitles are turned off.
  public var containsOnlyForcedSubtitles = false
  /// The mapping of the cues' times to the movie.
  public var timing = CueTiming()
  /// Whether the cues are from a track of the movie. Their times then include the delay that all tracks have in common.
  package var areCuesOfMovie = false
  /// The font size. Apple's programs write 5 % of the picture's height, and Android assumes that size.
  public var fontSize = SubtitleFontSize.percentOfPictureHeight(5)
  /// Whether to drop the styles and placements of cues.
  public var isPlain = false
  /// Whether speaker names are written before the text, as in `Ann: `. Otherwise they are dropped with a notice.
  public var namesVoices = false
  /// The number of the alternate group, 0 for no group, or `nil` for the group of the movie's subtitles.
  public var alternateGroup: UInt16?
  /// Whether the track is enabled. If the value is `nil`, only a default track is enabled.
  public var isEnabled: Bool?
  /// Whether the track becomes the default of its group.
  public var isDefault = false
  /// Whether ``isDefault`` is ignored if another input is enabled, or if settings prevent players from selecting the
  /// track.
  public var yieldsAsDefault = false
  /// Whether players may select the track automatically, or `nil` if the role determines it.
  public var isSelectedAutomatically: Bool?
  /// The treatment of an existing track that has the language and role of the new track.
  public var existingTrackPolicy = ExistingTrackPolicy.keep
  /// The audio tracks that the track follows.
  public var follow = Follow.automatic
  /// The ID of the full track whose forced subtitles the track contains, or `nil` for the full tracks of its language.
  public var fullTrackID: UInt32?
  /// The limits for cues. Input beyond the limits is rejected.
  public var limits = SubtitleLimits()

  /// Creates the input for a disabled track with these cues in the group of the movie's subtitles.
  public init(cues: [Cue], language: LanguageTag? = nil, title: String? = nil) {
    self.cues = cues
    self.language = language
    self.title = title
  }

  /// Creates the input for a track with the cues of a subtitle file. A WebVTT track contains the file's own text, and a
  /// caption track the file's own pairs.
  public init(_ file: SubtitleFile, language: LanguageTag? = nil, title: String? = nil) {
    self.init(cues: file.cues, language: language, title: title)
    webVTT = file.webVTT
    captions = file.captions
  }

  /// Creates the input for a track with the cues of a subtitle file. The name of the file determines the language and
  /// role, and whether the track is a default (``/MovieBox/FileNameHints``). If the name contains no language, the
  /// language of a WebVTT header applies.
  ///
  /// - Parameters:
  ///   - file: the contents of the subtitle file.
  ///   - name: the name or path of the subtitle file.
  ///   - movie: the name of the movie. Its words are ignored in `name`.
  public init(_ file: SubtitleFile, named name: String, besideMovie movie: String? = nil) {
    let hints = FileNameHints(path: name, movie: movie)
    let declared = file.language.flatMap { WrittenValue.language($0)?.ifDetermined }
    self.init(file, language: hints.language ?? declared)
    mediaCharacteristics = hints.characteristics
    containsOnlyForcedSubtitles = hints.isForced
    isSelectedAutomatically = hints.isSelectedAutomatically
    (isDefault, yieldsAsDefault) = (hints.isDefault, true)
  }
}

extension SubtitleInput: NewTrackInput {
  /// Whether players must not select the track automatically. A commentary is an example.
  package var isCommentary: Bool {
    let isTagged = role == .commentary || mediaCharacteristics.contains(.auxiliaryContent)
    return isSelectedAutomatically.map { !$0 } ?? isTagged
  }

  /// Whether the track becomes the default of its group, unless it yields to another input. A commentary becomes the
  /// default only if the caller requests it.
  package var becomesDefault: Bool {
    guard isDefault, yieldsAsDefault else { return isDefault }
    return isEnabled != false && alternateGroup != 0 && !isCommentary
  }

  /// The text of the WebVTT file, or `nil` if there is none or the cues are changed.
  var shownWebVTT: WebVTTSource? { isPlain || namesVoices ? nil : webVTT?.matching(cues) }

  /// The caption pairs of the SCC or MCC file, or `nil` if there are none or the cues are changed.
  var shownCaptions: CaptionSource? { isPlain || captions?.readCues != cues ? nil : captions }

  /// The cues with the requested changes to styles and speaker names.
  var shownCues: [Cue] {
    let cues = format == .captions ? webVTT?.placedInCaptionRows(cues) ?? cues : cues
    guard isPlain || namesVoices else { return cues }
    return cues.map { original in
      var cue = original
      if namesVoices { cue.text = cue.text.namingVoices }
      return isPlain ? cue.plain : cue
    }
  }
}
