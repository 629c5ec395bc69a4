/// The preferences of a viewer: languages, accessibility settings, and choices in a player's menus.
///
/// The type is modeled on AVPlayerMediaSelectionCriteria and the caption preferences of Apple's systems.
/// ``Movie/automaticSelection(for:)`` returns the selection that a player derives from these criteria.
///
///     var criteria = MediaSelectionCriteria()
///     criteria.preferredLanguages = [LanguageTag("fr"), LanguageTag("en")].compactMap { $0 }
///     criteria.prefersSDH = true
///     print(criteria.showsSubtitles)  // true
public struct MediaSelectionCriteria: Hashable, Sendable {
  /// The viewer's languages, most preferred first.
  public var preferredLanguages: [LanguageTag] = []
  /// Whether subtitles are on. If subtitles are off, players still show forced subtitles.
  public var showsSubtitles = true
  /// Whether SDH subtitles and closed captions are preferred.
  public var prefersSDH = false
  /// Whether audio descriptions are preferred.
  public var prefersAudioDescription = false
  /// The ID of the audio track that the viewer picked in the menu, or `nil` if the viewer picked none.
  public var pickedAudible: UInt32?
  /// The ID of the subtitle track that the viewer picked in the menu, or `nil` if the viewer picked none.
  public var pickedLegible: UInt32?

  /// Creates criteria without languages, with subtitles on and no picked tracks.
  public init() {}
}

/// The automatic selection of a player, with its reasons.
public struct AutomaticMediaSelection: Hashable, Sendable {
  /// The rules in the order in which a player applies them.
  public enum Rule: String, Hashable, Sendable {
    /// The viewer picked the track in the menu.
    case picked
    /// Subtitles are off.
    case subtitlesOff
    /// The track is in a language that the viewer prefers.
    case preferredLanguage
    /// The track is in the language of the selected audio.
    case audioLanguage
    /// The subtitles follow the audio (`folw`). This rule applies if no language matches.
    case selectionFollower
    /// The track is enabled.
    case defaultOption
    /// The track is the first option.
    case firstOption
    /// Apple's players do not list subtitles of this format, but other players may. This rule never decides the
    /// selection.
    case unlisted
    /// No option remains.
    case none
  }

  /// The result of applying a rule.
  public struct Step: Hashable, Sendable {
    /// The rule.
    public let rule: Rule
    /// Whether the rule decided the selection.
    public let isDecisive: Bool
    /// A description of the result in one sentence.
    public let description: String
  }

  /// The selection of one media type.
  public struct Choice: Hashable, Sendable {
    /// The ID of the selected track, or `nil` if none is selected.
    public let trackID: UInt32?
    /// The applied rules. The last rule decided the selection.
    public let steps: [Step]
  }

  /// The selected audio.
  public let audible: Choice
  /// The selected subtitles or captions.
  public let legible: Choice
}
