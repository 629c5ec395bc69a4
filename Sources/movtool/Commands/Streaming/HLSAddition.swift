import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles

/// `movtool hls --add SUB -o FOLDER`: subtitles for a presentation that is there, whose media stays as it is.
struct HLSAddition: Equatable, Sendable {
  let file: String
  private var ownLanguage: SubtitleLanguage
  /// The word of the file's name by which it is taken for forced, or `nil` if something else says so.
  let guessedForced: String?
  /// The duration of each file that was joined into this one, in milliseconds; `nil` if times are not to be moved.
  let partMilliseconds: Int64?
  /// How much later the cues are in the presentation than in the file, or `nil` if they stay. A presentation that keeps
  /// the clock of a recording begins hours after the times of ordinary subtitles.
  let offsetInMilliseconds: Int64?
  /// Whether each line of captions that roll up is taken once.
  let unrolls: Bool
  let title: String?
  let characteristics: [MediaCharacteristic]
  let isForced: Bool
  let isDryRun: Bool
  /// The fate of subtitles whose language and role the presentation has.
  let trackLike: SubtitleAddition.TrackLike

  static let options =
    [
      OptionSpec(
        "add", value: OptionValue("SUB", .file), "add subtitles to the presentation in FOLDER, one file a time"),
      OptionSpec("replace", "replace subtitles of the same language and role"),
      OptionSpec("if-absent", "skip subtitles whose language and role are there"),
    ]

  /// The options of SUB, which ``RenditionFiles`` lists.
  static let ownOptions = ["language", "title", "sdh", "forced", "offset", "part-duration", "unroll"]

  /// The options for segments of a movie, which a change of subtitles does not make.
  static let optionsOfMovies = [
    "duration", "subtitle-duration", "audio-only", "single-file", "no-audio-only-variant", "trim-start", "style",
    "session-data", "force", "keep-start",
  ]

  /// What the options ask for; `nil` without `--add`.
  init?(_ arguments: Arguments) throws(UsageError) {
    guard let file = arguments.value("add") else {
      guard !arguments.contains("remove") else { return nil }
      let reason = "must follow --audio FILE, --subtitle SUB or --add SUB; movtool set labels a movie's own tracks"
      try RenditionFiles.refuse(arguments, reason)
      try arguments.refuse(["replace", "if-absent"], "goes with --subtitle or --add")
      return nil
    }
    guard arguments.operands.isEmpty else {
      throw UsageError(.conflict, "--add adds to the presentation in the folder of -o; name no movie beside it")
    }
    try arguments.refuse(Self.optionsOfMovies, "does not go with --add")
    try RenditionFiles.refuse(arguments, butNot: Self.ownOptions, "does not go with --add")
    trackLike = try SubtitleAddition.TrackLike(arguments)
    offsetInMilliseconds = try arguments.value("offset").map { text throws(UsageError) in
      try TimeOffset(offset: text).milliseconds
    }
    self.file = file
    isDryRun = arguments.contains("dry-run")
    let hints = FileNameHints(path: file, movie: arguments.value("o").map(Self.movieName))
    ownLanguage = try SubtitleLanguage(of: file, option: arguments.value("language"), hints)
    title = try SubtitleRequest.title(arguments.value("title"))
    let roles = [TrackRole.sdh, .forced].filter { arguments.contains($0.rawValue) }
    let named = roles.isEmpty ? hints : hints.replacingTrackRoles(with: roles)
    isForced = named.isForced
    guessedForced = named.guessedForced
    partMilliseconds = try SubtitleRequest.partDuration(arguments.value("part-duration"))
    unrolls = arguments.contains("unroll")
    characteristics = named.characteristics
  }

  /// The movie that a folder is likely named after: that of `film` and of `film-hls`, as add-subtitle knows the movie.
  /// `.` and `..` are no names: the system says how the folder is called.
  private static func movieName(_ folder: String) -> String {
    var name = FilePath(folder).name
    if [".", ".."].contains(name), let resolved = try? SystemCalls.resolve(folder) { name = FilePath(resolved).name }
    return (name.hasSuffix("-hls") ? name.dropLast(4) : name) + ".mov"
  }

  private var language: LanguageTag? { ownLanguage.tag }
  private var replaces: Bool { trackLike == .isReplaced }

  /// What a player's menu calls them.
  private var name: String {
    title ?? RenditionName.of(language, characteristics, isForced: isForced)
  }

  /// The presentation in a folder; says where there is none how one is made.
  static func presentation(_ folder: String) throws -> PresentationFolder {
    do {
      return try PresentationFolder(folder)
    } catch let refusal as FileError where refusal.code == .noInput {
      let entry = StreamPlan.entryPath
      let isMissing: Bool
      do throws(SystemError) {
        isMissing = try SystemCalls.status(at: folder + "/" + entry, followingLinks: true) == nil
      } catch {
        isMissing = false  // Nobody can look; the refusal says why.
      }
      guard isMissing else { throw refusal }
      throw ToolError(
        .noInput, code: refusal.code.rawValue, file: folder, "no presentation is there: \(entry) is missing",
        hint: "movtool hls MOVIE -o FOLDER makes one")
    }
  }

