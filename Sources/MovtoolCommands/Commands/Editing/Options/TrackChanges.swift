import MovieBox
import MovieWriter

/// The requested changes of a track.
///
/// Several `--track` selectors may match the same track. Before the edit, the requests for each track are compared.
/// Contradictory requests are rejected, whatever the order of the options.
struct TrackChanges: Equatable, Sendable {
  let track: TrackSelector
  /// The options that request the changes.
  private let occurrences: [Arguments.Occurrence]
  var language: LanguageTag?
  /// The new title; an empty string removes the title.
  var title: String?
  var role: TrackRole?
  var addedCharacteristics: [MediaCharacteristic] = []
  var removedCharacteristics: [MediaCharacteristic] = []
  var alternateGroup: UInt16?
  var isEnabled: Bool?
  var becomesDefault = false
  var isSelectedAutomatically: Bool?

  /// The options for changes. An option applies to the `--track` before it, or to all tracks if it precedes the first
  /// `--track`.
  static let options = [
    OptionSpec(
      "language", value: .language, isRepeatable: true, "set the language: en, pt-BR, zh-Hant; und if unknown"),
    OptionSpec("title", value: "TEXT", isRepeatable: true, "set the name that players show; an empty name removes it"),
    OptionSpec(
      "role", value: OptionValue("ROLE", .words(TrackRole.allCases.map(\.rawValue))),
      flags: TrackRole.allCases.map(\.rawValue), isRepeatable: true,
      "set the role: sdh, forced, commentary …; or use --sdh"),
    OptionSpec(
      "characteristic", value: "±NAME", isRepeatable: true, "add a characteristic (+NAME) or remove it (-NAME)"),
    OptionSpec("group", value: "NUMBER", isRepeatable: true, "set the alternate group; none for no group"),
    OptionSpec(
      "default", isRepeatable: true, "make the track the default of its group",
      opposite: "--enabled off disables a track"),
    OptionSpec("enabled", value: .onOrOff, isRepeatable: true, "set the enabled flag of the track (tkhd)"),
    OptionSpec(
      "autoselect", value: .onOrOff, isRepeatable: true, "allow or forbid players to select the track automatically"),
  ]

  /// Returns the changes for each `--track`.
  static func all(_ arguments: Arguments) throws(UsageError) -> [TrackChanges] {
    let names = Set(options.map(\.name) + ["track"])
    let occurrences = arguments.occurrences.filter { names.contains($0.name) }
    let commonOccurrences = occurrences.prefix { $0.name != "track" }
    var groups: [(track: TrackSelector, options: [Arguments.Occurrence])] = []
    for occurrence in occurrences.dropFirst(commonOccurrences.count) {
      if occurrence.name == "track" {
        groups.append((try TrackSelector(occurrence.value ?? "", option: "track"), []))
      } else {
        groups[groups.count - 1].options.append(occurrence)
      }
    }
    guard !groups.isEmpty else {
      throw UsageError(.missingOperand, "specify a track: --track id:5, --track subtitle:es …")
    }
    try requireOnce(commonOccurrences)
    var all: [TrackChanges] = []
    for group in groups {
      try requireOnce(group.options[...])
      let occurrences =
        commonOccurrences.filter { occurrence in
          !group.options.contains { $0.name == occurrence.name && !isRepeatable(occurrence) }
        }
        + group.options
      guard !occurrences.isEmpty else {
        throw UsageError(
          .missingOperand,
          "no change of \(group.track.text) is specified: use --language TAG, --title TEXT, --role sdh …")
      }
      all.append(try TrackChanges(group.track, occurrences))
    }
    return all
  }

  private init(_ track: TrackSelector, _ occurrences: [Arguments.Occurrence]) throws(UsageError) {
    self.track = track
    self.occurrences = occurrences
    for occurrence in occurrences { try read(occurrence) }
    try requestedSettings.rejectDefaultConflict(isDefault: becomesDefault)
  }

  /// The requested settings that can contradict `--default`.
  private var requestedSettings: TrackSettings {
    var settings = TrackSettings()
    (settings.role, settings.alternateGroup) = (role, alternateGroup)
    (settings.isEnabled, settings.isSelectedAutomatically) = (isEnabled, isSelectedAutomatically)
    return settings
  }

