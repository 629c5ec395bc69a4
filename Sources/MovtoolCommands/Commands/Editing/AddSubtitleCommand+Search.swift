import MovieBox
import Subtitles

/// The result of the search for a movie's subtitle files.
///
/// The search must not find the subtitles of another film. So the name of a file must begin with the movie's name. If
/// the movie is the only movie in its folder, a file in a subtitle folder needs only a language in its name.
struct FoundSubtitles {
  /// The files that belong to the movie.
  var paths: [String] = []
  /// The reason why files in subtitle folders were ignored, or `nil` if no files were ignored.
  var ignoredFilesReason: String?
}

extension AddSubtitleCommand {
  /// The lowercase names of subtitle folders.
  static let folderNames = ["sub", "subs", "subtitles"]

  /// Returns the movie's subtitle files. Their names begin with the movie's name, which a language and roles may
  /// follow. The movie's folder and its subfolders `Sub`, `Subs` and `Subtitles` are searched.
  func findSubtitles(in context: Context) throws -> FoundSubtitles {
    let path = FilePath(movie)
    let folder = String(movie[..<path.name.startIndex])
    var found = FoundSubtitles()
    found.paths = try context.listFiles(path.folder, String(path.stem)).filter { file in
      file != path.name && SubtitleFileFormat(fileName: file) != nil
        && FileNameHints(path: file, movie: movie).isOfMovie
    }.inNaturalOrder.map { folder + $0 }
    let names = try context.listFolders(path.folder) ?? []
    var movies: [String]?
    for name in names.filter({ Self.folderNames.contains($0.lowercased()) }).inNaturalOrder {
      let subfolder = folder + name
      let files = try subtitleFiles(in: subfolder, context)
      if movies == nil, !files.isEmpty { movies = try context.movies(in: path.folder, includingAudioOnly: false) }
      let isOnlyMovie = movies?.count == 1
      let stem = path.stem.lowercased()
      var others: [String] = []
      for file in files {
        let isNamed = FilePath(file).name.lowercased().hasPrefix(stem)
        let hints = isOnlyMovie || isNamed ? FileNameHints(path: file, movie: movie) : nil
        if let hints, hints.isOfMovie || isOnlyMovie && hints.language != nil {
          found.paths.append(file)
        } else {
          others.append(file)
        }
      }
      for inner in try context.listFolders(subfolder) ?? [] where inner.lowercased() == stem {
        found.paths += try subtitleFiles(in: subfolder + "/" + inner, context)
      }
      found.ignoredFilesReason =
        found.ignoredFilesReason ?? Self.reason(for: others, in: subfolder, amongMovies: movies ?? [], path)
    }
    return found
  }

  /// Returns the reason why files in a subtitle folder are ignored, or `nil` if all files belong to other movies.
  private static func reason(
    for files: [String], in folder: String, amongMovies movies: [String], _ movie: FilePath
  ) -> String? {
    let stems = Set(movies.map { FilePath($0).stem.lowercased() })
    let files = files.filter { !isNamed(FilePath($0).stem.lowercased()[...], afterOneOf: stems) }
    guard let first = files.first else { return nil }
    let more = files.count > 1 ? " and \(files.count - 1) more in \(folder)" : ""
    let verb = files.count > 1 ? "are" : "is"
    if movies.count > 1 {
      return
        "\(first)\(more) \(verb) skipped: the folder has \(movies.count) movies, and the name matches none of them; "
        + "move it to \(folder)/\(movie.stem), or specify it in the command"
    }
    return
      "\(first)\(more) \(verb) skipped: the name contains neither the movie's name nor a language; specify it in the "
      + "command"
  }

  /// Whether a name equals one of the stems, or begins with a stem and then a character that is neither a letter nor a
  /// digit.
  private static func isNamed(_ name: Substring, afterOneOf stems: Set<String>) -> Bool {
    var end = name.endIndex
    while end > name.startIndex {
      if stems.contains(String(name[..<end])) { return true }
      repeat { end = name.index(before: end) } while end > name.startIndex && (name[end].isLetter || name[end].isNumber)
    }
    return false
  }

  private func subtitleFiles(in folder: String, _ context: Context) throws -> [String] {
    try context.listFiles(folder, "").filter { SubtitleFileFormat(fileName: $0) != nil && !$0.hasPrefix(".") }
      .inNaturalOrder.map { folder + "/" + $0 }
  }

