import MovieBox
import MovieWriter

/// `movtool add-subtitle IN SUB…`.
struct AddSubtitleCommand: Command {
  static let manual = CommandManual(
    name: "add-subtitle",
    operands: "IN SUB…",
    summary: "adds SubRip files to a movie, each as a subtitle track; media is not touched",
    examples: [
      .init(
        line: "movtool add-subtitle film.mov film.en.srt --sdh",
        effect: "English for the deaf and hard of hearing, into film.mov itself"),
      .init(
        line: "movtool add-subtitle film.mp4 film.es.srt film.en.srt -o out.mp4",
        effect: "two tracks, into a new file; film.mp4 stays as it is"),
      .init(
        line: "movtool add-subtitle film.mov a.srt --language en --default b.srt --language en --forced",
        effect: "an option after a SUB holds for that SUB"),
    ],
    options: [
      OptionSpec("language", value: "TAG", scope: .input, "BCP 47 tag: en, pt-BR, zh-Hant; else the file name says it"),
      OptionSpec("title", value: "TEXT", scope: .input, "the name that players show"),
      OptionSpec("sdh", scope: .input, "for the deaf and hard of hearing"),
      OptionSpec("forced", scope: .input, "forced only: shown though subtitles are off"),
      OptionSpec("default", scope: .input, "the track that players choose by themselves"),
      OptionSpec("characteristic", value: "NAME", scope: .input, isRepeatable: true, "tag the track, may be repeated"),
      OptionSpec("follow", value: "SELECTOR", scope: .input, "audio to go with: auto (the default), none, audio:2 …"),
      OptionSpec("forced-for", value: "SELECTOR", scope: .input, "the regular track that these forced ones belong to"),
      OptionSpec("offset", value: "TIME", scope: .input, "move the cues: 1.5, -0.25, 00:01:02.500"),
      OptionSpec("o", value: "FILE", "write a new file and leave IN alone"),
      OptionSpec("force", "with -o: overwrite FILE if it exists"),
      OptionSpec("sync", "with -o: wait until FILE is on the disk"),
      OptionSpec("fast-start", "put the movie header before the media"),
      OptionSpec("append", "edit a fast-start movie in place too: its movie header goes to the end"),
      OptionSpec("replace", "take out a track of the same language and role"),
      OptionSpec("dry-run", "print the plan, write nothing"),
      OptionSpec("strict", "treat warnings as errors: write nothing, exit 1"),
      OptionSpec("progress", value: "MODE", "auto (the default), none or json"),
      .json,
      OptionSpec(refused: "encoding", "this version reads UTF-8, and UTF-16 with a byte order mark"),
      OptionSpec(refused: "interleave", "this version does not interleave"),
    ],
    firstInput: 1,
    notes: [
      "The file name gives language and role: film.en.srt, film.pt-BR.sdh.srt, en.forced.srt,",
      "film.en.cc.srt. A SELECTOR is id:5, video, audio:2, subtitle:es or subtitle:en,sdh.",
    ])

  /// Where the edited movie goes.
  enum Target: Equatable, Sendable {
    /// Into the file that it came from.
    case input
    case newFile(String, mayOverwrite: Bool, waitsForDisk: Bool)
  }

  /// The movie.
  let movie: String
  /// What becomes of each SUB, in the order of the command line and so of the tracks.
  let subtitles: [SubtitleRequest]
  let target: Target
  let wantsFastStart: Bool
  let wantsAppend: Bool
  let replacesSameRole: Bool
  let isDryRun: Bool
  let isStrict: Bool
  let isJSON: Bool
  let progress: Progress.Mode

