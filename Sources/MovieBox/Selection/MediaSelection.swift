/// A group of a player's menu: the tracks of one kind, of which a viewer chooses one.
///
/// After AVMediaSelectionGroup. The options are the tracks of the kind's alternate group (QTFF "Alternate Groups": the
/// one with the enabled track, where there are several), or all tracks of the kind where none is in a group.
public struct MediaSelectionGroup: Hashable, Sendable {
  /// The kind of media that is chosen.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Pictures.
    case visual
    /// Sound.
    case audible
    /// Text.
    case legible
  }

  /// The kind of media that is chosen.
  public let kind: Kind
  /// The number of the alternate group; 0 where the tracks are in none.
  public let alternateGroup: UInt16
  /// The options, in the order of the movie. Tracks of forced subtitles only are not in menus.
  public let options: [MediaSelectionOption]
  /// Whether a viewer can choose none.
  public var allowsEmptySelection: Bool { kind == .legible }
  /// The option that is used unless a viewer chooses another.
  public var defaultOption: MediaSelectionOption? { options.first(where: \.isDefault) }
}

/// One line of a player's menu.
public struct MediaSelectionOption: Hashable, Sendable {
  /// The track.
  public let trackID: UInt32
  /// The line, such as "English SDH".
  public let displayName: String
  /// The language.
  public let language: LanguageTag?
  /// Whether the track is enabled.
  public let isDefault: Bool
  /// The track of the same language that is shown when subtitles are off, hidden from the menu; `nil` for none.
  public let forcedPartner: UInt32?
  /// The reason why Apple's players do not list this option, such as `the handler "text"`; `nil` if they list it.
  public let obstacle: String?
  /// The tags that the author set; see ``Track/taggedCharacteristics``.
  public let taggedCharacteristics: [MediaCharacteristic]
  /// The characteristics that need no tag; see ``Track/inferredCharacteristics``.
  public let inferredCharacteristics: [MediaCharacteristic]

  /// The tags of the author, and what follows without them.
  public var characteristics: [MediaCharacteristic] { taggedCharacteristics + inferredCharacteristics }

  /// Whether the track has a characteristic, by a tag or without: AVMediaSelectionOption's
  /// `hasMediaCharacteristic(_:)`.
  public func has(_ characteristic: MediaCharacteristic) -> Bool {
    taggedCharacteristics.contains(characteristic) || inferredCharacteristics.contains(characteristic)
  }
}

extension Movie {
  /// The menus that a player would show, without those of kinds that the movie does not have.
  public var mediaSelectionGroups: [MediaSelectionGroup] {
    MediaSelectionGroup.Kind.allCases.compactMap { selectionGroup($0) }
  }

  /// The tracks that a menu of the kind may have; chapters are none.
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
        MediaSelectionOption(
          trackID: track.id, displayName: track.displayName, language: track.language, isDefault: track.isEnabled,
          forcedPartner: track.referenced("forc").first, obstacle: track.menuObstacle?.description,
          taggedCharacteristics: track.taggedCharacteristics,
          inferredCharacteristics: track.inferredCharacteristics)
      })
  }
}

extension MediaType {
  /// The menu that tracks of the kind may be in; `nil` for time code, metadata and others.
  package var selectionKind: MediaSelectionGroup.Kind? {
    switch self {
    case .video: .visual
    case .audio: .audible
    default: isLegible ? .legible : nil
    }
  }
}

extension Track {
  /// The role in words, such as "SDH subtitles" or "chapters"; `nil` for a track with no particular role.
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
    let other = taggedCharacteristics.filter { !(isSDH && MediaCharacteristic.sdh.contains($0)) }
    parts += other.map(\.description)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

extension MediaCharacteristic {
  /// The characteristic in a few words: the name of the role that it makes (``TrackRole``), where it makes one alone;
  /// an unknown one as its tag.
  public var description: String {
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

  /// The kind of media that the tag is for; `nil` where it is for all, and for tags that nobody here knows.
  public var mediaKind: MediaSelectionGroup.Kind? {
    switch self {
    case .transcribesSpokenDialog, .describesMusicAndSound, .easyToRead: .legible
    case .describesVideo, .enhancesSpeechIntelligibility, .dubbedTranslation, .voiceOverTranslation: .audible
    default: nil
    }
  }
}

/// An obstacle that keeps subtitles out of the menus of Apple's players (QTFF "Subtitle Media", "Closed Caption Media";
/// GPAC issues 1573 and 1861).
enum MenuObstacle: Hashable, Sendable {
  /// The handler is that of text, with this format.
  case handler(FourCC)
  /// The samples are of the first format, and should be of one of the others.
  case format(FourCC, listed: [FourCC])

  /// The property of the track, for messages.
  var description: String {
    switch self {
    case .handler(let format): "the handler \"text\" (entry \(format)), not \"sbtl\""
    case .format(let format, let listed):
      "samples of \(format), not \(listed.map(\.description).joined(separator: " or "))"
    }
  }
}

extension Track {
  /// The obstacle that keeps the track out of the menu of subtitles; `nil` if there is none, and for other tracks.
  var menuObstacle: MenuObstacle? {
    guard mediaType.isLegible, let format = sampleDescriptions.entries.first?.format else { return nil }
    if mediaType == .text, format == "tx3g" || format == "text" { return .handler(format) }
    let listed: [FourCC] = mediaType == .closedCaption ? ["c608", "c708"] : ["tx3g"]
    return listed.contains(format) ? nil : .format(format, listed: listed)
  }
}
