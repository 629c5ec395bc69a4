/// A selection menu of a player. It lists the tracks of one media type, and a viewer selects one of them.
///
/// The type is modeled on AVMediaSelectionGroup. The options are the tracks in the alternate group of the media type
/// (QTFF "Alternate Groups"). If there are several groups, the group with the enabled track is used. If no track is in
/// a group, all tracks of the media type are options.
public struct MediaSelectionGroup: Hashable, Sendable {
  /// The media type of a menu.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Video.
    case visual
    /// Audio.
    case audible
    /// Subtitles, captions and other text.
    case legible
  }

  /// The media type of the menu.
  public let kind: Kind
  /// The number of the alternate group, or 0 if the tracks are in no group.
  public let alternateGroup: UInt16
  /// The options in the order of the movie. Forced-only tracks are not options.
  public let options: [MediaSelectionGroup.Option]
  /// Whether a viewer can turn the media off and select no option.
  public var allowsEmptySelection: Bool { kind == .legible }
  /// The option that is used unless a viewer selects another option.
  public var defaultOption: MediaSelectionGroup.Option? { options.first(where: \.isDefault) }
}

extension MediaSelectionGroup {
  /// An option in a player's menu.
  public struct Option: Hashable, Sendable {
    /// The track ID.
    public let trackID: UInt32
    /// The name in the menu, such as "English SDH".
    public let displayName: String
    /// The language.
    public let language: LanguageTag?
    /// Whether the track is enabled. Players use an enabled track by default.
    public let isDefault: Bool
    /// The forced-only track that is shown if subtitles are off, or `nil` if there is none. The menu does not list
    /// this track.
    public let forcedPartner: UInt32?
    /// The reason why Apple's players do not list this option, such as `the handler "text"`, or `nil` if they list
    /// it.
    public let obstacle: String?
    /// The characteristics that the file declares in tags. See ``Track/taggedCharacteristics``.
    public let taggedCharacteristics: [MediaCharacteristic]
    /// The characteristics that do not require a tag. See ``Track/inferredCharacteristics``.
    public let inferredCharacteristics: [MediaCharacteristic]

    /// The tagged and the inferred characteristics.
    public var characteristics: [MediaCharacteristic] { taggedCharacteristics + inferredCharacteristics }

    /// Whether the track has a tagged or inferred characteristic. The method corresponds to
    /// `hasMediaCharacteristic(_:)` of AVMediaSelectionOption.
    public func has(_ characteristic: MediaCharacteristic) -> Bool {
      taggedCharacteristics.contains(characteristic) || inferredCharacteristics.contains(characteristic)
    }
  }
}

extension Movie {
  /// The menus of a player for this movie. The list omits media types that the movie does not contain.
  public var mediaSelectionGroups: [MediaSelectionGroup] {
    MediaSelectionGroup.Kind.allCases.compactMap { selectionGroup($0) }
  }

  /// Returns the tracks that can be in the menu of a media type. Excludes chapter tracks.
  func tracks(of kind: MediaSelectionGroup.Kind) -> [Track] {
    tracks.filter { $0.mediaType.selectionKind == kind && !chapterTrackIDs.contains($0.id) }
  }

  private func selectionGroup(_ kind: MediaSelectionGroup.Kind) -> MediaSelectionGroup? {
    let candidates = tracks(of: kind)
    guard !candidates.isEmpty else { return nil }
    let number = candidates.groupNumber ?? 0
    let members = candidates.filter { $0.alternateGroup == number && !$0.containsOnlyForcedSubtitles }
    return MediaSelectionGroup(
      kind: kind, alternateGroup: number,
      options: members.map { track in
        MediaSelectionGroup.Option(
          trackID: track.id, displayName: track.displayName, language: track.language, isDefault: track.isEnabled,
          forcedPartner: track.referenced("forc").first, obstacle: track.menuObstacle?.description,
          taggedCharacteristics: track.taggedCharacteristics,
          inferredCharacteristics: track.inferredCharacteristics)
      })
  }
}

extension MediaType {
  /// The menu that can list tracks of this media type, or `nil` for other types such as time code and metadata.
  package var selectionKind: MediaSelectionGroup.Kind? {
    switch self {
    case .video: .visual
    case .audio: .audible
    default: isLegible ? .legible : nil
    }
  }
}

extension Track {
  /// Returns the role of the track, such as "SDH" or "chapters", or `nil` if it has no particular role.
  public func role(in movie: Movie) -> String? {
    var parts: [String] = []
    if movie.chapterTrackIDs.contains(id) { parts.append("chapters") }
    if containsOnlyForcedSubtitles {
      parts.append("forced only")
    } else if containsSomeForcedSubtitles {
      parts.append("some forced")
    }
    let isSDH = isSDH
    if isSDH { parts.append("SDH") }
    let otherCharacteristics = taggedCharacteristics.filter { !(isSDH && MediaCharacteristic.sdh.contains($0)) }
    parts += otherCharacteristics.map(\.name)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

extension MediaCharacteristic {
  /// A short description. If the characteristic alone defines a role, the description is the name of the role
  /// (``TrackRole``). An unknown characteristic is described by its tag.
  package var name: String {
    switch self {
    case .transcribesSpokenDialog: "transcribes dialog"
    case .describesMusicAndSound: "describes music and sound"
    case .mainProgramContent: "main program"
    case .translation: "translation"
    case .machineGenerated: "machine-generated"
    case .containsOnlyForcedSubtitles: "forced only"
    default: TrackRole.allCases.first { $0.characteristics.first == self }?.rawValue ?? rawValue
    }
  }

  /// The media type to which the tag applies, or `nil` if the tag applies to all media types or is unknown.
  public var mediaKind: MediaSelectionGroup.Kind? {
    switch self {
    case .transcribesSpokenDialog, .describesMusicAndSound, .easyToRead: .legible
    case .describesVideo, .enhancesSpeechIntelligibility, .dubbedTranslation, .voiceOverTranslation: .audible
    default: nil
    }
  }
}

/// The reason why Apple's players do not list a subtitle track (QTFF "Subtitle Media", "Closed Caption Media"; GPAC
/// issues 1573 and 1861).
enum MenuObstacle: Hashable, Sendable {
  /// The handler is `text` instead of `sbtl`. `format` is the format of the samples.
  case handler(format: FourCC)
  /// The samples have a format that players do not list. Players list only the formats in `listed`.
  case format(FourCC, listed: [FourCC])

  /// A description of the obstacle, for messages.
  var description: String {
    switch self {
    case .handler(let format): "the handler \"text\" (entry \(format)), not \"sbtl\""
    case .format(let format, let listed):
      "samples of \(format), not \(listed.map(\.description).joined(separator: " or "))"
    }
  }
}

extension Track {
  /// The reason why players do not list the track, or `nil` if they list it or if it contains no subtitles.
  var menuObstacle: MenuObstacle? {
    guard mediaType.isLegible, let format = sampleDescriptions.entries.first?.format else { return nil }
    if mediaType == .text, format == "tx3g" || format == "text" { return .handler(format: format) }
    let captionFormats: [FourCC] = mediaType == .closedCaption ? ["c608", "c708"] : ["tx3g"]
    return captionFormats.contains(format) ? nil : .format(format, listed: captionFormats)
  }
}
