public import MovieBox

/// A track of another movie that is to be added: dubbed or descriptive sound, another angle, subtitles, chapters.
///
/// It begins as it is in its own movie. What is set to something else is written; all else is copied: sample tables,
/// sample descriptions, the time scale of the media, atoms that nobody knows.
///
///     let file = try FileSource(path: "dub.m4a")
///     let dub = try Movie(of: file)
///     var french = MovieTrackInput(dub.tracks[0])
///     french.languageTag = LanguageTag("fr")
///     french.mediaCharacteristics += [.dubbedTranslation, .translation]
///     let ids = try edit.add([french], of: dub, from: file)
public struct MovieTrackInput: Sendable {
  /// The track in its own movie.
  public let track: Track
  /// The language as a BCP 47 tag; `nil` is undetermined.
  public var languageTag: LanguageTag?
  /// The title that a player shows; `nil` for none.
  public var title: String?
  /// The tags that say what the track is for. One of auxiliary content that was not there before, such as a commentary,
  /// also keeps players from choosing the track by themselves (`txas`).
  public var mediaCharacteristics: [MediaCharacteristic]

  /// A track as it is.
  public init(_ track: Track) {
    self.track = track
    languageTag = track.language
    title = track.title
    mediaCharacteristics = track.taggedCharacteristics
  }

  /// The same of a track as it is without fragments.
  func moved(to track: Track) -> MovieTrackInput {
    var moved = MovieTrackInput(track)
    moved.languageTag = languageTag
    moved.title = title
    moved.mediaCharacteristics = mediaCharacteristics
    return moved
  }
}

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
  var fullPartner: (@Sendable ([EditedTrack]) throws -> UInt32)? { nil }
}
