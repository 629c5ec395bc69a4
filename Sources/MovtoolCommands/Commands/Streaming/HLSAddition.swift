import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles

/// `movtool hls --add SUB -o FOLDER`: adds subtitles to an existing presentation without changing its media.
///
/// The movie may no longer exist, so the command uses only the data of the presentation: its start and end, its
/// languages and its other subtitles. Only text segments, their playlist and the main playlist are written.
struct HLSAddition: Equatable, Sendable {
  let file: String
  private var ownLanguage: SubtitleLanguage
  /// The word of the file name that makes the subtitles forced, or `nil` if they are not forced or an option makes them
  /// forced.
  let guessedForcedWord: String?
  /// The duration of each part of a concatenated file in milliseconds, or `nil` to leave the times unchanged.
  let partMilliseconds: Int64?
  /// The offset that is added to the cues' times, or `nil` for no offset. It is needed if a presentation keeps the
  /// clock of a recording: its times may begin at several hours, but the times in subtitle files begin at 0.
  let offsetMilliseconds: Int64?
  /// The channel of an SCC or MCC file, or `nil` for the first channel that shows captions.
  let channel: CaptionChannel?
  /// The time code that is subtracted from the times in the file, or `nil` if there is none.
  let timecodeBase: TimecodeBase?
  /// Whether repeated lines of roll-up captions are removed.
  let unrolls: Bool
  let title: String?
  let characteristics: [MediaCharacteristic]
  let isForced: Bool
  let isDryRun: Bool
  /// The policy for existing subtitles that have the language and role of the new subtitles.
  let existingTrackPolicy: SubtitleInput.ExistingTrackPolicy

  static let options =
    [
      OptionSpec(
        "add", value: OptionValue("SUB", .file), "add one subtitle file to the presentation in FOLDER"),
      OptionSpec("replace", "replace subtitles of the same language and role"),
      OptionSpec("if-absent", "skip SUB if its language and role already exist"),
    ]

  /// The options of ``RenditionFiles`` that can also follow the file of `--add`.
  static let ownOptions = [
    "language", "title", "sdh", "forced", "offset", "part-duration", "unroll", "channel", "timecode-base",
  ]

  /// Options that apply only if a presentation is made from a movie.
  static let optionsOfMovies = [
    "duration", "subtitle-duration", "audio-only", "single-file", "no-audio-only-variant", "trim-start", "style",
    "session-data", "force", "keep-start", "timed-id3",
  ]

  /// Creates the addition that the options request, or returns `nil` without `--add`.
  init?(_ arguments: Arguments) throws(UsageError) {
    guard let file = arguments.value("add") else {
      guard !arguments.contains("remove") else { return nil }
      let reason = "must follow --audio FILE, --subtitle SUB or --add SUB; for tracks of the movie, use movtool set"
      try RenditionFiles.refuse(arguments, reason)
      try arguments.refuse(["replace", "if-absent"], "requires --subtitle or --add")
      return nil
    }
    guard arguments.operands.isEmpty else {
      throw UsageError(.conflict, "--add changes the presentation in the folder of -o; omit the movie")
    }
    try arguments.refuse(Self.optionsOfMovies, "cannot be combined with --add")
    try RenditionFiles.refuse(arguments, except: Self.ownOptions, "cannot be combined with --add")
    existingTrackPolicy = try SubtitleInput.ExistingTrackPolicy(arguments)
    offsetMilliseconds = try arguments.value("offset").map { text throws(UsageError) in
      try TimeOffset(offset: text).milliseconds
    }
    self.file = file
    isDryRun = arguments.contains("dry-run")
    let hints = FileNameHints(path: file, movie: arguments.value("o").map(Self.movieName))
    ownLanguage = try SubtitleLanguage(of: file, option: arguments.value("language"), hints)
    title = try SubtitleRequest.title(arguments.value("title"))
    let roles = [TrackRole.sdh, .forced].filter { arguments.contains($0.rawValue) }
    let effectiveHints = roles.isEmpty ? hints : hints.replacingTrackRoles(with: roles)
    isForced = effectiveHints.isForced
    guessedForcedWord = effectiveHints.guessedForced
    partMilliseconds = try SubtitleRequest.partDuration(arguments.value("part-duration"))
    unrolls = arguments.contains("unroll")
    channel = try SubtitleRequest.channel(arguments.value("channel"))
    let base = arguments.value("timecode-base")
    guard base != SubtitleRequest.movieTimecode else {
      throw UsageError(
        .conflict,
        "--timecode-base movie: a presentation contains no time code track; specify a time such as 01:00:00:00")
    }
    timecodeBase = try base.map { text throws(UsageError) in try TimecodeBase(option: text) }
    characteristics = effectiveHints.characteristics
  }

