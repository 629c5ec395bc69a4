public import MovieBox

/// A track of another movie to be added, with its group, role and associations in this movie.
///
/// The track may contain dubbed or descriptive audio, another angle, subtitles or chapters.
///
/// The track is copied with its sample tables, sample descriptions, time scale and unknown atoms. Properties that the
/// caller changes are rewritten.
///
///     let file = try FileSource(path: "dub.m4a")
///     let dub = try Movie(of: file)
///     var french = TrackInput(dub.tracks[0])
///     french.language = LanguageTag("fr")
///     french.role = .dub
///     let id = try edit.addTrack(french, of: dub, from: file)
public struct TrackInput: Sendable {
  /// The track in its original movie.
  public internal(set) var track: Track
  /// The language, or `nil` if undetermined.
  public var language: LanguageTag?
  /// The title that players show, or `nil` for no title.
  public var title: String?
  /// The tags for the purpose of the track. A new tag for auxiliary content, such as a commentary, also prevents
  /// players from selecting the track automatically (`txas`).
  public var mediaCharacteristics: [MediaCharacteristic]
  /// The role, or `nil` if the tags declare it.
  public var role: TrackRole?
  /// The number of the alternate group, 0 for no group, or `nil` for the group of its kind.
  public var alternateGroup: UInt16?
  /// Whether the track is enabled. If it is `nil`, the track is enabled only if it is a default.
  public var isEnabled: Bool?
  /// Whether the track becomes the default of its group.
  public var isDefault = false
  /// Whether players may select the track automatically, or `nil` if the role determines it.
  public var isSelectedAutomatically: Bool?
  /// The audio tracks that a subtitle track follows.
  public var follow = SubtitleInput.Follow.automatic
  /// The ID of the full track whose forced subtitles the track contains, or `nil` for the full tracks of its language.
  public var fullTrackID: UInt32?

  /// Creates the input for an unchanged, disabled track in the group of its kind.
  public init(_ track: Track) {
    self.track = track
    language = track.language
    title = track.title
    mediaCharacteristics = track.taggedCharacteristics
  }

  /// Returns an input with the same settings for another form of the track.
  func replacingTrack(with track: Track) -> TrackInput {
    var input = self
    input.track = track
    return input
  }

  /// Returns the input with its tags in order and without repetitions. Throws if a new tag cannot be written.
  func withCheckedTags() throws(MovieError) -> TrackInput {
    let oldTags = track.taggedCharacteristics
    let addedTags = try mediaCharacteristics.filter { !oldTags.contains($0) }.written()
    var input = self
    input.mediaCharacteristics = oldTags.filter(mediaCharacteristics.contains) + addedTags
    return input
  }
}

extension TrackInput: NewTrackInput {
  var becomesDefault: Bool { isDefault }
  var yieldsAsDefault: Bool { false }
}
