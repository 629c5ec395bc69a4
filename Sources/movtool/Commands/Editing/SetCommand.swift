import MovieWriter

/// `movtool set FILE --track SELECTOR …`.
struct SetCommand: Command {
  static let name = "set"

  static let manual = CommandManual(
    operands: "FILE --track SELECTOR …",
    summary: "changes language, title, role, group of tracks",
    examples: [
      .init(
        line: "movtool set film.mov --track subtitle:1 --language es --title Español",
        effect: "the language and title of a track, in film.mov itself"),
      .init(
        line: "movtool set film.mp4 --track audio:1 --language en --default --track audio:2 --role commentary",
        effect: "two tracks in one edit"),
      .init(
        line: "movtool set film.mov --track subtitle:en --characteristic +public.easy-to-read -o out.mov",
        effect: "one more tag, in a new file; film.mov stays as it is"),
    ],
    options: [OptionSpec("track", value: .selector, isRepeatable: true, "the track to change, may be repeated")]
      + TrackChanges.options + EditOptions.ofOneMovie,
    notes: [
      "What is to change stands after the --track that it is for, or before the first one for all."
    ] + TrackSelector.notes("matches one track of FILE as it is") + [
      "--role takes one of these too, in the place of the one that the track had."
    ])

  /// The path of the movie.
  let movie: String
  let changes: [TrackChanges]
  let options: EditOptions

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
