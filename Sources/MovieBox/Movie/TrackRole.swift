/// The purpose of a track in one word, as people type and read it.
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

/// The purpose of a track in AVFoundation's words: a tag of its author (`tagc` in the track's `udta`).
///
/// Unknown tags are ordinary, and kept.
///
///     let sdh: [MediaCharacteristic] = [.transcribesSpokenDialog, .describesMusicAndSound]
///     print(sdh[0].rawValue)  // public.accessibility.transcribes-spoken-dialog
public struct MediaCharacteristic: RawRepresentable, Hashable, Sendable {
  /// The tag, such as `public.easy-to-read`.
  public let rawValue: String

  /// The characteristic with this tag. See ``isWellFormed`` for what may be written.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Legible media that writes out what is spoken; one half of SDH.
  public static let transcribesSpokenDialog = MediaCharacteristic(
    rawValue: "public.accessibility.transcribes-spoken-dialog")
  /// Legible media that describes music and sound; the other half of SDH.
  public static let describesMusicAndSound = MediaCharacteristic(
    rawValue: "public.accessibility.describes-music-and-sound")
  /// Legible media in simple words.
  public static let easyToRead = MediaCharacteristic(rawValue: "public.easy-to-read")
  /// Sound that describes the picture.
  public static let describesVideo = MediaCharacteristic(rawValue: "public.accessibility.describes-video")
  /// Sound whose speech is easier to understand.
  public static let enhancesSpeechIntelligibility = MediaCharacteristic(
    rawValue: "public.accessibility.enhances-speech-intelligibility")
  /// A commentary or the like, never chosen by itself.
  public static let auxiliaryContent = MediaCharacteristic(rawValue: "public.auxiliary-content")
  /// Part of the main programme.
  public static let mainProgramContent = MediaCharacteristic(rawValue: "public.main-program-content")
  /// In the language of the original.
  public static let originalContent = MediaCharacteristic(rawValue: "public.original-content")
  /// A translation.
  public static let translation = MediaCharacteristic(rawValue: "public.translation")
  /// A dubbed translation.
  public static let dubbedTranslation = MediaCharacteristic(rawValue: "public.translation.dubbed")
  /// A translation spoken over the original.
  public static let voiceOverTranslation = MediaCharacteristic(rawValue: "public.translation.voice-over")
  /// Made by a machine.
  public static let machineGenerated = MediaCharacteristic(rawValue: "public.machine-generated")
  /// Only what a viewer must read. Inferred from the sample description, never written as a tag.
  public static let containsOnlyForcedSubtitles = MediaCharacteristic(rawValue: "public.subtitles.forced-only")

  /// The two tags of subtitles for the deaf and hard of hearing; players want both.
  public static let sdh: [MediaCharacteristic] = [.transcribesSpokenDialog, .describesMusicAndSound]

  /// Whether the tags of a track are those of subtitles for the deaf and hard of hearing, whatever else it has.
  package static func areSDH(_ tags: [MediaCharacteristic]) -> Bool { sdh.allSatisfy(tags.contains) }

  /// Whether the tag may be written: letters, digits, `-._~` alone, and `public.` or a reversed domain before it
  /// (QTFF "Tagged Media Characteristics").
  public var isWellFormed: Bool {
    rawValue.contains(".") && !rawValue.hasPrefix(".") && !rawValue.hasSuffix(".")
      && rawValue.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "~"):
          true
        default: false
        }
      }
  }
}
