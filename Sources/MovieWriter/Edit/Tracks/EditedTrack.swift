public import MovieBox

/// A track of the edited movie.
///
/// It stores the unedited track: a track of this movie, a track of another movie, or a generated track. It also stores
/// the edited state: whether it is enabled, its group, its references and its labels. Therefore, the same code edits
/// tracks of every origin, and comparing the two states shows the changes.
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
  var hasLostDefault = false
  /// Whether the caller set the group. If so, the edit does not move the track to another group.
  var hasExplicitGroup = false
  /// Whether the edit declares that the sample descriptions contain all parameter sets, by renaming `hev1` to `hvc1`.
  var declaresParameterSetsComplete = false
  /// Whether the edit writes the handler in the form of QuickTime movies.
  var writesQuickTimeHandler = false

  /// Creates an unchanged track of the movie.
  package init(_ track: Track) {
    let keptTrack = KeptTrack(track)
    planned = keptTrack
    isEnabled = track.isEnabled
    alternateGroup = track.alternateGroup
    references = Self.references(of: track)
    labels = keptTrack.labels
    oldLabels = labels
  }

  /// Creates a new track. The track is disabled and in no group.
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

  /// Whether all samples are forced subtitles. Players show forced subtitles even if subtitles are turned off.
  public var containsOnlyForcedSubtitles: Bool { labels.containsOnlyForcedSubtitles }

  /// Whether players select the track only if a viewer chooses it, and never automatically (`txas`).
  public var isExcludedFromAutomaticSelection: Bool { labels.isExcludedFromAutomaticSelection }

  /// The track of the unedited movie, or `nil` if the track is new.
  package var old: Track? { if case .kept(let track) = planned.origin { track } else { nil } }

  /// The generated track, or `nil` if the edit does not generate the track.
  var generated: (any GeneratedTrack)? {
    if case .generated(let track) = planned.origin { track } else { nil }
  }

  /// The track of another movie, or `nil` if the track is not imported.
  var imported: ImportedTrack? { if case .imported(let track) = planned.origin { track } else { nil } }

  /// Clears the dates in the headers of a generated track.
  mutating func forgetDates() {
    guard var track = generated else { return }
    track.facts.modificationTime = 0
    planned = track
  }

  /// Replaces the samples of a generated subtitle track with newly encoded samples.
  mutating func encodeAgain(_ track: GeneratedSubtitleTrack) {
    planned = track
  }

  /// Returns a copy of the edited track with `track` as the kept track. `track` was read from another version of the
  /// movie atom.
  func read(as track: Track) -> EditedTrack {
    var read = self
    read.planned = KeptTrack(track)
    return read
  }

  /// Whether the track is new or differs from the track of the unedited movie.
  package var hasChanged: Bool {
    guard let track = old else { return true }
    return hasChangedHeader || hasChangedLabels || declaresParameterSetsComplete || writesQuickTimeHandler
      || references != Self.references(of: track)
  }

  var hasChangedHeader: Bool {
    guard let track = old else { return false }
    return isEnabled != track.isEnabled || alternateGroup != track.alternateGroup
  }

  var hasChangedLabels: Bool { labels != oldLabels }
}

extension EditedTrack: OfferedTrack {
  package func referenced(_ type: FourCC) -> [UInt32] { references[type] ?? [] }
}

extension [EditedTrack] {
  /// Returns the index of the first track with an ID. Throws `.invalidEdit` if there is none.
  func index(of id: UInt32) throws(MovieError) -> Int {
    if let index = firstIndex(where: { $0.id == id }) { return index }
    throw MovieError(.invalidEdit, "the movie has no track \(id)")
  }

  /// Returns the index of the only track with the ID.
  func uniqueIndex(of id: UInt32) throws(MovieError) -> Int {
    let index = try index(of: id)
    guard count(where: { $0.id == id }) == 1 else {
      throw MovieError(.invalidEdit, "the movie has more than one track \(id)")
    }
    return index
  }

  /// Throws `.invalidEdit` unless exactly one track has each ID. Makes one pass over all tracks.
  func requireOneTrack(ofEach ids: Set<UInt32>) throws(MovieError) {
    let counts = Dictionary(lazy.map { ($0.id, 1) }, uniquingKeysWith: +)
    ListPass.end(after: count)
    for id in ids.sorted() where counts[id] != 1 { _ = try uniqueIndex(of: id) }  // This throws the error.
  }
}
