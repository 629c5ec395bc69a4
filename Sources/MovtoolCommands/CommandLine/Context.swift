import MovieBox
import MovieWriter
import Subtitles

/// The environment of a command: streams, variables, clock, files, signals.
///
/// Commands access the system only through this value. Tests create their own contexts to run commands on files in
/// memory, with a fixed clock and captured output. Methods of the context read files, print answers and report errors,
/// because these tasks depend on options such as `--json` and `--limits`.
package struct Context {
  /// The stream for the answer. With `-o -`, only the movie is written to it.
  var standardOutput: any TextSink
  /// The stream for messages: notes, warnings, progress, errors.
  let errors: any TextSink
  /// Returns the value of an environment variable.
  let environment: (String) -> String?
  /// Returns the time of a monotonic clock in nanoseconds.
  let clock: () -> UInt64
  /// The names of inputs that ``open`` returns but that are not files. These inputs cannot be edited in place.
  var namedInputs: Set<String> = []
  /// Opens a file for reading.
  let open: (String) throws -> any RandomAccessSource
  /// Reads a pipe or other special file, or `-` for standard input, to its end. Throws if the file contains more bytes
  /// than the limit. Returns `nil` for a regular or a missing file.
  let readStream: (String, Int) throws -> Bytes?
  /// Lists the regular files in a folder. Returns the names that begin with `start`.
  let listFiles: (_ folder: String, _ start: String) throws -> [String]
  /// Returns the names of the visible subfolders of a folder, without links, or `nil` if the path is not a folder.
  let listFolders: (_ folder: String) throws -> [String]?
  /// Whether two paths refer to the same existing file.
  let isSameFile: (String, String) -> Bool
  /// Returns the absolute path of an existing file or folder, with links resolved.
  var resolve: (String) throws -> String = { try SystemCalls.resolve($0) }
  /// Returns the next bytes of standard input, or an empty array at its end. Throws ``Interruption`` if the process is
  /// asked to stop while it waits for bytes.
  var readInput: () throws -> [UInt8] = { [] }
  /// Raises the limit of open files. Several movies that are processed at the same time can exceed the usual limit.
  var raiseFileLimit: () -> Void = {}
  /// Whether the process was asked to stop.
  let isStopped: () -> Bool
  /// Defers a second stop signal if the argument is `true`. Otherwise, the signal ends the process immediately, and a
  /// temporary file may remain.
  let deferStops: (Bool) -> Void
  /// The name of the running command, or `nil` before it is known.
  var command: String?
  /// The words of the command line, including the command's name.
  var words: [String] = []
  /// The record in which an edit of several movies stores the outcome for this movie, or `nil` for a single movie.
  var record: EditRecord?
  /// The edit to which the command adds its changes, or `nil` if the command writes a movie.
  var step: EditStep?
  /// Whether standard output contains a movie. Text is then written to standard error.
  var streamsMovie = false
  /// Whether each JSON value is printed as a single line. Set for commands that print several values.
  var printsJSONLines = false
  /// Whether an error is printed as JSON even if the command line lacks `--json`.
  var reportsErrorsAsJSON = false
  /// The limits for input files, which `--limits` sets.
  var limits = ReadingLimits()

  /// The stream for the answer while a movie is written to standard output, or `nil` to write the answer to ``errors``.
  var answer: (any TextSink)?

  /// The stream for the text of the answer.
  var output: any TextSink { streamsMovie ? answer ?? errors : standardOutput }

  /// Returns the contents of a file, a pipe, or standard input (`-`). Throws if there are more than `limit` bytes.
  ///
  /// - Parameters:
  ///   - kind: the kind of file, for the error message.
  ///   - check: called with a regular file before it is read, to check it.
  func contents(
    of path: String, atMost limit: Int, _ kind: String, check: (any RandomAccessSource) throws -> Void = { _ in }
  ) throws -> Bytes {
    if let bytes = try readStream(path, limit) { return bytes }
    return try ordinaryContents(of: path, atMost: limit, kind, check: check)
  }

  /// Returns the contents of a regular file. Throws if it has more than `limit` bytes or is not a regular file.
  func ordinaryContents(
    of path: String, atMost limit: Int, _ kind: String, check: (any RandomAccessSource) throws -> Void = { _ in }
  ) throws -> Bytes {
    let source = try open(path)
    try check(source)
    let byteCount = try source.identity().byteCount
    guard byteCount <= UInt64(limit) else {
      throw SubtitleError(.limit, "\(byteCount) bytes exceed the limit for \(kind), \(limit)")
    }
    return try source.readExactly(ByteRange(0..<byteCount))
  }

  /// Returns the contents of a picture or another file that is neither a movie nor subtitles, with a fixed limit of
  /// 64 MiB.
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
        "exceeds \(Quantity.bytes(UInt64(limit))), the limit for \(kind)")
    }
  }

  /// Throws if the process was asked to stop. Commands call this method between steps, until a change is committed.
  func checkStop() throws {
    if isStopped() { throw Interruption() }
  }

  /// Writes lines of the answer, with control characters escaped.
  func print(_ lines: [String]) throws {
    var text = ""
    for line in lines { text += TerminalText.sanitized(line) + "\n" }
    try output.write(Array(text.utf8))
  }

  /// Writes the answer as one JSON value that begins with the schema number and the command's name.
  func printJSON(_ body: (inout JSONWriter) throws -> Void) throws {
    var json = JSONWriter(printsJSONLines ? .compact : .pretty)
    try json.object { json throws in
      json.member("schema", Self.schema)
      json.member("command", command)
      try body(&json)
    }
    try output.write(json.bytes + [UInt8(ascii: "\n")])
  }

  /// Writes a line to standard error, with control characters escaped.
  func printMessage(_ line: String) throws {
    try errors.write(Array((TerminalText.sanitized(line) + "\n").utf8))
  }

  /// Writes a warning to standard error.
  func warn(_ warning: Warning) throws {
    let label = supportsColor(errors) ? "\u{1B}[33mwarning:\u{1B}[0m" : "warning:"
    try errors.write(Array((label + " " + TerminalText.sanitized(warning.text) + "\n").utf8))
  }

  /// Reports an error. It is printed on standard output as JSON with `--json`, and otherwise on standard error.
  func report(_ error: ToolError, asJSON: Bool) throws {
    if asJSON {
      try printJSON { json in json.object("error") { error.write(to: &$0) } }
      return
    }
    try printMessage(error.line)
    if let hint = error.hint { try printMessage(hint) }
  }

  /// Whether colors may be written to a stream: the stream is a terminal that supports them, and `NO_COLOR` is empty or
  /// unset (no-color.org).
  func supportsColor(_ stream: any TextSink) -> Bool {
    stream.terminalWidth != nil && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
  }

  /// The version of the JSON schema. It is increased if the meaning of a member changes (see `Docs/json.md`).
  static let schema = 3
}

