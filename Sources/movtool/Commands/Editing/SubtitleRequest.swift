import MovieBox
import MovieWriter
import Subtitles

/// What add-subtitle is asked to do with one subtitle file.
struct SubtitleRequest: Equatable, Sendable {
  /// Which audio tracks the new track is to follow.
  enum Follow: Equatable, Sendable {
    /// Those of the same language that no other subtitles follow yet.
    case auto
    case none
    case selected(TrackSelector)
  }

  /// The subtitle file.
  let file: String
  /// Whether the file was found beside the movie, and nobody named it.
  let isFound: Bool
  private var ownLanguage: SubtitleLanguage
  /// The name that players show; `nil` for theirs.
  let title: String?
  /// Whether they are for the deaf and hard of hearing.
  let isSDH: Bool
  /// Whether they are shown though subtitles are off.
  let isForced: Bool
  /// Whether nothing but `--forced-for` says so.
  let isForcedByPartner: Bool
  /// Whether the new track becomes its group's default.
  let isDefault: Bool
  /// Whether nothing but the name of the file says so, which yields to what is asked for.
  let isDefaultByName: Bool
  /// Tagged characteristics beside those of SDH, in order.
  let characteristics: [MediaCharacteristic]
  /// The audio tracks to follow.
  let follow: Follow
  /// The track, not forced-only, whose forced-only partner this is; `nil` for those of its language.
  let forcedFor: TrackSelector?
  /// The word of the file's name by which they are taken for forced, or `nil` if something else says so.
  let guessedForced: String?
  /// The duration of each file that was joined into this one, in milliseconds; `nil` if times are not to be moved.
  let partMilliseconds: Int64?
  /// Whether each line of captions that roll up is taken once.
  let unrolls: Bool
  /// How times of the file map to times of the movie.
  let timing: CueTiming
  /// What the file is said to be encoded in.
  let encoding: TextEncoding?
  /// How large letters are; `nil` for the usual size.
  let fontSize: SubtitleFontSize?
  /// Whether styles and places are left out.
  let isPlain: Bool
  /// What the samples are written in.
  var format: SubtitleTrackFormat
  /// Whether speakers are named.
  let namesVoices: Bool
  /// The other settings of the track.
  private(set) var settings: TrackSettings

  /// The options that hold for the SUB at `index`, then what its file name says.
  ///
  /// A role that an option gives replaces the roles of the name, but not those of files that nobody named: `--sdh` for
  /// what lies beside a movie leaves `film.en.forced.srt` forced. `--forced-for` implies `--forced`.
  init(_ file: String, at index: Int, _ arguments: Arguments, isFound: Bool = false) throws(UsageError) {
    (self.file, self.isFound) = (file, isFound)
    let hints = FileNameHints(path: file, movie: arguments.operands.first)
    ownLanguage = try SubtitleLanguage(of: file, option: arguments.value("language", forInput: index), hints)
    title = try Self.title(arguments.value("title", forInput: index))

    forcedFor = try Self.selector("forced-for", index, arguments)
    settings = try TrackSettings(arguments, forInput: index)
    try settings.requireNoRole(beside: ["sdh", "forced"], arguments, forInput: index)
    let keepsRole = isFound && hints.roles.contains { $0 != .default }
    if keepsRole { settings.role = nil }
    let wantsSDH = !keepsRole && (arguments.contains("sdh", forInput: index) || settings.role == .sdh)
    let wantsForced =
      !keepsRole && (arguments.contains("forced", forInput: index) || settings.role == .forced) || forcedFor != nil
    let roles: [TrackRole] = (wantsSDH ? [.sdh] : []) + (wantsForced ? [.forced] : [])
    let named = roles.isEmpty && settings.role == nil ? hints : hints.replacingTrackRoles(with: roles)
    isSDH = named.roles.contains(.track(.sdh))
    isForced = named.isForced
    guessedForced = named.guessedForced
    isForcedByPartner =
      forcedFor != nil && !arguments.contains("forced", forInput: index) && !hints.isForced && settings.role == nil
    let isDefaultByOption = arguments.contains("default", forInput: index)
    if settings.isSelectedAutomatically == nil, let isOn = named.isSelectedAutomatically {
      settings.isSelectedAutomatically = isOn || isDefaultByOption
    }
    isDefaultByName = named.isDefault && !arguments.contains("default")
    isDefault = isDefaultByName || isDefaultByOption
    try settings.rejectDefaultConflict(isDefault: isDefaultByOption)
    guard forcedFor == nil || settings.role == nil || settings.role == .forced else {
      throw UsageError(.conflict, "--forced-for makes \(file) forced only, which is a role; --role is another")
    }
    characteristics = try Self.characteristics(
      named.characteristics.map(\.rawValue) + arguments.values("characteristic", forInput: index), isSDH: isSDH)

    switch arguments.value("follow", forInput: index) {
    case nil, "auto": follow = .auto
    case "none": follow = .none
    case let text?: follow = .selected(try TrackSelector(text, option: "follow"))
    }
    timing = try Self.timing(index, arguments)
    partMilliseconds = try Self.partDuration(arguments.value("part-duration", forInput: index))
    unrolls = arguments.contains("unroll", forInput: index)
    encoding = try arguments.value("encoding", forInput: index).map(Self.encoding)
    fontSize = try Self.fontSize(arguments.value("font-size", forInput: index))
    isPlain = arguments.contains("plain", forInput: index)
    format = try Self.format(arguments.value("format", forInput: index))
    guard format == .tx3g || !isForced else {
      throw UsageError(.conflict, "\(file) is forced, which WebVTT cannot say; --format tx3g can")
    }
    guard format == .tx3g || fontSize == nil else {
      throw UsageError(.conflict, "--font-size is of tx3g; players choose the size of WebVTT")
    }
    namesVoices = arguments.contains("voices", forInput: index)
  }

