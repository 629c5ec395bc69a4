import MovieBox
import MovieWriter
import Subtitles

/// `movtool add-subtitle IN SUB…`.
struct AddSubtitleCommand: Command {
  static let name = "add-subtitle"

  static let manual = CommandManual(
    operands: "IN [SUB…]",
    summary: "adds subtitle tracks made of SubRip or WebVTT files",
    examples: [
      .init(
        line: "movtool add-subtitle film.mov film.en.srt --sdh",
        effect: "English for the deaf and hard of hearing, into film.mov itself"),
      .init(
        line: "movtool add-subtitle film.mov a.srt --language en --default b.srt --language en --role forced",
        effect: "an option after a SUB holds for that SUB"),
      .init(
        line: "movtool add-subtitle --pair season1",
        effect: "to each movie in a folder and below, the subtitles that are named after it"),
    ],
    options: [
      OptionSpec(
        "language", value: .language, scope: .operand, "BCP 47 tag: en, pt-BR, zh-Hant; else the file name says it"),
      OptionSpec("title", value: "TEXT", scope: .operand, "the name that players show"),
      OptionSpec("sdh", scope: .operand, "for the deaf and hard of hearing"),
      OptionSpec("forced", scope: .operand, "forced only: shown though subtitles are off"),
      OptionSpec("default", scope: .operand, "the track that players choose by themselves"),
      OptionSpec(
        "characteristic", value: "NAME", scope: .operand, isRepeatable: true, "tag the track, may be repeated"),
    ] + TrackSettings.options(.operand) + [
      OptionSpec(
        "follow", value: OptionValue("SELECTOR", .selector(or: ["auto", "none"])), scope: .operand,
        "audio to go with: auto (the default), none, audio:2 …"),
      OptionSpec(
        "forced-for", value: .selector, scope: .operand, "forced only, as the partner of this full track"),
    ] + CueTiming.options(.operand) + SubtitleRequest.readingOptions(.operand) + [
      OptionSpec(
        "timecode-base", value: "TIME", scope: .operand,
        "the time code in SUB at which the movie begins: 01:00:00:00, 00:59:50:12@25"),
      OptionSpec(
        "encoding", value: OptionValue("NAME", .words(SubtitleRequest.encodingNames)), scope: .operand,
        "encoding of SUB: windows-1251, shift_jis … (default: detected)"),
      OptionSpec("font-size", value: "SIZE", scope: .operand, "pixels, or percent of the picture's height: 48, 6%"),
      OptionSpec("plain", scope: .operand, "leave out styles, colors and placement"),
      OptionSpec(
        "format", value: OptionValue("NAME", .words(SubtitleTrackFormat.allCases.map(\.rawValue))), scope: .operand,
        "tx3g, which all players know (the default), or wvtt: WebVTT"),
      OptionSpec("voices", scope: .operand, "put the names of speakers, as WebVTT has them, before their words"),
    ] + EditOptions.output("write a new file and leave IN alone") + [
      OptionSpec("fast-start", "put the movie atom before the media"),
      OptionSpec("interleave", "put all media in the order of its times, in a new file"),
      .append,
      OptionSpec("replace", "take out a track of the same language and role"),
      OptionSpec("if-absent", "leave out what has a track of its language and role already"),
      OptionSpec("pair", "many movies or folders, each with the subtitles beside it; as --if-absent"),
    ] + EditOptions.common,
    firstInput: 1,
    notes: [
      "The file name gives language and role: film.en.srt, film.pt-BR.sdh.vtt, en.forced.srt,",
      "film.en.cc.vtt, en.commentary.srt, film.en.easy-to-read.srt, film.English.srt,",
      "film (2020) [en].srt.",
      "SUB may be a pipe, and - is standard input. Without SUB, the subtitle files in the folder of",
      "IN with its name, language and role are added: film.en.srt and film.es.sdh.vtt to film.mov;",
      "not those whose language and role a track has, unless with --replace. A role in their names",
      "counts more than --sdh.",
      "The folders Sub, Subs and Subtitles beside IN are searched too, and Subs/STEM, where STEM is the",
      "name of IN. Beside the only movie of a folder, Subs/2_English.srt counts without its name. A file",
      "that cannot be read is left out with a warning; film.en-converted.srt counts as film.en.srt does.",
      "--pair PATH… does so for each movie, in folders for all .mov, .mp4, .m4v, .qt and .3gp, and goes",
      "on after one that fails; it prints a line for each and a summary, with --json lines of JSON.",
    ] + TrackSelector.notes("matches one track")
      + TerminalText.wrapped(["Encodings:"] + TextEncoding.allCases.map { $0.rawValue.lowercased() }))

  /// The path of the movie.
  let movie: String
  /// The request for each SUB, in the order of the command line and of the new tracks; empty to search next to the movie.
  let subtitles: [SubtitleRequest]
  let arguments: Arguments
  let options: EditOptions
  let wantsFastStart: Bool
  let wantsInterleaving: Bool
  let trackLike: SubtitleAddition.TrackLike
  /// The movies and folders of `--pair`, or `nil` without it.
  let paired: [String]?

  init(_ arguments: Arguments) throws(UsageError) {
    try self.init(arguments, isOneOfMany: false)
  }

