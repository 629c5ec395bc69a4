import MovieBox
import MovieWriter

/// What set is asked to make of a track.
struct TrackChanges: Equatable, Sendable {
  /// The track.
  let track: TrackSelector
  var language: LanguageTag?
  /// An empty one takes the title away.
  var title: String?
  var role: TrackRole?
  var addedCharacteristics: [MediaCharacteristic] = []
  var removedCharacteristics: [MediaCharacteristic] = []
  var alternateGroup: UInt16?
  var isEnabled: Bool?
  var becomesDefault = false
  var isSelectedAutomatically: Bool?

  /// The options that say what is to change: before the first `--track` for all, after one for that one.
  static let options = [
    OptionSpec("language", value: "TAG", isRepeatable: true, "BCP 47 tag: en, pt-BR, zh-Hant; und for none"),
    OptionSpec("title", value: "TEXT", isRepeatable: true, "the name that players show; an empty one takes it away"),
    OptionSpec("role", value: "ROLE", isRepeatable: true, "what the track is for: sdh, forced, commentary …"),
    OptionSpec(
      "characteristic", value: "±NAME", isRepeatable: true, "tag the track (+NAME) or take a tag away (-NAME)"),
    OptionSpec("group", value: "NUMBER", isRepeatable: true, "the alternate group; none for no group"),
    OptionSpec("default", isRepeatable: true, "the track that players choose by themselves, of its group"),
    OptionSpec("enabled", value: "on|off", isRepeatable: true, "whether players use the track unless told otherwise"),
    OptionSpec("autoselect", value: "on|off", isRepeatable: true, "off: players choose it only when a viewer does"),
  ]

  /// What the options ask for, track by track.
  static func all(_ arguments: Arguments) throws(UsageError) -> [TrackChanges] {
    let names = Set(options.map(\.name) + ["track"])
    let words = arguments.occurrences.filter { names.contains($0.name) }
    let common = words.prefix { $0.name != "track" }
    var groups: [(track: TrackSelector, own: [Arguments.Occurrence])] = []
    for word in words.dropFirst(common.count) {
      if word.name == "track" {
        groups.append((try TrackSelector(word.value ?? "", option: "track"), []))
      } else {
        groups[groups.count - 1].own.append(word)
      }
    }
    guard !groups.isEmpty else {
      throw UsageError(.missingOperand, "which track? --track id:5, --track subtitle:es …")
    }
    try requireOnce(common)
    var all: [TrackChanges] = []
    for group in groups {
      try requireOnce(group.own[...])
      var changes = TrackChanges(track: group.track)
      for word in common where !group.own.contains(where: { $0.name == word.name && !isMany(word) }) {
        try changes.read(word)
      }
      for word in group.own { try changes.read(word) }
      guard changes != TrackChanges(track: group.track) else {
        throw UsageError(
          .missingOperand, "what is to change of \(group.track.text)? --language TAG, --title TEXT, --role sdh …")
      }
      all.append(changes)
    }
    return all
  }

  private init(track: TrackSelector) {
    self.track = track
  }

  private static func isMany(_ word: Arguments.Occurrence) -> Bool { word.name == "characteristic" }

  private static func requireOnce(_ words: ArraySlice<Arguments.Occurrence>) throws(UsageError) {
    var seen: Set<String> = []
    for word in words where !isMany(word) {
      guard seen.insert(word.name).inserted else {
        throw UsageError(.repeatedOption, "--\(word.name) is given twice for the same track")
      }
    }
  }

  private mutating func read(_ word: Arguments.Occurrence) throws(UsageError) {
    let value = word.value ?? ""
    switch word.name {
    case "language": language = try SubtitleRequest.language(value)
    case "title": title = value.isEmpty ? "" : try SubtitleRequest.title(value)
    case "role": role = try TrackSettings.role(value)
    case "characteristic": try readCharacteristic(value)
    case "group": alternateGroup = try TrackSettings.group(value)
    case "default": becomesDefault = true
    case "enabled": isEnabled = try TrackSettings.state(value, "enabled")
    case "autoselect": isSelectedAutomatically = try TrackSettings.state(value, "autoselect")
    default: break
    }
    guard !becomesDefault || isEnabled != false else {
      throw UsageError(.conflict, "--default enables the track, --enabled off does not; choose one")
    }
  }

  private mutating func readCharacteristic(_ value: String) throws(UsageError) {
    if value.hasPrefix("-") {
      // What should not stand there can be taken away, too.
      removedCharacteristics.append(MediaCharacteristic(rawValue: String(value.dropFirst())))
    } else {
      let name = String(value.hasPrefix("+") ? value.dropFirst() : value[...])
      addedCharacteristics += try SubtitleRequest.characteristics([name], isSDH: false)
    }
    if let both = addedCharacteristics.first(where: removedCharacteristics.contains) {
      throw UsageError(.conflict, "--characteristic \(both.rawValue) is both to be added and to be taken away")
    }
  }
}
