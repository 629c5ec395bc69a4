import MovieBox
import Subtitles

/// The movies of a command line that names several movies or folders.
///
/// A failure with one movie does not stop the edits of other movies. Each edit prints one line, and a summary counts
/// the outcomes. So one command line can edit a whole collection.
struct ManyMovies {
  /// The path of a movie, or a path on the command line that is not a movie.
  struct Entry {
    let path: String
    /// The reason why the path is not a movie, or `nil` if it may be a movie.
    let problem: ToolError?
  }

  /// The movies in the order of the command line. The movies of a folder are sorted by name.
  private(set) var entries: [Entry] = []
  /// The files that the movies' paths refer to, to find movies that are named twice.
  private var files: Set<FileKey> = []
  /// The subtitle files in the searched folders, collected only for `add-subtitle`. Folders of subtitles are not
  /// included, because a separate note reports their files.
  private var subtitleFiles: [String] = []
  private let isForSubtitles: Bool
  private let context: Context

  /// Finds the movies. A folder is searched recursively for files with an extension of movies. Extensions of audio are
  /// included, except for `add-subtitle`. A movie that is named twice counts once.
  init(_ paths: [String], isForSubtitles: Bool = false, in context: Context) throws {
    self.isForSubtitles = isForSubtitles
    self.context = context
    for path in paths {
      if try !add(path) {
        let problem = Context.noMoviesError(in: path, orBelow: true, includingAudioOnly: !isForSubtitles)
        entries.append(Entry(path: path, problem: problem))
      }
    }
  }

  /// Whether the operands are a folder, or several movies and folders. Returns `false` if one of several operands has
  /// no extension of movies, because that operand is probably a mistake.
  static func areNamed(by operands: [String], in context: Context) throws -> Bool {
    guard !operands.isEmpty, !operands.contains("-") else { return false }
    func isFolder(_ path: String) -> Bool {
      do { return try context.listFolders(path) != nil } catch { return false }
    }
    if operands.count == 1 { return isFolder(operands[0]) }
    return operands.allSatisfy { Context.isNamedAsMovie($0) || isFolder($0) }
  }

  /// Adds a movie, or the movies of a folder. Returns whether the path leads to a movie, even if that movie was already
  /// added.
  private mutating func add(_ path: String) throws -> Bool {
    try context.checkStop()
    do {
      guard let folders = try context.listFolders(path) else {
        if files.insert(FileKey(path)).inserted { entries.append(Entry(path: path, problem: nil)) }
        return true
      }
      let start = path.hasSuffix("/") ? path : path + "/"
      let movies = try context.movies(in: path, includingAudioOnly: !isForSubtitles)
      for movie in movies where files.insert(FileKey(movie)).inserted {
        entries.append(Entry(path: movie, problem: nil))
      }
      if isForSubtitles, !FilePath(path).hasFolder(named: AddSubtitleCommand.folderNames) {
        let names = try context.listFiles(path, "").filter {
          SubtitleFileFormat(fileName: $0) != nil && !$0.hasPrefix(".")
        }
        subtitleFiles += names.inNaturalOrder.map { start + $0 }
      }
      var hasMovies = !movies.isEmpty
      for folder in folders.sorted() where try add(start + folder) { hasMovies = true }
      return hasMovies
    } catch {
      entries.append(Entry(path: path, problem: try ToolError.blaming(path, for: error)))
      return true
    }
  }
}

// MARK: - Checks

/// The findings in several movies, counted for a summary.
struct FindingSummary {
  private var movieCount = 0
  private var unreadableCount = 0
  /// For each severity, the number of findings and of movies with findings.
  private var counts: [Finding.Severity: (findings: Int, movies: Int)] = [:]

  /// Counts the findings in a movie.
  mutating func add(_ findings: [Finding], isUnreadable: Bool) {
    movieCount += 1
    if isUnreadable { unreadableCount += 1 }
    for (severity, found) in Dictionary(grouping: findings, by: \.severity) {
      counts[severity, default: (0, 0)].findings += found.count
      counts[severity, default: (0, 0)].movies += 1
    }
  }

  /// A line such as `40 movies: 5 errors in 2, 17 warnings in 4, 1 unreadable`, without notes.
  var line: String {
    var parts = [Finding.Severity.error, .warning].compactMap { severity in
      counts[severity].map { "\(counted($0.findings, severity.rawValue)) in \($0.movies)" }
    }
    if unreadableCount > 0 { parts.append("\(unreadableCount) unreadable") }
    return counted(movieCount, "movie") + ": "
      + (parts.isEmpty ? "no errors or warnings" : parts.joined(separator: ", "))
  }
}

