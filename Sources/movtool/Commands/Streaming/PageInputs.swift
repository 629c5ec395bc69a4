import MovieBox
import MovieStreaming
import MovieWriter

/// The movies of a page: those that the command line names, and those in folders that it names.
struct PageInputs {
  /// A movie, read.
  struct Input {
    let path: String
    let source: any RandomAccessSource
    let movie: Movie

    /// Pictures of what it is made of.
    func report(_ limits: ReadingLimits) throws -> PageReport {
      do {
        return try PageReport(movie, from: source, limits: limits.subtitles)
      } catch {
        throw ToolError(error, about: path)
      }
    }
  }

  private(set) var inputs: [Input] = []
  /// What of folders was left out, since it cannot be read; and what cut-off movies lack.
  private(set) var warnings: [Warning] = []

  /// Opens and reads the movies, those of a folder by name. What a folder has that is not a movie is left out, with a
  /// warning, unless nothing else is there. So are links to movies outside of the folder, unless the page may have these.
  init(_ paths: [String], followingLinks: Bool = true, in context: Context) throws {
    SystemCalls.raiseFileLimit()  // Each movie stays open.
    for path in paths {
      var found = try Self.files(at: path, in: context)
      if let files = found, !followingLinks { found = try leaveOutLinks(among: files, in: path, context) }
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
          warnings.append(Warning(code: error.code, file: file, message: error.message + "; left out"))
        }
      }
      if let failure, inputs.count == before { throw failure }
    }
  }

  /// The movies of a folder by their names; `nil` for a path that is none.
  private static func files(at path: String, in context: Context) throws -> [String]? {
    do {
      guard try context.listFolders(path) != nil else { return nil }
      let files = try context.movies(in: path, withSoundAlone: true)
      guard !files.isEmpty else { throw Context.noMovies(in: path, withSoundAlone: true) }
      return files
    } catch let error as ToolError {
      throw error
    } catch {
      throw ToolError(error, about: path)
    }
  }

  /// Returns the files that lie in the folder, and adds a warning for each link that leads out of it.
  ///
  /// A folder that is served may be one into which others put files. A link there must not hand out a movie that its
  /// owner keeps elsewhere.
  private mutating func leaveOutLinks(among files: [String], in folder: String, _ context: Context) throws -> [String] {
    let place: String
    do {
      let resolved = try context.resolve(folder)
      place = resolved.hasSuffix("/") ? resolved : resolved + "/"
    } catch {
      throw ToolError(error, about: folder)
    }
    let inside = try files.filter { file in
      do {
        if try context.resolve(file).hasPrefix(place) { return true }
      } catch is SystemError {
        return true  // The file cannot be opened either, and the error of that is the better one.
      }
      warnings.append(
        Warning(
          code: "link-outside", file: file,
          message: "is a link to a movie outside of the folder; left out (--follow-links serves it)"))
      return false
    }
    guard !inside.isEmpty else {
      throw ToolError(
        .noInput, code: "link-outside", file: folder, "contains no movies but links to movies outside of the folder",
        hint: "--follow-links serves them")
    }
    return inside
  }

  /// What the page shows of each. `location` says by which path the page finds a movie.
  ///
  /// Covers and other pictures are in the page as long as they take no more than a limit, and so are texts in one that
  /// holds them: a folder of movies has more than anybody wants to load at once.
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
        if movie.pictureByteCount > pictureByteCountLimit - pictureByteCount { movie.leaveOutPictures() }
        pictureByteCount += movie.pictureByteCount
        return movie
      } catch {
        throw ToolError(error, about: input.path)
      }
    }
  }
}

extension Warning {
  /// A movie that plays as it is, and not as HLS.
  static func noStream(of path: String, _ obstacle: MovieError) -> Warning {
    Warning(code: "no-stream", file: path, message: "no HLS of it, only the movie as it is: \(obstacle.reason)")
  }
}

extension Warning {
  /// The codes of warnings about where presentations begin and what is seen and heard of them, which viewers of a page
  /// notice too.
  private static let codesOfPages: Set = [
    "hidden-before-start", "hidden-after-end", "begins-late", "not-in-browsers", "cues-after-end",
  ]

  /// The warnings about the presentation of a movie that viewers of a page notice, without those that the page has itself.
  static func shown(of plan: StreamPlan, _ path: String, besides page: PageMovie) -> [Warning] {
    let known = Set(page.notices.map { [$0.code, $0.trackID.map { "\($0)" } ?? ""] })
    return plan.notices.filter { notice in
      notice.isWarning && codesOfPages.contains(notice.code)
        && !known.contains([notice.code, notice.trackID.map { "\($0)" } ?? ""])
    }.map { Warning(code: $0.code, file: path, trackID: $0.trackID, message: $0.message) }
  }
}

extension Context {
  /// Prints the notes about a presentation that viewers of a page notice: in Safari a turned picture is turned back.
  func sayNotes(of plan: StreamPlan, _ path: String) throws {
    for notice in plan.notices where notice.code == "rotated" { try say("note: \(path): \(notice.message)") }
  }
}

extension PageInputs {
  /// What the page lacks of its movies, or cannot show.
  func warnings(about movies: [PageMovie]) -> [Warning] {
    zip(inputs, movies).flatMap { input, movie in
      movie.notices.map { notice in
        Warning(code: notice.code, file: input.path, trackID: notice.trackID, message: notice.message)
      }
    }
  }
}

/// The texts of a page, by `--language`.
enum PageLanguage {
  static let option = OptionSpec(
    "language", value: .language,
    "the page's own texts: " + PageTexts.languages.map(\.description).joined(separator: ", "))

  static func texts(_ arguments: Arguments) throws(UsageError) -> PageTexts {
    let text = arguments.value("language") ?? "en"
    if let texts = LanguageTag(text).flatMap(PageTexts.init) { return texts }
    let known = PageTexts.languages.map(\.description).joined(separator: ", ")
    throw UsageError(.invalidValue, "--language \(text): the page has texts in \(known)")
  }
}
