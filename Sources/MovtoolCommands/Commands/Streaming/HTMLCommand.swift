import MovieBox
import MovieStreaming
import MovieWriter

/// `movtool html IN…`.
struct HTMLCommand: Command {
  static let name = "html"

  static let manual = CommandManual(
    operands: "IN…",
    summary: "write a page that plays movies: menus, chapters, transcript",
    examples: [
      .init(line: "movtool html film.mov", effect: "write film.html, which plays film.mov"),
      .init(line: "movtool html film.mov -o film-page", effect: "write a folder for a web server: page, movie, HLS"),
      .init(
        line: "movtool html holidays -o holidays/index.html", effect: "write a page with all movies of a folder"),
    ],
    options: [
      OptionSpec(
        "o", value: OptionValue("FOLDER|FILE", .file),
        "write a page (.html, .htm) or a folder with its movies"),
      OptionSpec("force", "overwrite FILE, or files in FOLDER"),
      PageLanguage.option,
      OptionSpec("report", "add diagrams of cues, file layout and bit rate"),
      OptionSpec("strict", "treat warnings as errors: write nothing, exit 1"),
      EditOptions.progress,
      .json,
    ],
    notes: [
      "IN is a movie or a folder of movies. Without -o, the page is IN with the extension .html.",
      "A page contains texts, pictures, style and script. It refers to the movies by relative paths.",
      "A FOLDER for a web server contains index.html, the movies and their HLS presentations.",
    ])

  /// The destination of the page.
  private enum Output {
    case standardOutput
    case file(String)
    /// A folder with the page, the movies and their presentations.
    case folder(String)
  }

  private let paths: [String]
  private let output: Output
  private let mayOverwrite: Bool
  private let texts: PageTexts
  private let hasReport: Bool
  private let isStrict: Bool
  private let progress: Progress.Mode
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    paths = arguments.operands
    guard let first = paths.first else { throw UsageError(.missingOperand, "which movie?") }
    texts = try PageLanguage.texts(arguments)
    mayOverwrite = arguments.contains("force")
    hasReport = arguments.contains("report")
    isStrict = arguments.contains("strict")
    isJSON = arguments.contains("json")
    progress = try EditOptions.progress(arguments)
    switch arguments.value("o") {
    case "": throw UsageError(.missingValue, "-o requires a value: FILE or FOLDER")
    case "-" where isJSON:
      throw UsageError(.conflict, "--json and -o - both use standard output")
    case "-": output = .standardOutput
    case let name? where [".html", ".htm"].contains { name.lowercased().hasSuffix($0) }: output = .file(name)
    case let name?: output = .folder(name)
    case nil:
      guard paths.count == 1 else {
        throw UsageError(
          .missingValue, "several movies require an output: use -o FILE for a page, or -o FOLDER for a folder",
          guidance: OperandAdvice.line(Self.name, arguments, after: paths.count - 1))
      }
      output = .file(Self.pageName(for: first))
    }
  }

  /// Returns the movie's path with the suffix `.html`.
  private static func pageName(for movie: String) -> String {
    FilePath(movie.hasSuffix("/") ? String(movie.dropLast()) : movie).withoutExtension + ".html"
  }

  func run(in context: Context) throws -> ExitCode {
    let inputs = try PageInputs(paths, in: context)
    var folder: HTMLFolder?
    if case .folder(let path) = output { folder = HTMLFolder(path, for: inputs.inputs, in: context) }
    var movies = try pageMovies(of: inputs, folder, in: context)
    var warnings = inputs.warnings + inputs.warnings(about: movies)
    let obstacles = try folder?.planStreams(of: inputs.inputs, for: &movies, in: context) ?? []
    for (input, obstacle) in zip(inputs.inputs, obstacles) {
      if let obstacle { warnings.append(.notStreamableWarning(of: input.path, obstacle)) }
    }
    for (place, entry) in (folder?.entries ?? []).enumerated() {
      guard let plan = entry.plan else { continue }
      warnings += Warning.viewerWarnings(of: plan, inputs.inputs[place].path, missingIn: movies[place])
      if !isJSON { try context.printNotes(of: plan, inputs.inputs[place].path) }
    }
    var page = MoviePage(movies, in: texts)
    if hasReport {
      let reports = try zip(movies, inputs.inputs).map { (title: $0.title, report: try $1.report(context.limits)) }
      page.report = PageReport.html(of: reports, in: texts)
    }
    if !isJSON { for warning in warnings { try context.warn(warning) } }
    let isRefused = isStrict && !warnings.isEmpty
    let html = page.html
    if !isRefused { try write(html, folder, inputs, in: context) }
    let answer = HTMLAnswer(
      output: outputName, inputs: inputs.inputs, page: page, byteCount: html.count, folder: folder,
      warnings: warnings, isRefused: isRefused)
    try answer.show(asJSON: isJSON, in: context)
    return isRefused ? .no : .done
  }

  /// Returns the contents of the page for each movie. The paths of the movies are relative to the page.
  private func pageMovies(of inputs: PageInputs, _ folder: HTMLFolder?, in context: Context) throws -> [PageMovie] {
    if let folder {
      var names = folder.entries.map(\.name).makeIterator()
      return try inputs.pageMovies(preferring: texts.language, in: context, holdsTexts: true) {
        names.next() ?? $0.path
      }
    }
    let place = if case .file(let path) = output { FilePath(path).folder } else { "." }
    return try inputs.pageMovies(preferring: texts.language, in: context, holdsTexts: true) { input in
      try context.path(to: input.path, from: place)
    }
  }

  private var outputName: String {
    switch output {
    case .standardOutput: "-"
    case .file(let path): path
    case .folder(let path): path + (path.hasSuffix("/") ? "" : "/") + PageFolder.pageName
    }
  }

  private func write(
    _ html: [UInt8], _ folder: HTMLFolder?, _ inputs: PageInputs, in context: Context
  ) throws {
    if let folder {
      for input in inputs.inputs where context.isSameFile(input.path, folder.path) {
        throw UsageError(.conflict, "-o \(folder.path) is the movie")
      }
      return try folder.write(html, of: inputs.inputs, replaces: mayOverwrite, progress, in: context)
    }
    guard case .file(let path) = output else { return try context.standardOutput.write(html[...]) }
    try context.write([(path, Bytes(html))], protecting: inputs.inputs.map(\.path), overwrites: mayOverwrite)
  }
}