  /// Finds the movie's subtitle files and adds them. The movie is one of the movies of `--pair`.
  func addFoundSubtitles(in context: Context) throws -> ExitCode {
    let found: FoundSubtitles
    do {
      found = try findSubtitles(in: context)
    } catch {
      _ = try context.open(movie)  // If the movie is missing, that is the error to report.
      throw error
    }
    context.record?.subtitleFiles = found.paths
    _ = try context.open(movie)
    let (subtitles, warnings) = try requests(found.paths, in: context)
    guard !subtitles.isEmpty else {
      context.record?.outcome = .withoutSubtitles
      let reasons =
        warnings.map { "\($0.file ?? movie): \($0.message)" } + (found.ignoredFilesReason.map { [$0] } ?? [])
      try reportWithoutSubtitles(
        reasons.isEmpty ? nil : reasons.joined(separator: "; "), isSkipped: !warnings.isEmpty, in: context)
      return .done
    }
    if !options.isJSON, let reason = found.ignoredFilesReason { try context.printMessage("note: \(movie): \(reason)") }
    return try edit(subtitles, warnings, in: context).exitCode
  }

  /// Reports that no subtitles were added.
  ///
  /// - Parameter isSkipped: whether all found subtitle files were skipped.
  private func reportWithoutSubtitles(_ reason: String?, isSkipped: Bool, in context: Context) throws {
    guard options.isJSON else {
      let end = reason.map { "; " + $0 } ?? ""
      return try context.print([
        isSkipped
          ? "\(movie): no subtitles added\(end)"
          : "\(movie): no .srt, .vtt, .scc or .mcc file in the folder has the movie's name\(end)"
      ])
    }
    try context.printJSON { json in
      json.member("outcome", EditOutcome.withoutSubtitles.rawValue)
      json.member("file", movie)
      json.member("skippedReason", reason)
    }
  }

  /// Returns a request for each found file, and warnings. The options of the command line apply to each file.
  ///
  /// An unreadable file is skipped with a warning, unless it is the only file. If several files have the same language
  /// and role, only the first file is used. For caption tracks, SCC and MCC files take precedence, then files named as
  /// captions (`cc`, `sdh`), because caption tracks do not distinguish these files from other files.
  func requests(
    _ paths: [String], in context: Context
  ) throws -> (requests: [SubtitleRequest], warnings: [Warning]) {
    var found: [SubtitleRequest] = []
    var failures: [ToolError] = []
    var otherLanguages: [Warning] = []
    for path in paths {
      try context.checkStop()
      let request = try SubtitleRequest(path, at: 0, arguments, asCaptions: addsCaptions, isFound: true)
      if let named = request.contradictedLanguage {
        otherLanguages.append(Warning(leftOut: path, named, because: request.language))
        continue
      }
      do {
        found.append(request.adoptingLanguage(of: try request.read(in: context)))
      } catch {
        failures.append(try ToolError.blaming(path, for: error))
      }
    }
    if found.isEmpty, let first = failures.first { throw first }
    let languages = Set(found.compactMap(\.language))
    if languages.count == 1, let language = languages.first {
      for index in found.indices where found[index].hasRole {
        found[index].adoptLanguage(ofOtherFiles: language)
      }
    }
    let (requests, warnings) = Self.withoutRepetitions(found)
    return (requests, otherLanguages + failures.map(Warning.init(leftOut:)) + warnings)
  }

  private static func withoutRepetitions(
    _ found: [SubtitleRequest]
  ) -> (requests: [SubtitleRequest], warnings: [Warning]) {
    var requests: [SubtitleRequest] = []
    var warnings: [Warning] = []
    for request in found {
      guard let index = requests.firstIndex(where: { $0.hasLanguageAndRole(of: request) }) else {
        requests.append(request)
        continue
      }
      var (used, skipped) = (requests[index], request)
      if skipped.isPreferredForCaptions(to: used) { swap(&used, &skipped) }
      requests[index] = used
      let reason =
        request.language == nil
        ? "the languages of this file and of \(used.file), which was added, are unknown; specify this file in the "
          + "command, with --language TAG"
        : "\(used.file) has the same language and role"
      warnings.append(Warning(code: "same-language-and-role", file: skipped.file, message: "skipped: " + reason))
    }
    return (requests, warnings)
  }
}

extension Warning {
  /// Creates a warning that a found file is skipped, because its name declares a language different from `--language`.
  fileprivate init(leftOut file: String, _ named: LanguageTag, because requested: LanguageTag?) {
    self.init(
      code: "file-left-out", file: file,
      message:
        "left out: its name declares \(named.englishName), not \(requested?.englishName ?? "und"); specify the file in "
        + "the command, if --language is right")
  }

  /// Creates a warning that a found file is skipped because of this error.
  init(leftOut error: ToolError) {
    let hint = error.hint.map { "; " + $0 } ?? ""
    self.init(
      code: "file-left-out", file: error.file, line: error.lineNumber, message: "left out: \(error.message)\(hint)")
  }
}
