import MovieBox
import MovieWriter

/// What add-track is asked to take of another movie, and what it is to become.
struct TrackRequest: Equatable, Sendable {
  /// The other movie.
  let file: String
  /// Its tracks, in the order of the command line; none for the only one.
  let tracks: [TrackSelector]
  /// The kind of track that is taken, or `nil` for any.
  var mediaType: MediaType?
  /// What `--language` says; `nil` for what the other movie says.
  let language: LanguageTag?
  /// What `--title` says.
  let title: String?
  /// Tags beside those that a track has, in order.
  let characteristics: [MediaCharacteristic]
  /// Whether the new track becomes its group's default.
  let isDefault: Bool
  /// The other settings of the new tracks: role, group, enabled, automatic selection.
  let settings: TrackSettings

  init(from file: String, _ arguments: Arguments) throws(UsageError) {
    self.file = file
    tracks = try arguments.selectors("track")
    language = try arguments.value("language").map { text throws(UsageError) in
      try SubtitleRequest.language(text)
    }
    title = try SubtitleRequest.title(arguments.value("title"))
    var roles: [MediaCharacteristic] = []
    if arguments.contains("describes-video") { roles.append(.describesVideo) }
    if arguments.contains("dub") { roles += [.dubbedTranslation, .translation] }
    if arguments.contains("commentary") { roles.append(.auxiliaryContent) }
    let named = try SubtitleRequest.characteristics(arguments.values("characteristic"), isSDH: false)
    characteristics = roles + named.filter { !roles.contains($0) }
    settings = try TrackSettings(arguments)
    try settings.requireNoRole(beside: ["describes-video", "dub", "commentary"], arguments)
    isDefault = arguments.contains("default")
    try settings.rejectDefaultConflict(isDefault: isDefault)
    guard !isDefault || tracks.count <= 1 else {
      throw UsageError(.conflict, "--default goes with one --track, \(tracks.count) are given")
    }
  }

  /// The track as it is to be added, and how it is to stand among the others.
  func addition(_ track: Track) -> MovieTrackAddition {
    var addition = MovieTrackAddition(input(track))
    addition.role = settings.role
    addition.alternateGroup = settings.alternateGroup
    addition.isEnabled = settings.isEnabled
    addition.isDefault = isDefault
    addition.isSelectedAutomatically = settings.isSelectedAutomatically
    return addition
  }

  private func input(_ track: Track) -> MovieTrackInput {
    var input = MovieTrackInput(track)
    if let language { input.languageTag = language }
    if let title { input.title = title }
    input.mediaCharacteristics += characteristics.filter { !input.mediaCharacteristics.contains($0) }
    return input
  }
}
