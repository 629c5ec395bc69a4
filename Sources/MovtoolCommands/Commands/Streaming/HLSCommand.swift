import MovieBox
import MovieStreaming
import MovieWriter
import Subtitles

/// `movtool hls IN… -o FOLDER`.
struct HLSCommand: Command {
  static let name = "hls"

  static let manual = CommandManual(
    operands: "IN…",
    summary: "make an HLS presentation: playlists, segments, subtitles",
    examples: [
      .init(line: "movtool hls film.mov -o film-hls", effect: "write film-hls/main.m3u8, its playlists and segments"),
      .init(
        line: "movtool hls --add film.fr.srt -o film-hls",
        effect: "add French subtitles to the presentation"),
      .init(
        line: "movtool hls film.mov --audio dub.m4a --language fr --dub --subtitle film.de.srt -o film-hls",
        effect: "add a French dub and German subtitles"),
    ],
    options: [
      OptionSpec("o", value: OptionValue("FOLDER", .file), "write to this folder; create it if necessary"),
      OptionSpec("duration", value: "S", "set the duration of segments: 1 to 60 s (default 6)"),
      OptionSpec(
        "subtitle-duration", value: "S", "set the duration of subtitle segments: up to 600 s"),
      OptionSpec("audio-only", "omit the video"),
      OptionSpec("single-file", "write one file per video and audio track"),
      OptionSpec("no-audio-only-variant", "omit the audio-only variant"),
      OptionSpec("trim-start", "begin after the start of both video and audio"),
      OptionSpec(
        "style", value: ".CLASS=VALUE", isRepeatable: true,
        "style a WebVTT class: a color or a size in %; repeatable"),
      OptionSpec(
        "session-data", value: "ID=TEXT", isRepeatable: true,
        "add session data: text, or an item such as common/title"),
      OptionSpec(
        "timed-id3", value: "IDENTIFIER", isRepeatable: true,
        "write timed metadata as ID3 events: 'mdta/com.*'; repeatable"),
      OptionSpec("force", "with -o: replace the presentation in FOLDER"),
      OptionSpec("sync", "with -o: wait until the files are on the disk"),
    ] + RenditionFiles.options + HLSAddition.options + [HLSRemoval.option] + EditOptions.commonOptions,
    firstInput: .max,
    notes: [
      "Each IN (high.mp4 low.mp4) becomes a variant. The first IN provides the audio and subtitles.",
      "Formats that HLS does not support are omitted with a warning. There are no live playlists and no",
      "encryption.",
      "--single-file stores the segments of a track as byte ranges of one file. Each subtitle segment is",
      "still a separate file.",
      "The options after --audio and --subtitle work as in add-track and add-subtitle. IN does not change.",
      "--add SUB accepts --language, --title, --sdh, --forced, --offset, --part-duration and --unroll.",
      "--remove accepts subtitle:fr, subtitle:en,sdh or subtitle:2.",
    ])

  /// The paths of the movies.
  let movies: [String]
  let folder: String?
  let options: StreamOptions
  let mayOverwrite: Bool
  let waitsForDisk: Bool
  let isDryRun: Bool
  let isStrict: Bool
  let isJSON: Bool
  let progress: Progress.Mode
  /// The audio and subtitles from other files, or `nil` if there are none.
  let renditionFiles: RenditionFiles?
  /// The subtitles to add to an existing presentation, or `nil` without `--add`.
  let addition: HLSAddition?
  /// The subtitles to remove from an existing presentation, or `nil` without `--remove`.
  let removal: HLSRemoval?

  init(_ arguments: Arguments) throws(UsageError) {
    movies = arguments.operands
    renditionFiles = try RenditionFiles(arguments)
    removal = try HLSRemoval(arguments)
    addition = renditionFiles == nil ? try HLSAddition(arguments) : nil
    let changesFolder = addition != nil || removal != nil
    guard !movies.isEmpty || changesFolder else { throw UsageError(.missingOperand, "which movie?") }
    for movie in movies { try EditOptions.requireFile(movie) }
    isDryRun = arguments.contains("dry-run")
    folder = arguments.value("o").map { $0.hasSuffix("/") && $0 != "/" ? String($0.dropLast()) : $0 }
    guard folder != nil || isDryRun && !changesFolder else {
      let option = removal == nil ? "--add" : "--remove"
      throw UsageError(
        .missingValue,
        changesFolder
          ? "-o FOLDER is missing: \(option) changes the presentation in that folder"
          : "-o FOLDER is missing: specify the output folder")
    }
    guard folder != "", folder != "-", folder?.hasSuffix(".m3u8") != true else {
      throw UsageError(.invalidValue, "-o: specify a folder for main.m3u8")
    }
    mayOverwrite = arguments.contains("force")
    waitsForDisk = arguments.contains("sync")
    isStrict = arguments.contains("strict")
    isJSON = arguments.contains("json")
    progress = try EditOptions.progress(arguments)
    options = try Self.options(arguments)
  }

