import MovieBox
import MovieWriter
import Subtitles

/// A request to add a subtitle file, with the properties of its track.
///
/// The request combines the options with the words of the file name. Options override the file name. But if the search
/// found the file, the roles in its name are kept. After the file has been read, ``input(_:_:_:among:)`` returns the
/// request for the library.
struct SubtitleRequest: Equatable, Sendable {
  /// The audio tracks that select the new track.
  enum Follow: Equatable, Sendable {
    /// The audio tracks in the language of the new track, unless they already refer to subtitles.
    case auto
    case none
    case selected(TrackSelector)
  }

  /// The path of the subtitle file.
  let file: String
  /// Whether the search found the file. Otherwise, the user specified it.
  let isFound: Bool
  private var ownLanguage: SubtitleLanguage
  /// Whether the file name declares captions or subtitles for the deaf.
  let isNamedAsCaptions: Bool
  /// The name that players show, or `nil` to let players choose a name.
  let title: String?
  /// Whether the subtitles are for the deaf and hard of hearing.
  let isSDH: Bool
  /// Whether the subtitles are forced-only. Players show these subtitles even if subtitles are off.
  let isForced: Bool
  /// Whether ``isForced`` is `true` only because of `--forced-for`.
  let isForcedByPartner: Bool
  /// Whether the new track becomes the default of its group.
  let isDefault: Bool
  /// Whether ``isDefault`` is `true` only because of the file name. A default that an option requests takes precedence.
  let isDefaultByName: Bool
  /// The tagged characteristics, in order. The SDH characteristics are not included.
  let characteristics: [MediaCharacteristic]
  /// The audio tracks that select the new track.
  let follow: Follow
  /// The full subtitle track to which the new forced-only track belongs, or `nil` for the full track in its language.
  let fullTrackSelector: TrackSelector?
  /// The word of the file name that makes the subtitles forced, or `nil` if they are not forced or an option makes them
  /// forced.
  let guessedForcedWord: String?
  /// The duration of each part of a concatenated file in milliseconds, or `nil` to leave the times unchanged.
  let partMilliseconds: Int64?
  /// Whether repeated lines of roll-up captions are removed.
  let unrolls: Bool
  /// The conversion from times in the file to times in the movie.
  let timing: CueTiming
  /// The time code that is subtracted from the times in the file, or `nil` if there is none.
  let timecodeBase: TimecodeBase?
  /// Whether times in the file are time codes from which the time code of the movie's start is subtracted.
  let usesMovieTimecode: Bool
  /// The channel of an SCC or MCC file. `nil` stands for the first channel, or for all channels of a caption track.
  let channel: CaptionChannel?
  /// The text encoding, or `nil` to detect it.
  let encoding: TextEncoding?
  /// The font size, or `nil` for the default.
  let fontSize: SubtitleFontSize?
  /// Whether styles and positions are dropped.
  let isPlain: Bool
  /// The sample format.
  var format: SubtitleTrackFormat
  /// Whether names of speakers are added to the text.
  let namesVoices: Bool
  /// The settings that all new tracks have in common: role, group, enabled flag, automatic selection.
  private(set) var settings: TrackSettings

