import MovieBox
import MovieWriter
import Subtitles

/// `movtool add-subtitle IN SUB…`.
struct AddSubtitleCommand: Command {
  static let name = "add-subtitle"

  static let manual = CommandManual(
    operands: "IN [SUB…]",
    summary: "add SubRip, WebVTT, SCC or MCC files as subtitle tracks",
    examples: [
      .init(
        line: "movtool add-subtitle film.mov film.en.srt --sdh",
        effect: "add English SDH to film.mov itself"),
      .init(
        line: "movtool add-subtitle film.mov a.srt --language en --default b.srt --language en --role forced",
        effect: "add two files; options apply to the preceding file"),
      .init(
        line: "movtool add-subtitle --pair season1",
        effect: "add the matching subtitle files to all movies of a folder"),
    ],
    options: [
      OptionSpec(
        "language", value: .language, scope: .operand, "set the language: en, pt-BR; default: from the name"),
      OptionSpec("title", value: "TEXT", scope: .operand, "set the name that players show"),
      OptionSpec("sdh", scope: .operand, "mark as subtitles for the deaf and hard of hearing"),
      OptionSpec("forced", scope: .operand, "mark as forced: shown even if subtitles are off"),
      OptionSpec("default", scope: .operand, "make the track the default of its group"),
      OptionSpec(
        "characteristic", value: "NAME", scope: .operand, isRepeatable: true,
        "add a characteristic (tagc); "
          + "repeatable"),
    ] + TrackSettings.options(.operand) + [
      OptionSpec(
        "follow", value: OptionValue("SELECTOR", .selector(or: ["auto", "none"])), scope: .operand,
        "show SUB if this audio plays: auto (default), none, audio:2"),
      OptionSpec(
        "forced-for", value: .selector, scope: .operand, "mark as the forced subtitles of this full track"),
    ] + CueTiming.options(.operand) + SubtitleRequest.readingOptions(.operand) + [
      OptionSpec(
        "timecode-base", value: "TIME", scope: .operand,
        "subtract the time code 01:00:00:00, or movie for IN's own"),
      OptionSpec(
        "encoding", value: OptionValue("NAME", .words(SubtitleRequest.encodingNames)), scope: .operand,
        "set the encoding of SUB (default: detected)"),
      OptionSpec("font-size", value: "SIZE", scope: .operand, "set the size: 48 pixels, 6% of the video's height"),
      OptionSpec("plain", scope: .operand, "omit styles, colors and placement"),
      OptionSpec(
        "format", value: OptionValue("NAME", .words(SubtitleRequest.formats.map(\.rawValue))), scope: .operand,
        "store as tx3g (default, for all players) or wvtt"),
      OptionSpec("voices", scope: .operand, "write the names of WebVTT speakers before the text"),
    ] + EditOptions.output("write a new file and leave IN unchanged") + [
      OptionSpec("fast-start", "write the movie atom before the media"),
      OptionSpec("interleave", "write all media in the order of time"),
      .append,
      OptionSpec("replace", "replace the track with the same language and role"),
      OptionSpec("if-absent", "skip a file if a track has its language and role"),
      OptionSpec("pair", "edit movies and folders; add matching subtitle files"),
    ] + EditOptions.commonOptions,
    firstInput: 1,
    notes: [
      "The name of SUB sets language and role: film.en.srt, film.pt-BR.sdh.vtt, en.forced.srt,",
      "film.en.cc.vtt, en.commentary.srt, film.en.easy-to-read.srt, film.English.srt,",
      "film (2020) [en].srt. A role in the name of a found file overrides --sdh.",
      "SUB may be a pipe, or - for standard input.",
      "Without SUB, the command adds the files in IN's folder with the name of IN: film.en.srt and",
      "film.es.sdh.vtt to film.mov. It also searches Sub, Subs, Subtitles and Subs/STEM, where STEM is",
      "the name of IN without its extension. It skips files that cannot be read, with a warning. Without",
      "--replace, it also skips a file if a track of the movie has its language and role.",
      "--pair PATH… does this for each movie, and for all .mov, .mp4, .m4v, .qt and .3gp in folders.",
      "It continues after a movie that fails, and prints a line for each movie and a summary.",
    ] + TrackSelector.notes("matches one track")
      + TerminalText.wrapped(["Encodings:"] + TextEncoding.allCases.map { $0.rawValue.lowercased() }))