  /// Returns the likely name of the movie from which a folder such as `film` or `film-hls` was made. It is used to find
  /// language and role in a subtitle file's name. The folders `.` and `..` are resolved first.
  private static func movieName(_ folder: String) -> String {
    var name = FilePath(folder).name
    if [".", ".."].contains(name), let resolved = try? SystemCalls.resolve(folder) { name = FilePath(resolved).name }
    return (name.hasSuffix("-hls") ? name.dropLast(4) : name) + ".mov"
  }

  private var language: LanguageTag? { ownLanguage.tag }
  private var replaces: Bool { existingTrackPolicy == .replace }

  /// The name in a player's menu.
  private var name: String {
    title ?? RenditionName.name(of: language, characteristics, isForced: isForced)
  }

  /// Opens the presentation in a folder. If there is no presentation, the error contains a command that makes one.
  static func presentation(_ folder: String) throws -> PresentationFolder {
    do {
      return try PresentationFolder(folder)
    } catch let refusal as FileError where refusal.code == .noInput {
      let entry = StreamPlan.entryPath
      let isMissing: Bool
      do throws(SystemError) {
        isMissing = try SystemCalls.status(at: folder + "/" + entry, followingLinks: true) == nil
      } catch {
        isMissing = false  // The folder cannot be examined; the original error explains why.
      }
      guard isMissing else { throw refusal }
      throw ToolError(
        .noInput, code: refusal.code.rawValue, file: folder, "the folder contains no presentation: \(entry) is missing",
        hint: "movtool hls MOVIE -o FOLDER makes a presentation")
    }
  }

  /// Adds the subtitles to the presentation in a folder and prints the answer.
  func run(_ folder: String, isStrict: Bool, asJSON: Bool, in context: Context) throws -> ExitCode {
    var subtitles = try context.subtitles(
      of: file, language: language, partMilliseconds: partMilliseconds, channel: channel)
    if let channel { try subtitles.requireChannels(for: channel, in: file) }
    let base = try timecodeBase?.milliseconds(in: subtitles, named: file) ?? 0
    let timing = CueTiming(baseMilliseconds: base, offsetMilliseconds: offsetMilliseconds ?? 0)
    let notes = subtitles.unroll(unrolls, file)
    if !asJSON { for note in notes { try context.printMessage(note.message) } }
    var addition = self
    addition.ownLanguage.adoptLanguage(inHeader: subtitles.language)
    // Players and options select a rendition by its language, so every rendition needs one.
    guard addition.ownLanguage.origin != .unknown else {
      throw UsageError(
        .missingValue,
        "--add \(file): the language is unknown; \(ownLanguage.advice ?? "add --language TAG"), or --language und if "
          + "it has none")
    }
    return try addition.add(subtitles, timing, to: folder, isStrict: isStrict, asJSON: asJSON, in: context)
  }