  /// Whether a viewer could not tell the tracks of both requests from one another.
  func hasLanguageAndRole(of other: SubtitleRequest) -> Bool {
    language == other.language && isSDH == other.isSDH && isForced == other.isForced
      && characteristics == other.characteristics
  }

  /// The language; `nil` when nothing says it, or `und` does.
  var language: LanguageTag? { ownLanguage.tag }

  /// What says the language.
  var languageOrigin: SubtitleLanguage.Origin { ownLanguage.origin }

  /// Whether the subtitles are for some viewers or some cues only.
  var hasRole: Bool { isSDH || isForced || !characteristics.isEmpty }

  /// Takes the language that all files with one have, if nothing else says it.
  mutating func take(languageOfOtherFiles tag: LanguageTag) { ownLanguage.take(ofOtherFiles: tag) }

  /// Reads the file.
  func read(in context: Context) throws -> SubtitleFile {
    try context.subtitles(of: file, encoding: encoding, language: language, partMilliseconds: partMilliseconds)
  }

  /// What a person should know of the request though it can be carried out.
  var warnings: [Warning] {
    ownLanguage.warnings(afterwards: ", movtool set afterwards")
      + [guessedForced.map { Warning(guessedForced: $0, file, advice: "; --role regular takes it for none") }]
      .compactMap(\.self)
  }

  /// The request with the language that the file's header names, if nothing else says it.
  func takingLanguage(of file: SubtitleFile) -> SubtitleRequest {
    var request = self
    request.ownLanguage.take(header: file.language)
    return request
  }

  /// What comes of forced subtitles as the default.
  static func forcedDefault(_ file: String) -> Warning {
    Warning(
      code: "forced-default", file: file,
      message:
        "forced only and the default: players show forced subtitles by themselves and do not list them, so "
        + "that the menu has no default")
  }

  /// The track that is asked for, with the cues of this file, and how it is to stand among the others.
  func addition(
    _ file: SubtitleFile, _ limits: SubtitleLimits, _ trackLike: SubtitleAddition.TrackLike
  ) -> SubtitleAddition {
    var addition = SubtitleAddition(input(file, limits))
    addition.role = settings.role
    addition.alternateGroup = settings.alternateGroup
    addition.isEnabled = settings.isEnabled
    (addition.isDefault, addition.yieldsAsDefault) = (isDefault, isDefaultByName)
    addition.isSelectedAutomatically = settings.isSelectedAutomatically
    addition.trackLike = trackLike
    switch follow {
    case .auto: addition.follow = .audioOfItsLanguage
    case .none: addition.follow = .nothing
    case .selected(let selector):
      addition.follow = .audio { try selector.track(among: $0, kind: "audio track", option: "follow").id }
    }
    if let forcedFor {
      addition.fullPartner = {
        try forcedFor.track(among: $0, kind: "subtitle track that is not forced-only", option: "forced-for").id
      }
    }
    return addition
  }

  private func input(_ file: SubtitleFile, _ limits: SubtitleLimits) -> TrackInput {
    var input = TrackInput(file, languageTag: language, title: title)
    input.format = format
    input.mediaCharacteristics = (isSDH ? MediaCharacteristic.sdh : []) + characteristics
    input.containsOnlyForcedSubtitles = isForced
    input.timing = timing
    if let fontSize { input.fontSize = fontSize }
    input.isPlain = isPlain
    input.namesVoices = namesVoices
    input.limits = limits
    return input
  }
}

// MARK: - Values

extension SubtitleRequest {
  /// The options that say how a file is read.
  static func readingOptions(_ scope: OptionSpec.Scope) -> [OptionSpec] {
    [
      OptionSpec(
        "part-duration", value: "TIME", scope: scope,
        "duration of each WebVTT file that was joined into SUB"),
      OptionSpec("unroll", scope: scope, "take each line of YouTube's rolling captions once"),
    ]
  }
}

