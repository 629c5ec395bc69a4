import MovieBox
import MovieWriter
import Subtitles

/// `movtool inspect FILE…`.
struct InspectCommand: Command {
  static let name = "inspect"

  static let manual = CommandManual(
    operands: "FILE…",
    summary: "show the contents of a movie",
    examples: [
      .init(line: "movtool inspect film.mov", effect: "show tracks, languages, selection groups and findings"),
      .init(line: "movtool inspect --json film.mov trailer.mp4", effect: "show two movies as JSON"),
      .init(line: "movtool inspect --atom 'moov/trak[2]/tkhd' --hex film.mov", effect: "show the bytes of one atom"),
    ],
    options: [
      .json,
      OptionSpec("layout", "show the top-level atoms and the interleaving"),
      OptionSpec("atoms", "list all atoms with types, offsets and sizes"),
      OptionSpec("depth", value: "N", "with --atoms: list N levels"),
      OptionSpec("atom", value: "PATH", "show the fields of one atom, such as 'moov/trak[2]/tkhd'"),
      OptionSpec("hex", "with --atom: show the atom in hexadecimal"),
      ValidateCommand.quiet,
      OptionSpec("samples", value: .selector, "list the samples of a track: times, bytes, sync"),
    ])

  /// The view of a file.
  enum View: Equatable, Sendable {
    case summary
    /// The complete report as JSON. Computing the layout requires a pass over all chunks, so it is included only on
    /// request.
    case json(includesLayout: Bool)
    /// The positions of atoms and media in the file.
    case layout
    /// The atoms down to a nesting depth, or all atoms if the depth is `nil`.
    case atoms(depth: Int?, isJSON: Bool)
    /// The atom at a path such as `moov/trak[2]/mdia`.
    case atom(path: String, isHex: Bool)
    /// The samples of a track.
    case samples(TrackSelector, isJSON: Bool)
  }

  /// The paths of the movies, in the order of the command line.
  let files: [String]
  /// The view of each file.
  let view: View
  /// Whether movies without errors and warnings are omitted.
  let isQuiet: Bool

  var isReadOnly: Bool { true }

  init(_ arguments: Arguments) throws(UsageError) {
    guard !arguments.operands.isEmpty else { throw UsageError(.missingOperand, "which FILE?") }
    guard !arguments.operands.contains("-") else {
      throw UsageError(.notSupported, "standard input cannot be inspected; specify a file")
    }
    files = arguments.operands
    view = try Self.view(arguments)
    isQuiet = arguments.contains("quiet")
    switch view {
    case .summary, .json: break
    default: try arguments.refuse(["quiet"], "applies to findings, which this view does not show")
    }
  }

  private static func view(_ arguments: Arguments) throws(UsageError) -> View {
    let views = ["json", "layout", "atoms", "atom", "samples"].filter { arguments.contains($0) }
    if views == ["json", "layout"] { return .json(includesLayout: true) }
    for (option, view) in [("depth", "atoms"), ("hex", "atom")]
    where arguments.contains(option) && !views.contains(view) {
      throw UsageError(.conflict, "--\(option) requires --\(view)")
    }
    if views.last == "samples", views.count == 1 || views == ["json", "samples"] {
      return .samples(try TrackSelector(arguments.value("samples") ?? "", option: "samples"), isJSON: views.count == 2)
    }
    if views == ["json", "atoms"] { return .atoms(depth: try depth(arguments), isJSON: true) }
    guard views.count <= 1 else {
      throw UsageError(.conflict, views.map { "--" + $0 }.joined(separator: " and ") + " exclude each other")
    }
    switch views.first {
    case "json": return .json(includesLayout: false)
    case "layout": return .layout
    case "atoms": return .atoms(depth: try depth(arguments), isJSON: false)
    case "atom":
      let path = arguments.value("atom") ?? ""
      guard !path.isEmpty, !path.hasPrefix("/"), !path.hasSuffix("/") else {
        throw UsageError(.invalidValue, "--atom \(path): specify a complete path, such as moov/trak[2]/tkhd")
      }
      return .atom(path: path, isHex: arguments.contains("hex"))
    default: return .summary
    }
  }

  private static func depth(_ arguments: Arguments) throws(UsageError) -> Int? {
    guard let text = arguments.value("depth") else { return nil }
    guard let depth = Int(digits: text), depth > 0 else {
      throw UsageError(.invalidValue, "--depth \(text): specify a whole number of at least 1")
    }
    return depth
  }

