import MovieBox
import MovieWriter
import Subtitles

/// The surroundings of a command: streams, environment, clock, files. A test passes its own.
struct Context {
  /// The stream for the answer, or for the movie of `-o -`, and nothing else.
  let standardOutput: any TextSink
  /// The stream for messages: notes, warnings, progress, errors.
  let errors: any TextSink
  /// The value of an environment variable.
  let environment: (String) -> String?
  /// Nanoseconds of a clock that is never set back.
  let clock: () -> UInt64
  /// Opens a file for reading.
  let open: (String) throws -> any RandomAccessSource
  /// Reads what is not an ordinary file (a pipe, or `-` for standard input) to its end; throws where it has more than
  /// so many bytes. `nil` for an ordinary file, and for none.
  let readStream: (String, Int) throws -> Bytes?
  /// The names of the ordinary files in a folder that begin so.
  let listFiles: (_ folder: String, _ start: String) throws -> [String]
  /// The names of the folders in a folder, without links and hidden ones; `nil` for a path that is none.
  let listFolders: (_ folder: String) throws -> [String]?
  /// Whether two paths lead to the same existing file.
  let isSameFile: (String, String) -> Bool
  /// The name of an existing file or folder from the root, without links.
  var resolve: (String) throws -> String = { try SystemCalls.resolve($0) }
  /// Whether the process was asked to stop.
  let isStopped: () -> Bool
  /// While `true`, a second request to stop does no more than the first: work is at a point where a sudden end would
  /// leave a temporary file.
  let holdStops: (Bool) -> Void
  /// The name of the command that runs; `nil` before it is known.
  var command: String?
  /// The words of the command line, the name of the command first.
  var words: [String] = []
  /// Whether standard output is the movie's; what else would be written there goes to standard error.
  var streamsMovie = false
  /// Whether each JSON value is a line, for a command that answers more than once.
  var printsJSONLines = false
  /// How much of files is taken before they are refused.
  var limits = ReadingLimits()

  /// Takes the answer.
  var output: any TextSink { streamsMovie ? errors : standardOutput }

  /// The bytes of a file, a pipe, or standard input for `-`. Throws for more than `limit` of them; `kind` says what is
  /// read, and `check` is asked before an ordinary file is.
  func contents(
    of path: String, atMost limit: Int, _ kind: String, check: (any RandomAccessSource) throws -> Void = { _ in }
  ) throws -> Bytes {
    if let bytes = try readStream(path, limit) { return bytes }
    return try ordinaryContents(of: path, atMost: limit, kind, check: check)
  }

  /// The bytes of an ordinary file. Throws for more than `limit` of them, and for what is no ordinary file.
  func ordinaryContents(
    of path: String, atMost limit: Int, _ kind: String, check: (any RandomAccessSource) throws -> Void = { _ in }
  ) throws -> Bytes {
    let source = try open(path)
    try check(source)
    let byteCount = try source.identity().byteCount
    guard byteCount <= UInt64(limit) else {
      throw SubtitleError(.limit, "\(byteCount) bytes, the most that is taken of \(kind) is \(limit)")
    }
    return try source.readExactly(ByteRange(0..<byteCount))
  }

  /// The bytes of a picture, or of another file that is neither a movie nor subtitles; the limit of these cannot be
  /// raised.
  func contents(ofOther path: String, _ kind: String) throws -> Bytes {
    let limit = 64 << 20
    do {
      return try contents(of: path, atMost: limit, kind)
    } catch {
      let answer = ToolError(error, about: path)
      let limits = [SubtitleError.Code.limit.rawValue, MovieError.Code.limit.rawValue]
      guard limits.contains(answer.code) else { throw answer }
      throw ToolError(
        answer.exitCode, code: MovieError.Code.limit.rawValue, file: path,
        "more than \(Quantity.bytes(UInt64(limit))), the most that is taken of \(kind)")
    }
  }

  /// Throws when the process was asked to stop. Called between steps until something is committed.
  func checkStop() throws {
    if isStopped() { throw Interruption() }
  }

  /// Writes lines of the answer. Control characters in them come out as escapes.
  func print(_ lines: [String]) throws {
    var text = ""
    for line in lines { text += TerminalText.sanitized(line) + "\n" }
    try output.write(Array(text.utf8))
  }

  /// Writes the answer as one JSON value, whose first members are the number of the schema and the command.
  func printJSON(_ body: (inout JSONWriter) throws -> Void) throws {
    var json = JSONWriter(printsJSONLines ? .compact : .pretty)
    try json.object { json throws in
      json.member("schema", Self.schema)
      json.member("command", command)
      try body(&json)
    }
    try output.write(json.bytes + [UInt8(ascii: "\n")])
  }

  /// Says a line to the person. Control characters in it come out as escapes.
  func say(_ line: String) throws {
    try errors.write(Array((TerminalText.sanitized(line) + "\n").utf8))
  }

  /// Says a warning to the person.
  func warn(_ warning: Warning) throws {
    let label = isColoured(errors) ? "\u{1B}[33mwarning:\u{1B}[0m" : "warning:"
    try errors.write(Array((label + " " + TerminalText.sanitized(warning.text) + "\n").utf8))
  }

  /// Says why the command failed: as the answer under `--json`, else to the person.
  func report(_ error: ToolError, asJSON: Bool) throws {
    if asJSON {
      try printJSON { json in json.object("error") { error.write(to: &$0) } }
      return
    }
    try say(error.line)
    if let hint = error.hint { try say(hint) }
  }