  /// Combines the options that apply to the SUB at `index` with the words of its file name.
  ///
  /// A role option replaces the roles in the file name. But if the search found the file, its roles are kept, so
  /// `film.en.forced.srt` remains forced with `--sdh`. `--forced-for` implies `--forced`.
  ///
  /// If `asCaptions` is `true`, the track is a caption track. It gets no SDH tags from the file name, because captions
  /// are always for the deaf and hard of hearing.
  init(
    _ file: String, at index: Int, _ arguments: Arguments, asCaptions: Bool = false, isFound: Bool = false
  ) throws(UsageError) {
    (self.file, self.isFound) = (file, isFound)
    let hints = FileNameHints(path: file, movie: arguments.operands.first)
    ownLanguage = try SubtitleLanguage(of: file, option: arguments.value("language", forInput: index), hints)
    isNamedAsCaptions = hints.roles.contains(.track(.sdh))
    title = try Self.title(arguments.value("title", forInput: index))

    fullTrackSelector = try Self.selector("forced-for", index, arguments)
    settings = try TrackSettings(arguments, forInput: index)
    try settings.rejectRegularRole(with: ["sdh", "forced"], arguments, forInput: index)
    let keepsRole = isFound && hints.roles.contains { $0 != .default }
    if keepsRole { settings.role = nil }
    let wantsSDH = !keepsRole && (arguments.contains("sdh", forInput: index) || settings.role == .sdh)
    let requestsForced =
      !keepsRole && (arguments.contains("forced", forInput: index) || settings.role == .forced)
      || fullTrackSelector != nil
    var roles: [TrackRole] = (wantsSDH ? [.sdh] : []) + (requestsForced ? [.forced] : [])
    let isDefaultByOption = arguments.contains("default", forInput: index)
    try settings.rejectDefaultConflict(isDefault: isDefaultByOption)
    // A track can have several roles, but the library replaces all of them by `settings.role`.
    var otherRole: TrackRole?
    if let role = settings.role, role != .regular, role.suits(.subtitle), roles.contains(where: { $0 != role }) {
      if !roles.contains(role) { roles.append(role) }
      (settings.role, otherRole) = (nil, role)
    }
    let effectiveHints = roles.isEmpty && settings.role == nil ? hints : hints.replacingTrackRoles(with: roles)
    isSDH = effectiveHints.roles.contains(.track(.sdh)) && (!asCaptions || wantsSDH)
    isForced = effectiveHints.isForced
    guessedForcedWord = effectiveHints.guessedForced
    isForcedByPartner =
      fullTrackSelector != nil && !arguments.contains("forced", forInput: index) && !hints.isForced
      && settings.role == nil
    if settings.isSelectedAutomatically == nil, let isOn = effectiveHints.isSelectedAutomatically {
      settings.isSelectedAutomatically = isOn || isDefaultByOption
    }
    isDefaultByName = effectiveHints.isDefault && !arguments.contains("default")
    isDefault = isDefaultByName || isDefaultByOption
    guard fullTrackSelector == nil || settings.role != .regular else {
      throw UsageError(
        .conflict, "--forced-for gives \(file) the role forced, but --role regular removes all roles; use one option")
    }
    let impliedCharacteristics = effectiveHints.characteristics.filter {
      !asCaptions || wantsSDH || !MediaCharacteristic.sdh.contains($0)
    }
    characteristics = try Self.characteristics(
      (impliedCharacteristics + (otherRole?.characteristics ?? [])).map(\.rawValue)
        + arguments.values("characteristic", forInput: index), isSDH: isSDH)

    switch arguments.value("follow", forInput: index) {
    case nil, "auto": follow = .auto
    case "none": follow = .none
    case let text?: follow = .selected(try TrackSelector(text, option: "follow"))
    }
    timing = try CueTiming(arguments, forInput: index)
    let base = arguments.value("timecode-base", forInput: index)
    usesMovieTimecode = base == Self.movieTimecode
    timecodeBase =
      usesMovieTimecode
      ? nil
      : try base.map { text throws(UsageError) in try TimecodeBase(option: text, ", or \(Self.movieTimecode)") }
    channel = try Self.channel(arguments.value("channel", forInput: index))
    partMilliseconds = try Self.partDuration(arguments.value("part-duration", forInput: index))
    unrolls = arguments.contains("unroll", forInput: index)
    encoding = try arguments.value("encoding", forInput: index).map(Self.encoding)
    fontSize = try Self.fontSize(arguments.value("font-size", forInput: index))
    isPlain = arguments.contains("plain", forInput: index)
    format = asCaptions ? .captions : try Self.format(arguments.value("format", forInput: index))
    guard format == .tx3g || !isForced else {
      throw UsageError(
        .conflict,
        asCaptions
          ? "\(file) is forced, which captions do not support; use add-subtitle"
          : "\(file) is forced, which WebVTT does not support; use --format tx3g")
    }
    guard format == .tx3g || fontSize == nil else {
      throw UsageError(.conflict, "--font-size applies to tx3g; for WebVTT, players determine the size")
    }
    namesVoices = arguments.contains("voices", forInput: index)
  }

  /// Whether the two requests have the same language and role. Viewers could not distinguish the tracks.
  func hasLanguageAndRole(of other: SubtitleRequest) -> Bool {
    language == other.language && isSDH == other.isSDH && isForced == other.isForced
      && characteristics == other.characteristics
  }

  /// Whether this file is a better source of captions than the other file, regardless of their order. SCC and MCC files
  /// contain the original codes of captions.
  func isPreferredForCaptions(to other: SubtitleRequest) -> Bool {
    if format == .captions, isCaptionFile != other.isCaptionFile { return isCaptionFile }
    return isNamedAsCaptions && !other.isNamedAsCaptions
  }

  /// Whether the extension of the file belongs to a format of closed captions, SCC or MCC.
  private var isCaptionFile: Bool {
    switch SubtitleFileFormat(fileName: file) {
    case .scenarist, .macCaption: true
    case .subRip, .webVTT, nil: false
    }
  }