  /// Prints each file. If a file is unreadable, continues with the next file. The exit code is the code of the first
  /// failure.
  func run(in context: Context) throws -> ExitCode {
    if case .json(let includesLayout) = view { return try runJSON(includesLayout: includesLayout, in: context) }
    if case .samples(let selector, isJSON: true) = view { return try listSamplesAsJSON(selector, in: context) }
    if case .atoms(let depth, isJSON: true) = view { return try listAsJSON(depth: depth, in: context) }
    if view == .summary { return try showSummaries(in: context) }
    var exitCode = ExitCode.done
    let movies = try ManyMovies(files, in: context).entries
    for (index, movie) in movies.enumerated() {
      try context.checkStop()
      if movies.count > 1 { try context.print((index > 0 ? [""] : []) + [movie.path + ":"]) }
      guard let error = try movie.problem ?? show(movie.path, in: context) else { continue }
      try context.report(error, asJSON: false)
      if exitCode == .done { exitCode = error.exitCode }
    }
    return exitCode
  }

  /// Prints the summary of each file, and a summary of all files.
  private func showSummaries(in context: Context) throws -> ExitCode {
    var exitCode = ExitCode.done
    var summary = FindingSummary()
    var isFirst = true
    let movies = try ManyMovies(files, in: context).entries
    for movie in movies {
      try context.checkStop()
      let report = MovieReport(of: movie, in: context)
      summary.add(report.findings, isUnreadable: report.error != nil)
      if exitCode == .done, let error = report.toolError { exitCode = error.exitCode }
      guard !isQuiet || report.hasErrorsOrWarnings else { continue }
      if movies.count > 1 { try context.print((isFirst ? [] : [""]) + [movie.path + ":"]) }
      isFirst = false
      try context.print(report.lines)
      if let error = report.toolError { try context.report(error, asJSON: false) }
    }
    if movies.count > 1 || isQuiet { try context.print((isFirst ? [] : [""]) + [summary.line]) }
    return exitCode
  }

  /// Calls `show` and returns its error, or `nil` on success.
  private func failure(of file: String, _ show: () throws -> Void) throws -> ToolError? {
    do {
      try show()
      return nil
    } catch var error as UsageError {
      error.command = Self.name
      return ToolError(error)
    } catch {
      return try ToolError.blaming(file, for: error)
    }
  }

  /// Prints a file. Returns the error if it could not be read completely.
  private func show(_ file: String, in context: Context) throws -> ToolError? {
    switch view {
    case .summary, .json, .layout:
      let report = MovieReport(of: file, in: context)
      try context.print(report.layoutLines)
      return report.toolError
    case .atoms, .atom, .samples: break
    }
    return try failure(of: file) {
      let source = try context.open(file)
      if case .samples(let selector, _) = view {
        let movie = try Movie(of: source, limits: context.limits.movie)
        return try SampleListing(selector, of: movie, source).forEachBatch { lines in
          try context.checkStop()
          try context.print(lines)
        }
      }
      let limits = context.limits.movie
      let layout = try FileLayout(of: source, limits: limits)
      if case .atom(let path, let isHex) = view {
        let atom = try AtomSelection(at: path, in: layout, of: source, limits: limits)
        try AtomView(atom).show(isHex: isHex, of: source, in: context)
      } else {
        try list(layout, of: source, in: context)
      }
    }
  }

  /// Prints atoms as soon as they are read.
  private func list(_ layout: FileLayout, of source: any RandomAccessSource, in context: Context) throws {
    guard case .atoms(let depth, _) = view else { return }
    let listing = AtomListing(layout, depth: depth)
    var lines = [listing.headLine]
    func flush() throws {
      try context.checkStop()
      try context.print(lines)
      lines.removeAll(keepingCapacity: true)
    }
    do {
      try forEachRow(of: listing, in: source, context) { row in
        lines.append(listing.line(of: row))
        if lines.count == 1000 { try flush() }
      }
    } catch {
      try flush()
      throw error
    }
    try flush()
    try requireMovie(in: layout, of: source, context)
  }

