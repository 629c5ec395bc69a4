import MovieBox
import MovieWriter

/// `movtool extract FILE`.
struct ExtractCommand: Command {
  static let name = "extract"

  static let manual = CommandManual(
    operands: "FILE",
    summary: "writes the subtitles of a movie to files; reads no picture or sound",
    examples: [
      .init(line: "movtool extract film.mov", effect: "film.en.srt, film.es.sdh.srt …, beside the movie"),
      .init(
        line: "movtool extract film.mov --track subtitle:es --format vtt -o -",
        effect: "one track as WebVTT, to standard output"),
      .init(line: "movtool extract film.mov --grep dear", effect: "when that is said, in any track"),
    ],
    options: [
      OptionSpec("track", value: .selector, isRepeatable: true, "this track, may be repeated"),
      OptionSpec("all", "every subtitle track, as without --track; with --chapters, those too"),
      OptionSpec("chapters", "the chapters, and of the subtitles only what --track or --all names"),
      OptionSpec(
        "format", value: OptionValue("FORMAT", .words(SubtitleFormat.allCases.map(\.rawValue))),
        "srt (the default), vtt or json; else the end of NAME says it"),
      OptionSpec("o", value: OptionValue("NAME", .file), "the file, - for standard output, or a template"),
      OptionSpec("force", "overwrite files that exist"),
      OptionSpec("grep", value: "TEXT", "write no file; show the cues with this text, in any case of letters"),
      EditOptions.keepStart,
      OptionSpec("strict", "treat warnings as errors: write nothing, exit 1"),
      .json,
    ],
    notes: TrackSelector.notes("may match several tracks") + [
      "Placeholders: {stem} {language} {role} {format} {id}; text in [ ] is dropped where a placeholder",
      "in it is empty. Without -o it is {stem}.{language}[.{role}].{format}, beside the movie;",
      "another is -o 'out/{stem}-{id}.{format}'.",
    ])

  /// Where the text goes.
  enum Target: Equatable, Sendable {
    case standardOutput
    case files(FileNameTemplate, inFolder: String)
  }

  /// What is written.
  struct Output: Equatable, Sendable {
    let format: SubtitleFormat
    let target: Target
    let mayOverwrite: Bool
  }

  /// What is done with the text.
  enum Work: Equatable, Sendable {
    case write(Output)
    case search(String)
  }

  /// The movie.
  let movie: String
  /// The tracks; empty for all.
  let tracks: [TrackSelector]
  let includesChapters: Bool
  /// Whether all subtitles are taken.
  let includesSubtitles: Bool
  let work: Work
  /// Whether times are those of a fragmented movie's own clock.
  let keepsStart: Bool
  let isStrict: Bool
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    movie = try EditOptions.movie(arguments)
    tracks = try arguments.selectors("track")
    guard tracks.isEmpty || !arguments.contains("all") else {
      throw UsageError(.conflict, "--track names tracks, --all takes every one; choose one")
    }
    includesChapters = arguments.contains("chapters")
    includesSubtitles = tracks.isEmpty && (!includesChapters || arguments.contains("all"))
    keepsStart = arguments.contains("keep-start")
    isStrict = arguments.contains("strict")
    isJSON = arguments.contains("json")
    work = try Self.work(arguments, movie)
    guard !isJSON || !isToStandardOutput else {
      throw UsageError(
        .conflict,
        "--json answers on standard output, where -o - puts the text; for JSON of the cues, "
          + "--format json -o -")
    }
  }

  /// What is asked for, as the answer names it where there is none.
  var wanted: String {
    guard includesChapters else { return "subtitles" }
    return includesSubtitles ? "subtitles or chapters" : "chapters"
  }

  private var isToStandardOutput: Bool {
    if case .write(let output) = work { output.target == .standardOutput } else { false }
  }

  private static func work(_ arguments: Arguments, _ movie: String) throws(UsageError) -> Work {
    if let text = arguments.value("grep") {
      for option in ["o", "format", "force"] where arguments.contains(option) {
        throw UsageError(
          .conflict, "--grep writes no file; leave out \(OptionSpec.spelling(of: option)), or --grep")
      }
      guard !text.isEmpty else { throw UsageError(.missingValue, "--grep requires a value: TEXT") }
      return .search(text)
    }
    let name = arguments.value("o")
    guard name != "" else { throw UsageError(.missingValue, "-o requires a value: NAME") }
    let format = try format(arguments.value("format"), fileName: name)
    let mayOverwrite = arguments.contains("force")
    let target: Target
    switch name {
    case "-": target = .standardOutput
    case let name?: target = .files(try FileNameTemplate(name), inFolder: "")
    case nil:
      let folder = movie.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(movie[...$0]) } ?? ""
      target = .files(try FileNameTemplate(FileNameTemplate.standard), inFolder: folder)
    }
    return .write(Output(format: format, target: target, mayOverwrite: mayOverwrite))
  }

  private static func format(_ text: String?, fileName: String?) throws(UsageError) -> SubtitleFormat {
    guard let text else {
      guard let fileName, let suffix = SubtitleFormat.suffix(of: fileName) else { return .subRip }
      if let format = SubtitleFormat(rawValue: suffix.lowercased()) { return format }
      throw UsageError(
        .invalidValue,
        "-o \(fileName): .\(suffix) is not a format that is written: srt, vtt or json; --format says which, whatever the name"
      )
    }
    guard let format = SubtitleFormat(rawValue: text) else {
      throw UsageError(.invalidValue, "--format \(text): srt, vtt or json")
    }
    if let fileName,
      let named = SubtitleFormat.suffix(of: fileName).flatMap({ SubtitleFormat(rawValue: $0.lowercased()) }),
      named != format
    {
      throw UsageError.contradiction("-o \(fileName)", "--format \(text)", "the name says \(named.rawValue)")
    }
    return format
  }

  func run(in context: Context) throws -> ExitCode {
    let extraction = try Extraction(self, in: context)
    switch work {
    case .search(let text): return try CueSearch(text, extraction).answer(about: movie, asJSON: isJSON, in: context)
    case .write(let output): return try write(extraction, as: output, in: context)
    }
  }

  private func write(_ extraction: Extraction, as output: Output, in context: Context) throws -> ExitCode {
    var answer = ExtractAnswer(
      movie: movie, format: output.format, start: extraction.start, warnings: extraction.warnings)
    switch output.target {
    case .standardOutput:
      guard extraction.tracks.count <= 1 else {
        let list = extraction.tracks.map(\.line).joined(separator: "; ")
        throw UsageError(.ambiguous, "-o - takes one track, and these match: \(list)")
      }
      for track in extraction.tracks { answer.add(track, output.format.write(track), as: nil) }
    case .files(let template, let folder):
      try answer.add(extraction.tracks, template, inFolder: folder)
    }
    if !isJSON { try answer.warn(in: context) }
    let isRefused = isStrict && !answer.warnings.isEmpty
    if !isRefused { try answer.carryOut(mayOverwrite: output.mayOverwrite, in: context) }
    try answer.show(asJSON: isJSON, isRefused: isRefused, wanted: wanted, in: context)
    return isRefused || answer.files.isEmpty ? .no : .done
  }
}
