import MovieBox
import Subtitles

/// The movies of `add-subtitle --pair`: each gets the subtitle files beside it, and one that fails keeps none of the
/// others from theirs.
struct PairedMovies {
  /// The movies, in the order of the paths, those of a folder by name; and folders in which none can be found.
  private var places: [(path: String, problem: ToolError?)] = []
  /// The paths of the movies without the parts that name no other folder.
  private var known: Set<String> = []
  private let options: EditOptions
  private let context: Context

  /// Finds the movies: paths themselves, and in folders and those below the files that are named as movies.
  init(_ paths: [String], _ options: EditOptions, in context: Context) throws {
    self.options = options
    self.context = context
    for path in paths {
      let count = places.count
      try add(path)
      if places.count == count, !known.contains(Self.plainPath(path)) {
        places.append((path, Context.noMovies(in: path, orBelow: true, withSoundAlone: false)))
      }
    }
  }

  /// A path without empty parts and `.`: one movie may be named twice.
  private static func plainPath(_ path: String) -> String {
    (path.hasPrefix("/") ? "/" : "") + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }

  private mutating func add(_ path: String) throws {
    try context.checkStop()
    do {
      guard let folders = try context.listFolders(path) else {
        if known.insert(Self.plainPath(path)).inserted { places.append((path, nil)) }
        return
      }
      let start = path.hasSuffix("/") ? path : path + "/"
      for file in try context.movies(in: path, withSoundAlone: false) where known.insert(Self.plainPath(file)).inserted
      {
        places.append((file, nil))
      }
      for folder in folders.sorted() { try add(start + folder) }
    } catch {
      places.append((path, try ToolError.blaming(path, for: error)))
    }
  }

  /// Edits each as `command` says; the exit code is that of the first failure.
  func edit(_ command: (String) throws -> AddSubtitleCommand) throws -> ExitCode {
    var counts: [EditOutcome: Int] = [:]
    var exitCode = ExitCode.done
    for (path, problem) in places {
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

  /// An error with the movie's name, where it is the command line that does not fit this movie too.
  private static func failure(_ error: any Error, of movie: String) throws -> ToolError {
    guard let usage = error as? UsageError else { return try ToolError.blaming(movie, for: error) }
    return ToolError(.usage, code: usage.code.rawValue, file: movie, usage.message)
  }

  private func edit(_ movie: String, _ command: AddSubtitleCommand) throws -> (EditOutcome, ExitCode) {
    _ = try context.open(movie)  // That there is none counts more than what is not beside it.
    let found = try command.subtitlesBesideMovie(in: context)
    let (subtitles, warnings) = try command.requests(found.paths, in: context)
    guard !subtitles.isEmpty else {
      try reportWithoutSubtitles(movie, found.reasonForOthers)
      return (.withoutSubtitles, .done)
    }
    if !options.isJSON, let reason = found.reasonForOthers { try context.say("note: \(movie): \(reason)") }
    let result = try command.edit(subtitles, warnings, isOneOfMany: true, in: context)
    return (EditOutcome(result.report, isRefused: result.isRefused), result.exitCode)
  }

  // MARK: - What is said

  private func reportWithoutSubtitles(_ movie: String, _ reason: String?) throws {
    guard options.isJSON else {
      let end = reason.map { "; " + $0 } ?? ""
      return try context.print(["\(movie): no .srt or .vtt beside it is named after it" + end])
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

  /// `12 movies: 9 edited, 2 without subtitles, 1 failed`.
  private func summarize(_ counts: [EditOutcome: Int]) throws {
    guard !options.isJSON else {
      return try context.printJSON { json in
        json.member("movieCount", places.count)
        for outcome in EditOutcome.allCases { json.member(outcome.countName, counts[outcome] ?? 0) }
      }
    }
    let parts = EditOutcome.allCases.compactMap { outcome in counts[outcome].map { "\($0) \(words(outcome))" } }
    let end = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    try context.print([counted(places.count, "movie") + end])
  }

  /// How a summary says what became of movies.
  private func words(_ outcome: EditOutcome) -> String {
    switch outcome {
    case .edited: options.isDryRun ? "to edit" : "edited"
    case .withoutSubtitles: "without subtitles"
    case .unchanged, .failed: outcome.rawValue
    }
  }
}

extension EditOutcome {
  /// The member of the JSON that counts them.
  fileprivate var countName: String {
    self == .withoutSubtitles ? "withoutSubtitlesCount" : rawValue + "Count"
  }
}
