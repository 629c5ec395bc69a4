import MovieBox
import MovieWriter

/// `movtool add-track IN FROM [--track SELECTOR…]`.
struct AddTrackCommand: Command {
  static let name = "add-track"

  static let manual = CommandManual(
    operands: "IN FROM",
    summary: "adds tracks of another movie: dubs, subtitles, chapters and others",
    examples: [
      .init(
        line: "movtool add-track film.mov dub.m4a --language fr --dub",
        effect: "the sound of dub.m4a as the French dub, into film.mov itself"),
      .init(
        line: "movtool add-track film.mp4 ad.mp4 --track audio:2 --describes-video -o out.mp4",
        effect: "audio description, into a new file; film.mp4 stays as it is"),
      .init(
        line: "movtool add-track film.mov old.mov --track subtitle:es --track subtitle:fr",
        effect: "two subtitle tracks with all that they have"),
    ],
    options: [
      OptionSpec(
        "track", value: .selector, isRepeatable: true, "track of FROM to add, may be repeated; else the only one"),
      OptionSpec("language", value: .language, "BCP 47 tag: en, pt-BR, zh-Hant; else as in FROM"),
      OptionSpec("title", value: "TEXT", "the name that players show; else as in FROM"),
      OptionSpec("describes-video", "audio description"),
      OptionSpec("dub", "a dubbed translation"),
      OptionSpec("commentary", "a commentary, which players do not choose by themselves"),
      OptionSpec("characteristic", value: "NAME", isRepeatable: true, "tag the track, may be repeated"),
      OptionSpec("default", "the track that players choose by themselves"),
    ] + TrackSettings.options(.command) + EditOptions.output("write a new file and leave IN alone") + [
      OptionSpec("fast-start", "put the movie atom before the media"), .append,
    ] + EditOptions.common,
    notes: [
      "Samples and sample tables are copied; FROM is only read. Options hold for all tracks added."
    ] + TrackSelector.notes("matches one track"))

  /// The path of the movie.
  let movie: String
  let request: TrackRequest
  let options: EditOptions
  let wantsFastStart: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    let operands = arguments.operands
    guard operands.count >= 2 else {
      throw UsageError(.missingOperand, operands.isEmpty ? "which movie, and from which?" : "from which movie?")
    }
    guard operands.count == 2 else {
      throw UsageError(.unexpectedOperand, "one movie to add to and one to add from; \(operands.count) are named")
    }
    for file in operands { try EditOptions.requireFile(file) }
    movie = operands[0]
    request = try TrackRequest(from: operands[1], arguments)
    options = try EditOptions(arguments)
    wantsFastStart = arguments.contains("fast-start")
    guard !options.appends || !wantsFastStart else {
      throw UsageError(.conflict, "--append puts the movie atom last, --fast-start first; choose one")
    }
  }

  func run(in context: Context) throws -> ExitCode {
    let run = EditExecution(
      command: Self.name, movie: movie, options: options, otherInputs: [request.file],
      layout: OutputLayout(isFastStart: wantsFastStart))
    return try run.edit(in: context) { builder, _ in try builder.add(request, in: context) }
  }
}