  private func add(
    _ original: SubtitleFile, _ timing: CueTiming, to folder: String, isStrict: Bool, asJSON: Bool, in context: Context
  ) throws -> ExitCode {
    let subtitles = original.moved(timing)
    var warnings = subtitles.notices(for: .webVTT).map { Warning($0, file) } + ownLanguage.warnings()
    if let guessedForcedWord { warnings.append(Warning(guessedForced: guessedForcedWord, file)) }
    let isRefused: Bool
    let addition: PresentationFolder.Addition
    let existing: [PresentationFolder.ExistingRendition]
    do {
      let presentation = try Self.presentation(folder)
      existing = presentation.existingSubtitles(
        language: language, name: name, characteristics: characteristics, isForced: isForced)
      // If the subtitles are not added, print no warnings about them, because these would not help the user.
      if isLeftOut(becauseOf: existing) {
        warnings = []
      } else {
        try requireShownCue(of: subtitles, in: presentation) { original.adviceIfNoCueIsShown(timing, in: $0) }
        warnings += earlyCuesWarning(subtitles, in: presentation) + lateCuesWarning(subtitles, in: presentation)
      }
      addition = try presentation.addition(
        of: subtitles, name: name, language: language, characteristics: characteristics, isForced: isForced,
        replacing: replaces ? existing : [])
      if !isLeftOut(becauseOf: existing) {
        warnings += self.warnings(of: addition, existing: existing)
        warnings += missingCuesWarnings(after: addition, of: subtitles, in: presentation)
      }
      if !asJSON { for warning in warnings { try context.warn(warning) } }
      isRefused = isStrict && !warnings.isEmpty
      if !isRefused, !isDryRun, !isLeftOut(becauseOf: existing) {
        context.deferStops(true)
        defer { context.deferStops(false) }
        try context.checkStop()
        let left = try presentation.write(addition).map { name in
          Warning(
            code: "folder-left", file: file, subject: name,
            message: "\(folder)/\(name) is no longer used, but could not be removed completely; delete it")
        }
        if !asJSON { for warning in left { try context.warn(warning) } }
        warnings += left
      }
    } catch let error as StreamError {
      throw error
    } catch {
      throw ToolError(error, about: folder)
    }
    let isLeftOut = isLeftOut(becauseOf: existing)
    let answer = FolderChangeAnswer(
      folder: folder, isWritten: !isRefused && !isDryRun && !isLeftOut, isRefused: isRefused, warnings: warnings)
    return try answer.show(asJSON: asJSON, in: context) {
      line(of: addition, existing: existing)
    } members: { json in
      if isLeftOut {
        json.memberNull("added")
      } else {
        json.object("added") { write(addition, to: &$0) }
      }
      json.member("alike", existing.first?.name)
      json.array("replaced") { json in
        if replaces { for rendition in existing { json.value(rendition.name) } }
      }
    }
  }

  /// Returns the line of the text output, without the folder's name.
  private func line(
    of addition: PresentationFolder.Addition, existing: [PresentationFolder.ExistingRendition]
  ) -> String {
    if let existingRendition = existing.first, isLeftOut(becauseOf: existing) {
      return "skipped, because the subtitles \(existingRendition.name) already exist"
    }
    let verb = isDryRun ? "would add" : "added"
    let names = existing.map(\.name).joined(separator: " and ")
    let place = replaces && !existing.isEmpty ? " in place of \(names)" : ""
    return "\(verb) subtitles \(addition.name)\(place), \(addition.files.count) files; media is unchanged"
  }

  private func write(_ addition: PresentationFolder.Addition, to json: inout JSONWriter) {
    json.member("file", file)
    json.member("name", addition.name)
    json.member("language", language?.description)
    json.member("isForced", isForced)
    json.member("characteristics", characteristics.map(\.rawValue))
  }

  /// Whether the subtitles are not added because the presentation already has subtitles with their language and role.
  private func isLeftOut(becauseOf existing: [PresentationFolder.ExistingRendition]) -> Bool {
    existingTrackPolicy == .skip && !existing.isEmpty
  }

  /// Returns the warnings about the name of the new subtitles.
  private func warnings(
    of addition: PresentationFolder.Addition, existing: [PresentationFolder.ExistingRendition]
  ) -> [Warning] {
    let name = addition.namesakeLanguage.map { duplicateNameWarning(addition.name, $0, existing) }
    return name.map { [$0] } ?? []
  }

  /// Returns a warning for each rendition of full subtitles that lacks forced cues of its language.
  private func missingCuesWarnings(
    after addition: PresentationFolder.Addition, of subtitles: SubtitleFile, in presentation: PresentationFolder
  ) -> [Warning] {
    let incomplete = presentation.incompleteSubtitles(
      withCues: subtitles.cues, named: addition.name, language: language, characteristics: characteristics,
      isForced: isForced)
    return incomplete.map { full in
      Warning(
        code: "forced-cues-missing", file: file, subject: full.name,
        message: "\(full.missingCount) of \(full.forcedCueCount) forced cues are not in the full subtitles "
          + "\(full.name); players hide forced subtitles while full subtitles are shown, so add these cues to the "
          + "full subtitles"
      )
    }
  }

