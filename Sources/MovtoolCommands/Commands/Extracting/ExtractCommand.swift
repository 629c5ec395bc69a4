import MovieBox
import MovieWriter
import Subtitles

/// `movtool extract FILE`.
struct ExtractCommand: Command {
  static let name = "extract"

  static let manual = CommandManual(
    operands: "FILE",
    summary: "write the subtitles of a movie to files",
    examples: [
      .init(line: "movtool extract film.mov", effect: "write film.en.srt, film.es.sdh.srt … to the movie's folder"),
      .init(
        line: "movtool extract film.mov --track subtitle:es --format vtt -o -",
        effect: "write one track as WebVTT to standard output"),
      .init(line: "movtool extract film.mov --grep dear", effect: "find a word in the subtitles, with times"),
    ],
    options: [
      OptionSpec("track", value: .selector, isRepeatable: true, "extract this track; repeatable"),
      OptionSpec("all", "extract all subtitles and captions; see also --chapters"),
      OptionSpec("chapters", "extract the chapters"),
      OptionSpec(
        "captions", value: .optionalList("CHANNELS", of: PictureCaptionRequest.words),
        "also extract captions in pictures: all, or such as cc1,cc3"),
      OptionSpec(
        "format", value: OptionValue("FORMAT", .words(SubtitleFormat.allCases.map(\.rawValue))),
        "write \(SubtitleFormat.list); default: by NAME"),
      OptionSpec("o", value: OptionValue("NAME", .file), "set the file name or template; - is standard output"),
      OptionSpec("force", "overwrite existing files"),
      OptionSpec("grep", value: "TEXT", "show cues that contain this text; write no file"),
      OptionSpec("unroll", "show each line of roll-up captions once"),
      OptionSpec(
        "caption-rate", value: OptionValue("RATE", .words(["29.97", "video"])),
        "set the frame rate of captions in a sample; default: 29.97"),
      OptionSpec(
        "timecode-base", value: "TIME",
        "with scc, mcc: start at 01:00:00:00, or movie for IN's own"),
      EditOptions.keepStart,
      OptionSpec("strict", "treat warnings as errors: write nothing, exit 1"),
      .json,
    ],
    notes: TrackSelector.notes("may match several tracks") + [
      "A template contains {stem}, {language}, {role}, {format} or {id}. Text in [ ] is omitted if a",
      "placeholder in it is empty, or if its language is unknown. The default is",
      "{stem}.{language}[.{role}].{format} in IN's folder.",
      "If two files would have the same name, they are named {stem}.{language}[.{role}].{id}.{format}.",
      "Your own template must contain {id} in this case: -o 'out/{stem}-{id}.{format}'.",
      "Closed captions have the role cc. Captions are omitted if their file would have the same name as",
      "a subtitle file.",
      "CHANNELS is a list such as cc1,cc3; the default is every channel with captions. The role of",
      "captions in pictures is cc for cc1, and otherwise cc2, cc3 or cc4.",
    ])

  /// The destination of the text.
  enum Target: Equatable, Sendable {
    case standardOutput
    case files(FileNameTemplate, inFolder: String)
  }

  /// The requested output.
  struct Output: Equatable, Sendable {
    let format: SubtitleFormat
    let target: Target
    let mayOverwrite: Bool
  }

  /// The task that the options request.
  enum Work: Equatable, Sendable {
    case write(Output)
    case search(String)
  }

  /// The path of the movie.
  let movie: String
  /// The selected tracks, or empty without `--track`.
  let tracks: [TrackSelector]
  let includesChapters: Bool
  /// The closed captions to extract from pictures, or `nil` to extract none.
  let captions: PictureCaptionRequest?
  /// Whether all subtitle tracks are extracted.
  let includesSubtitles: Bool
  let work: Work
  /// Whether times in a fragmented movie count from the start of the recording's clock instead of from the first
  /// sample.
  let keepsStart: Bool
  /// Whether each line of roll-up captions is extracted only once.
  let unrolls: Bool
  /// Whether the byte pairs of a caption sample are timed at the frame rate of the video.
  let usesVideoFrameRate: Bool
  /// The time code at the start of SCC and MCC files, or `nil` for 00:00:00:00.
  let timecodeStart: ExtractedTimecodes?
  let isStrict: Bool
  let isJSON: Bool

  var isReadOnly: Bool { true }

  init(_ arguments: Arguments) throws(UsageError) {
    captions = try PictureCaptionRequest(arguments)
    movie = try EditOptions.movie(arguments)
    tracks = try arguments.selectors("track")
    guard tracks.isEmpty || !arguments.contains("all") else {
      throw UsageError(.conflict, "--track selects tracks, but --all selects every track; use one option")
    }
    includesChapters = arguments.contains("chapters")
    includesSubtitles = tracks.isEmpty && (!includesChapters || arguments.contains("all"))
    keepsStart = arguments.contains("keep-start")
    unrolls = arguments.contains("unroll")
    usesVideoFrameRate = try Self.usesVideoFrameRate(arguments.value("caption-rate"))
    isStrict = arguments.contains("strict")
    isJSON = arguments.contains("json")
    let work = try Self.work(arguments, movie)
    self.work = work
    timecodeStart = try ExtractedTimecodes(arguments, work)
    guard !isJSON || !writesToStandardOutput else {
      throw UsageError(
        .conflict,
        "--json and -o - both use standard output; for cues as JSON, "
          + "use --format json -o -")
    }
  }

