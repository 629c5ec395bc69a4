import MovieBox
import Subtitles

/// The movies of `add-subtitle --pair`: each gets the subtitle files beside it, and one that fails keeps none of the
/// others from theirs.
struct PairedMovies {
  /// What became of a movie. The raw value is the name that `--json` shows.
  enum Outcome: String, CaseIterable {
    case edited
    case unchanged
    /// No subtitle file is named after it.
    case withoutSubtitles = "no-subtitles"
    case failed
  }

  /// How the names of movies in a folder end.
  private static let suffixes = [".mov", ".mp4", ".m4v", ".qt", ".3gp"]

  /// The movies, in the order of the paths, those of a folder by name.
  private var movies: [String] = []
  private let options: EditOptions
  private var context: Context

  /// Finds the movies: paths themselves, and in folders and those below the files that are named as movies.
  init(_ paths: [String], _ options: EditOptions, in context: Context) throws {
    self.options = options
    self.context = context
    self.context.printsJSONLines = true
    for path in paths {
      let count = movies.count
      do {
        try add(path)
      } catch let error as Interruption {
        throw error
      } catch {
        throw ToolError(error, about: path)
      }
      guard movies.count > count else {
        throw ToolError(
          .noInput, code: "no-movie", file: path,
          "no movie in this folder or below: no name ends in \(Self.suffixes.joined(separator: ", "))")
      }
    }
  }

  private mutating func add(_ path: String) throws {
    try context.checkStop()
    guard let folders = try context.listFolders(path) else {
      movies.append(path)
      return
    }
    let start = path.hasSuffix("/") ? path : path + "/"
    let files = try context.listFiles(path, "").filter { file in
      !file.hasPrefix(".") && Self.suffixes.contains { file.lowercased().hasSuffix($0) }
    }
    movies += files.sorted().map { start + $0 }
    for folder in folders.sorted() { try add(start + folder) }
  }

  /// Edits each as `command` says; the exit code is that of the first failure.
  func edit(_ command: (String) throws -> AddSubtitleCommand) throws -> ExitCode {
    var counts: [Outcome: Int] = [:]
    var exitCode = ExitCode.done
    for movie in movies {
      try context.checkStop()
      do {
        let (outcome, code) = try edit(movie, command(movie))
        counts[outcome, default: 0] += 1
        if exitCode == .done { exitCode = code }
      } catch let error as Interruption {
        throw error
      } catch let error as StreamError {
        throw error  // Nobody would see what becomes of the others.
      } catch {
        counts[.failed, default: 0] += 1
        let error = ToolError(error, about: movie)
        try report(error, about: movie)
        if exitCode == .done { exitCode = error.exitCode }
      }
    }
    try summarize(counts)
    return exitCode
  }

  private func edit(_ movie: String, _ command: AddSubtitleCommand) throws -> (Outcome, ExitCode) {
    _ = try context.open(movie)  // That there is none counts more than what is not beside it.
    let subtitles = try command.requests(command.pathsBesideMovie(in: context))
    guard !subtitles.isEmpty else {
      try reportWithoutSubtitles(movie)
      return (.withoutSubtitles, .done)
    }
    let result = try command.edit(subtitles, isOneOfMany: true, in: context)
    return (Self.outcome(of: result.report, isRefused: result.isRefused), result.exitCode)
  }

  /// What became of a movie that could be read.
  static func outcome(of report: EditReport, isRefused: Bool) -> Outcome {
    isRefused ? .failed : report.isIdle ? .unchanged : .edited
  }

  // MARK: - What is said

  private func reportWithoutSubtitles(_ movie: String) throws {
    guard options.isJSON else { return try context.print(["\(movie): no .srt or .vtt beside it is named after it"]) }
    try context.printJSON { json in
      json.member("outcome", Outcome.withoutSubtitles.rawValue)
      json.member("file", movie)
    }
  }

  private func report(_ error: ToolError, about movie: String) throws {
    guard options.isJSON else { return try context.report(error, asJSON: false) }
    try context.printJSON { json in
      json.member("outcome", Outcome.failed.rawValue)
      json.member("file", movie)
      json.object("error") { error.write(to: &$0) }
    }
  }

  /// `12 movies: 9 edited, 2 without subtitles, 1 failed`.
  private func summarize(_ counts: [Outcome: Int]) throws {
    guard !options.isJSON else {
      return try context.printJSON { json in
        json.member("movieCount", movies.count)
        for outcome in Outcome.allCases { json.member(outcome.countName, counts[outcome] ?? 0) }
      }
    }
    let parts = Outcome.allCases.compactMap { outcome in counts[outcome].map { "\($0) \(words(outcome))" } }
    let end = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    try context.print([counted(movies.count, "movie") + end])
  }

  /// How a summary says what became of movies.
  private func words(_ outcome: Outcome) -> String {
    switch outcome {
    case .edited: options.isDryRun ? "to edit" : "edited"
    case .withoutSubtitles: "without subtitles"
    case .unchanged, .failed: outcome.rawValue
    }
  }
}

extension PairedMovies.Outcome {
  /// The member of the JSON that counts them.
  fileprivate var countName: String {
    self == .withoutSubtitles ? "withoutSubtitlesCount" : rawValue + "Count"
  }
}