  /// Whether colour may be written to a stream: a terminal that can do more than print, and no `NO_COLOR` with a value
  /// (no-color.org).
  func isColoured(_ stream: any TextSink) -> Bool {
    stream.terminalWidth != nil && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
  }

  /// Rises when a member of the JSON that movtool writes changes its meaning; `Docs/json.md`.
  static let schema = 3
}

/// A stream that a command writes to: a stream of the process, or memory in a test.
protocol TextSink: AnyObject, Sendable {
  /// Cells in a line of the terminal that shows the stream; `nil` when it is none.
  var terminalWidth: Int? { get }

  /// Writes all bytes.
  func write(_ bytes: ArraySlice<UInt8>) throws
}

extension TextSink {
  /// Writes all bytes.
  func write(_ bytes: [UInt8]) throws { try write(bytes[...]) }
}

extension Warning {
  /// That the end of a file is cut off, for each track that lost samples, or that its fragments are damaged.
  ///
  /// A damaged fragment is no error here: the movie atom can be read without it.
  static func missingSamples(of movie: Movie, _ source: any RandomAccessSource, _ file: String) throws -> [Warning] {
    do {
      return try movie.missingSamples(readingFragmentsOf: source).map { missing in
        Warning(code: "cut-off", file: file, trackID: missing.trackID, message: missing.description)
      }
    } catch let error as MovieError where error.code == .malformed || error.code == .truncated {
      return [Warning(code: "cut-off", file: file, message: "the recording is cut off, and damaged: \(error)")]
    }
  }
}

extension Context {
  /// Reads a movie and, for a person, warns about what its file lacks. Returns the movie and these warnings.
  func movie(at file: String, of source: any RandomAccessSource, asJSON: Bool) throws -> (
    movie: Movie, warnings: [Warning]
  ) {
    let movie = try Movie(of: source, limits: limits.movie)
    let warnings = try Warning.missingSamples(of: movie, source, file)
    if !asJSON { for warning in warnings { try warn(warning) } }
    return (movie, warnings)
  }

  /// What can be read of a movie, the warnings about a whole one, and the failure of one that is broken or cut off.
  func readableMovie(at file: String, of source: any RandomAccessSource, asJSON: Bool) throws -> (
    movie: Movie, warnings: [Warning], failure: ToolError?
  ) {
    let readable = try ReadableMovie(of: source, limits: limits.movie)
    if let error = readable.error { return (readable.movie, [], ToolError(error, about: file)) }
    let warnings = try Warning.missingSamples(of: readable.movie, source, file)
    if !asJSON { for warning in warnings { try warn(warning) } }
    return (readable.movie, warnings, nil)
  }
}

// Paths on the command line: relative ones between files and folders, and output files that must not replace an input.

extension Context {
  /// The path that leads from a folder to a file. Their folders are looked up, so that links lead where they do for who
  /// reads it.
  func path(to file: String, from folder: String) throws -> String {
    func components(_ folder: String) throws -> [Substring] {
      do {
        return try resolve(folder).split(separator: "/")
      } catch let error as SystemError where error.code == .notFound {
        throw ToolError(FileError(.cannotCreate, file, "the folder \(folder) does not exist"))
      } catch {
        throw ToolError(error, about: folder)
      }
    }
    let start = try components(folder)
    let path = FilePath(file)
    let end = try components(path.folder)
    let shared = zip(start, end).prefix { $0 == $1 }.count
    return ([Substring](repeating: "..", count: start.count - shared) + end.dropFirst(shared) + [path.name])
      .joined(separator: "/")
  }

  /// How the names of movies with pictures end, and of movies of sound alone.
  private static let suffixes = [".mov", ".mp4", ".m4v", ".qt", ".3gp", ".3g2"]
  private static let suffixesOfSound = [".m4a", ".m4b"]

  /// The movies in a folder that are not hidden, by their names, with those of sound alone or without.
  func movies(in folder: String, withSoundAlone: Bool) throws -> [String] {
    let suffixes = Self.suffixes + (withSoundAlone ? Self.suffixesOfSound : [])
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    let names = try listFiles(folder, "").filter { name in
      !name.hasPrefix(".") && suffixes.contains { name.lowercased().hasSuffix($0) }
    }
    return names.sorted().map { start + $0 }
  }

  /// That a folder has none.
  static func noMovies(in folder: String, orBelow: Bool = false, withSoundAlone: Bool) -> ToolError {
    let suffixes = Self.suffixes + (withSoundAlone ? Self.suffixesOfSound : [])
    let place = "no movie in this folder" + (orBelow ? " or below" : "")
    return ToolError(
      .noInput, code: "no-movie", file: folder, "\(place): no name ends in \(suffixes.joined(separator: ", "))")
  }
}

extension Context {
  /// Writes new files, all or none; refuses one that is an input. The message shows its path as it was given, after the
  /// option; `nil` where several options give paths.
  func write(
    _ files: [(path: String, bytes: Bytes)], besides inputs: [String], overwrites: Bool,
    givenBy option: String? = "-o"
  ) throws {
    for (path, _) in files where inputs.contains(where: { $0 == path || isSameFile($0, path) }) {
      throw UsageError(.conflict, "\(option.map { "\($0) " } ?? "")\(path) is the movie")
    }
    holdStops(true)
    defer { holdStops(false) }
    try checkStop()
    try NewFileSink.write(
      files.map { path, bytes in
        (NewFileSink(path: path, existing: overwrites ? .replace : .keep, synchronizes: false), bytes)
      })
  }
}