  init(_ arguments: Arguments) throws(UsageError) {
    let operands = arguments.operands
    guard operands.count >= 2 else {
      throw UsageError(.missingOperand, operands.isEmpty ? "which movie, and which SUB?" : "which SUB?")
    }
    movie = operands[0]
    let files = Array(operands.dropFirst())
    try Self.checkOperands(movie, files)
    var subtitles: [SubtitleRequest] = []
    for (index, file) in files.enumerated() {
      subtitles.append(try SubtitleRequest(file, at: index, arguments))
    }
    guard subtitles.count(where: \.isDefault) <= 1 else {
      throw UsageError(
        .conflict, "--default holds for several subtitles, and there is one default; put it after its SUB")
    }
    self.subtitles = subtitles
    target = try Self.target(arguments)
    wantsFastStart = arguments.contains("fast-start")
    wantsAppend = arguments.contains("append")
    guard !wantsAppend || !wantsFastStart else {
      throw UsageError(.conflict, "--append puts the movie header last, --fast-start first; choose one")
    }
    guard !wantsAppend || !arguments.contains("o") else {
      throw UsageError(.conflict, "--append edits IN itself; leave out -o, or --append")
    }
    replacesSameRole = arguments.contains("replace")
    isDryRun = arguments.contains("dry-run")
    isStrict = arguments.contains("strict")
    isJSON = arguments.contains("json")
    progress = try Self.progress(arguments)
  }

  /// Checks what can be known before any file is read, then edits.
  func run(in context: Context) throws -> ExitCode {
    try checkTarget(context)
    let warnings = subtitles.flatMap(\.warnings)
    if !isJSON { for warning in warnings { try context.warn(warning) } }
    do {
      return try edit(context.open(movie), warnings, context)
    } catch var error as UsageError {
      error.command = Self.manual.name  // A selector that matches no track of this movie.
      throw error
    }
  }

  /// Reads, plans and checks, says what a person should know, writes, and prints the summary.
  private func edit<Source: RandomAccessSource>(
    _ source: Source, _ early: [Warning], _ context: Context
  ) throws -> ExitCode {
    var work = try SubtitleEdit(movie, source)
    try work.add(subtitles, replacing: replacesSameRole, in: context)
    try context.checkStop()
    var answer: SubtitleAnswer
    let isRefused: Bool
    do {
      let writer = try MovieFileWriter(
        work.edit, of: source, to: output(Source.self), RemuxLayout(isFastStart: wantsFastStart),
        appending: wantsAppend ? .behindMedia : .inOrder)
      let about = work.warnings + Self.warnings(of: work.edit.notes + work.edit.pairWarnings + writer.warnings, movie)
      let notices = work.added.flatMap(Self.warnings)
      answer = SubtitleAnswer(
        movie: movie, output: outputPath, work: work, plan: try .init(of: writer), warnings: early + about + notices)
      if !isJSON { try say(about, work, answer, context) }
      isRefused = isStrict && !answer.warnings.isEmpty
      if !isDryRun, !isRefused { answer.report = try write(writer, context) }
    } catch {
      throw ToolError(error, about: movie)
    }
    do {
      try show(answer, isRefused: isRefused, in: context)
    } catch {
      guard answer.report != nil else { throw error }
      Self.tellUnshown(answer, error, context)
    }
    return isRefused ? .no : .done
  }

  private func write(_ writer: MovieFileWriter<some RandomAccessSource>, _ context: Context) throws -> SinkReport {
    let progress = Progress(progress, in: context)
    defer { progress.finish() }
    // Held before the last check, so that no second signal finds a temporary file and ends the process.
    context.holdStops(true)
    defer { context.holdStops(false) }
    try context.checkStop()
    return try writer.write { done, planned in
      try context.checkStop()
      progress.update(done, of: planned)
    }
  }

  // MARK: - What is said

  /// Warnings and notes, for a person: notices of one kind in one line, references in the summary.
  private func say(_ about: [Warning], _ work: SubtitleEdit, _ answer: SubtitleAnswer, _ context: Context) throws {
    for warning in about { try context.warn(warning) }
    for added in work.added {
      for line in SubtitleNotice.summary(of: added.notices) {
        try context.warn(Warning(code: "", file: added.request.file, message: line))
      }
    }
    for note in answer.notes where note.kind != .association { try context.say("note: " + note.message) }
  }

  private func show(_ answer: SubtitleAnswer, isRefused: Bool, in context: Context) throws {
    if isJSON {
      try context.printJSON { answer.write(to: &$0, isDryRun: isDryRun) }
      return
    }
    if isRefused {
      let count = answer.warnings.count
      let reason = count == 1 ? "a warning" : "\(count) warnings"
      try context.say("nothing was written, because of \(reason) and --strict")
    } else {
      try context.print(answer.lines(isPlanned: isDryRun))
      if isDryRun { try context.print([""] + answer.extentLines) }
      for line in answer.afterthoughts { try context.say("note: " + line) }
    }
  }