// MARK: - Edits

extension ManyMovies {
  /// Runs a command for each movie. Returns the exit code of the first failure.
  ///
  /// `-o` must contain `{name}`. It stands for the movie's name without folder and extension.
  static func run<Work: Command>(_ command: Work.Type, _ arguments: Arguments, in context: Context) throws -> ExitCode {
    // All movies share the same options, so an invalid option is reported before the first movie is edited.
    let isReadOnly = try Work(arguments.replacing(operands: ["film.mov"], output: nil)).isReadOnly
    let template = try arguments.value("o").map { text throws(UsageError) in try outputTemplate(text) }
    let isJSON = arguments.contains("json")
    let movies = try ManyMovies(arguments.operands, in: context)
    let outputs = try template.map { template throws(UsageError) in try movies.outputs(template) } ?? [:]
    var isFirst = true
    return try movies.edit(
      isJSON: isJSON, hasSummary: !isReadOnly, isDryRun: !isReadOnly && arguments.contains("dry-run")
    ) {
      movie, context in
      if isReadOnly, !isJSON {
        try context.print((isFirst ? [] : [""]) + [movie + ":"])
        isFirst = false
      }
      return try Work(arguments.replacing(operands: [movie], output: outputs[movie])).run(in: context)
    }
  }

  /// Returns the output for each movie. Throws if two movies have the same output. Also throws if an output is one of
  /// the movies, because that movie might be overwritten before it is edited.
  private func outputs(_ template: FileNameTemplate) throws(UsageError) -> [String: String] {
    var outputs: [String: String] = [:]
    var movies: [FileKey: String] = [:]
    for entry in entries where entry.problem == nil {
      let output = template.filled { field in Self.outputText(field, of: entry.path) }
      let key = FileKey(output)
      guard !files.contains(key) else {
        throw UsageError(
          .conflict, "-o \(template.text) would write \(entry.path) to \(output), which is one of the movies")
      }
      if let other = movies.updateValue(entry.path, forKey: key) {
        throw UsageError(.conflict, "-o \(template.text) would write both \(other) and \(entry.path) to \(output)")
      }
      outputs[entry.path] = output
    }
    return outputs
  }

  /// The fields of `-o`.
  private static let outputFields: [FileNameTemplate.Field] = [.name, .folder, .extension]

  /// Returns the arguments for a single movie with the fields of `-o` filled. The shell may expand `*.mov` to one movie
  /// or to several, so fields work for one movie too.
  static func fillingOutputTemplate(of arguments: Arguments) throws(UsageError) -> Arguments {
    guard let movie = arguments.operands.first, let text = arguments.value("o"),
      outputFields.contains(where: { text.contains("{\($0.rawValue)}") })
    else { return arguments }
    let output = try FileNameTemplate(text, fields: outputFields).filled { outputText($0, of: movie) }
    return arguments.replacing(operands: arguments.operands, output: output)
  }

  private static func outputTemplate(_ text: String) throws(UsageError) -> FileNameTemplate {
    guard text != "-" else { throw UsageError(.conflict, "-o - cannot contain several movies") }
    let template = try FileNameTemplate(text, fields: outputFields)
    guard template.contains(.name) else {
      throw UsageError(
        .conflict, "-o \(text) would write several movies to one file; -o '{name}.new.mov' writes one file for each")
    }
    return template
  }

  private static func outputText(_ field: FileNameTemplate.Field, of movie: String) -> String {
    let path = FilePath(movie)
    return switch field {
    case .folder: path.folder
    case .extension: path.fileExtension.map { String($0) } ?? ""
    default: String(path.stem)
    }
  }