  /// The command for one of the movies of `--pair`.
  init(_ arguments: Arguments, movie: String) throws(UsageError) {
    try self.init(arguments.holding(for: [movie]), isOneOfMany: true)
  }

  private init(_ arguments: Arguments, isOneOfMany: Bool) throws(UsageError) {
    let isPaired = arguments.contains("pair")
    let operands = isPaired ? Array(arguments.operands.prefix(1)) : arguments.operands
    guard let movie = operands.first else { throw UsageError(.missingOperand, "which movie?") }
    self.movie = movie
    if isPaired, !isOneOfMany {
      // Invalid options are invalid for every movie, so they are reported before the first movie is edited.
      _ = try SubtitleRequest("film.srt", at: 0, arguments.holding(for: operands))
      guard !arguments.contains("o") else {
        throw UsageError(.conflict, "--pair edits the movies themselves; leave out -o, or add to one movie at a time")
      }
    }
    paired = isPaired && !isOneOfMany ? arguments.operands : nil
    self.arguments = arguments
    let files = Array(operands.dropFirst())
    guard files.count(where: { $0 == "-" }) <= 1 else {
      throw UsageError(.invalidValue, "-: standard input can be read once")
    }
    try Self.checkMovie(movie)
    var subtitles: [SubtitleRequest] = []
    for (index, file) in files.enumerated() {
      subtitles.append(try SubtitleRequest(file, at: index, arguments))
    }
    self.subtitles = subtitles
    options = try EditOptions(arguments)
    wantsFastStart = arguments.contains("fast-start")
    wantsInterleaving = arguments.contains("interleave")
    guard !options.appends || !wantsFastStart else {
      throw UsageError(.conflict, "--append puts the movie atom last, --fast-start first; choose one")
    }
    guard !options.appends || !wantsInterleaving else {
      throw UsageError(.conflict, "--append leaves the media where it is, --interleave moves it; choose one")
    }
    let requested = try SubtitleAddition.TrackLike(arguments)
    // Found files are skipped if their subtitles exist, so that the command can be repeated.
    let isFound = isPaired || files.isEmpty
    trackLike = requested == .stays && isFound ? .isPreferred : requested
  }

  func run(in context: Context) throws -> ExitCode {
    if let paired {
      let movies = try PairedMovies(paired, options, in: context)
      return try movies.edit { movie throws in try AddSubtitleCommand(arguments, movie: movie) }
    }
    let (subtitles, warnings) =
      self.subtitles.isEmpty ? try requestsBesideMovie(in: context) : (self.subtitles, [])
    return try edit(subtitles, warnings, isOneOfMany: false, in: context).exitCode
  }

  /// Adds tracks for the requests. `warnings` are the warnings of the search.
  func edit(
    _ subtitles: [SubtitleRequest], _ warnings: [Warning], isOneOfMany: Bool, in context: Context
  ) throws -> EditExecution.Outcome {
    let run = EditExecution(
      command: Self.name, movie: movie, options: options, otherInputs: subtitles.map(\.file),
      layout: OutputLayout(isFastStart: wantsFastStart, interleaving: wantsInterleaving ? .all : .newSamples),
      skipsIfUnchanged: trackLike == .isPreferred && (isOneOfMany || !wantsFastStart && !wantsInterleaving),
      isOneOfMany: isOneOfMany)
    return try run.carryOut(warnings: warnings, in: context) { source in
      var subtitles = subtitles
      var unshown: [Warning] = []
      while true {
        var builder = try EditBuilder(movie, source, options, in: context)
        do {
          try builder.add(subtitles, trackLike, in: context)
          builder.warnings += unshown
          return builder
        } catch let error as ToolError where error.code == "no-cue-shown" && subtitles.count > 1 {
          // An unusable file of the search does not prevent the others from being added.
          guard let place = subtitles.firstIndex(where: { $0.isFound && $0.file == error.file }) else { throw error }
          unshown.append(Warning(leftOut: error))
          subtitles.remove(at: place)
        }
      }
    }
  }
}

// MARK: - Values

extension AddSubtitleCommand {
  /// Returns the requests for the subtitle files next to the movie, and prints the files.
  private func requestsBesideMovie(in context: Context) throws -> ([SubtitleRequest], [Warning]) {
    _ = try context.open(movie)  // If the movie is missing, that is the error to report.
    let found: FoundSubtitles
    do {
      found = try subtitlesBesideMovie(in: context)
    } catch {
      throw UsageError(.missingOperand, "which SUB? \(error)")
    }
    guard !found.paths.isEmpty else {
      let reason = found.reasonForOthers.map { "; " + $0 } ?? ""
      throw UsageError(.missingOperand, "which SUB? no .srt or .vtt beside \(movie) is named after it\(reason)")
    }
    if !options.isJSON {
      try context.say("found beside \(movie): \(found.paths.joined(separator: ", "))")
      if let reason = found.reasonForOthers { try context.say("note: \(reason)") }
    }
    return try requests(found.paths, in: context)
  }

  private static func checkMovie(_ movie: String) throws(UsageError) {
    try EditOptions.requireFile(movie)
    guard SubtitleFileFormat(fileName: movie) == nil else {
      throw UsageError(.invalidValue, "\(movie) is not a movie file; the movie comes first, then its subtitles")
    }
  }
}