/// A destination for text: a stream of the process, or memory in a test.
protocol TextSink: AnyObject, Sendable {
  /// The width of the terminal in cells, or `nil` if the stream is not a terminal.
  var terminalWidth: Int? { get }

  /// Writes all bytes.
  func write(_ bytes: ArraySlice<UInt8>) throws
}

extension TextSink {
  func write(_ bytes: [UInt8]) throws { try write(bytes[...]) }
}

extension Warning {
  /// Returns a warning for each track whose last samples are missing because the file is cut off. If fragments are
  /// damaged, returns a single warning instead of an error, because the movie atom is readable without them.
  static func missingSamples(of movie: Movie, _ source: any RandomAccessSource, _ file: String) throws -> [Warning] {
    do {
      return try movie.missingSamples(readingFragmentsOf: source).map { missing in
        Warning(code: "cut-off", file: file, trackID: missing.trackID, message: missing.description)
      }
    } catch let error as MovieError where error.code == .malformed || error.code == .truncated {
      return [Warning(code: "cut-off", file: file, message: "the recording is cut off and damaged: \(error)")]
    }
  }
}

extension Context {
  /// Reads a movie. Returns the movie, and the warnings about missing samples. Prints the warnings unless `asJSON`.
  func movie(at file: String, of source: any RandomAccessSource, asJSON: Bool) throws -> (
    movie: Movie, warnings: [Warning]
  ) {
    let movie = try Movie(of: source, limits: limits.movie)
    let warnings = try Warning.missingSamples(of: movie, source, file)
    if !asJSON { for warning in warnings { try warn(warning) } }
    return (movie, warnings)
  }