  private func forEachRow(
    of listing: AtomListing, in source: any RandomAccessSource, _ context: Context,
    _ body: (AtomListing.Row) throws -> Void
  ) throws {
    try listing.forEachRow { atom throws -> AtomTree? in
      AtomSelection.containerTypes.contains(atom.type) ? try atom.tree(of: source, limits: context.limits.movie) : nil
    } _: { row throws in
      try body(row)
    }
  }

  /// Throws if the file is not a movie or its movie atom is cut off. The list of atoms itself does not report these
  /// errors.
  private func requireMovie(in layout: FileLayout, of source: any RandomAccessSource, _ context: Context) throws {
    let limits = context.limits.movie
    // The movie and the tree are read only for the errors that reading throws.
    if layout.atoms.isEmpty { _ = try Movie(of: source, layout: layout, limits: limits) }
    if let moov = layout.first("moov"), moov.isTruncated {
      _ = try Movie.movieTree(of: source, layout: layout, limits: limits)
    }
  }

  private func listAsJSON(depth: Int?, in context: Context) throws -> ExitCode {
    try printJSON(in: context) { file, json in
      var failure: ToolError?
      try json.array("atoms") { json in
        do {
          let source = try context.open(file)
          let layout = try FileLayout(of: source, limits: context.limits.movie)
          try forEachRow(of: AtomListing(layout, depth: depth, hasPaths: true), in: source, context) { row in
            try context.checkStop()
            json.object { row.write(to: &$0) }
          }
          try requireMovie(in: layout, of: source, context)
        } catch {
          failure = try ToolError.blaming(file, for: error)
        }
      }
      return failure
    }
  }

  /// Prints the samples as JSON. They are written in batches, because a film has hundreds of thousands of samples.
  private func listSamplesAsJSON(_ selector: TrackSelector, in context: Context) throws -> ExitCode {
    try printJSON(in: context) { file, json in
      try failure(of: file) {
        let source = try context.open(file)
        let movie = try Movie(of: source, limits: context.limits.movie)
        let listing = try SampleListing(selector, of: movie, source)
        try listing.write(to: &json) { json in
          try context.checkStop()
          try context.output.write(json.takeBytes())
        }
      }
    }
  }

  /// Prints an object with the path of each file. `body` writes further members of the object, and returns an error if
  /// the file could not be read completely.
  private func printJSON(
    in context: Context, _ body: (_ file: String, inout JSONWriter) throws -> ToolError?
  ) throws -> ExitCode {
    var exitCode = ExitCode.done
    try context.printJSON { json in
      try json.array("files") { json in
        for movie in try ManyMovies(files, in: context).entries {
          try json.object { json in
            json.member("file", movie.path)
            let failure = try movie.problem ?? body(movie.path, &json)
            json.object("error", of: failure) { $0.write(to: &$1) }
            if let failure, exitCode == .done { exitCode = failure.exitCode }
          }
        }
      }
    }
    return exitCode
  }

  private func runJSON(includesLayout: Bool, in context: Context) throws -> ExitCode {
    var exitCode = ExitCode.done
    try context.printJSON { json in
      try json.array("files") { json in
        for movie in try ManyMovies(files, in: context).entries {
          try context.checkStop()
          let report = MovieReport(of: movie, in: context)
          guard !isQuiet || report.hasErrorsOrWarnings else { continue }
          json.object { json in
            report.write(to: &json, hasLayout: includesLayout) { finding, json in
              finding.write(ofFile: movie.path, to: &json)
            } error: { error, json in
              ToolError(error, about: movie.path).write(to: &json)
            }
          }
          if let error = report.toolError, exitCode == .done { exitCode = error.exitCode }
        }
      }
    }
    return exitCode
  }
}

extension MovieReport {
  /// Reads as much of a file as possible.
  init(of file: String, in context: Context) {
    self.init(named: file, limits: context.limits.movie) { try context.open(file) }
  }

  /// Reads as much as possible of a movie that `ManyMovies` found.
  init(of entry: ManyMovies.Entry, in context: Context) {
    self.init(named: entry.path, limits: context.limits.movie) {
      if let problem = entry.problem { throw problem }
      return try context.open(entry.path)
    }
  }

  /// Whether the report contains an error or a warning.
  var hasErrorsOrWarnings: Bool { error != nil || findings.contains { $0.severity != .note } }
  /// The error that ended reading, as an error of the tool, or `nil` if the file was read completely.
  var toolError: ToolError? { error.map { ToolError($0, about: file) } }
}
