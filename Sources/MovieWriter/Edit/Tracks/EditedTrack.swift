public import MovieBox
public import Subtitles

/// A track of the edited movie.
///
/// It stores the unedited track, which comes from this movie, another movie or the edit. It also stores the edited state:
/// default, group, references and labels. Therefore, the same code edits tracks of every origin, and comparing the two
/// states shows the changes.
public struct EditedTrack: Sendable {
  /// The track before the edit changes its group, references and labels.
  private(set) var planned: any PlannedTrack
  /// Whether players play the track by default.
  public internal(set) var isEnabled: Bool
  /// The number of the alternate group, or 0 if the track is in none. Players play one track of a group at a time.
  public internal(set) var alternateGroup: UInt16
  /// The IDs of the tracks to which the track refers, by type of reference. Unused slots are omitted.
  public internal(set) var references: [FourCC: [UInt32]]
  /// The labels of the track, such as language, title and tags.
  var labels: TrackLabels
  private let oldLabels: TrackLabels
  /// Whether the track was disabled because another track became the default.
  var lostDefault = false
  /// Whether the caller set the group. If so, the edit does not move the track to another group.
  var hasExplicitGroup = false
  /// Whether the edit declares that the sample descriptions contain all parameter sets, by renaming `hev1` to `hvc1`.
  var declaresParameterSetsComplete = false

  /// Creates an unchanged track of the movie.
  package init(_ track: Track) {
    let kept = KeptTrack(track)
    planned = kept
    isEnabled = track.isEnabled
    alternateGroup = track.alternateGroup
    references = Self.references(of: track)
    labels = kept.labels
    oldLabels = labels
  }

  /// Creates a new track, which is disabled and in no group.
  init(_ track: some PlannedTrack) {
    planned = track
    labels = track.labels
    oldLabels = labels
    (isEnabled, alternateGroup, references) = (false, 0, [:])
  }

  /// The track's ID.
  public var id: UInt32 { planned.id }

  /// The kind of media.
  public var mediaType: MediaType { planned.mediaType }

  /// The formats of the sample descriptions.
  package var formats: [FourCC] {
    let formats = planned.formats
    return declaresParameterSetsComplete ? formats.map { InBandParameterSets.replacementFormats[$0] ?? $0 } : formats
  }

  /// The language, or `nil` if the track declares none.
  public var language: LanguageTag? { labels.language }

  /// The title that players show, or `nil` if the track has none.
  public var title: String? { labels.title }

  /// The media characteristics that the author declared (`tagc`).
  public var taggedCharacteristics: [MediaCharacteristic] { labels.characteristics }

  /// Whether all samples are forced subtitles, which players show even if subtitles are turned off.
  public var containsOnlyForcedSubtitles: Bool { labels.containsOnlyForcedSubtitles }

  /// Whether players select the track only if a viewer chooses it, and never automatically (`txas`).
  public var isExcludedFromAutomaticSelection: Bool { labels.isExcludedFromAutomaticSelection }

  /// The number of cues that are shown in whole or in part, or `nil` if the edit does not generate the track from
  /// subtitles.
  public var shownCueCount: Int? { (planned as? GeneratedSubtitleTrack)?.shownCueCount }

  /// The notices about cues of a new subtitle track that were repaired, shortened or dropped.
  public var subtitleNotices: [SubtitleNotice] { (planned as? GeneratedSubtitleTrack)?.notices ?? [] }

  /// The track of the unedited movie, or `nil` if the track is new.
  package var old: Track? { planned.kept }

  /// The generated track, or `nil` if the edit does not generate the track.
  var generated: (any GeneratedTrack)? { planned.generated }

  /// Whether the edit generates the track from chapters.
  var isMadeOfChapters: Bool { planned is ChapterTrack }

  /// Clears the dates in the headers of a generated chapter track.
  mutating func forgetDates() {
    if let chapters = planned as? ChapterTrack { planned = chapters.undated }
  }

  /// Replaces the samples of a generated subtitle track with newly encoded samples.
  mutating func encodeAgain(_ track: GeneratedSubtitleTrack) {
    planned = track
  }

  /// Returns a copy of the edited track whose kept track was read from another version of the movie atom.
  func read(as track: Track) -> EditedTrack {
    var read = self
    read.planned = KeptTrack(track)
    return read
  }

  /// Whether the track is new or differs from the track of the unedited movie.
  package var hasChanged: Bool {
    guard let track = old else { return true }
    return hasChangedHeader || hasChangedLabels || declaresParameterSetsComplete
      || references != Self.references(of: track)
  }

  var hasChangedHeader: Bool {
    guard let track = old else { return false }
    return isEnabled != track.isEnabled || alternateGroup != track.alternateGroup
  }

  var hasChangedLabels: Bool { labels != oldLabels }

  /// Removes the references to tracks for whose IDs `isWrong` returns true, and returns the types of the removed
  /// references.
  ///
  /// - Parameter only: the type of the references, or `nil` for any type.
  mutating func removeReferences(
    ofType only: FourCC? = nil, where isWrong: (UInt32) -> Bool
  ) -> [FourCC] {
    var changed: [FourCC] = []
    for (type, ids) in references where only == nil || only == type {
      let kept = ids.filter { !isWrong($0) }
      guard kept.count < ids.count else { continue }
      references[type] = kept.isEmpty ? nil : kept
      changed.append(type)
    }
    return changed.sorted { $0.rawValue < $1.rawValue }
  }

  /// Replaces references to replaced tracks with references to their successors. Drops duplicates and references of the
  /// track to itself.
  ///
  /// - Parameter successors: the ID of the new track, by the ID of the track that it replaces.
  mutating func replaceReferences(_ successors: [UInt32: UInt32]) {
    for (type, ids) in references where ids.contains(where: { successors[$0] != nil }) {
      let known = Set(ids)
      let kept = ids.compactMap { id -> UInt32? in
        guard let new = successors[id] else { return id }
        return new == self.id || known.contains(new) ? nil : new
      }
      references[type] = kept.isEmpty ? nil : kept
    }
  }

  static func references(of track: Track) -> [FourCC: [UInt32]] {
    Dictionary(grouping: track.references, by: \.type).mapValues { $0.flatMap(\.trackIDs).filter { $0 != 0 } }
      .filter { !$0.value.isEmpty }
  }
}

/// A reference from one track to another.
package struct TrackLink: Hashable {
  package let type: FourCC
  /// The ID of the track that contains the reference.
  package let trackID: UInt32
  /// The ID of the track to which the reference points.
  package let target: UInt32
}

extension [EditedTrack] {
  /// Returns the references of these tracks to `targets`, sorted by track and type, without duplicates. Costs one pass.
  package func references(to targets: Set<UInt32>) -> [TrackLink] {
    ListPass.end(after: count)
    return flatMap { track in
      track.references.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { type, ids in
        ids.filter(targets.contains).withoutRepetition
          .map { TrackLink(type: type, trackID: track.id, target: $0) }
      }
    }
  }
}

extension EditedTrack: OfferedTrack {
  package func referenced(_ type: FourCC) -> [UInt32] { references[type] ?? [] }
}