  /// The language tag, or `nil` if it is unknown or undetermined (`und`).
  var language: LanguageTag? { ownLanguage.tag }

  /// The language in the file name if `--language` sets a different language, or `nil` otherwise.
  var contradictedLanguage: LanguageTag? { ownLanguage.contradictedName }

  var languageOrigin: SubtitleLanguage.Origin { ownLanguage.origin }

  /// Whether the track has a role: it is for certain viewers or contains only certain cues.
  var hasRole: Bool { isSDH || isForced || !characteristics.isEmpty }

  /// Uses the language of the other found files if the language is unknown.
  mutating func adoptLanguage(ofOtherFiles language: LanguageTag) {
    ownLanguage.adoptLanguage(ofOtherFiles: language)
  }

  func read(in context: Context) throws -> SubtitleFile {
    let read = try context.subtitles(
      of: file, encoding: encoding, language: language, partMilliseconds: partMilliseconds, channel: channel)
    if let channel, !isFound { try read.requireChannels(for: channel, in: file) }
    return read
  }

  /// The warnings about language and role.
  var warnings: [Warning] {
    ownLanguage.warnings(afterwards: ", movtool set afterwards")
      + [
        guessedForcedWord.map {
          Warning(guessedForced: $0, file, advice: "; --role regular adds full subtitles instead")
        }
      ]
      .compactMap(\.self)
  }

  /// Returns the request, with the language in the file's header if no other language is known.
  func adoptingLanguage(of file: SubtitleFile) -> SubtitleRequest {
    var request = self
    request.ownLanguage.adoptLanguage(inHeader: file.language)
    return request
  }

  /// Returns the warning about default subtitles that are forced-only.
  static func forcedDefault(_ file: String) -> Warning {
    Warning(
      code: "forced-default", file: file,
      message:
        "the default subtitles are forced-only: players show them automatically but do not list them, so no entry of the "
        + "menu is the default")
  }

  /// Returns the request for the library. It contains the cues of `file` and the settings of the track.
  ///
  /// - Parameter movieTimecode: the time code of the movie's start in milliseconds, for ``usesMovieTimecode``.
  func input(
    _ file: SubtitleFile, _ limits: SubtitleLimits, _ policy: SubtitleInput.ExistingTrackPolicy,
    among tracks: [EditedTrack], movieTimecode: Int64? = nil
  ) throws(UsageError) -> SubtitleInput {
    var input = SubtitleInput(file, language: language, title: title)
    input.format = format
    input.mediaCharacteristics = (isSDH ? MediaCharacteristic.sdh : []) + characteristics
    input.role = settings.role
    input.containsOnlyForcedSubtitles = isForced
    input.timing = timing
    input.timing.baseMilliseconds =
      try timecodeBase?.milliseconds(in: file, named: self.file)
      ?? file.milliseconds(ofTimecode: usesMovieTimecode ? movieTimecode ?? 0 : 0)
    if let fontSize { input.fontSize = fontSize }
    (input.isPlain, input.namesVoices) = (isPlain, namesVoices)
    (input.alternateGroup, input.isEnabled) = (settings.alternateGroup, settings.isEnabled)
    (input.isDefault, input.yieldsAsDefault) = (isDefault, isDefaultByName)
    input.isSelectedAutomatically = settings.isSelectedAutomatically
    input.existingTrackPolicy = policy
    switch follow {
    case .auto: input.follow = .automatic
    case .none: input.follow = .nothing
    case .selected(let selector):
      let audio = tracks.filter { $0.mediaType == .audio }
      input.follow = .tracks([try selector.track(among: audio, kind: "audio track", option: "follow").id])
    }
    input.limits = limits
    return input
  }
}

// MARK: - Values

extension SubtitleRequest {
  /// Returns the options about reading a subtitle file.
  static func readingOptions(_ scope: OptionSpec.Scope) -> [OptionSpec] {
    [
      OptionSpec(
        "part-duration", value: "TIME", scope: scope,
        "set the duration of each WebVTT file joined into SUB"),
      OptionSpec("unroll", scope: scope, "show each line of YouTube's rolling captions once"),
      OptionSpec(
        "channel", value: .words("cc1", "cc2", "cc3", "cc4"), scope: scope, "use this channel of an SCC or MCC file"),
    ]
  }
}

