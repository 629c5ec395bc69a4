/// The viewer's settings of a player: languages, accessibility settings, and choices in a menu.
///
/// After AVPlayerMediaSelectionCriteria and the system's caption preferences. ``Movie/automaticSelection(for:)`` tells
/// what a player makes of it.
///
///     var criteria = MediaSelectionCriteria()
///     criteria.preferredLanguages = [LanguageTag("fr"), LanguageTag("en")].compactMap { $0 }
///     criteria.prefersSDH = true
///     print(criteria.showsSubtitles)  // true
public struct MediaSelectionCriteria: Hashable, Sendable {
  /// The viewer's languages, most preferred first.
  public var preferredLanguages: [LanguageTag] = []
  /// Whether subtitles are on; when they are off, those are still shown that a viewer of the sound must read.
  public var showsSubtitles = true
  /// Whether subtitles for the deaf and hard of hearing, and closed captions, come before others.
  public var prefersSDH = false
  /// Whether sound that describes the picture comes before other sound.
  public var prefersAudioDescription = false
  /// The ID of the sound track that the viewer picked from the menu.
  public var pickedAudible: UInt32?
  /// The ID of the subtitle track that the viewer picked from the menu.
  public var pickedLegible: UInt32?

  /// No languages, subtitles on, nothing picked.
  public init() {}
}

/// The automatic choice of a player, and its reasons.
public struct AutomaticMediaSelection: Hashable, Sendable {
  /// The rules, in the order in which a player goes through them.
  public enum Rule: String, Hashable, Sendable {
    /// The viewer chose it in the menu.
    case picked
    /// Subtitles are off.
    case subtitlesOff
    /// A language that the viewer prefers.
    case preferredLanguage
    /// The language of the sound that is played.
    case audioLanguage
    /// The subtitle that follows the sound (`folw`), for languages that cannot match.
    case selectionFollower
    /// The option that is enabled.
    case defaultOption
    /// The first option.
    case firstOption
    /// Apple's players do not list subtitles of this format; other players may. Decides nothing.
    case unlisted
    /// Nothing is left to choose.
    case none
  }

  /// The result of a rule.
  public struct Step: Hashable, Sendable {
    /// The rule.
    public let rule: Rule
    /// Whether it decided.
    public let isDecisive: Bool
    /// One sentence about it.
    public let description: String
  }

  /// One choice.
  public struct Choice: Hashable, Sendable {
    /// The track; `nil` for none.
    public let trackID: UInt32?
    /// The rules that were asked, the last of which decided.
    public let steps: [Step]
  }

  /// The sound.
  public let audible: Choice
  /// The subtitles or captions.
  public let legible: Choice
}
