import MovieBox
import MovieWriter

/// `movtool remux FILE -o OUT`.
struct RemuxCommand: Command {
  static let name = "remux"

  static let manual = CommandManual(
    operands: "FILE… -o OUT",
    summary: "write a new file with a different layout or type",
    examples: [
      .init(
        line: "movtool remux film.mov -o out.mov --fast-start --interleave",
        effect: "write a file that plays during download"),
      .init(
        line: "movtool remux film.mov -o out.mov --track video --track audio:en --compact",
        effect: "keep only these tracks, without unused bytes"),
      .init(
        line: "movtool remux film.mov -o film.mp4",
        effect: "convert to MP4, and list lost data"),
    ],
    options: EditOptions.output("the new file") + [
      OptionSpec("fast-start", "write the movie atom before the media"),
      OptionSpec("interleave", "write all chunks in the order of time"),
      OptionSpec("split-chunks", "with --interleave: split chunks longer than a second"),
      OptionSpec("compact", "remove free space and unused media"),
      OptionSpec("flatten", "turn a fragmented movie into one without fragments"),
      OptionSpec("salvage", "write the intact samples of a cut-off movie"),
      OptionSpec("self-contained", "copy samples from other files in FILE's folder"),
      OptionSpec(
        "track", oldName: "tracks", value: .selector, isRepeatable: true,
        "keep these tracks and their chapters; repeatable"),
    ] + EditOptions.commonOptions,
    notes: TrackSelector.notes("may match several tracks") + [
      "Samples never change. Without options, the new file contains all data of FILE in the same order.",
      "The extension of OUT sets the type of the movie: .mov .mp4 .m4v .m4a .m4b .3gp .3g2.",
      "--track also keeps the chapters of these tracks; movtool chapters --remove removes chapters.",
      "--self-contained opens only files in the folder of FILE and in its subfolders.",
    ])

  /// The path of the movie.
  let movie: String
  /// The tracks to keep, or empty to keep all tracks.
  let tracks: [TrackSelector]
  let layout: OutputLayout
  let flattens: Bool
  let salvages: Bool
  let makesSelfContained: Bool
  let options: EditOptions

  static func runsForEachMovie(_ arguments: Arguments) -> Bool { arguments.contains("o") }

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
    makesSelfContained = arguments.contains("self-contained")
    flattens = arguments.contains("flatten")
    guard arguments.contains("o") else {
      throw UsageError(.missingOperand, "remux writes a new file: specify it with -o OUT")
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
        builder.notes.append(EditNotice(.nothingToDo, "--salvage has no effect: no sample of \(movie) is missing"))
      }
      if flattens, builder.edit.movie.layout.first("moof") == nil {
        builder.notes.append(EditNotice(.nothingToDo, "--flatten has no effect: \(movie) has no fragments"))
      }
      if !tracks.isEmpty { try builder.keepOnly(tracks, option: "track") }
      if makesSelfContained { try builder.makeSelfContained() }
      let isSalvaged = salvages && !builder.edit.missingSamples.isEmpty
      if !flattens, !isSalvaged, builder.oldType == nil, builder.edit.flattens(for: layout) {
        let error = MovieError(
          .unsupported, at: builder.edit.movie.movieAtom.range.offset, in: "moov",
          builder.edit.missingSamples.isEmpty
            ? "the fragments of the movie cannot be kept; --flatten writes the movie without fragments"
            : "the recording is cut off, and its fragments cannot be kept; --salvage writes the intact samples")
        throw ToolError(error, about: movie)
      }
      return builder
    }
  }
}
