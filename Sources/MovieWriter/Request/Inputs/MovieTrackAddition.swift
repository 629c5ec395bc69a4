public import MovieBox

/// A track of another movie that an edit is to add, and how it stands among the tracks of this one.
///
///     var french = MovieTrackAddition(MovieTrackInput(movie.tracks[0]))
///     french.role = .dub
///     let ids = try edit.addTracks([french], of: movie, from: source)
public struct MovieTrackAddition: Sendable {
  /// The track, with language, title and tags.
  public var input: MovieTrackInput
  /// The role; `nil` for what its tags say.
  public var role: TrackRole?
  /// The number of its alternate group, 0 for none; `nil` for the group of its kind.
  public var alternateGroup: UInt16?
  /// Whether it is enabled; `nil` for a track that is not, unless it is the default.
  public var isEnabled: Bool?
  /// Whether it becomes the default of its group.
  public var isDefault = false
  /// Whether players may choose it by themselves; `nil` where the role says.
  public var isSelectedAutomatically: Bool?

  /// A track as it is, in the group of its kind, not enabled.
  public init(_ input: MovieTrackInput) {
    self.input = input
  }
}

extension MovieTrackAddition: TrackAddition {
  var mediaCharacteristics: [MediaCharacteristic] { input.mediaCharacteristics }
  var becomesDefault: Bool { isDefault }
  var yieldsAsDefault: Bool { false }
  var follow: SubtitleAddition.Follow { .audioOfItsLanguage }
  var fullPartner: (@Sendable ([OutputTrack]) throws -> UInt32)? { nil }
}