  /// The path of the movie.
  let movie: String
  /// The requests for the SUB operands, in their order. The new tracks are in the same order. If the list is empty, the
  /// command searches for subtitle files.
  let subtitles: [SubtitleRequest]
  let arguments: Arguments
  let options: EditOptions
  let isFastStart: Bool
  let isInterleaved: Bool
  let existingTrackPolicy: SubtitleInput.ExistingTrackPolicy
  /// Whether the command is `add-captions`, which adds caption tracks.
  let addsCaptions: Bool
  /// The movies and folders of `--pair`, or `nil` without `--pair`.
  let pairedPaths: [String]?

  init(_ arguments: Arguments) throws(UsageError) {
    try self.init(arguments, addsCaptions: false)
  }

  /// Creates the command. With `--pair`, it runs a command for each movie.
  init(_ arguments: Arguments, addsCaptions: Bool) throws(UsageError) {
    try self.init(arguments, addsCaptions, isOneOfMany: false)
  }

  /// Returns the command for one of the movies of `--pair`.
  private func command(for movie: String) throws(UsageError) -> AddSubtitleCommand {
    try AddSubtitleCommand(arguments.applyingAllOptions(to: [movie]), addsCaptions, isOneOfMany: true)
  }

  var commandName: String { addsCaptions ? AddCaptionsCommand.name : Self.name }

