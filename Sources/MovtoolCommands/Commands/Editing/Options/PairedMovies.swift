import MovieBox
import Subtitles

/// The movies of `add-subtitle --pair`. The subtitle files in a movie's folder are added to the movie.
///
/// After a failure, the command continues with the next movie. It prints one line for each movie, and a summary counts
/// the outcomes, so that the command is suitable for large collections.
struct PairedMovies {
  /// The movies in the order of the paths, sorted by name within a folder, and the paths at which no movie was found.
  private var foundPaths: [(path: String, problem: ToolError?)] = []
  /// The normalized paths of the movies.
  private var knownPaths: Set<String> = []
  /// The subtitle files of the searched folders, without folders of subtitles, whose files have a note of their own.
  private var files: [String] = []
  /// The normalized paths of the subtitle files that belong to a movie.
  private var matched: Set<String> = []
  private let options: EditOptions
  private let context: Context

  /// Finds the movies. A path is a movie or a folder, which is searched recursively for file names of movies.
  init(_ paths: [String], _ options: EditOptions, in context: Context) throws {
    self.options = options
    self.context = context
    for path in paths {
      let count = foundPaths.count
      try add(path)
      if foundPaths.count == count, !knownPaths.contains(Self.plainPath(path)) {
        foundPaths.append((path, Context.noMoviesError(in: path, orBelow: true, includingAudioOnly: false)))
      }
    }
  }

  /// Returns the path without empty components and `.`, so that a movie that is specified twice is recognized.
  private static func plainPath(_ path: String) -> String {
    (path.hasPrefix("/") ? "/" : "") + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }

  private mutating func add(_ path: String) throws {
    try context.checkStop()
    do {
      guard let folders = try context.listFolders(path) else {
        if knownPaths.insert(Self.plainPath(path)).inserted { foundPaths.append((path, nil)) }
        return
      }
      let start = path.hasSuffix("/") ? path : path + "/"
      for file in try context.movies(in: path, includingAudioOnly: false)
      where knownPaths.insert(Self.plainPath(file)).inserted {
        foundPaths.append((file, nil))
      }
      if !FilePath(path).hasFolder(named: AddSubtitleCommand.folderNames) {
        files += try context.listFiles(path, "").filter {
          SubtitleFileFormat(fileName: $0) != nil && !$0.hasPrefix(".")
        }
        .inNaturalOrder.map { start + $0 }
      }
      for folder in folders.sorted() { try add(start + folder) }
    } catch {
      foundPaths.append((path, try ToolError.blaming(path, for: error)))
    }
  }

  /// Runs the command that `command` returns for each movie. Returns the exit code of the first failure.
  func edit(_ command: (String) throws -> AddSubtitleCommand) throws -> ExitCode {
    var movies = self
    return try movies.editAll(command)
  }

  private mutating func editAll(_ command: (String) throws -> AddSubtitleCommand) throws -> ExitCode {
    var counts: [EditOutcome: Int] = [:]
    var exitCode = ExitCode.done
    for (path, problem) in foundPaths {
      try context.checkStop()
      do {
        if let problem { throw problem }
        let (outcome, code) = try edit(path, command(path))
        counts[outcome, default: 0] += 1
        if exitCode == .done { exitCode = code }
      } catch {
        let failure = try Self.failure(error, of: path)
        counts[.failed, default: 0] += 1
        try report(failure, about: path)
        if exitCode == .done { exitCode = failure.exitCode }
      }
    }
    try summarize(counts)
    return exitCode
  }

  /// Returns the error with the movie's name. Errors of the command line for this movie get the name too.
  private static func failure(_ error: any Error, of movie: String) throws -> ToolError {
    guard let usage = error as? UsageError else { return try ToolError.blaming(movie, for: error) }
    return ToolError(.usage, code: usage.code.rawValue, file: movie, usage.message)
  }

