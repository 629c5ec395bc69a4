/// What a track is for, in a word. The names are those that people type and read.
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

  /// Whether a track with these tags has the role.
  ///
  /// That something is a translation need not be said beside what kind of one it is. A regular track has nothing that
  /// any other role says.
  public func isSignalled(by tags: [MediaCharacteristic], isForcedOnly: Bool) -> Bool {
    switch self {
    case .regular: !isForcedOnly && Self.allCharacteristics.isDisjoint(with: tags)
    case .forced: isForcedOnly
    default: characteristics.allSatisfy { $0 == .translation || tags.contains($0) }
    }
  }

  /// The tags of all roles.
  package static let allCharacteristics = Set(allCases.flatMap(\.characteristics))

  /// Whether tracks of this kind can have the role.
  package func suits(_ media: MediaType) -> Bool {
    switch self {
    case .regular, .commentary, .original: true
    case .sdh, .forced, .easyToRead: media.isLegible
    case .describesVideo, .clearSpeech, .dub, .voiceOver: media == .audio
    }
  }
}