  /// Calls `edit` with each movie, and with a context that records the outcome and prints each JSON value as one line.
  /// Prints errors and, on request, a summary such as `12 movies: 9 edited, 1 failed`. Returns the exit code of the
  /// first failure.
  func edit(
    isJSON: Bool, hasSummary: Bool, isDryRun: Bool, _ edit: (String, Context) throws -> ExitCode
  ) throws -> ExitCode {
    var counts: [EditOutcome: Int] = [:]
    var matchedFiles: Set<FileKey> = []
    var exitCode = ExitCode.done
    var context = context
    context.printsJSONLines = true
    var isInterrupted = false
    for (index, entry) in entries.enumerated() {
      let record = EditRecord()
      context.record = record
      do {
        try context.checkStop()
        if let problem = entry.problem { throw problem }
        let code = try edit(entry.path, context)
        if let outcome = record.outcome { counts[outcome, default: 0] += 1 }
        if exitCode == .done { exitCode = code }
      } catch is Interruption {
        isInterrupted = true
        counts[.interrupted] = entries.count - index
        break
      } catch let error as StreamError {
        // If the output fails, print the number of edited movies on standard error, because the edits cannot be undone.
        let count = (counts[.edited] ?? 0) + (record.outcome == .edited ? 1 : 0)
        if hasSummary, count > 0 {
          try context.printMessage("\(counted(count, "movie")) of \(entries.count) edited before the output failed")
        }
        throw error
      } catch {
        let failure = try Self.failure(error, of: entry.path)
        if failure.exitCode == .interrupted {
          isInterrupted = true
          counts[.interrupted] = entries.count - index
          break
        }
        counts[.failed, default: 0] += 1
        try report(failure, about: entry.path, isJSON: isJSON, isEdit: hasSummary, in: context)
        if exitCode == .done { exitCode = failure.exitCode }
      }
      matchedFiles.formUnion(record.subtitleFiles.map(FileKey.init))
    }
    let unmatchedFiles = subtitleFiles.filter { !matchedFiles.contains(FileKey($0)) }
    if hasSummary {
      try summarize(counts, unmatchedFiles, isJSON: isJSON, isDryRun: isDryRun, in: context)
    }
    return isInterrupted ? .interrupted : exitCode
  }

  /// Adds the movie's name to an error, even to an error of the command line.
  private static func failure(_ error: any Error, of movie: String) throws -> ToolError {
    guard let usage = error as? UsageError else { return try ToolError.blaming(movie, for: error) }
    return ToolError(.usage, code: usage.code.rawValue, file: movie, usage.message)
  }

  private func report(
    _ error: ToolError, about movie: String, isJSON: Bool, isEdit: Bool, in context: Context
  ) throws {
    guard isJSON else {
      try context.report(error, asJSON: false)
      if isEdit { try context.print(["\(movie): failed, nothing written"]) }
      return
    }
    try context.printJSON { json in
      if isEdit { json.member("outcome", EditOutcome.failed.rawValue) }
      json.member("file", movie)
      json.object("error") { error.write(to: &$0) }
    }
  }

  private func summarize(
    _ counts: [EditOutcome: Int], _ unmatchedFiles: [String], isJSON: Bool, isDryRun: Bool, in context: Context
  ) throws {
    guard !isJSON else {
      return try context.printJSON { json in
        json.member("movieCount", entries.count)
        for outcome in EditOutcome.allCases { json.member(outcome.countName, counts[outcome] ?? 0) }
        if isForSubtitles { json.member("unmatchedFiles", unmatchedFiles) }
      }
    }
    if !unmatchedFiles.isEmpty {
      let list = unmatchedFiles.prefix(Self.shownFileCount).joined(separator: ", ")
      let hiddenCount = unmatchedFiles.count - Self.shownFileCount
      let end = hiddenCount > 0 ? " and \(hiddenCount) more" : ""
      try context.printMessage(
        "note: \(counted(unmatchedFiles.count, "subtitle file")) without a movie of the same name: \(list)\(end)")
    }
    let parts = EditOutcome.allCases.compactMap { outcome in
      counts[outcome].map { "\($0) \(outcome.words(isDryRun: isDryRun))" }
    }
    let end = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    try context.print([counted(entries.count, "movie") + end])
  }

  /// The largest number of files that the note about unmatched subtitle files lists.
  private static let shownFileCount = 10
}

extension FilePath {
  /// Whether the last or second to last component has one of these names, as in `Subs` or `Subs/film`. Case is ignored.
  fileprivate func hasFolder(named names: [String]) -> Bool {
    names.contains(name.lowercased()) || names.contains(FilePath(folder).name.lowercased())
  }
}

extension EditOutcome {
  /// Returns the words for the outcome in the summary.
  fileprivate func words(isDryRun: Bool) -> String {
    switch self {
    case .edited: isDryRun ? "to edit" : "edited"
    case .withoutSubtitles: "without subtitles"
    case .unchanged, .interrupted, .failed: rawValue
    }
  }

  /// The name of the JSON member that contains the number of movies with this outcome.
  fileprivate var countName: String {
    self == .withoutSubtitles ? "withoutSubtitlesCount" : rawValue + "Count"
  }
}
