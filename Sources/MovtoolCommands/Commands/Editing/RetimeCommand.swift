import MovieBox
import MovieWriter
import Subtitles

/// `movtool retime FILE --track SELECTOR --offset TIME`.
struct RetimeCommand: Command {
  static let name = "retime"

  static let manual = CommandManual(
    operands: "FILE… --track SELECTOR",
    summary: "shift or stretch the times of subtitles in a movie",
    examples: [
      .init(
        line: "movtool retime film.mov --track subtitle:en --offset -1.5",
        effect: "show the English subtitles 1.5 s earlier"),
      .init(
        line: "movtool retime film.mp4 --track subtitle --scale 25/23.976 -o out.mp4",
        effect: "convert subtitles for 25 frames a second to 23.976"),
    ],
    options: [
      OptionSpec("track", value: .selector, isRepeatable: true, "shift these subtitles; repeatable")
    ] + CueTiming.options(.command) + EditOptions.singleMovieOptions,
    notes: TrackSelector.notes("may match several tracks") + [
      "A new track with another ID replaces the old track. After an edit in place, the old samples remain",
      "in the file as unused bytes.",
    ])

  /// The path of the movie.
  let movie: String
  let tracks: [TrackSelector]
  let timing: CueTiming
  let options: EditOptions

  static func runsForEachMovie(_ arguments: Arguments) -> Bool { true }

  init(_ arguments: Arguments) throws(UsageError) {
    movie = try EditOptions.movie(arguments)
    tracks = try arguments.selectors(
      "track", orAsk: "specify a track: --track subtitle:en, or --track subtitle for all …")
    timing = try CueTiming(arguments, forInput: 0)
    guard timing != CueTiming() else {
      throw UsageError(
        .missingOperand, "specify the change: --offset 1.5, --scale 25/23.976, --from-fps 25 --to-fps 23.976")
    }
    options = try EditOptions(arguments)
  }

  func run(in context: Context) throws -> ExitCode {
    let run = EditExecution(command: Self.name, movie: movie, options: options)
    return try run.edit(in: context) { builder, source in try builder.retime(tracks, timing, source, in: context) }
  }
}

extension EditBuilder {
  /// The retimed tracks, each with its state after the edit.
  var retimedTracks: [(retimed: MovieEdit.RetimedTrack, track: EditedTrack)] {
    let tracks = Dictionary(edit.tracks.map { ($0.id, $0) }) { first, _ in first }
    return retimed.compactMap { retimed in tracks[retimed.trackID].map { (retimed, $0) } }
  }

  /// Changes the times of the tracks that the selectors match.
  mutating func retime(
    _ selectors: [TrackSelector], _ timing: CueTiming, _ source: any RandomAccessSource, in context: Context
  ) throws {
    let ids = try PictureCaptionExtraction.ids(of: selectors, among: edit.tracks) {
      try edit.movie.captionServices(nil, in: source)
    } advice: { names in
      "captions in pictures (\(names)) cannot be shifted; extract them with movtool extract FILE --captions --format scc, "
        + "and add the file with movtool add-captions FILE SUB --offset TIME"
    }
    do {
      retimed += try edit.retime(
        edit.tracks.map(\.id).filter(ids.contains), timing, limits: context.limits.subtitles
      ) { _ in try context.checkStop() }
    } catch MovieEdit.Conflict.noCueShown(let id) {
      throw ToolError(
        .badData, code: "no-cue-shown", file: movie,
        "no cue of track \(id) would be shown, because all cues would be outside of the movie")
    } catch let error as MovieError where error.code == .invalidEdit {
      let boxed = edit.tracks.first { ids.contains($0.id) && $0.mediaType == .metadata && $0.formats == ["mebx"] }
      throw UsageError(
        .invalidEdit, error.reason,
        guidance: boxed.map {
          "to shift the items of track \($0.id), write them with movtool timed --track id:\($0.id) -o items.json, change "
            + "their times, and add them with movtool add-track --metadata --replace"
        })
    } catch let error as Interruption {
      throw error
    } catch {
      throw ToolError(error, about: movie)
    }
  }
}

// MARK: - Options

extension CueTiming {
  /// Returns the options for changing times.
  static func options(_ scope: OptionSpec.Scope) -> [OptionSpec] {
    [
      OptionSpec("offset", value: "TIME", scope: scope, "shift the cues: 1.5, -0.25, 00:01:02.500"),
      OptionSpec("scale", value: "FACTOR", scope: scope, "multiply all times, before --offset: 25/23.976, 1.001"),
      OptionSpec("from-fps", value: "RATE", scope: scope, "the frame rate for which the cues were made: 25"),
      OptionSpec("to-fps", value: "RATE", scope: scope, "the movie's frame rate: 23.976 (same as --scale 25/23.976)"),
    ]
  }

  /// Creates the timing that the options for the input at `index` request.
  init(_ arguments: Arguments, forInput index: Int) throws(UsageError) {
    self.init()
    if let text = arguments.value("scale", forInput: index) {
      guard let scale = CueTiming.Scale(text) else {
        throw UsageError(
          .invalidValue, "--scale \(text): specify a factor between 0.01 and 100 such as 25/23.976 or 1.001")
      }
      self.scale = scale
    }
    let rates = ["from-fps", "to-fps"].map { arguments.value($0, forInput: index) }
    if let text = rates[0] ?? rates[1] {
      guard let from = rates[0], let to = rates[1] else {
        let missing = rates[0] == nil ? "--from-fps" : "--to-fps"
        throw UsageError(
          .missingOperand, "\(missing) is missing: use --from-fps 25 --to-fps 23.976; one of the rates is \(text)")
      }
      guard arguments.value("scale", forInput: index) == nil else {
        throw UsageError(.conflict, "--from-fps and --to-fps compute --scale; use either --scale or the rates")
      }
      guard DecimalRatio(from) != nil, DecimalRatio(to) != nil, let scale = CueTiming.Scale(from + "/" + to)
      else {
        throw UsageError(.invalidValue, "--from-fps \(from) --to-fps \(to): specify frame rates such as 25 and 23.976")
      }
      self.scale = scale
    }
    if let text = arguments.value("offset", forInput: index) {
      offsetMilliseconds = try TimeOffset(offset: text).milliseconds
    }
  }
}
