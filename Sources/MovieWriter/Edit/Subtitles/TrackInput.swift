public import MovieBox
public import Subtitles

/// A track to be added to a movie: what AVFoundation calls a writer input.
///
/// | AVAssetWriterInput | here |
/// |---|---|
/// | `mediaType` | ``mediaType`` |
/// | `languageCode`, `extendedLanguageTag` | ``languageTag`` |
/// | `metadata` with a track name | ``title`` |
/// | `metadata` with tagged characteristics | ``mediaCharacteristics`` |
/// | `append(_:)` | ``cues`` |
///
///     var english = TrackInput(cues: cues, languageTag: LanguageTag("en"))
///     english.mediaCharacteristics = MediaCharacteristic.sdh
public struct TrackInput: Hashable, Sendable {
  /// The kind of media; tracks of subtitles are what can be made from cues. Those in WebVTT are media of text.
  public var mediaType: MediaType { format == .webVTT ? .text : .subtitle }
  /// What is shown, and when, in milliseconds.
  public var cues: [Cue]
  /// What the samples are written in. WebVTT is for MP4 files, and cannot say that subtitles are forced.
  public var format = SubtitleTrackFormat.tx3g
  /// The words of the WebVTT file that ``cues`` are from, which a track of WebVTT then has; looked at only where it has
  /// as many cues. `nil` makes them of the cues.
  package var webVTT: WebVTTSource?
  /// The language as a BCP 47 tag; `nil` is undetermined.
  public var languageTag: LanguageTag?
  /// The title that a player shows; `nil` for none.
  public var title: String?
  /// The tags that say what the track is for.
  public var mediaCharacteristics: [MediaCharacteristic] = []
  /// Whether the track holds only what a viewer must read even with subtitles off.
  public var containsOnlyForcedSubtitles = false
  /// What times of the movie the cues' times are.
  public var timing = CueTiming()
  /// How large the letters are. 5 % of the picture's height is what Apple's writers have, and what Android's reader
  /// assumes.
  public var fontSize = SubtitleFontSize.percentOfPictureHeight(5)
  /// Whether cues lose their styles and places.
  public var isPlain = false
  /// Whether the names of speakers stand before their words: `Ann: `. Else they are dropped, with a notice.
  public var namesVoices = false
  /// How much of cues is taken before they are refused.
  public var limits = SubtitleLimits()

  /// A track of subtitles with these cues.
  public init(cues: [Cue], languageTag: LanguageTag? = nil, title: String? = nil) {
    self.cues = cues
    self.languageTag = languageTag
    self.title = title
  }

  /// A track of a subtitle file's cues; in a track of WebVTT, with the file's own words.
  public init(_ file: SubtitleFile, languageTag: LanguageTag? = nil, title: String? = nil) {
    self.init(cues: file.cues, languageTag: languageTag, title: title)
    webVTT = file.webVTT
  }
}

extension TrackInput {
  /// The words of the file, unless the cues are to be shown otherwise.
  var shownWebVTT: WebVTTSource? { isPlain || namesVoices ? nil : webVTT?.matching(cues) }

  /// The cues as they are to be shown.
  var shownCues: [Cue] {
    guard isPlain || namesVoices else { return cues }
    return cues.map { original in
      var cue = original
      if namesVoices { cue.text = cue.text.namingVoices }
      return isPlain ? cue.plain : cue
    }
  }
}