  /// Returns a warning if another rendition already has the requested name. The warning suggests `--replace` only if
  /// that rendition also has the language and role of the new subtitles.
  private func duplicateNameWarning(
    _ name: String, _ language: String, _ existing: [PresentationFolder.ExistingRendition]
  ) -> Warning {
    let givesWay = !replaces && existing.contains { $0.name == PlaylistAttributes.quotable(self.name) }
    let owner =
      language == self.language?.description ?? "und"
      ? "of another role" : "in \(LanguageTag(language)?.englishName ?? language)"
    let message =
      givesWay
      ? "subtitles of the same language and role have this name, so the new name is \(name); --replace replaces them"
      : "subtitles \(owner) have this name, so the new name is \(name); --title sets another name"
    return Warning(code: "same-name", file: file, message: message)
  }

  /// Returns a warning if cues end before the presentation begins. The offset may be wrong.
  private func earlyCuesWarning(_ subtitles: SubtitleFile, in presentation: PresentationFolder) -> [Warning] {
    let start = presentation.startMilliseconds
    let count = subtitles.cues.count { $0.endMilliseconds <= start }
    guard count > 0 else { return [] }
    return [
      Warning(
        code: "cues-before-start", file: file,
        message: "\(count) of \(subtitles.cues.count) cues end before the presentation begins, at "
          + "\(timeText(milliseconds: start)), and are never shown")
    ]
  }

  /// Returns a warning if cues begin after the presentation ends. The subtitles may belong to another film.
  private func lateCuesWarning(_ subtitles: SubtitleFile, in presentation: PresentationFolder) -> [Warning] {
    let end = presentation.endMilliseconds
    let count = subtitles.cues.count { $0.startMilliseconds >= end }
    guard count > 0 else { return [] }
    let change = CueTiming().frameRateChange(bringing: subtitles.cues, before: end)
    let question =
      change.map {
        "all cues fit if you scale the times with movtool add-subtitle --scale \($0.old)/\($0.new)"
      } ?? "the subtitles may belong to another film"
    return [
      Warning(
        code: "cues-after-end", file: file,
        message: "\(count) of \(subtitles.cues.count) cues begin after the end of the presentation, "
          + "at \(timeText(milliseconds: end)), and are never shown; \(question)")
    ]
  }

  /// Throws if no cue would be shown, as `add-subtitle` does. `advice` receives the times of the presentation, in
  /// milliseconds.
  private func requireShownCue(
    of subtitles: SubtitleFile, in presentation: PresentationFolder, advice: (Range<Int64>) -> String
  ) throws(ToolError) {
    let (start, end) = (presentation.startMilliseconds, presentation.endMilliseconds)
    let cues = subtitles.cues
    let isShown = cues.contains { $0.startMilliseconds < end && $0.endMilliseconds > max(start, $0.startMilliseconds) }
    guard !isShown else { return }
    let count = cues.count == 1 ? "its only cue is not shown" : "none of its \(cues.count) cues is shown"
    throw ToolError(
      .badData, code: "no-cue-shown", file: file,
      "\(count): the presentation lasts from \(timeText(milliseconds: start)) to \(timeText(milliseconds: end)); "
        + "the subtitles may belong to another film", hint: advice(start..<max(start, end)))
  }
}

extension SubtitleFile {
  /// Returns the file with the times that `timing` maps its times to. Times below 0 become 0.
  fileprivate func moved(_ timing: CueTiming) -> SubtitleFile {
    guard timing != CueTiming() else { return self }
    var file = self
    for index in file.cues.indices {
      let end = timing.movieMilliseconds(cues[index].endMilliseconds)
      let start = timing.movieMilliseconds(cues[index].startMilliseconds)
      (file.cues[index].startMilliseconds, file.cues[index].endMilliseconds) = (end > 0 ? max(0, start) : start, end)
    }
    return file
  }
}

extension SubtitleInput.ExistingTrackPolicy {
  /// Creates the policy that `--replace` and `--if-absent` request.
  init(_ arguments: Arguments) throws(UsageError) {
    let (replaces, isForAbsent) = (arguments.contains("replace"), arguments.contains("if-absent"))
    guard !replaces || !isForAbsent else {
      throw UsageError(
        .conflict, "--replace replaces an existing track, but --if-absent keeps it; use one option")
    }
    self = replaces ? .replace : isForAbsent ? .skip : .keep
  }
}
