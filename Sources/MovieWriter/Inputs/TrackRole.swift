public import MovieBox

/// What a track is for, in a word; ``MovieEdit/setRole(_:of:)`` writes all that says so.
public enum TrackRole: String, CaseIterable, Sendable {
  /// Nothing but its kind.
  case regular
  /// Subtitles for the deaf and hard of hearing.
  case sdh
  /// Only what must be read even with subtitles off.
  case forced
  /// Subtitles in simple words.
  case easyToRead = "easy-to-read"
  /// A commentary, which players do not choose by themselves.
  case commentary
  /// Sound that describes the picture.
  case describesVideo = "describes-video"
  /// Sound whose speech is easier to understand.
  case clearSpeech = "clear-speech"
  /// A dubbed translation.
  case dub
  /// A translation spoken over the original.
  case voiceOver = "voice-over"
  /// In the language of the original.
  case original

  /// The tags that say so.
  public var characteristics: [MediaCharacteristic] {
    switch self {
    case .regular, .forced: []
    case .sdh: MediaCharacteristic.sdh
    case .easyToRead: [.easyToRead]
    case .commentary: [.auxiliaryContent]
    case .describesVideo: [.describesVideo]
    case .clearSpeech: [.enhancesSpeechIntelligibility]
    case .dub: [.dubbedTranslation, .translation]
    case .voiceOver: [.voiceOverTranslation, .translation]
    case .original: [.originalContent]
    }
  }

  static let allCharacteristics = Set(allCases.flatMap(\.characteristics))

  /// Whether tracks of this kind can have the role.
  func suits(_ media: MediaType) -> Bool {
    switch self {
    case .regular, .commentary, .original: true
    case .sdh, .forced, .easyToRead: media.isLegible
    case .describesVideo, .clearSpeech, .dub, .voiceOver: media == .audio
    }
  }
}