  private init(_ arguments: Arguments, _ addsCaptions: Bool, isOneOfMany: Bool) throws(UsageError) {
    self.addsCaptions = addsCaptions
    let isPaired = arguments.contains("pair")
    let operands = isPaired ? Array(arguments.operands.prefix(1)) : arguments.operands
    guard let movie = operands.first else { throw UsageError(.missingOperand, "which movie?") }
    self.movie = movie
    if isPaired, !isOneOfMany {
      // All movies share the same options, so an invalid option is reported before the first movie is edited.
      _ = try SubtitleRequest("film.srt", at: 0, arguments.applyingAllOptions(to: operands), asCaptions: addsCaptions)
      guard !arguments.contains("o") else {
        throw UsageError(.conflict, "--pair edits the movies themselves; omit -o, or edit one movie at a time")
      }
    }
    pairedPaths = isPaired && !isOneOfMany ? arguments.operands : nil
    self.arguments = arguments
    let files = Array(operands.dropFirst())
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw UsageError(.invalidValue, "-: standard input can be read only once")
    }
    try Self.checkMovie(movie)
    if pairedPaths == nil, files.count > 1, let output = files.last, MovieType.isMovie(fileName: output),
      !arguments.contains("o")
    {
      throw UsageError(
        .invalidValue, "\(output) is a movie file, not subtitles",
        guidance: OperandAdvice.line(
          addsCaptions ? AddCaptionsCommand.name : Self.name, arguments, after: operands.count - 1))
    }
    var subtitles: [SubtitleRequest] = []
    for (index, file) in files.enumerated() {
      subtitles.append(try SubtitleRequest(file, at: index, arguments, asCaptions: addsCaptions))
    }
    self.subtitles = subtitles
    options = try EditOptions(arguments)
    isFastStart = arguments.contains("fast-start")
    isInterleaved = arguments.contains("interleave")
    guard !options.appends || !isFastStart else {
      throw UsageError(
        .conflict, "--append writes the movie atom last, but --fast-start writes it first; use one option")
    }
    guard !options.appends || !isInterleaved else {
      throw UsageError(.conflict, "--append does not move the media, but --interleave does; use one option")
    }
    let requested = try SubtitleInput.ExistingTrackPolicy(arguments)
    // A found file is skipped if the movie already contains its subtitles, so that the command can be repeated.
    let isFound = isPaired || files.isEmpty
    existingTrackPolicy = requested == .keep && isFound ? .skip : requested
  }

  func run(in context: Context) throws -> ExitCode {
    if let pairedPaths {
      let movies = try ManyMovies(pairedPaths, isForSubtitles: true, in: context)
      return try movies.edit(isJSON: options.isJSON, hasSummary: true, isDryRun: options.isDryRun) { movie, context in
        try command(for: movie).addFoundSubtitles(in: context)
      }
    }
    let (subtitles, warnings) =
      self.subtitles.isEmpty ? try findRequests(in: context) : (self.subtitles, [])
    return try edit(subtitles, warnings, in: context).exitCode
  }

  /// Adds tracks for the requests. `warnings` are the warnings of the search.
  func edit(
    _ subtitles: [SubtitleRequest], _ warnings: [Warning], in context: Context
  ) throws -> EditExecution.Outcome {
    let run = EditExecution(
      command: commandName, movie: movie, options: options, otherInputs: subtitles.map(\.file),
      layout: OutputLayout(isFastStart: isFastStart, interleaving: isInterleaved ? .all : .newSamples),
      skipsIfUnchanged: existingTrackPolicy == .skip && (context.record != nil || !isFastStart && !isInterleaved)
    )
    return try run.carryOut(warnings: warnings, in: context) { source in
      var subtitles = subtitles
      var unshown: [Warning] = []
      while true {
        var builder = try EditBuilder(movie, source, options, in: context)
        do {
          try builder.add(subtitles, existingTrackPolicy, in: context)
          builder.warnings += unshown
          return builder
        } catch let error as ToolError where error.code == "no-cue-shown" && subtitles.count > 1 {
          // If the search found the file, an error in the file does not stop the command.
          guard let index = subtitles.firstIndex(where: { $0.isFound && $0.file == error.file }) else { throw error }
          unshown.append(Warning(leftOut: error))
          subtitles.remove(at: index)
        }
      }
    }
  }
}

// MARK: - Values

extension AddSubtitleCommand {
  /// Returns a request for each subtitle file next to the movie, and prints the names of these files.
  private func findRequests(
    in context: Context
  ) throws -> (requests: [SubtitleRequest], warnings: [Warning]) {
    _ = try context.open(movie)  // If the movie is missing, that is the error to report.
    let found: FoundSubtitles
    do {
      found = try findSubtitles(in: context)
    } catch {
      throw UsageError(.missingOperand, "which SUB? \(error)")
    }
    guard !found.paths.isEmpty else {
      let reason = found.ignoredFilesReason.map { "; " + $0 } ?? ""
      throw UsageError(
        .missingOperand,
        "SUB is missing: no .srt, .vtt, .scc or .mcc file in the folder has the name of \(movie)\(reason)")
    }
    if !options.isJSON {
      try context.printMessage("found for \(movie): \(found.paths.joined(separator: ", "))")
      if let reason = found.ignoredFilesReason { try context.printMessage("note: \(reason)") }
    }
    let (requests, warnings) = try requests(found.paths, in: context)
    guard !requests.isEmpty else {
      let reasons = warnings.map { "\($0.file ?? ""): \($0.message)" }.joined(separator: "; ")
      throw UsageError(.missingOperand, "which SUB? \(reasons)")
    }
    return (requests, warnings)
  }

  private static func checkMovie(_ movie: String) throws(UsageError) {
    try EditOptions.requireFile(movie)
    guard SubtitleFileFormat(fileName: movie) == nil else {
      throw UsageError(.invalidValue, "\(movie) is not a movie file; specify the movie first, and then the subtitles")
    }
  }
}
