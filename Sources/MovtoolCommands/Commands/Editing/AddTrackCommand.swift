import MovieBox
import MovieWriter

/// `movtool add-track IN FROM [--track SELECTOR…]`, and `movtool add-track IN FILE --metadata`.
struct AddTrackCommand: Command {
  static let name = "add-track"

  /// The options for tracks of another movie, which `hls` accepts too.
  static let trackOptions: [OptionSpec] =
    [
      OptionSpec(
        "track", value: .selector, isRepeatable: true, "add this track of FROM; repeatable; default: the only one"),
      OptionSpec("language", value: .language, "set the language: en, pt-BR; default: as in FROM"),
      OptionSpec("title", value: "TEXT", "set the name that players show; default: as in FROM"),
      OptionSpec("describes-video", "mark as audio description"),
      OptionSpec("dub", "mark as a dubbed translation"),
      OptionSpec("commentary", "mark as commentary; players never select it automatically"),
      OptionSpec("characteristic", value: "NAME", isRepeatable: true, "add a characteristic (tagc); repeatable"),
      OptionSpec("default", "make the track the default of its group"),
    ] + TrackSettings.options(.command)

  static let manual = CommandManual(
    operands: "IN FROM",
    summary: "add tracks of another movie, or timed metadata of a file",
    examples: [
      .init(
        line: "movtool add-track film.mov dub.m4a --language fr --dub",
        effect: "add dub.m4a to film.mov as a French dub"),
      .init(
        line: "movtool add-track film.mp4 ad.mp4 --track audio:2 --describes-video -o out.mp4",
        effect: "write a new file with an audio description"),
      .init(
        line: "movtool add-track film.mov ride.gpx --metadata --rate 10", effect: "add a route as timed metadata"),
    ],
    options: trackOptions + [
      OptionSpec("metadata", "add the items of FROM, a JSON or GPX file (- for stdin)"),
      MetadataReferent.option,
      OptionSpec("replace", "with --metadata: replace the track with the same identifiers"),
      OptionSpec("if-absent", "with --metadata: skip tracks whose identifiers IN has"),
      OptionSpec("start", value: "DATE", "with GPX: the movie starts at DATE (default: as in IN)"),
      OptionSpec("offset", value: "TIME", "with GPX: shift the route by TIME (1.5, -0:30)"),
      OptionSpec("rate", value: "HZ", "with GPX: interpolate HZ locations per second (30000/1001)"),
    ] + EditOptions.output("write a new file and leave IN unchanged") + [
      OptionSpec("fast-start", "write the movie atom before the media"), .append,
    ] + EditOptions.commonOptions,
    notes: [
      "Options apply to all added tracks. FROM does not change.",
      "With --metadata, FROM is what timed --json prints, or a route in GPX 1.0 or 1.1.",
    ] + TrackSelector.notes("matches one track"))

  /// The tracks of another movie, or the timed metadata of a file.
  enum Addition: Equatable, Sendable {
    case tracks(TrackRequest)
    case metadata(TimedMetadataRequest)
  }

  /// The path of the movie.
  let movie: String
  let addition: Addition
  let options: EditOptions
  let isFastStart: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    let operands = arguments.operands
    guard operands.count >= 2 else {
      throw UsageError(
        .missingOperand,
        operands.isEmpty
          ? "specify a movie, and another movie to add tracks from" : "specify a movie to add tracks from")
    }
    guard operands.count == 2 else {
      throw UsageError(.unexpectedOperand, "specify one movie, and one movie to add tracks from, not \(operands.count)")
    }
    movie = operands[0]
    try EditOptions.requireFile(movie)
    if let metadata = try TimedMetadataRequest(from: operands[1], arguments) {
      addition = .metadata(metadata)
    } else {
      try EditOptions.requireFile(operands[1])
      var request = try TrackRequest(from: operands[1], arguments)
      request.referent = try MetadataReferent(arguments)
      addition = .tracks(request)
    }
    options = try EditOptions(arguments)
    isFastStart = arguments.contains("fast-start")
    guard !options.appends || !isFastStart else {
      throw UsageError(
        .conflict, "--append writes the movie atom last, but --fast-start writes it first; use one option")
    }
  }

  func run(in context: Context) throws -> ExitCode {
    let (file, mayAddNothing) =
      switch addition {
      case .tracks(let request): (request.file, false)
      case .metadata(let request): (request.file, request.existingTrackPolicy == .skip)
      }
    let run = EditExecution(
      command: Self.name, movie: movie, options: options, otherInputs: file == "-" ? [] : [file],
      layout: OutputLayout(isFastStart: isFastStart),
      skipsIfUnchanged: mayAddNothing && (context.record != nil || !isFastStart))
    return try run.edit(in: context) { builder, _ in
      switch addition {
      case .tracks(let request): try builder.add(request, in: context)
      case .metadata(let request): try builder.add(request, in: context)
      }
    }
  }
}
