import MovieWriter

/// `movtool set FILE --track SELECTOR …`.
struct SetCommand: Command {
  static let name = "set"

  static let manual = CommandManual(
    operands: "FILE… --track SELECTOR …",
    summary: "change the language, title, role or group of tracks",
    examples: [
      .init(
        line: "movtool set film.mov --track subtitle:1 --language es --title Español",
        effect: "set the language and title of a track in film.mov itself"),
      .init(
        line: "movtool set film.mp4 --track audio:1 --language en --default --track audio:2 --role commentary",
        effect: "change two tracks in one edit"),
      .init(
        line: "movtool set film.mov --track subtitle:en --characteristic +public.easy-to-read -o out.mov",
        effect: "write a new file with an additional tag for the track"),
    ],
    options: [OptionSpec("track", value: .selector, isRepeatable: true, "change this track; repeatable")]
      + TrackChanges.options + EditOptions.singleMovieOptions,
    notes: [
      "An option applies to the --track before it, or to all tracks if it precedes the first --track."
    ] + TrackSelector.notes("matches one track of FILE") + [
      "--role replaces the old role of the track."
    ])

  /// The path of the movie.
  let movie: String
  let changes: [TrackChanges]
  let options: EditOptions

  static func runsForEachMovie(_ arguments: Arguments) -> Bool { true }

  init(_ arguments: Arguments) throws(UsageError) {
    movie = try EditOptions.movie(arguments)
    changes = try TrackChanges.all(arguments)
    options = try EditOptions(arguments)
  }

  func run(in context: Context) throws -> ExitCode {
    let run = EditExecution(command: Self.name, movie: movie, options: options, skipsIfUnchanged: true)
    return try run.edit(in: context) { builder, _ in try builder.change(changes) }
  }
}
