/// A track that players offer for selection: a track of a movie, or a track in the planned result of an edit.
package protocol OfferedTrack {
  var id: UInt32 { get }
  var mediaType: MediaType { get }
  /// The formats of the sample descriptions.
  var formats: [FourCC] { get }
  /// The language, or `nil` if it is unspecified.
  var language: LanguageTag? { get }
  /// Whether a player presents the track by default.
  var isEnabled: Bool { get }
  /// The alternate group, or 0 for no group. A player presents one track of a group at a time.
  var alternateGroup: UInt16 { get }
  /// The characteristics that the author set.
  var taggedCharacteristics: [MediaCharacteristic] { get }
  /// Whether a player presents the track only if the user selects it (`txas`).
  var isExcludedFromAutomaticSelection: Bool { get }
  /// Whether every sample is forced. Players show forced samples even if subtitles are off.
  var containsOnlyForcedSubtitles: Bool { get }
  /// Returns the IDs of the tracks to which this track has references of a type.
  func referenced(_ type: FourCC) -> [UInt32]
}

extension Track: OfferedTrack {}

extension OfferedTrack {
  /// Whether a player presents the track only if the user selects it, as for a commentary. Either a characteristic or
  /// `txas` declares this.
  package var isAuxiliary: Bool {
    isExcludedFromAutomaticSelection || taggedCharacteristics.contains(.auxiliaryContent)
  }

  /// Whether the track has both characteristics of subtitles for the deaf and hard of hearing.
  package var isSDH: Bool { MediaCharacteristic.areSDH(taggedCharacteristics) }

  /// The group for use in messages: `group 2` or `no group`.
  package var groupName: String { alternateGroup == 0 ? "no group" : "group \(alternateGroup)" }
}

extension Sequence where Element: OfferedTrack {
  /// The IDs of tracks that other tracks refer to as their chapter lists.
  package var chapterTrackIDs: Set<UInt32> { Set(flatMap { $0.referenced("chap") }) }

  /// The alternate group of the first enabled track that is in a group, or else the group of the first track that is in
  /// a group. The value is `nil` if no track is in a group.
  package var groupNumber: UInt16? {
    let groupedTracks = filter { $0.alternateGroup != 0 }
    return (groupedTracks.first(where: \.isEnabled) ?? groupedTracks.first)?.alternateGroup
  }
}

extension Collection where Element: OfferedTrack {
  /// Returns the indices of the tracks that players offer together with tracks of a media type. Chapter tracks are
  /// excluded.
  package func indices(offeredWith media: MediaType) -> [Index] {
    let chapters = chapterTrackIDs
    return indices.filter { self[$0].mediaType.isOfferedTogether(with: media) && !chapters.contains(self[$0].id) }
  }

  /// The indices of the members of each alternate group. Chapter tracks are excluded.
  package var groups: [UInt16: [Index]] {
    let chapters = chapterTrackIDs
    let members = indices.filter { self[$0].alternateGroup != 0 && !chapters.contains(self[$0].id) }
    return Dictionary(grouping: members) { self[$0].alternateGroup }
  }
}
