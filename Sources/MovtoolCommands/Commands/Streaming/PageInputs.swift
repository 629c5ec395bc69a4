import MovieBox
import MovieStreaming
import MovieWriter

/// The movies of a page, from files and folders on the command line.
///
/// A file on the command line must be a readable movie. An unreadable movie in a folder is skipped with a warning, so
/// that the page contains at least the other movies.
struct PageInputs {
  /// An open movie.
  struct Input {
    let path: String
    let source: any RandomAccessSource
    let movie: Movie

    /// Returns the report with diagrams of the movie's tracks, atoms and bit rate.
    func report(_ limits: ReadingLimits) throws -> PageReport {
      do {
        return try PageReport(movie, from: source, limits: limits.subtitles)
      } catch {
        throw ToolError(error, about: path)
      }
    }
  }

  private(set) var inputs: [Input] = []
  /// Warnings about files of folders that were skipped, and about missing samples of cut-off movies.
  private(set) var warnings: [Warning] = []

  /// Opens and reads the movies. The movies of a folder are sorted by name.
  ///
  /// Unreadable files in a folder are skipped with a warning. If `followingLinks` is `false`, links in a folder to
  /// movies outside of the folder are skipped too. If no file is readable, throws the first error.
  init(_ paths: [String], followingLinks: Bool = true, in context: Context) throws {
    context.raiseFileLimit()  // Each movie remains open.
    for path in paths {
      var found = try Self.files(at: path, in: context)
      if let files = found, !followingLinks { found = try removeLinks(among: files, in: path, context) }
      var failure: ToolError?
      let before = inputs.count
      for file in found ?? [path] {
        try context.checkStop()
        do {
          let source = try context.open(file)
          let (movie, missing) = try context.movie(at: file, of: source, asJSON: true)
          inputs.append(Input(path: file, source: source, movie: movie))
          warnings += missing
        } catch {
          let error = ToolError(error, about: file)
          guard found != nil else { throw error }
          failure = failure ?? error
          warnings.append(Warning(code: error.code, file: file, message: error.message + "; skipped"))
        }
      }
      if let failure, inputs.count == before { throw failure }
    }
  }

  /// Returns the movies of a folder, sorted by name, or `nil` if the path is not a folder.
  private static func files(at path: String, in context: Context) throws -> [String]? {
    do {
      guard try context.listFolders(path) != nil else { return nil }
      let files = try context.movies(in: path, includingAudioOnly: true)
      guard !files.isEmpty else { throw Context.noMoviesError(in: path, includingAudioOnly: true) }
      return files
    } catch let error as ToolError {
      throw error
    } catch {
      throw ToolError(error, about: path)
    }
  }

  /// Returns the files that are inside the folder, and adds a warning for each link to a file outside of it.
  ///
  /// Other users may be able to create links in a served folder. A link must not make a movie in another folder
  /// accessible.
  private mutating func removeLinks(among files: [String], in folder: String, _ context: Context) throws -> [String] {
    let place: String
    do {
      let resolved = try context.resolve(folder)
      place = resolved.hasSuffix("/") ? resolved : resolved + "/"
    } catch {
      throw ToolError(error, about: folder)
    }
    let insideFiles = try files.filter { file in
      do {
        if try context.resolve(file).hasPrefix(place) { return true }
      } catch is SystemError {
        return true  // Opening the file fails too, with a better error.
      }
      warnings.append(
        Warning(
          code: "link-outside", file: file,
          message: "the link is skipped, because the movie is outside of the folder; --follow-links serves it"))
      return false
    }
    guard !insideFiles.isEmpty else {
      throw ToolError(
        .noInput, code: "link-outside", file: folder, "the folder contains only links to movies outside of the folder",
        hint: "--follow-links serves them")
    }
    return insideFiles
  }

  /// Returns the contents of a page for each movie.
  ///
  /// Pictures are embedded in the page until their limit is reached. The same applies to texts if `holdsTexts` is
  /// `true`. Without these limits, the page of a large folder would take too long to load.
  ///
  /// - Parameter location: returns the path by which the page refers to a movie.
  func pageMovies(
    preferring language: LanguageTag, in context: Context, holdsTexts: Bool,
    pictureByteCountLimit: Int = 16 << 20, textByteCountLimit: Int = PageMovie.textByteCountLimit,
    location: (Input) throws -> String
  ) throws -> [PageMovie] {
    var (pictureByteCount, textByteCount) = (0, 0)
    return try inputs.map { input in
      try context.checkStop()
      let path = try location(input)
      do {
        var movie = try PageMovie(
          input.movie, from: input.source, at: path, preferring: [language], limits: context.limits.subtitles,
          textByteCountLimit: textByteCountLimit - textByteCount)
        if holdsTexts { textByteCount += movie.textByteCount }
        if movie.pictureByteCount > pictureByteCountLimit - pictureByteCount { movie.removePictures() }
        pictureByteCount += movie.pictureByteCount
        return movie
      } catch {
        throw ToolError(error, about: input.path)
      }
    }
  }
}

extension Warning {
  /// Returns a warning that a movie cannot be streamed, so the page plays it as a file.
  static func notStreamableWarning(of path: String, _ obstacle: MovieError) -> Warning {
    Warning(
      code: "no-stream", file: path,
      message: "the movie cannot be streamed as HLS, but only played as a file: \(obstacle.reason)")
  }
}

extension Warning {
  /// The codes of warnings about a presentation that matter to viewers of a page. They concern the start of a
  /// presentation, and missing tracks and cues.
  private static let pageWarningCodes: Set = [
    "hidden-before-start", "hidden-after-end", "begins-late", "not-in-browsers", "cues-after-end",
  ]

  /// Returns the warnings about a presentation that matter to viewers of a page. Omits warnings that the page itself
  /// contains.
  static func viewerWarnings(of plan: StreamPlan, _ path: String, missingIn page: PageMovie) -> [Warning] {
    let reported = Set(page.notices.map { [$0.code, $0.trackID.map { "\($0)" } ?? ""] })
    return plan.notices.filter { notice in
      notice.isWarning && pageWarningCodes.contains(notice.code)
        && !reported.contains([notice.code, notice.trackID.map { "\($0)" } ?? ""])
    }.map { Warning(code: $0.code, file: path, trackID: $0.trackID, message: $0.message) }
  }
}

extension Context {
  /// Prints the note that Safari does not rotate the video in HLS.
  func printNotes(of plan: StreamPlan, _ path: String) throws {
    for notice in plan.notices where notice.code == "rotated" { try printMessage("note: \(path): \(notice.message)") }
  }
}

extension PageInputs {
  /// Returns the warnings about contents of the movies that the page omits or cannot show.
  func warnings(about movies: [PageMovie]) -> [Warning] {
    zip(inputs, movies).flatMap { input, movie in
      movie.notices.map { notice in
        Warning(code: notice.code, file: input.path, trackID: notice.trackID, message: notice.message)
      }
    }
  }
}

/// The option for the language of a page's own texts.
enum PageLanguage {
  static let option = OptionSpec(
    "language", value: .language,
    "set the language of the page: " + PageTexts.languages.map(\.description).joined(separator: ", "))

  static func texts(_ arguments: Arguments) throws(UsageError) -> PageTexts {
    let text = arguments.value("language") ?? "en"
    if let texts = LanguageTag(text).flatMap(PageTexts.init) { return texts }
    let supportedLanguages = PageTexts.languages.map(\.description).joined(separator: ", ")
    throw UsageError(.invalidValue, "--language \(text): the page supports \(supportedLanguages)")
  }
}