extension Arguments {
  /// Returns the languages of `--language`, in order.
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
    if let namedLanguage = LanguageTag(englishName: text), text.utf8.count > 3 {
      throw UsageError(.invalidValue, "--language \(text): use the tag \(namedLanguage)")
    }
    if let tag = WrittenValue.language(text) { return tag }
    throw UsageError(.invalidValue, "--language \(text): specify a BCP 47 tag such as en, pt-BR or zh-Hant")
  }

  static func title(_ text: String?) throws(UsageError) -> String? {
    guard let text else { return nil }
    guard !text.isEmpty, !text.unicodeScalars.contains(where: breaksLineOrIsControl) else {
      throw UsageError(.invalidValue, "--title must be one line of text without control characters")
    }
    return text
  }

  /// Whether the scalar is a control character (C0, DEL, C1), or a line or paragraph separator.
  private static func breaksLineOrIsControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// Returns the distinct characteristics in order. Omits the SDH characteristics. Throws for an invalid name. Also
  /// throws for the characteristic of forced-only tracks, because it is never written as a tag.
  static func characteristics(
    _ names: [String], isSDH: Bool
  ) throws(UsageError) -> [MediaCharacteristic] {
    var result: [MediaCharacteristic] = []
    for name in names {
      let characteristic = MediaCharacteristic(rawValue: name)
      guard characteristic.isWellFormed else {
        throw UsageError(
          .invalidValue,
          "--characteristic \(name): specify a name such as public.accessibility.describes-music-and-sound")
      }
      guard characteristic != .containsOnlyForcedSubtitles else {
        throw UsageError(
          .invalidValue, "--characteristic \(name) is never written as a tag; use --forced instead")
      }
      guard !result.contains(characteristic), !(isSDH && MediaCharacteristic.sdh.contains(characteristic)) else {
        continue
      }
      result.append(characteristic)
    }
    return result
  }

  private static func selector(
    _ option: String, _ index: Int, _ arguments: Arguments
  ) throws(UsageError) -> TrackSelector? {
    guard let text = arguments.value(option, forInput: index) else { return nil }
    return try TrackSelector(text, option: option)
  }

  /// The value of `--timecode-base` that stands for the time code of the movie's start.
  static let movieTimecode = "movie"

  /// Parses a value of `--channel`.
  static func channel(_ text: String?) throws(UsageError) -> CaptionChannel? {
    guard let text else { return nil }
    if let channel = CaptionChannel(rawValue: text.uppercased()) { return channel }
    throw UsageError(.invalidValue, "--channel \(text): use one of cc1, cc2, cc3, cc4")
  }

  /// Parses the duration of the parts of a concatenated file, in milliseconds.
  static func partDuration(_ text: String?) throws(UsageError) -> Int64? {
    guard let text else { return nil }
    if let duration = TimeOffset(text), duration.milliseconds > 0 { return duration.milliseconds }
    throw UsageError(.invalidValue, "--part-duration \(text): specify a duration such as 600 or 00:10:00")
  }

  /// The names of encodings that help and errors list. `--encoding` also accepts other names for these encodings.
  static let encodingNames = TextEncoding.allCases.map { $0.rawValue.lowercased() }

  /// Returns the encoding with this name.
  static func encoding(_ text: String) throws(UsageError) -> TextEncoding {
    if let encoding = TextEncoding(name: text) { return encoding }
    let suggestion = Suggestion.clause(for: text, among: encodingNames)
    throw UsageError(
      .invalidValue, "--encoding \(text): use one of \(encodingNames.joined(separator: ", "))\(suggestion)")
  }

  /// The formats that `--format` accepts. Caption tracks are added by `add-captions` instead.
  static let formats: [SubtitleTrackFormat] = [.tx3g, .webVTT]

  private static func format(_ text: String?) throws(UsageError) -> SubtitleTrackFormat {
    guard let text else { return .tx3g }
    if let format = SubtitleTrackFormat(rawValue: text), formats.contains(format) { return format }
    let names = formats.map(\.rawValue).joined(separator: ", ")
    throw UsageError(.invalidValue, "--format \(text): use one of \(names)")
  }

  /// Parses a font size in pixels, or in percent of the video's height.
  private static func fontSize(_ text: String?) throws(UsageError) -> SubtitleFontSize? {
    guard let text else { return nil }
    if text.hasSuffix("%"), let percent = UInt8(digits: text.dropLast()), (1...100).contains(percent) {
      return .percentOfPictureHeight(percent)
    }
    if let pixels = UInt8(digits: text), pixels > 0 { return .pixels(pixels) }
    throw UsageError(
      .invalidValue, "--font-size \(text): specify 1 to 255 pixels, or a percentage of the video's height such as 6%")
  }
}
