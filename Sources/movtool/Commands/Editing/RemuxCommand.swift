import MovieBox
import MovieWriter

/// `movtool remux FILE -o OUT`.
struct RemuxCommand: Command {
  static let name = "remux"

  static let manual = CommandManual(
    operands: "FILE -o OUT",
    summary: "writes a new file, laid out as you say; samples stay as they are",
    examples: [
      .init(
        line: "movtool remux film.mov -o out.mov --fast-start --interleave",
        effect: "plays while it loads: movie atom first, all media in the order of its times"),
      .init(
        line: "movtool remux film.mov -o out.mov --track video --track audio:en --compact",
        effect: "with these tracks alone, and without bytes that nothing uses"),
      .init(
        line: "movtool remux film.mov -o film.mp4",
        effect: "as an MP4 file; what MP4 has no place for is listed"),
    ],
    options: EditOptions.output("the new file") + [
      OptionSpec("fast-start", "put the movie atom before the media"),
      OptionSpec("interleave", "put all chunks in the order of their times"),
      OptionSpec("split-chunks", "with --interleave: cut chunks that last longer than about a second"),
      OptionSpec("compact", "leave out free space and media that nothing uses"),
      OptionSpec("flatten", "write a fragmented movie without fragments"),
      OptionSpec("salvage", "write what a cut-off movie still has, and list what is missing"),
      OptionSpec("self-contained", "take in the samples that lie in other files beside FILE"),
      OptionSpec(
        "track", oldName: "tracks", value: .selector, isRepeatable: true, "keep these tracks and their chapters only"),
    ] + EditOptions.common,
    notes: TrackSelector.notes("may match several tracks") + [
      "Chapters stay where picture or sound does: movtool chapters --remove takes them out, movtool remove",
      "--track id:5 one language of them.",
      "movtool remux external.mov -o out.mov --self-contained takes in media of other files of its folder.",
      "Without options the new file has everything that FILE has, in the same order. A name that says",
      "another type (.mov, .mp4, .m4v, .m4a, .m4b, .3gp, .3g2) converts, in all commands with -o.",
      "Other files are opened with --self-contained only, and only in the folder of FILE and below it.",
    ])

  /// The path of the movie.
  let movie: String
  /// The tracks to keep; empty for all.
  let tracks: [TrackSelector]
  let layout: OutputLayout
  let flattens: Bool
  let salvages: Bool
  let takesMediaIn: Bool
  let options: EditOptions

  init(_ arguments: Arguments) throws(UsageError) {
    movie = try EditOptions.movie(arguments)
    tracks = try arguments.selectors("track")
    var layout = OutputLayout(
      isFastStart: arguments.contains("fast-start"),
      interleaving: arguments.contains("interleave") ? .all : .newSamples,
      isCompact: arguments.contains("compact"))
    layout.splitsChunks = try EditOptions.splitsChunks(arguments)
    self.layout = layout
    salvages = arguments.contains("salvage")
    takesMediaIn = arguments.contains("self-contained")
    flattens = arguments.contains("flatten")
    guard arguments.contains("o") else {
      throw UsageError(.missingOperand, "a remux writes a new file: name it with -o OUT")
    }
    options = try EditOptions(arguments, canAppend: false)
  }

  func run(in context: Context) throws -> ExitCode {
    let run = EditExecution(
      command: Self.name, movie: movie, options: options, requiresNewFile: true, layout: layout)
    return try run.carryOut(in: context) { source in
      var builder = try EditBuilder(movie, source, options, salvages: salvages, in: context)
      if flattens { builder.edit.flatten() }
      if salvages, builder.edit.missingSamples.isEmpty, !builder.edit.flattens(for: layout) {
        builder.notes.append(EditNotice(.nothingToDo, "--salvage changes nothing: no sample of \(movie) is missing"))
      }
      if flattens, builder.edit.movie.layout.first("moof") == nil {
        builder.notes.append(EditNotice(.nothingToDo, "--flatten changes nothing: \(movie) has no fragments"))
      }
      if !tracks.isEmpty { try builder.keepOnly(tracks, option: "track") }
      if takesMediaIn { try builder.takeMediaIn() }
      let isSalvaged = salvages && !builder.edit.missingSamples.isEmpty
      if !flattens, !isSalvaged, builder.oldType == nil, builder.edit.flattens(for: layout) {
        let error = MovieError(
          .unsupported, at: builder.edit.movie.movieAtom.range.offset, in: "moov",
          builder.edit.missingSamples.isEmpty
            ? "the movie is fragmented, which cannot stay so; --flatten writes it without fragments"
            : "the recording is cut off, and its fragments cannot stay; --salvage writes what is there")
        throw ToolError(error, about: movie)
      }
      return builder
    }
  }
}