  /// Reads as much of a movie as possible. Returns the movie with warnings about missing samples, or with the error if
  /// the movie cannot be read completely.
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

// Relative paths between files and folders on the command line, and output files, which must not replace an input.

extension Context {
  /// Returns the relative path from a folder to a file. Links in both paths are resolved first, because `..` leads to
  /// the parent of the folder to which a link refers.
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
    let sharedPrefix = zip(start, end).prefix { $0 == $1 }.count
    return ([Substring](repeating: "..", count: start.count - sharedPrefix) + end.dropFirst(sharedPrefix) + [path.name])
      .joined(separator: "/")
  }

  /// The file name suffixes of movies with video, and of movies with audio only.
  private static let suffixes = [".mov", ".mp4", ".m4v", ".qt", ".3gp", ".3g2"]
  private static let audioOnlySuffixes = [".m4a", ".m4b"]

  /// Returns the paths of the visible movies in a folder, sorted by name.
  func movies(in folder: String, includingAudioOnly: Bool) throws -> [String] {
    let suffixes = Self.suffixes + (includingAudioOnly ? Self.audioOnlySuffixes : [])
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    let names = try listFiles(folder, "").filter { name in
      !name.hasPrefix(".") && suffixes.contains { name.lowercased().hasSuffix($0) }
    }
    return names.sorted().map { start + $0 }
  }

  /// Whether a file name has an extension of movies, including the extensions of movies with audio only.
  static func isNamedAsMovie(_ path: String) -> Bool {
    let name = path.lowercased()
    return (suffixes + audioOnlySuffixes).contains { name.hasSuffix($0) }
  }

  /// Returns the error for a folder that contains no movie.
  static func noMoviesError(in folder: String, orBelow: Bool = false, includingAudioOnly: Bool) -> ToolError {
    let suffixes = Self.suffixes + (includingAudioOnly ? Self.audioOnlySuffixes : [])
    let reason = "no movie in this folder" + (orBelow ? " or below" : "")
    return ToolError(
      .noInput, code: "no-movie", file: folder, "\(reason): no name ends in \(suffixes.joined(separator: ", "))")
  }
}

extension Context {
  /// Writes all new files or none of them. Throws if a file to write is also an input.
  ///
  /// - Parameter option: the option that precedes the path in the error, or `nil` if several options specify outputs.
  func write(
    _ files: [(path: String, bytes: Bytes)], protecting inputs: [String], overwrites: Bool,
    givenBy option: String? = "-o"
  ) throws {
    for (path, _) in files where inputs.contains(where: { $0 == path || isSameFile($0, path) }) {
      throw UsageError(.conflict, "\(option.map { "\($0) " } ?? "")\(path) is the movie")
    }
    deferStops(true)
    defer { deferStops(false) }
    try checkStop()
    try NewFileSink.write(
      files.map { path, bytes in
        (NewFileSink(path: path, existing: overwrites ? .replace : .keep, synchronizes: false), bytes)
      })
  }
}

/// The outcome of editing one of several movies. A summary counts the outcomes.
enum EditOutcome: String, CaseIterable, Sendable {
  case edited
  case unchanged
  /// No subtitle file belongs to the movie.
  case withoutSubtitles = "no-subtitles"
  case failed
  /// The command was stopped before the movie was edited.
  case interrupted
}

/// The outcome of editing one of several movies, and the files used. The command that edits the movie fills it in.
final class EditRecord {
  /// The outcome, or `nil` if no edit was completed.
  var outcome: EditOutcome?
  /// The subtitle files that belong to the movie.
  var subtitleFiles: [String] = []
}

/// One of several commands that together make an edit. The command returns its changes instead of writing them.
final class EditStep {
  /// The name of the movie in command lines.
  let movie: String
  /// The changes of the previous commands, or `nil` for the first command.
  let edit: MovieEdit?
  /// The edit, including the changes of this command, and the plan of the edited movie. It is `nil` until the command
  /// has made the plan.
  var result: (edit: MovieEdit, plan: PlannedSource)?

  init(_ movie: String, _ edit: MovieEdit?) {
    self.movie = movie
    self.edit = edit
  }
}
