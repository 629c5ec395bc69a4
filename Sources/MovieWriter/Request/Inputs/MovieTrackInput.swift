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