  /// The kind of the requested text, for the message that the movie contains none.
  var contentName: String {
    var names = includesSubtitles ? ["subtitles"] : []
    if captions?.isExplicit == true { names.append("captions") }
    if includesChapters { names.append("chapters") }
    return names.isEmpty ? "subtitles" : names.joined(separator: " or ")
  }

  /// The kind of frame that is the unit for the times of caption byte pairs in the output, or `nil` for formats without
  /// byte pairs. Only MCC supports the frame rate of the video.
  var captionPairFrames: CaptionPairFrames? {
    guard case .write(let output) = work else { return nil }
    return switch output.format {
    case .scenarist: .line21
    case .macCaption: .pictures
    case .subRip, .webVTT, .json: nil
    }
  }

  /// The format with time codes that is written, or `nil` if no time codes are written.
  var captionFormat: SubtitleFileFormat? {
    if case .write(let output) = work { output.format.captionFormat } else { nil }
  }

  private var writesToStandardOutput: Bool {
    if case .write(let output) = work { output.target == .standardOutput } else { false }
  }

  private static func work(_ arguments: Arguments, _ movie: String) throws(UsageError) -> Work {
    if let text = arguments.value("grep") {
      for option in ["o", "format", "force", "timecode-base"] where arguments.contains(option) {
        throw UsageError(
          .conflict, "--grep writes no file; omit \(OptionSpec.spelling(of: option)), or --grep")
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
    case nil: target = .files(try FileNameTemplate(FileNameTemplate.standard), inFolder: folder(of: movie))
    }
    return .write(Output(format: format, target: target, mayOverwrite: mayOverwrite))
  }

  /// Returns the path of the movie's folder with a slash at the end, or an empty string for the current folder.
  private static func folder(of movie: String) -> String {
    movie.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(movie[...$0]) } ?? ""
  }

  /// Whether the files are written to the movie's folder with default names.
  private func isBesideMovie(_ target: Target) -> Bool {
    guard case .files(let template, let folder) = target else { return false }
    return template.text == FileNameTemplate.standard && folder == Self.folder(of: movie) && !folder.isEmpty
  }

  private static func usesVideoFrameRate(_ rate: String?) throws(UsageError) -> Bool {
    switch rate {
    case nil, "29.97": return false
    case "video": return true
    case let rate?: throw UsageError(.invalidValue, "--caption-rate \(rate): use 29.97 or video")
    }
  }

  private static func format(_ text: String?, fileName: String?) throws(UsageError) -> SubtitleFormat {
    guard let text else {
      guard let fileName, let suffix = SubtitleFormat.suffix(of: fileName) else { return .subRip }
      if let format = SubtitleFormat(rawValue: suffix.lowercased()) { return format }
      throw UsageError(
        .invalidValue,
        "-o \(fileName): .\(suffix) is not a supported format; use \(SubtitleFormat.list), or set --format"
      )
    }
    guard let format = SubtitleFormat(rawValue: text) else {
      throw UsageError(.invalidValue, "--format \(text): \(SubtitleFormat.list)")
    }
    if let fileName,
      let named = SubtitleFormat.suffix(of: fileName).flatMap({ SubtitleFormat(rawValue: $0.lowercased()) }),
      named != format
    {
      throw UsageError.contradiction("-o \(fileName)", "--format \(text)", "the extension is for \(named.rawValue)")
    }
    return format
  }

  func run(in context: Context) throws -> ExitCode {
    let extraction = try Extraction(self, in: context)
    switch work {
    case .search(let text):
      return try CueSearch(text, extraction).answer(about: movie, contentName, asJSON: isJSON, in: context)
    case .write(let output): return try write(extraction, as: output, in: context)
    }
  }

  private func write(_ extraction: Extraction, as output: Output, in context: Context) throws -> ExitCode {
    var answer = ExtractAnswer(
      movie: movie, format: output.format, start: extraction.start, warnings: extraction.warnings)
    answer.advice = extraction.advice
    switch output.target {
    case .standardOutput:
      let extracted = answer.omittingCaptions(from: extraction.tracks, areSelected: !tracks.isEmpty) { _ in "-" }
      guard extracted.count <= 1 else {
        let list = extracted.map(\.line).joined(separator: "; ")
        throw UsageError(.ambiguous, "-o - requires a single track; these match: \(list)")
      }
      for track in extracted { answer.add(track, output.format.write(track), as: nil) }
    case .files(let template, let folder):
      try answer.add(extraction.tracks, areSelected: !tracks.isEmpty, template, inFolder: folder)
    }
    if !isJSON { try answer.warn(in: context) }
    let isRefused = isStrict && !answer.warnings.isEmpty
    if !isRefused {
      do {
        try answer.writeFiles(mayOverwrite: output.mayOverwrite, in: context)
      } catch let error as FileError where error.code == .cannotCreate && isBesideMovie(output.target) {
        // If the movie's folder is not writable, the user can write to the current folder.
        var failure = ToolError(error)
        failure.hint = "-o './\(FileNameTemplate.standard)' writes to this folder instead of the movie's"
        throw failure
      }
    }
    try answer.show(asJSON: isJSON, isRefused: isRefused, contentName: contentName, in: context)
    return isRefused || answer.files.isEmpty ? .no : .done
  }
}