  private static func options(_ arguments: Arguments) throws(UsageError) -> StreamOptions {
    var options = StreamOptions()
    if let duration = try milliseconds("duration", 1...60, arguments) { options.segmentMilliseconds = duration }
    options.textSegmentMilliseconds = try milliseconds("subtitle-duration", 1...600, arguments)
    if let text = options.textSegmentMilliseconds, text < options.segmentMilliseconds {
      throw UsageError(
        .conflict, "--subtitle-duration is shorter than the segments of the video; omit it to use their duration")
    }
    options.isSingleFile = arguments.contains("single-file")
    options.keepsStart = arguments.contains("keep-start")
    options.trimsStart = arguments.contains("trim-start")
    options.hasAudioOnlyVariant = !arguments.contains("no-audio-only-variant")
    options.isAudioOnly = arguments.contains("audio-only")
    options.timedID3 = arguments.values("timed-id3")
    guard !options.isAudioOnly || arguments.operands.count <= 1 else {
      throw UsageError(
        .conflict,
        "--audio-only requires a single IN: several INs are variants of one video, but --audio-only omits the video")
    }
    options.styles = try arguments.values("style").map { text throws(UsageError) in try style(text) }
    for text in arguments.values("session-data") {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, parts[0].contains("."), !parts[1].isEmpty else {
        throw UsageError(
          .invalidValue, "--session-data \(text): write com.example.title=TEXT; the identifier must contain a dot")
      }
      // Characters that a playlist cannot contain are rejected, because replacing them could make two identifiers
      // equal.
      guard PlaylistAttributes.quotable(parts[0]) == parts[0], !parts[0].contains(where: \.isWhitespace) else {
        throw UsageError(
          .invalidValue,
          "--session-data \(text): an identifier must not contain spaces, quotation marks or control characters")
      }
      guard !options.sessionData.contains(where: { $0.id == parts[0] }) else {
        throw UsageError(.conflict, "--session-data \(parts[0]) has two values; specify one value")
      }
      try requireCommonFact(parts[1], ofOption: text)
      options.sessionData.append(StreamOptions.SessionData(id: parts[0], value: parts[1]))
    }
    return options
  }

  /// Throws if the value begins with `common/` and the rest is not a common fact.
  private static func requireCommonFact(_ value: String, ofOption text: String) throws(UsageError) {
    let (prefix, commonNames) = ("common/", MetadataIdentifier.commonNames)
    guard value.hasPrefix(prefix), case let key = String(value.dropFirst(prefix.count)), !commonNames.contains(key)
    else {
      return
    }
    let names = "; use one of \(commonNames.joined(separator: ", "))"
    throw UsageError(
      .invalidValue,
      "--session-data \(text): unknown fact"
        + Suggestion.clause(for: key, among: commonNames, otherwise: names) { prefix + $0 })
  }

  private static func milliseconds(
    _ option: String, _ range: ClosedRange<Int64>, _ arguments: Arguments
  ) throws(UsageError) -> Int? {
    guard let text = arguments.value(option) else { return nil }
    guard let time = TimeOffset(text), (range.lowerBound * 1_000...range.upperBound * 1_000).contains(time.milliseconds)
    else {
      throw UsageError(
        .invalidValue, "--\(option) \(text): seconds, from \(range.lowerBound) to \(range.upperBound)")
    }
    return Int(time.milliseconds)
  }

  private static func style(_ text: String) throws(UsageError) -> StreamOptions.Style {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    func refused(_ reason: String) -> UsageError { UsageError(.invalidValue, "--style \(text): \(reason)") }
    guard parts.count == 2, parts[0].hasPrefix(".") else { throw refused("write .huge=150% or .hint=yellow") }
    let (name, value) = (String(parts[0].dropFirst()), parts[1])
    guard isClass(name) else {
      throw refused(
        "a class consists of letters, digits, - and _, and does not begin with a digit; write .huge=150% or "
          + ".hint=yellow"
      )
    }
    if value.hasSuffix("%") {
      guard isSize(value.dropLast()) else { throw refused("a size is a number above 0, such as 150%") }
      return StreamOptions.Style(name: name, declaration: "font-size: \(value)")
    }
    guard StyledText.Color.isStyleSheetColor(value) else {
      throw refused("unknown color; write a CSS color such as yellow or #FFCC00, or a size that ends with %")
    }
    return StreamOptions.Style(name: name, declaration: "color: \(value)")
  }

