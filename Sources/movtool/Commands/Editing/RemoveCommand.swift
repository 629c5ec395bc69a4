import MovieWriter

/// `movtool remove FILE --track SELECTOR…`.
struct RemoveCommand: Command {
  static let name = "remove"

  static let manual = CommandManual(
    operands: "FILE --track SELECTOR…",
    summary: "takes tracks out of a movie, and the references to them",
    examples: [
      .init(
        line: "movtool remove film.mov --track subtitle:es",
        effect: "the Spanish subtitles, out of film.mov itself; their bytes stay in the file, unused"),
      .init(
        line: "movtool remove film.mov --track audio:2 --track id:5 -o out.mov",
        effect: "two tracks, into a new file; film.mov stays as it is"),
      .init(line: "movtool remove film.mov --track subtitle --all", effect: "all subtitles"),
    ],
    options: [
      OptionSpec("track", value: .selector, isRepeatable: true, "the track to remove, may be repeated"),
      OptionSpec("all", "all tracks that a SELECTOR matches, where it matches several"),
    ] + EditOptions.ofOneMovie,
    notes: TrackSelector.notes("matches one track, or with --all several") + [
      "Where the default of a group of sound or pictures goes, the group's next track becomes it.",
      "A fragmented movie keeps its fragments, and the media of what went, unused; remux --flatten",
      "--compact leaves it out.",
    ])

  /// The path of the movie.
  let movie: String
  /// The tracks to remove.
  let tracks: [TrackSelector]
  /// Whether a selector may match several tracks.
  let takesAll: Bool
  let options: EditOptions

  init(_ arguments: Arguments) throws(UsageError) {
    movie = try EditOptions.movie(arguments)
    tracks = try arguments.selectors("track", orAsk: "which track? --track id:5, --track subtitle:es …")
    takesAll = arguments.contains("all")
    options = try EditOptions(arguments)
  }

  func run(in context: Context) throws -> ExitCode {
    let run = EditExecution(command: Self.name, movie: movie, options: options)
    return try run.edit(in: context) { builder, _ in try builder.remove(tracks, all: takesAll, option: "track") }
  }
}
