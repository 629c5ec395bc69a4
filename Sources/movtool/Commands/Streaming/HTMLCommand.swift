import MovieBox
import MovieStreaming
import MovieWriter

/// `movtool html IN…`.
struct HTMLCommand: Command {
  static let name = "html"

  static let manual = CommandManual(
    operands: "IN…",
    summary: "writes a page that plays movies: menus, chapters, transcript",
    examples: [
      .init(line: "movtool html film.mov", effect: "film.html, which plays the movie beside it"),
      .init(
        line: "movtool html holidays -o holidays/index.html", effect: "all movies of a folder, one after the other"),
      .init(line: "movtool html film.mov --report -o report.html", effect: "with pictures of what the file is made of"),
    ],
    options: [
      OptionSpec("o", value: OptionValue("FILE", .file), "the page; without it, IN with .html as its suffix"),
      OptionSpec("force", "overwrite FILE if it exists"),
      PageLanguage.option,
      OptionSpec("report", "add pictures: tracks and cues in time, layout of the file, bit rate"),
      OptionSpec("strict", "treat warnings as errors: write nothing, exit 1"),
      .json,
    ],
    notes: [
      "IN is a movie, or a folder of movies. The page holds its texts, pictures, style and script; the",
      "movies stay where they are and are found from the page by a relative path.",
    ])

  private let paths: [String]
  private let output: String
  private let mayOverwrite: Bool
  private let texts: PageTexts
  private let hasReport: Bool
  private let isStrict: Bool
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    paths = arguments.operands
    guard let first = paths.first else { throw UsageError(.missingOperand, "which movie?") }
    texts = try PageLanguage.texts(arguments)
    mayOverwrite = arguments.contains("force")
    hasReport = arguments.contains("report")
    isStrict = arguments.contains("strict")
    isJSON = arguments.contains("json")
    switch arguments.value("o") {
    case "": throw UsageError(.missingValue, "-o requires a value: FILE")
    case "-" where isJSON:
      throw UsageError(.conflict, "--json answers on standard output, where -o - puts the page")
    case let name?: output = name
    case nil:
      guard paths.count == 1 else {
        throw UsageError(.missingValue, "several movies make one page: name it with -o FILE")
      }
      output = Self.pageName(for: first)
    }
  }

  /// The movie's name with another suffix.
  private static func pageName(for movie: String) -> String {
    let path = movie.hasSuffix("/") ? String(movie.dropLast()) : movie
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/"), dot > path.startIndex else {
      return path + ".html"
    }
    return path[..<dot] + ".html"
  }

  func run(in context: Context) throws -> ExitCode {
    let inputs = try PageInputs(paths, in: context)
    let folder = output == "-" ? "." : Self.folder(of: output)
    let movies = try inputs.pageMovies(preferring: texts.language, in: context) { input in
      try Self.path(to: input.path, from: folder, in: context)
    }
    var page = MoviePage(movies, in: texts)
    if hasReport {
      let reports = try zip(movies, inputs.inputs).map { (title: $0.title, report: try $1.report()) }
      page.report = PageReport.html(of: reports, in: texts)
    }
    let warnings = zip(inputs.inputs, movies).flatMap { input, movie in
      movie.notices.map { notice in
        Warning(code: notice.code, file: input.path, trackID: notice.trackID, message: notice.message)
      }
    }
    if !isJSON { for warning in warnings { try context.warn(warning) } }
    let isRefused = isStrict && !warnings.isEmpty
    let html = page.html
    if !isRefused { try write(html, instead: inputs, in: context) }
    try answer(movies, inputs, html, warnings, isRefused: isRefused, in: context)
    return isRefused ? .no : .done
  }

  private func write(_ html: [UInt8], instead inputs: PageInputs, in context: Context) throws {
    guard output != "-" else { return try context.standardOutput.write(html[...]) }
    for input in inputs.inputs where input.path == output || context.isSameFile(input.path, output) {
      throw UsageError(.conflict, "-o \(output) is the movie")
    }
    context.holdStops(true)
    defer { context.holdStops(false) }
    try context.checkStop()
    let sink = NewFileSink(path: output, existing: mayOverwrite ? .replace : .keep, synchronizes: false)
    try sink.write(Bytes(html))
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The path that leads from a folder to a file: both are looked up, so that links lead where they do for a browser.
  static func path(to file: String, from folder: String, in context: Context) throws -> String {
    let target = try context.resolve(file).split(separator: "/")
    let start = try context.resolve(folder).split(separator: "/")
    let common = zip(target, start).prefix { $0 == $1 }.count
    let up = Array(repeating: "..", count: start.count - common)
    return (up + target.dropFirst(common).map(String.init)).joined(separator: "/")
  }

  private func answer(
    _ movies: [PageMovie], _ inputs: PageInputs, _ html: [UInt8], _ warnings: [Warning], isRefused: Bool,
    in context: Context
  ) throws {
    guard isJSON else {
      if isRefused { return try context.say("nothing was written, because of warnings and --strict") }
      let what = movies.count == 1 ? "1 movie" : "\(movies.count) movies"
      let line = "wrote \(output): \(what), \(Quantity.bytes(UInt64(html.count)))"
      return output == "-" ? try context.say(line) : try context.print([line])
    }
    try context.printJSON { json in
      json.member("output", output)
      json.member("isWritten", !isRefused)
      json.member("byteCount", html.count)
      json.member("language", texts.language.description)
      json.array("movies") { json in
        for (input, movie) in zip(inputs.inputs, movies) {
          json.object { json in
            json.member("file", input.path)
            json.member("title", movie.title)
            json.member("source", movie.source)
            json.member("subtitles", movie.subtitles.map(\.name))
            json.member("audio", movie.sounds.map(\.name))
            json.member("chapterCount", movie.chapters.count)
          }
        }
      }
      json.array("warnings") { json in for warning in warnings { json.object { warning.write(to: &$0) } } }
    }
  }
}