  /// Whether a style sheet can contain the name of a class without escapes (CSS Syntax Module Level 3, 4.3.9).
  private static func isClass(_ name: String) -> Bool {
    guard let first = name.drop(while: { $0 == "-" }).unicodeScalars.first, !isDigit(first) || name.hasPrefix("--")
    else {
      return false
    }
    return name.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || isDigit($0) || $0 == "-" || $0 == "_" }
  }

  /// Whether the text is a decimal number above 0: `150`, `87.5`.
  private static func isSize(_ text: Substring) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && $0.unicodeScalars.allSatisfy(isDigit) }
      && text.contains { $0 != "0" && $0 != "." }
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  func run(in context: Context) throws -> ExitCode {
    if let removal, let folder {
      return try removal.run(folder, isStrict: isStrict, asJSON: isJSON, in: context)
    }
    if let addition, let folder {
      return try addition.run(folder, isStrict: isStrict, asJSON: isJSON, in: context)
    }
    var inputs = try movies.map { try StreamInput($0, in: context) }
    let addedFiles = try renditionFiles?.add(to: &inputs, in: context)
    guard inputs.count > 1 else { return try run(inputs[0].source, inputs, addedFiles, in: context) }
    return try run(JoinedSource(inputs.map(\.source)), inputs, addedFiles, in: context)
  }

  private func run(
    _ source: some RandomAccessSource, _ inputs: [StreamInput], _ added: (warnings: [Warning], notes: [String])?,
    in context: Context
  ) throws -> ExitCode {
    var answer: HLSAnswer
    do {
      var options = options
      options.limits = context.limits.stream
      options.movieNames = movies
      let plan = try StreamPlan(
        of: inputs.map { ($0.movie, $0.source) }, options, limits: context.limits.subtitles,
        recordings: Dictionary(
          inputs.enumerated().compactMap { index, input in input.unchangedMovie.map { (index, $0) } }
        ) { first, _ in first }
      ) {
        inputs[$1].explanation(of: $0)
      }
      try context.checkStop()
      for notice in plan.notices {
        if let refusal = inputs[notice.movieIndex].refusal(ofLeftOut: notice) { throw refusal }
      }
      answer = HLSAnswer(
        inputs: inputs, addedFileNotices: added ?? ([], []), folder: folder, plan: plan, isDryRun: isDryRun)
      if !isJSON { try answer.printNotices(in: context) }
      answer.isRefused = isStrict && !answer.warnings.isEmpty
      if let folder, !answer.isRefused {
        if isDryRun {
          try StreamPlan.check(folder, existing: existing)
        } else {
          try write(plan, to: folder, from: source, in: context)
          answer.remainingFolders = Self.remainingFolders(in: folder, unusedBy: plan.files.map(\.path))
        }
      }
    } catch let error as StreamError {
      throw error
    } catch let error as MovieError where error.code == .noPicture {
      var refusal = ToolError(error, about: movies[0])
      refusal.hint = "--audio-only makes a presentation with audio only"
      throw refusal
    } catch {
      throw ToolError(error, about: movies[0])
    }
    try answer.show(asJSON: isJSON, in: context)
    return answer.isRefused ? .no : .done
  }

  /// Returns the subfolders of an older presentation that the new presentation does not use. They contain a playlist or
  /// chapters. Returns an empty array if the folder cannot be listed, because the new presentation is complete anyway.
  static func remainingFolders(in folder: String, unusedBy paths: [String]) -> [String] {
    let usedFolders = Set(paths.compactMap { $0.split(separator: "/").first.map(String.init) })
    let names: [String]
    do throws(SystemError) {
      names = try SystemCalls.names(in: folder)
    } catch {
      return []
    }
    return names.sorted().filter { name in
      !usedFolders.contains(name) && !name.hasPrefix(".")
        && ["playlist.m3u8", "chapters.json"].contains { exists("\(folder)/\(name)/\($0)") }
    }
  }

  /// Whether a file exists. Returns `false` if this cannot be determined.
  private static func exists(_ path: String) -> Bool {
    do throws(SystemError) {
      return try SystemCalls.status(at: path, followingLinks: false) != nil
    } catch {
      return false
    }
  }

  private var existing: StreamPlan.ExistingFolder { mayOverwrite ? .replace : .keep }

  private func write(
    _ plan: StreamPlan, to folder: String, from source: some RandomAccessSource, in context: Context
  ) throws {
    let progress = Progress(progress, in: context)
    defer { progress.finish() }
    // While unfinished files exist, a second signal must not end the process.
    context.deferStops(true)
    defer { context.deferStops(false) }
    try plan.write(
      to: folder, from: source, existing: existing, synchronizes: waitsForDisk
    ) { done, planned in
      try context.checkStop()
      progress.update(done, of: planned)
    }
  }
}
