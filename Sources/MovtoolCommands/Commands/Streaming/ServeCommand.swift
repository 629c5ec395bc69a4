import MovieBox
import MovieStreaming
import Subtitles

/// `movtool serve IN…`.
struct ServeCommand: Command {
  static let name = "serve"

  static let manual = CommandManual(
    operands: "IN…",
    summary: "serve the page and its movies over HTTP; write nothing",
    examples: [
      .init(line: "movtool serve film.mov", effect: "print the page's URL and serve until Ctrl-C"),
      .init(line: "movtool serve holidays --port 8080", effect: "serve all movies of a folder at port 8080"),
      .init(
        line: "movtool serve film.mov --allow-origin https://player.example",
        effect: "permit a page of another server to play the movie"),
    ],
    options: [
      OptionSpec("port", value: "N", "listen on this port (default: a free port)"),
      OptionSpec("bind", value: "ADDRESS", "listen on this IP address (default 127.0.0.1)"),
      OptionSpec(
        "allow-origin", value: "ORIGIN", isRepeatable: true,
        "permit pages of ORIGIN to play movies: https://a.example"),
      OptionSpec("follow-links", "serve links to movies outside of the folder"),
      PageLanguage.option,
      .json,
    ],
    notes: [
      "Everybody who can reach the address can watch the movies. With --bind, this may be a whole network."
    ])

  private let paths: [String]
  private let port: UInt16
  private let address: String
  private let origins: [AllowedOrigins.Origin]
  private let followsLinks: Bool
  private let texts: PageTexts
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    paths = arguments.operands
    guard !paths.isEmpty else { throw UsageError(.missingOperand, "which movie?") }
    let number = arguments.value("port") ?? "0"
    guard let port = UInt16(digits: number) else {
      throw UsageError(.invalidValue, "--port \(number): specify a number up to 65535")
    }
    self.port = port
    address = arguments.value("bind") ?? "127.0.0.1"
    origins = try arguments.values("allow-origin").map { (text: String) throws(UsageError) -> AllowedOrigins.Origin in
      if let origin = AllowedOrigins.Origin(text) { return origin }
      throw UsageError(
        .invalidValue,
        "--allow-origin \(text): specify scheme, host and, if necessary, port, such as http://localhost:3000"
      )
    }
    followsLinks = arguments.contains("follow-links")
    texts = try PageLanguage.texts(arguments)
    isJSON = arguments.contains("json")
  }

  func run(in context: Context) throws -> ExitCode {
    let inputs = try PageInputs(paths, followingLinks: followsLinks, in: context)
    var movies = try inputs.pageMovies(preferring: texts.language, in: context, holdsTexts: false) { $0.path }
    var site = MovieSite()
    site.allowedOrigins = AllowedOrigins(origins)
    var warnings = inputs.warnings + inputs.warnings(about: movies)
    for (index, input) in inputs.inputs.enumerated() {
      try context.checkStop()
      do {
        let presentation = try site.add(
          &movies[index], input.movie, from: input.source, under: "\(index + 1)",
          options: StreamOptions(limits: context.limits.stream), limits: context.limits.subtitles)
        switch presentation {
        case .success(let plan):
          warnings += Warning.viewerWarnings(of: plan, input.path, missingIn: movies[index])
          if !isJSON { try context.printNotes(of: plan, input.path) }
        case .failure(let obstacle): warnings.append(.notStreamableWarning(of: input.path, obstacle))
        }
      } catch {
        throw ToolError(error, about: input.path)
      }
    }
    if !isJSON { for warning in warnings { try context.warn(warning) } }
    site.add(MoviePage(movies, in: texts))
    let server: HTTPServer
    do {
      server = try HTTPServer(site, at: address, port: port)
    } catch {
      throw ToolError(
        .cannotCreate, code: "cannot-listen", file: nil, "\(address), port \(port): \(error)",
        hint: error.code == .invalid ? "--bind requires an IP address such as 192.168.1.5, 0.0.0.0 or ::1" : nil)
    }
    let host = address.contains(":") ? "[\(address)]" : address
    let url = "http://\(host):\(server.port)/"
    let presentations = zip(inputs.inputs, movies).compactMap { input, movie in
      movie.stream.map { (file: input.path, url: url + $0.url) }
    }
    if isJSON {
      try context.printJSON { json in
        json.member("url", url)
        json.member("files", paths)
        json.member("allowedOrigins", origins.map(\.description))
        json.objects("presentations", of: presentations) { presentation, json in
          json.member("file", presentation.file)
          json.member("url", presentation.url)
        }
        json.warnings(warnings)
      }
    } else {
      try context.print([url] + presentations.map { "HLS of \($0.file): \($0.url)" })
    }
    context.deferStops(true)
    defer { context.deferStops(false) }
    try server.run(until: context.isStopped)
    return .done  // Ctrl-C is the regular end.
  }
}
