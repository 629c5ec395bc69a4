import MovieBox
import MovieWriter

/// The tracks that `add-track` copies from another movie, and their new properties.
struct TrackRequest: Equatable, Sendable {
  /// The path of the other movie.
  let file: String
  /// The selectors of tracks in the other movie, in the order of the command line, or empty to copy its only track.
  let tracks: [TrackSelector]
  /// The required media type, or `nil` to accept any type.
  var mediaType: MediaType?
  /// The language from `--language`, or `nil` to keep the track's language.
  let language: LanguageTag?
  /// The title from `--title`, or `nil` to keep the track's title.
  let title: String?
  /// The tags that are added to the track's own tags, in order.
  let characteristics: [MediaCharacteristic]
  /// Whether the new track becomes the default of its group.
  let isDefault: Bool
  /// The other settings of the new tracks: role, group, enabled flag, automatic selection.
  let settings: TrackSettings
  /// The tracks that copied metadata describes.
  var referent = MetadataReferent.unspecified

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
    let requestedCharacteristics = try SubtitleRequest.characteristics(arguments.values("characteristic"), isSDH: false)
    characteristics = roles + requestedCharacteristics.filter { !roles.contains($0) }
    settings = try TrackSettings(arguments)
    try settings.rejectRegularRole(with: ["describes-video", "dub", "commentary"], arguments)
    isDefault = arguments.contains("default")
    try settings.rejectDefaultConflict(isDefault: isDefault)
    guard !isDefault || tracks.count <= 1 else {
      throw UsageError(.conflict, "--default requires a single --track, not \(tracks.count)")
    }
  }

  /// Returns the request for the library: a track with its group, role and other settings.
  func input(_ track: Track) -> TrackInput {
    var input = TrackInput(track)
    input.role = settings.role
    input.alternateGroup = settings.alternateGroup
    input.isEnabled = settings.isEnabled
    input.isDefault = isDefault
    input.isSelectedAutomatically = settings.isSelectedAutomatically
    if let language { input.language = language }
    if let title { input.title = title }
    input.mediaCharacteristics += characteristics.filter { !input.mediaCharacteristics.contains($0) }
    return input
  }
}

/// The track settings that `set`, `add-subtitle` and `add-track` share.
struct TrackSettings: Equatable, Sendable {
  var role: TrackRole?
  /// The alternate group, or 0 for no group.
  var alternateGroup: UInt16?
  var isEnabled: Bool?
  var isSelectedAutomatically: Bool?

  /// Creates settings without values.
  init() {}

  /// Returns the options for the settings. Each option applies to one input or to the whole command, as `scope` says.
  static func options(_ scope: OptionSpec.Scope) -> [OptionSpec] {
    [
      OptionSpec(
        "role", value: OptionValue("ROLE", .words(TrackRole.allCases.map(\.rawValue))), scope: scope,
        "set the role: easy-to-read, commentary …"),
      OptionSpec("group", value: "NUMBER", scope: scope, "set the alternate group, or none; default: by media type"),
      OptionSpec("enabled", value: .onOrOff, scope: scope, "set the enabled flag of the track (tkhd)"),
      OptionSpec(
        "autoselect", value: .onOrOff, scope: scope, "allow or forbid players to select the track automatically"),
    ]
  }

  /// Creates the settings that the options for the input at `index` request.
  init(_ arguments: Arguments, forInput index: Int = 0) throws(UsageError) {
    func value<Value>(
      _ name: String, _ read: (String) throws(UsageError) -> Value
    ) throws(UsageError) -> Value? {
      guard let text = arguments.value(name, forInput: index) else { return nil }
      return try read(text)
    }
    role = try value("role", Self.role)
    alternateGroup = try value("group", Self.group)
    isEnabled = try value("enabled") { text throws(UsageError) in try Self.isOn(text, option: "enabled") }
    isSelectedAutomatically = try value("autoselect") { text throws(UsageError) in
      try Self.isOn(text, option: "autoselect")
    }
  }

  /// Throws if the track becomes the default and a setting contradicts that.
  func rejectDefaultConflict(isDefault: Bool) throws(UsageError) {
    guard isDefault else { return }
    guard isEnabled != false else {
      throw UsageError(.conflict, "--default enables the track, but --enabled off disables it; use one option")
    }
    let isCommentary = role == .commentary && isSelectedAutomatically != true
    guard isSelectedAutomatically != false, !isCommentary else {
      let other = isCommentary ? "--role commentary" : "--autoselect off"
      throw UsageError(
        .conflict, "players select a --default track automatically, but \(other) prevents this; use one option")
    }
    guard alternateGroup != 0 else {
      throw UsageError(
        .conflict, "--default requires a group, but --group none removes the group; use one option, or --enabled on")
    }
  }

  /// Throws if `--role regular` is combined with a flag for a role. Any other role can be combined with these flags.
  func rejectRegularRole(with flags: [String], _ arguments: Arguments, forInput index: Int = 0) throws(UsageError) {
    guard role == .regular, let flag = flags.first(where: { arguments.contains($0, forInput: index) }) else { return }
    throw UsageError(.conflict, "--\(flag) sets a role, but --role regular removes all roles; use one option")
  }

  static func role(_ text: String) throws(UsageError) -> TrackRole {
    if let role = TrackRole(rawValue: text.lowercased()) { return role }
    let names = TrackRole.allCases.map(\.rawValue)
    let suggestion = Suggestion.clause(for: text, among: names)
    throw UsageError(.invalidValue, "--role \(text): use one of \(names.joined(separator: ", "))\(suggestion)")
  }

  static func group(_ text: String) throws(UsageError) -> UInt16 {
    guard let number = text == "none" ? 0 : UInt16(text), number <= UInt16(Int16.max) else {
      throw UsageError(.invalidValue, "--group \(text): specify none or a number from 1 to \(Int16.max)")
    }
    return number
  }

  static func isOn(_ text: String, option: String) throws(UsageError) -> Bool {
    switch text {
    case "on": true
    case "off": false
    default: throw UsageError(.invalidValue, "--\(option) \(text): on or off")
    }
  }
}