extension Arguments {
  /// The languages that `--language` lists, in order.
  func languages() throws(UsageError) -> [LanguageTag] {
    var languages: [LanguageTag] = []
    for text in values("language").flatMap({ $0.split(separator: ",") }) {
      languages.append(try SubtitleRequest.language(String(text)))
    }
    return languages
  }
}

extension SubtitleRequest {
  static func language(_ text: String) throws(UsageError) -> LanguageTag {
    if let named = LanguageTag(englishName: text), text.utf8.count > 3 {
      throw UsageError(.invalidValue, "--language \(text): use the tag, which is \(named)")
    }
    if let tag = WrittenValue.language(text) { return tag }
    throw UsageError(.invalidValue, "--language \(text): not a BCP 47 tag such as en, pt-BR or zh-Hant")
  }

  static func title(_ text: String?) throws(UsageError) -> String? {
    guard let text else { return nil }
    guard !text.isEmpty, !text.unicodeScalars.contains(where: breaksLineOrIsControl) else {
      throw UsageError(.invalidValue, "--title wants text in one line, without control characters")
    }
    return text
  }

  /// Controls (C0, DEL, C1), and what separates lines and paragraphs.
  private static func breaksLineOrIsControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// In order, once each, without those that `--sdh` and `--forced` stand for already.
  static func characteristics(
    _ names: [String], isSDH: Bool
  ) throws(UsageError) -> [MediaCharacteristic] {
    var kept: [MediaCharacteristic] = []
    for name in names {
      let characteristic = MediaCharacteristic(rawValue: name)
      guard characteristic.isWellFormed else {
        throw UsageError(
          .invalidValue, "--characteristic \(name): not a name such as public.accessibility.describes-music-and-sound")
      }
      guard characteristic != .containsOnlyForcedSubtitles else {
        throw UsageError(
          .invalidValue, "--characteristic \(name) is never written as a tag; --forced makes such a track")
      }
      guard !kept.contains(characteristic), !(isSDH && MediaCharacteristic.sdh.contains(characteristic)) else {
        continue
      }
      kept.append(characteristic)
    }
    return kept
  }

  private static func selector(
    _ option: String, _ index: Int, _ arguments: Arguments
  ) throws(UsageError) -> TrackSelector? {
    guard let text = arguments.value(option, forInput: index) else { return nil }
    return try TrackSelector(text, option: option)
  }

  private static func timing(_ index: Int, _ arguments: Arguments) throws(UsageError) -> CueTiming {
    var timing = try CueTiming(arguments, forInput: index)
    if let text = arguments.value("timecode-base", forInput: index) {
      guard let base = TimecodeBase(text) else {
        throw UsageError(
          .invalidValue, "--timecode-base \(text): not a time such as 01:00:00:00, 01:00:00.500 or 09:57:30:12@25")
      }
      timing.baseInMilliseconds = base.milliseconds
    }
    return timing
  }

  /// The duration of the files that were put together into one, in milliseconds.
  static func partDuration(_ text: String?) throws(UsageError) -> Int64? {
    guard let text else { return nil }
    if let duration = TimeOffset(text), duration.milliseconds > 0 { return duration.milliseconds }
    throw UsageError(.invalidValue, "--part-duration \(text): not a duration such as 600 or 00:10:00")
  }

  /// The names of encodings that `--encoding` takes, beside others of theirs.
  static let encodingNames = TextEncoding.allCases.map { $0.rawValue.lowercased() }

  /// The encoding that a word names.
  static func encoding(_ text: String) throws(UsageError) -> TextEncoding {
    if let encoding = TextEncoding(name: text) { return encoding }
    let nearest = Suggestion.clause(for: text, among: encodingNames)
    throw UsageError(
      .invalidValue, "--encoding \(text): not one of \(encodingNames.joined(separator: ", "))\(nearest)")
  }

  private static func format(_ text: String?) throws(UsageError) -> SubtitleTrackFormat {
    guard let text else { return .tx3g }
    if let format = SubtitleTrackFormat(rawValue: text) { return format }
    let names = SubtitleTrackFormat.allCases.map(\.rawValue).joined(separator: ", ")
    throw UsageError(.invalidValue, "--format \(text): not one of \(names)")
  }

  /// Pixels, or percent of the picture's height.
  private static func fontSize(_ text: String?) throws(UsageError) -> SubtitleFontSize? {
    guard let text else { return nil }
    if text.hasSuffix("%"), let percent = UInt8(digits: text.dropLast()), (1...100).contains(percent) {
      return .percentOfPictureHeight(percent)
    }
    if let pixels = UInt8(digits: text), pixels > 0 { return .pixels(pixels) }
    throw UsageError(
      .invalidValue, "--font-size \(text): not pixels from 1 to 255, nor percent of the picture's height such as 6%")
  }
}
