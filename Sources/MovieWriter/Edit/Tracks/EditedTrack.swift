public import MovieBox
public import Subtitles

/// A track as an edit will leave it.
public struct EditedTrack: Sendable {
  /// The track without the edits: as a movie has it, or as the edit generates it.
  private(set) var planned: any PlannedTrack
  /// Whether a player shows the track unless set otherwise.
  public internal(set) var isEnabled: Bool
  /// The group of which a player shows one track at a time; 0 is none.
  public internal(set) var alternateGroup: UInt16
  /// The IDs of other tracks by type of reference; empty slots are left out.
  public internal(set) var references: [FourCC: [UInt32]]
  /// What the track says of itself.
  var labels: TrackLabels
  private let oldLabels: TrackLabels
  /// Whether the track was disabled because another one became the default.
  var lostDefault = false
  /// Whether the caller set the group, so that tracks which form a group around another one leave this one where it is.
  var hasExplicitGroup = false
  /// Whether the sample descriptions declare that samples contain no parameter sets but theirs: `hev1` becomes `hvc1`.
  var declaresParameterSetsComplete = false

  /// A track of a movie as it is.
  package init(_ track: Track) {
    let kept = KeptTrack(track)
    planned = kept
    isEnabled = track.isEnabled
    alternateGroup = track.alternateGroup
    references = Self.references(of: track)
    labels = kept.labels
    oldLabels = labels
  }

  /// A new track, disabled, in no group.
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

  /// The types of the sample descriptions.
  package var formats: [FourCC] {
    let formats = planned.formats
    return declaresParameterSetsComplete ? formats.map { InBandParameterSets.namesWithoutThem[$0] ?? $0 } : formats
  }

  /// The language; `nil` when none is given.
  public var language: LanguageTag? { labels.language }

  /// The title that a player shows; `nil` when none is given.
  public var title: String? { labels.title }

  /// The tags that the author set.
  public var taggedCharacteristics: [MediaCharacteristic] { labels.characteristics }

  /// Whether every sample must be read even by those who have subtitles off.
  public var containsOnlyForcedSubtitles: Bool { labels.containsOnlyForcedSubtitles }

  /// Whether a player chooses the track only when a viewer picks it (`txas`).
  public var isExcludedFromAutomaticSelection: Bool { labels.isExcludedFromAutomaticSelection }

  /// How many cues of a new track are shown, in whole or in part; `nil` for a track of the movie.
  public var shownCueCount: Int? { (planned as? GeneratedSubtitleTrack)?.shownCueCount }

  /// What was repaired, cut or dropped in the cues of a new track.
  public var subtitleNotices: [SubtitleNotice] { (planned as? GeneratedSubtitleTrack)?.notices ?? [] }

  /// The track as the movie has it, or `nil` for a new track.
  package var old: Track? { planned.kept }

  /// The track that the edit generates, or `nil` if this movie or another has it.
  var generated: (any GeneratedTrack)? { planned.generated }

  /// Whether the edit generates the track from chapters.
  var isMadeOfChapters: Bool { planned is ChapterTrack }

  /// Removes the dates of a generated track of chapters.
  mutating func forgetDates() {
    if let chapters = planned as? ChapterTrack { planned = chapters.undated }
  }

  /// Replaces the samples of a generated track of subtitles by others.
  mutating func encodeAgain(_ track: GeneratedSubtitleTrack) {
    planned = track
  }

  /// The same track of the same movie, read from another movie atom.
  func read(as track: Track) -> EditedTrack {
    var read = self
    read.planned = KeptTrack(track)
    return read
  }

  /// Whether the track is new or differs from what the movie has.
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

  /// Takes references away, those of one type or of all, to tracks whose IDs match; gives the types that lost one.
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

  /// Replaces references to replaced tracks by references to their successors, once each, and drops a reference that
  /// would point to the track itself.
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

/// A reference of a track to another.
package struct TrackLink: Hashable {
  package let type: FourCC
  /// The track that carries the reference.
  package let trackID: UInt32
  /// The track that the reference names.
  package let target: UInt32
}

extension [EditedTrack] {
  /// The references of these tracks to `targets`, sorted by track and type, without duplicates. Costs one pass.
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
