import MovieWriter

/// `movtool remove FILE --track SELECTOR…`.
struct RemoveCommand: Command {
  static let name = "remove"

  static let manual = CommandManual(
    operands: "FILE… --track SELECTOR…",
    summary: "remove tracks and the references to them",
    examples: [
      .init(
        line: "movtool remove film.mov --track subtitle:es",
        effect: "remove the Spanish subtitles from film.mov itself"),
      .init(
        line: "movtool remove film.mov --track audio:2 --track id:5 -o out.mov",
        effect: "write a new file without two tracks"),
      .init(line: "movtool remove film.mov --track subtitle --all", effect: "remove all subtitles"),
    ],
    options: [
      OptionSpec("track", value: .selector, isRepeatable: true, "remove this track; repeatable"),
      OptionSpec("all", "remove every track that a SELECTOR matches"),
    ] + EditOptions.singleMovieOptions,
    notes: TrackSelector.notes("matches one track, or with --all several") + [
      "If the default audio or video of a group is removed, the next track becomes the default.",
      "The media of removed tracks remains in the file as unused bytes. To remove it, use",
      "movtool remux --compact, and for a fragmented movie also --flatten.",
    ])

  /// The path of the movie.
  let movie: String
  /// The tracks to remove.
  let tracks: [TrackSelector]
  /// Whether a selector may match several tracks.
  let removesAllMatches: Bool
  let options: EditOptions

  static func runsForEachMovie(_ arguments: Arguments) -> Bool { true }

  init(_ arguments: Arguments) throws(UsageError) {
    movie = try EditOptions.movie(arguments)
    tracks = try arguments.selectors("track", orAsk: "specify a track: --track id:5, --track subtitle:es …")
    removesAllMatches = arguments.contains("all")
    options = try EditOptions(arguments)
  }

  func run(in context: Context) throws -> ExitCode {
    let run = EditExecution(command: Self.name, movie: movie, options: options)
    return try run.edit(in: context) { builder, _ in try builder.remove(tracks, all: removesAllMatches, option: "track")
    }
  }
}