/// The answer of `html` about a page.
struct HTMLAnswer {
  /// The path of the page, or `-` for standard output.
  let output: String
  let inputs: [PageInputs.Input]
  let page: MoviePage
  /// The size of the page in bytes.
  let byteCount: Int
  /// The page's folder, or `nil` if the movies are not copied.
  let folder: HTMLFolder?
  let warnings: [Warning]
  /// Whether nothing was written because of warnings and `--strict`.
  let isRefused: Bool

  func show(asJSON: Bool, in context: Context) throws {
    if asJSON { return try context.printJSON { write(to: &$0) } }
    if isRefused { return try context.printRefusal(warnings) }
    let movieCount = page.movies.count == 1 ? "1 movie" : "\(page.movies.count) movies"
    var line = "wrote \(output): \(movieCount), \(Quantity.bytes(UInt64(byteCount)))"
    if let folder {
      let copied = folder.entries.count { !$0.isInFolder }
      let streamed = folder.entries.count { $0.plan != nil }
      line += "; also \(copied) copied, \(streamed) as HLS, \(Quantity.bytes(folder.byteCount(of: inputs)))"
    }
    try output == "-" ? context.printMessage(line) : context.print([line])
  }

  private func write(to json: inout JSONWriter) {
    json.member("output", output)
    json.member("isWritten", !isRefused)
    json.member("byteCount", byteCount)
    json.member("language", page.texts.language.description)
    json.objects("movies", of: zip(inputs, page.movies).enumerated()) { numbered, json in
      let (index, (input, movie)) = numbered
      json.member("file", input.path)
      json.member("title", movie.title)
      json.member("source", movie.source)
      json.member("playlist", folder?.entries[index].playlist)
      json.member("subtitles", movie.subtitles.map(\.name))
      json.member("audio", movie.sounds.map(\.name))
      json.member("chapterCount", movie.chapters.count)
    }
    json.warnings(warnings)
  }
}
