import MovieBox
import MovieWriter

/// `movtool select FILE`.
struct SelectCommand: Command {
  static let name = "select"

  static let manual = CommandManual(
    operands: "FILE",
    summary: "show which audio and subtitles a player selects, and why",
    examples: [
      .init(line: "movtool select film.mov", effect: "assume no preferences, and that subtitles are on"),
      .init(
        line: "movtool select film.mov --language es --language en --prefer-sdh",
        effect: "assume that the viewer prefers Spanish, English and SDH"),
      .init(
        line: "movtool select film.mov --audio audio:fr --subtitles off",
        effect: "show the forced subtitles for French audio"),
    ],
    options: [
      OptionSpec(
        "language", value: .language, isRepeatable: true, "add a preferred language, most preferred first"),
      OptionSpec("prefer-sdh", "assume that Closed Captions + SDH is on"),
      OptionSpec("prefer-description", "assume that Audio Descriptions (VoiceOver) is on"),
      OptionSpec("subtitles", value: .onOrOff, "assume that subtitles are on (default) or off"),
      OptionSpec("audio", value: .selector, "assume that the viewer selected this audio"),
      OptionSpec("subtitle", value: .selector, "assume that the viewer selected these subtitles"),
      .json,
    ],
    notes: [
      "On an iPhone, Apple TV or Mac, the settings of --prefer-sdh and --prefer-description are in",
      "Accessibility: Subtitles & Captioning, Closed Captions + SDH; and Audio Descriptions.",
    ] + TrackSelector.notes("matches one track"))

  /// The path of the movie.
  let file: String
  /// The viewer's preferences. They contain no explicit choice of an option.
  let criteria: MediaSelectionCriteria
  let pickedAudio: TrackSelector?
  let pickedSubtitle: TrackSelector?
  let isJSON: Bool

  var isReadOnly: Bool { true }

  init(_ arguments: Arguments) throws(UsageError) {
    file = try EditOptions.movie(arguments)
    var criteria = MediaSelectionCriteria()
    for text in arguments.values("language") {
      criteria.preferredLanguages.append(try SubtitleRequest.language(text))
    }
    criteria.prefersSDH = arguments.contains("prefer-sdh")
    criteria.prefersAudioDescription = arguments.contains("prefer-description")
    switch arguments.value("subtitles") {
    case nil, "on": criteria.showsSubtitles = true
    case "off": criteria.showsSubtitles = false
    case let other?: throw UsageError(.invalidValue, "--subtitles \(other): write on or off")
    }
    self.criteria = criteria
    pickedAudio = try arguments.selectors("audio").last
    pickedSubtitle = try arguments.selectors("subtitle").last
    isJSON = arguments.contains("json")
  }

  func run(in context: Context) throws -> ExitCode {
    let movie: Movie
    let warnings: [Warning]
    do {
      (movie, warnings) = try context.movie(at: file, of: context.open(file), asJSON: isJSON)
    } catch {
      throw ToolError(error, about: file)
    }
    let groups = movie.mediaSelectionGroups
    func pickedTrack(
      _ selector: TrackSelector?, _ kind: MediaSelectionGroup.Kind, _ description: String, _ option: String
    ) throws(UsageError) -> UInt32? {
      guard let selector else { return nil }
      let menu = Set(groups.first { $0.kind == kind }?.options.map(\.trackID) ?? [])
      let candidates = movie.tracks.filter { menu.contains($0.id) }.map { EditedTrack($0) }
      return try selector.track(among: candidates, kind: description, option: option).id
    }
    var criteria = criteria
    criteria.pickedAudible = try pickedTrack(pickedAudio, .audible, "option of the audio menu", "audio")
    criteria.pickedLegible = try pickedTrack(pickedSubtitle, .legible, "option of the subtitle menu", "subtitle")
    let selection = movie.automaticSelection(for: criteria)
    if isJSON {
      try context.printJSON { json in
        json.member("file", file)
        Self.write(selection.audible, "audible", movie, to: &json)
        Self.write(selection.legible, "legible", movie, to: &json)
        json.warnings(warnings)
      }
    } else {
      try context.print(
        Self.lines("Audio", selection.audible, movie) + [""] + Self.lines("Subtitles", selection.legible, movie))
    }
    return .done
  }

  private static func lines(_ title: String, _ choice: AutomaticMediaSelection.Choice, _ movie: Movie) -> [String] {
    let track = movie.tracks.first { $0.id == choice.trackID }
    let name = track.map { "\($0.displayName), track \($0.id)" } ?? "none"
    return ["\(title): \(name)"] + choice.steps.map { ($0.isDecisive ? "  → " : "    ") + $0.description }
  }

  private static func write(
    _ choice: AutomaticMediaSelection.Choice, _ name: String, _ movie: Movie, to json: inout JSONWriter
  ) {
    let track = movie.tracks.first { $0.id == choice.trackID }
    json.object(name) { json in
      json.member("track", choice.trackID)
      json.member("characteristics", track?.taggedCharacteristics.map(\.rawValue) ?? [])
      json.member("inferredCharacteristics", track?.inferredCharacteristics.map(\.rawValue) ?? [])
      json.objects("steps", of: choice.steps) { step, json in
        json.member("rule", step.rule.rawValue)
        json.member("isDecisive", step.isDecisive)
        json.member("description", step.description)
      }
    }
  }
}