  /// What is edited stays edited when the stream that should take the summary does not, and so the exit code is 0: any
  /// other would say that nothing was done.
  private static func tellUnshown(_ answer: SubtitleAnswer, _ failure: any Error, _ context: Context) {
    do {
      let reason = ToolError(failure).message
      try context.warn(
        Warning(
          code: "", file: answer.output, message: "the movie is edited, but the summary could not be shown: \(reason)"))
    } catch {
      return  // Nobody is there to be told.
    }
  }

  /// The edit's own warnings; those of cues are told as ``SubtitleEdit/Added/notices``.
  private static func warnings(of notes: [EditNote], _ movie: String) -> [Warning] {
    notes.filter { $0.isWarning && $0.kind != .subtitles }.map {
      Warning(code: $0.kind.rawValue, file: movie, trackID: $0.trackID, message: $0.message)
    }
  }

  private static func warnings(of added: SubtitleEdit.Added) -> [Warning] {
    added.notices.map { notice in
      Warning(
        code: notice.kind.rawValue, file: added.request.file, line: notice.line > 0 ? notice.line : nil,
        trackID: added.trackID, message: notice.message)
    }
  }

  private var outputPath: String {
    switch target {
    case .input: movie
    case .newFile(let path, _, _): path
    }
  }

  private func output<Source>(_: Source.Type) -> MovieFileWriter<Source>.Output {
    switch target {
    case .input: .itself(movie)
    case .newFile(let path, let mayOverwrite, let waitsForDisk):
      .newFile(path, overwrites: mayOverwrite, synchronizes: waitsForDisk)
    }
  }

  /// A new file must not be one that is read.
  private func checkTarget(_ context: Context) throws {
    guard case .newFile(let path, _, _) = target else { return }
    for input in [movie] + subtitles.map(\.file) where path == input || context.isSameFile(path, input) {
      let advice = input == movie ? "; without -o the movie itself is edited" : ""
      var error = UsageError(.conflict, "-o \(path) is the input \(input)\(advice)")
      error.command = Self.manual.name
      throw error
    }
  }
}

// MARK: - Values

extension AddSubtitleCommand {
  private static func checkOperands(_ movie: String, _ files: [String]) throws(UsageError) {
    guard movie != "-", !files.contains("-") else {
      throw UsageError(.notSupported, "standard input is not read; name a file")
    }
    guard !hasSuffix(movie, [".srt", ".vtt"]) else {
      throw UsageError(.invalidValue, "\(movie) is no movie; the movie comes first, then its subtitles")
    }
    for file in files where hasSuffix(file, [".vtt", ".webvtt"]) {
      throw UsageError(.notSupported, "\(file): this version reads SubRip (.srt), not WebVTT")
    }
  }

  private static func hasSuffix(_ path: String, _ suffixes: [String]) -> Bool {
    let lowercased = path.lowercased()
    return suffixes.contains { lowercased.hasSuffix($0) }
  }

  private static func target(_ arguments: Arguments) throws(UsageError) -> Target {
    guard let path = arguments.value("o") else {
      guard !arguments.contains("force") else { throw UsageError(.conflict, "--force goes with -o FILE") }
      return .input  // --sync asks for nothing more: an edited file is always waited for.
    }
    guard path != "-" else { throw UsageError(.notSupported, "-o -: this version does not write to standard output") }
    guard !path.isEmpty else { throw UsageError(.missingValue, "-o wants a value: FILE") }
    return .newFile(path, mayOverwrite: arguments.contains("force"), waitsForDisk: arguments.contains("sync"))
  }

  private static func progress(_ arguments: Arguments) throws(UsageError) -> Progress.Mode {
    guard let text = arguments.value("progress") else { return .auto }
    guard let mode = Progress.Mode(rawValue: text) else {
      throw UsageError(.invalidValue, "--progress \(text): auto, none or json")
    }
    return mode
  }
}