  /// Throws if another request for the same track contradicts this one.
  func requireAgreement(with other: TrackChanges, _ id: UInt32) throws(UsageError) {
    for earlier in other.occurrences {
      guard
        let occurrence = occurrences.first(where: { $0.name == earlier.name && differs(from: other, in: $0, earlier) })
      else {
        continue
      }
      throw UsageError.contradiction(
        "\(earlier.spelling) for \(other.track.text)", "\(occurrence.spelling) for \(track.text)",
        "both are track \(id)")
    }
    var combinedSettings = requestedSettings
    (combinedSettings.role, combinedSettings.alternateGroup) = (
      role ?? other.role, alternateGroup ?? other.alternateGroup
    )
    combinedSettings.isEnabled = isEnabled ?? other.isEnabled
    combinedSettings.isSelectedAutomatically = isSelectedAutomatically ?? other.isSelectedAutomatically
    try combinedSettings.rejectDefaultConflict(isDefault: becomesDefault || other.becomesDefault)
  }

  /// Whether two options of the same name request different changes. Values with the same meaning are equal, such as
  /// the groups `none` and `0`, or the languages `eng` and `en`.
  private func differs(
    from other: TrackChanges, in occurrence: Arguments.Occurrence, _ otherWord: Arguments.Occurrence
  ) -> Bool {
    switch occurrence.name {
    case "language": language != other.language
    case "title": title != other.title
    case "role": role != other.role
    case "characteristic": occurrence.removesTag(otherWord) || otherWord.removesTag(occurrence)
    case "group": alternateGroup != other.alternateGroup
    case "enabled": isEnabled != other.isEnabled
    case "autoselect": isSelectedAutomatically != other.isSelectedAutomatically
    default: false
    }
  }

  private static func isRepeatable(_ occurrence: Arguments.Occurrence) -> Bool { occurrence.name == "characteristic" }

  private static func requireOnce(_ occurrences: ArraySlice<Arguments.Occurrence>) throws(UsageError) {
    var seen: Set<String> = []
    for occurrence in occurrences where !isRepeatable(occurrence) {
      guard seen.insert(occurrence.name).inserted else {
        throw UsageError(.repeatedOption, "--\(occurrence.name) is specified twice for the same track")
      }
    }
  }

  private mutating func read(_ occurrence: Arguments.Occurrence) throws(UsageError) {
    let value = occurrence.value ?? ""
    switch occurrence.name {
    case "language": language = try SubtitleRequest.language(value)
    case "title": title = value.isEmpty ? "" : try SubtitleRequest.title(value)
    case "role": role = try TrackSettings.role(value)
    case "characteristic": try readCharacteristic(value)
    case "group": alternateGroup = try TrackSettings.group(value)
    case "default": becomesDefault = true
    case "enabled": isEnabled = try TrackSettings.isOn(value, option: "enabled")
    case "autoselect": isSelectedAutomatically = try TrackSettings.isOn(value, option: "autoselect")
    default: break
    }
  }

  private mutating func readCharacteristic(_ value: String) throws(UsageError) {
    if value.hasPrefix("-") {
      // The name of the tag is not checked, so that invalid tags can be removed.
      removedCharacteristics.append(MediaCharacteristic(rawValue: String(value.dropFirst())))
    } else {
      let name = String(value.hasPrefix("+") ? value.dropFirst() : value[...])
      addedCharacteristics += try SubtitleRequest.characteristics([name], isSDH: false)
    }
    if let contradiction = addedCharacteristics.first(where: removedCharacteristics.contains) {
      throw UsageError(.conflict, "--characteristic \(contradiction.rawValue) cannot be both added and removed")
    }
  }
}

extension Arguments.Occurrence {
  /// The option as it was written.
  var spelling: String { "--\(name)" + (value.map { " \($0)" } ?? "") }

  /// Whether this option removes the tag that the other option adds.
  fileprivate func removesTag(_ other: Arguments.Occurrence) -> Bool {
    guard let value, let tag = other.value, value.hasPrefix("-"), !tag.hasPrefix("-") else { return false }
    return value.dropFirst() == (tag.hasPrefix("+") ? tag.dropFirst() : tag[...])
  }
}
