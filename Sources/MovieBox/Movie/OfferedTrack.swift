/// A track that players and edits offer beside others: a track of a movie, or a track as an edit will leave it.
package protocol OfferedTrack {
  /// The track's ID.
  var id: UInt32 { get }
  /// The kind of media.
  var mediaType: MediaType { get }
  /// The formats of the samples.
  var formats: [FourCC] { get }
  /// The language; `nil` when none is given.
  var language: LanguageTag? { get }
  /// Whether a player shows the track unless set otherwise.
  var isEnabled: Bool { get }
  /// The group of which a player shows one track at a time; 0 is none.
  var alternateGroup: UInt16 { get }
  /// The tags that the author set.
  var taggedCharacteristics: [MediaCharacteristic] { get }
  /// Whether a player chooses the track only when a viewer picks it (`txas`).
  var isExcludedFromAutomaticSelection: Bool { get }
  /// Whether every sample must be read even by those who have subtitles off.
  var containsOnlyForcedSubtitles: Bool { get }
  /// The tracks that this one refers to in this manner.
  func referenced(_ type: FourCC) -> [UInt32]
}

extension Track: OfferedTrack {}

extension OfferedTrack {
  /// Whether a player uses the track only when a viewer picks it, as a commentary: by its tag, or by `txas`.
  package var isAuxiliary: Bool {
    isExcludedFromAutomaticSelection || taggedCharacteristics.contains(.auxiliaryContent)
  }

  /// Whether the track has both tags of subtitles for the deaf and hard of hearing.
  package var isSDH: Bool { MediaCharacteristic.areSDH(taggedCharacteristics) }

  /// `group 2`, `no group`.
  package var groupName: String { alternateGroup == 0 ? "no group" : "group \(alternateGroup)" }
}

extension Sequence where Element: OfferedTrack {
  /// The IDs of tracks that others have as their chapter lists.
  package var chapterTrackIDs: Set<UInt32> { Set(flatMap { $0.referenced("chap") }) }

  /// The number of the group of tracks of one kind: of several that of the enabled track, else of the first in one;
  /// `nil` where none is in a group.
  package var groupNumber: UInt16? {
    let grouped = filter { $0.alternateGroup != 0 }
    return (grouped.first(where: \.isEnabled) ?? grouped.first)?.alternateGroup
  }
}

extension Collection where Element: OfferedTrack {
  /// The places of the tracks that players offer beside one of this kind; chapters are none.
  package func places(offeredBeside media: MediaType) -> [Index] {
    let chapters = chapterTrackIDs
    return indices.filter { self[$0].mediaType.isOfferedBeside(media) && !chapters.contains(self[$0].id) }
  }

  /// The places of the members of each alternate group, by its number; chapters are none.
  package var groups: [UInt16: [Index]] {
    let chapters = chapterTrackIDs
    let members = indices.filter { self[$0].alternateGroup != 0 && !chapters.contains(self[$0].id) }
    return Dictionary(grouping: members) { self[$0].alternateGroup }
  }
}