  /// Adds them to the presentation in a folder, and answers.
  func run(_ folder: String, isStrict: Bool, asJSON: Bool, in context: Context) throws -> ExitCode {
    var subtitles = try context.subtitles(of: file, language: language, partMilliseconds: partMilliseconds)
    let notes = subtitles.unroll(unrolls, file)
    if let offsetInMilliseconds { subtitles.move(by: offsetInMilliseconds) }
    if !asJSON { for note in notes { try context.say(note.message) } }
    var addition = self
    addition.ownLanguage.take(header: subtitles.language)
    // Players and other options name a rendition by its language: one without could not be told from others.
    guard addition.ownLanguage.origin != .unknown else {
      throw UsageError(
        .missingValue,
        "--add \(file): its language is unknown; \(ownLanguage.advice ?? "add --language TAG"), or --language und if it "
          + "has none")
    }
    return try addition.add(subtitles, to: folder, isStrict: isStrict, asJSON: asJSON, in: context)
  }

  private func add(
    _ subtitles: SubtitleFile, to folder: String, isStrict: Bool, asJSON: Bool, in context: Context
  ) throws -> ExitCode {
    var warnings = subtitles.notices(for: .webVTT).map { Warning($0, file) } + ownLanguage.warnings()
    if let guessedForced { warnings.append(Warning(guessedForced: guessedForced, file)) }
    let isRefused: Bool
    let addition: PresentationFolder.Addition
    let existing: [PresentationFolder.ExistingRendition]
    do {
      let presentation = try Self.presentation(folder)
      existing = presentation.existing(
        language: language, name: name, characteristics: characteristics, isForced: isForced)
      // Of what is left out, nothing is to be done.
      if isLeftOut(beside: existing) {
        warnings = []
      } else {
        try requireShownCue(of: subtitles, in: presentation)
        warnings += earlyCues(subtitles, in: presentation) + lateCues(subtitles, in: presentation)
      }
      addition = try presentation.addition(
        of: subtitles, name: name, language: language, characteristics: characteristics, isForced: isForced,
        replacing: replaces ? existing : [])
      if !isLeftOut(beside: existing) {
        warnings += self.warnings(of: addition, beside: existing)
        warnings += missingCues(beside: addition, of: subtitles, in: presentation)
      }
      if !asJSON { for warning in warnings { try context.warn(warning) } }
      isRefused = isStrict && !warnings.isEmpty
      if !isRefused, !isDryRun, !isLeftOut(beside: existing) {
        context.holdStops(true)
        defer { context.holdStops(false) }
        try context.checkStop()
        let left = try presentation.write(addition).map { name in
          Warning(
            code: "folder-left", file: file, subject: name,
            message: "\(folder)/\(name) is named by nothing any more, and could not be removed whole")
        }
        if !asJSON { for warning in left { try context.warn(warning) } }
        warnings += left
      }
    } catch let error as StreamError {
      throw error
    } catch {
      throw ToolError(error, about: folder)
    }
    let isLeftOut = isLeftOut(beside: existing)
    let answer = FolderChangeAnswer(
      folder: folder, isWritten: !isRefused && !isDryRun && !isLeftOut, isRefused: isRefused, warnings: warnings)
    return try answer.show(asJSON: asJSON, in: context) {
      line(of: addition, beside: existing)
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

  /// The answer for a person, after the name of the folder.
  private func line(
    of addition: PresentationFolder.Addition, beside existing: [PresentationFolder.ExistingRendition]
  ) -> String {
    if let there = existing.first, isLeftOut(beside: existing) {
      return "subtitles \(there.name) are there already; nothing was added"
    }
    let verb = isDryRun ? "would add" : "added"
    let names = existing.map(\.name).joined(separator: " and ")
    let place = replaces && !existing.isEmpty ? " in the place of \(names)" : ""
    return "\(verb) subtitles \(addition.name)\(place), \(addition.files.count) files; media is as it was"
  }

  private func write(_ addition: PresentationFolder.Addition, to json: inout JSONWriter) {
    json.member("file", file)
    json.member("name", addition.name)
    json.member("language", language?.description)
    json.member("isForced", isForced)
    json.member("characteristics", characteristics.map(\.rawValue))
  }

  /// Whether nothing is added, for those that are there.
  private func isLeftOut(beside existing: [PresentationFolder.ExistingRendition]) -> Bool {
    trackLike == .isPreferred && !existing.isEmpty
  }

  /// What a person should know of what is added.
  private func warnings(
    of addition: PresentationFolder.Addition, beside existing: [PresentationFolder.ExistingRendition]
  ) -> [Warning] {
    let name = addition.languageOfTakenName.map { takenName(addition.name, $0, existing) }
    return name.map { [$0] } ?? []
  }

  /// Warnings where those who read full subtitles miss forced cues, whichever of the two are added.
  private func missingCues(
    beside addition: PresentationFolder.Addition, of subtitles: SubtitleFile, in presentation: PresentationFolder
  ) -> [Warning] {
    let found = presentation.incompleteSubtitles(
      withCues: subtitles.cues, named: addition.name, language: language, characteristics: characteristics,
      isForced: isForced)
    return found.map { full in
      Warning(
        code: "forced-cues-missing", file: file, subject: full.name,
        message: "\(full.missingCount) of \(full.soughtCount) forced cues are not in the full subtitles "
          + "\(full.name), beside which players show no forced ones: they have to be there too")
    }
  }

  /// A warning that subtitles of a language have the name that was asked for. Only those of the own language and role
  /// would give way.
  private func takenName(
    _ name: String, _ language: String, _ existing: [PresentationFolder.ExistingRendition]
  ) -> Warning {
    let givesWay = !replaces && existing.contains { $0.name == PlaylistAttributes.quotable(self.name) }
    let owner =
      language == self.language?.description ?? "und"
      ? "of another role" : "in \(LanguageTag(language)?.englishName ?? language)"
    let message =
      givesWay
      ? "the presentation has subtitles of this name already; these are called \(name); --replace puts them in the place of those of their language and role"
      : "the presentation has subtitles \(owner) of this name; these are called \(name), and --title gives them another"
    return Warning(code: "same-name", file: file, message: message)
  }

  /// A warning if cues end before the presentation begins: an offset may have moved them there.
  private func earlyCues(_ subtitles: SubtitleFile, in presentation: PresentationFolder) -> [Warning] {
    let start = presentation.startInMilliseconds
    let count = subtitles.cues.count { $0.endMilliseconds <= start }
    guard count > 0 else { return [] }
    return [
      Warning(
        code: "cues-before-start", file: file,
        message: "\(count) of \(subtitles.cues.count) cues end before the presentation begins, at "
          + "\(timeText(milliseconds: start)), and are never shown")
    ]
  }

  /// A warning where cues begin when the presentation is over: they may be those of another film.
  private func lateCues(_ subtitles: SubtitleFile, in presentation: PresentationFolder) -> [Warning] {
    let end = presentation.endInMilliseconds
    let count = subtitles.cues.count { $0.startMilliseconds >= end }
    guard count > 0 else { return [] }
    let change = CueTiming().frameRateChange(bringing: subtitles.cues, before: end)
    let question =
      change.map {
        "all lie inside if times are scaled: movtool add-subtitle --scale \($0.old)/\($0.new) does that in a movie"
      } ?? "are they those of another film?"
    return [
      Warning(
        code: "cues-after-end", file: file,
        message: "\(count) of \(subtitles.cues.count) cues begin after the end of the presentation, "
          + "at \(timeText(milliseconds: end)), and are never shown: \(question)")
    ]
  }

  /// Refuses subtitles that show nothing, as add-subtitle does: they are no use to anyone.
  private func requireShownCue(of subtitles: SubtitleFile, in presentation: PresentationFolder) throws(ToolError) {
    let (start, end) = (presentation.startInMilliseconds, presentation.endInMilliseconds)
    let cues = subtitles.cues
    let isShown = cues.contains { $0.startMilliseconds < end && $0.endMilliseconds > max(start, $0.startMilliseconds) }
    guard !isShown else { return }
    let count = cues.count == 1 ? "its only cue is not shown" : "none of its \(cues.count) cues is shown"
    throw ToolError(
      .badData, code: "no-cue-shown", file: file,
      "\(count): the presentation lasts from \(timeText(milliseconds: start)) to \(timeText(milliseconds: end)); "
        + "are they those of another film?")
  }
}

extension SubtitleFile {
  /// Moves the cues. A cue that would begin before the start begins with it.
  fileprivate mutating func move(by milliseconds: Int64) {
    for index in cues.indices {
      let end = cues[index].endMilliseconds.addingClamped(milliseconds)
      let start = cues[index].startMilliseconds.addingClamped(milliseconds)
      (cues[index].startMilliseconds, cues[index].endMilliseconds) = (end > 0 ? max(0, start) : start, end)
    }
  }
}

extension SubtitleAddition.TrackLike {
  /// The fate of subtitles that are there, by `--replace` and `--if-absent`.
  init(_ arguments: Arguments) throws(UsageError) {
    let (replaces, isForAbsent) = (arguments.contains("replace"), arguments.contains("if-absent"))
    guard !replaces || !isForAbsent else {
      throw UsageError(
        .conflict, "--replace takes out the subtitles that are there, --if-absent keeps them; choose one")
    }
    self = replaces ? .isReplaced : isForAbsent ? .isPreferred : .stays
  }
}