  private mutating func edit(_ movie: String, _ command: AddSubtitleCommand) throws -> (EditOutcome, ExitCode) {
    let found: FoundSubtitles
    do {
      found = try command.findSubtitles(in: context)
    } catch {
      _ = try context.open(movie)  // If the movie is missing, that is the error to report.
      throw error
    }
    matched.formUnion(found.paths.map(Self.plainPath))
    _ = try context.open(movie)
    let (subtitles, warnings) = try command.requests(found.paths, in: context)
    guard !subtitles.isEmpty else {
      let reasons =
        warnings.map { "\($0.file ?? movie): \($0.message)" } + (found.ignoredFilesReason.map { [$0] } ?? [])
      try reportWithoutSubtitles(
        movie, reasons.isEmpty ? nil : reasons.joined(separator: "; "), isSkipped: !warnings.isEmpty)
      return (.withoutSubtitles, .done)
    }
    if !options.isJSON, let reason = found.ignoredFilesReason { try context.printMessage("note: \(movie): \(reason)") }
    let result = try command.edit(subtitles, warnings, isOneOfMany: true, in: context)
    return (EditOutcome(result.report, isRefused: result.isRefused), result.exitCode)
  }

  // MARK: - Messages

  /// - Parameter isSkipped: whether subtitles are named after the movie, but were skipped.
  private func reportWithoutSubtitles(_ movie: String, _ reason: String?, isSkipped: Bool) throws {
    guard options.isJSON else {
      let end = reason.map { "; " + $0 } ?? ""
      return try context.print([
        isSkipped
          ? "\(movie): no subtitles added\(end)" : "\(movie): no .srt or .vtt file in the folder has its name\(end)"
      ])
    }
    try context.printJSON { json in
      json.member("outcome", EditOutcome.withoutSubtitles.rawValue)
      json.member("file", movie)
      json.member("skippedReason", reason)
    }
  }

  private func report(_ error: ToolError, about movie: String) throws {
    guard options.isJSON else {
      try context.report(error, asJSON: false)
      return try context.print(["\(movie): failed, nothing added"])
    }
    try context.printJSON { json in
      json.member("outcome", EditOutcome.failed.rawValue)
      json.member("file", movie)
      json.object("error") { error.write(to: &$0) }
    }
  }

  /// Prints a summary such as `12 movies: 9 edited, 2 without subtitles, 1 failed`.
  private func summarize(_ counts: [EditOutcome: Int]) throws {
    guard !options.isJSON else {
      return try context.printJSON { json in
        json.member("movieCount", foundPaths.count)
        for outcome in EditOutcome.allCases { json.member(outcome.countName, counts[outcome] ?? 0) }
        json.member("unmatchedFiles", unmatched)
      }
    }
    if !unmatched.isEmpty {
      let list = unmatched.prefix(Self.shownFileCount).joined(separator: ", ")
      let more = unmatched.count > Self.shownFileCount ? " and \(unmatched.count - Self.shownFileCount) more" : ""
      try context.printMessage(
        "note: \(counted(unmatched.count, "subtitle file")) named after no movie: \(list)\(more)")
    }
    let parts = EditOutcome.allCases.compactMap { outcome in counts[outcome].map { "\($0) \(words(outcome))" } }
    let end = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    try context.print([counted(foundPaths.count, "movie") + end])
  }

  /// The number of files that the note about unmatched files lists.
  private static let shownFileCount = 10

  /// The subtitle files of the folders that belong to no movie.
  private var unmatched: [String] { files.filter { !matched.contains(Self.plainPath($0)) } }

  /// Returns the word for an outcome in the summary.
  private func words(_ outcome: EditOutcome) -> String {
    switch outcome {
    case .edited: options.isDryRun ? "to edit" : "edited"
    case .withoutSubtitles: "without subtitles"
    case .unchanged, .failed: outcome.rawValue
    }
  }
}

extension EditOutcome {
  /// The JSON member that contains the number of movies with this outcome.
  fileprivate var countName: String {
    self == .withoutSubtitles ? "withoutSubtitlesCount" : rawValue + "Count"
  }
}

extension FilePath {
  /// Whether one of the two last components has one of these names, ignoring case: `Subs` or `Subs/film`.
  fileprivate func hasFolder(named names: [String]) -> Bool {
    names.contains(name.lowercased()) || names.contains(FilePath(folder).name.lowercased())
  }
}
