import MovieBox
import MovieWriter
import Subtitles

/// Why a command failed: the exit code, and what a person or a program reads.
struct ToolError: Error, Equatable, Sendable {
  /// The exit code.
  let exitCode: ExitCode
  /// The name that `--json` shows.
  let code: String
  /// The file that is wrong; `nil` for the command line.
  let file: String?
  /// The atoms that lead to the place, or an empty string.
  var path = ""
  /// The line of a subtitle file, from 1.
  var lineNumber: Int?
  /// The position in the file, in bytes.
  var offset: UInt64?
  /// One sentence.
  let message: String
  /// What to do, where that is known.
  var hint: String?
  /// Whether the same command may work a moment later: another program was at the file.
  private(set) var isTransient = false
  /// Who speaks in the line where no file is to blame.
  private var speaker = "movtool"

  init(_ exitCode: ExitCode, code: String, file: String?, _ message: String, hint: String? = nil) {
    self.exitCode = exitCode
    self.code = code
    self.file = file
    self.message = message
    self.hint = hint
  }

  /// A mistake on the command line.
  init(_ error: UsageError) {
    self.init(.usage, code: error.code.rawValue, file: nil, error.message, hint: error.hint)
    if let command = error.command { speaker += " " + command }
  }

  /// Something wrong with the movie `file`.
  init(_ error: MovieError, in file: String) {
    let exitCode: ExitCode =
      switch error.code {
      case .planCheckFailed: .internalError
      case .sourceChanged: .inputOutput
      default: .badData
      }
    self.init(exitCode, code: error.code.rawValue, file: file, error.reason)
    path = error.path
    offset = error.offset
    isTransient = error.code.isTransient
    if exitCode == .internalError { hint = Self.internalErrorHint }
    if error.code == .limit { hint = Self.limitHint }
    if error.code == .truncated { hint = Self.salvageHint(file) }
    if error.code == .unsupported { hint = Self.splitHint(file) }
    if error.code == .notAMovie { hint = Self.conversionHint(file) { $0.conversionToMovie } }
  }

  /// The command that writes what a cut-off movie still has, or `nil` if the file is something else.
  private static func salvageHint(_ file: String) -> String? {
    do {
      guard file != "-" else { return nil }
      let movie = try Movie(of: FileSource(path: file))
      let missing = Dictionary(movie.missingSamples().map { ($0.trackID, $0.sampleCount) }) { first, _ in first }
      let isAnyLeft = movie.tracks.contains { $0.samples.sampleCount > (missing[$0.id] ?? 0) ?? .max }
      guard movie.layout.cutOffset != nil, !movie.isFragmented, !missing.isEmpty, isAnyLeft else { return nil }
      let name = FilePath(file).withoutExtension
      let output = ShellWord.path(name + "-salvaged" + file.dropFirst(name.count))
      return "try: movtool remux \(ShellWord.path(file)) -o \(output) --salvage"
    } catch {
      return nil  // Why the file cannot be used is known already.
    }
  }

  /// The commands that split a file of two movies that were appended one to the other, or `nil` for any other file.
  private static func splitHint(_ file: String) -> String? {
    do {
      guard file != "-", let start = try FileLayout(of: FileSource(path: file)).startOfSecondMovie else { return nil }
      let path = ShellWord.path(file)
      let name = FilePath(file).withoutExtension
      let suffix = file.dropFirst(name.count)
      let (first, second) = (ShellWord.path(name + "-1" + suffix), ShellWord.path(name + "-2" + suffix))
      return "try: head -c \(start) \(path) > \(first); tail -c +\(start + 1) \(path) > \(second)"
    } catch {
      return nil  // As above.
    }
  }

  /// The command that makes a movie or subtitles of a file of another format.
  static func conversionHint(
    _ file: String, _ conversion: (FileSignature) -> (options: String, suffix: String)?
  ) -> String? {
    do {
      guard file != "-", let format = try FileSource(path: file).signature() else { return nil }
      guard let (options, suffix) = conversion(format) else { return format.wayToSubtitles }
      let path = ShellWord.path(file)
      let name = FilePath(file).withoutExtension
      let output = name + suffix == file ? name + "-converted" + suffix : name + suffix
      let input = "try: ffmpeg" + (format.demuxer.map { " -f " + $0 } ?? "") + " -i"
      let words = [input, path, options, ShellWord.path(output)].filter { !$0.isEmpty }
      return words.joined(separator: " ")
    } catch {
      return nil  // Why the file cannot be used is known already.
    }
  }

  /// Something wrong with the subtitle file `file`.
  init(_ error: SubtitleError, in file: String) {
    self.init(.badData, code: error.code.rawValue, file: file, error.reason)
    lineNumber = error.line
    offset = error.offset
    if error.code == .limit { hint = Self.limitHint }
    if error.code == .format { hint = Self.conversionHint(file) { $0.conversionToSubRip } }
  }

  /// A file that is missing, in the way or refused by the disk.
  init(_ error: FileError) {
    let exitCode: ExitCode =
      switch error.code {
      case .noInput: .noInput
      case .notWritable, .cannotCreate, .exists: .cannotCreate
      default: .inputOutput
      }
    let hint = error.code == .exists ? "--force overwrites it" : nil
    self.init(exitCode, code: error.code.rawValue, file: error.path, error.reason, hint: hint)
    isTransient = error.code.isTransient
  }

  /// Whatever was thrown while `file` was worked on, the command line where that is `nil`. An unforeseen error is an
  /// internal one.
  init(_ error: any Error, about file: String? = nil) {
    switch error {
    case let error as ToolError: self = error
    case let error as UsageError: self.init(error)
    case let error as StreamError:
      let reason = error.isClosedPipe ? "its reader closed it before the end" : error.answer.description
      self.init(.inputOutput, code: "input-output", file: error.stream, reason)
    case let error as FileError: self.init(error)
    case let error as SubtitleError: self.init(error, in: file ?? "subtitles")
    case let error as MovieError: self.init(error, in: file ?? "movie")
    case let error as SystemError: self.init(.inputOutput, code: "input-output", file: file, error.description)
    case is Interruption: self.init(.interrupted, code: "interrupted", file: file, "interrupted")
    default: self.init(.internalError, code: "internal", file: file, "\(error)", hint: Self.internalErrorHint)
    }
  }

  /// The same, but throws what no file is to blame for, and would keep the next ones from being worked on too.
  static func blaming(_ file: String, for error: any Error) throws -> ToolError {
    if error is Interruption || error is StreamError { throw error }
    return ToolError(error, about: file)
  }

  private static let limitHint = "movtool help limits lists what can be raised"

  private static let internalErrorHint =
    "this is a fault of movtool, not of the file; please report it with this line, the command, and what "
    + "movtool inspect --json says of the movie"

  /// The line for a person: file, place, sentence.
  var line: String {
    let place = [path, lineNumber.map { "line \($0)" } ?? "", offset.map { "at byte \($0)" } ?? ""].filter {
      !$0.isEmpty
    }.joined(separator: " ")
    return [(file ?? speaker) + (place.isEmpty ? "" : ": " + place), message].joined(separator: ": ")
  }

  /// Writes the members of the error's object.
  func write(to json: inout JSONWriter) {
    json.member("code", code)
    json.member("exitCode", exitCode.rawValue)
    json.member("file", file)
    json.member("path", path.isEmpty ? nil : path)
    json.member("line", lineNumber)
    json.member("offset", offset)
    json.member("message", message)
    json.member("hint", hint)
    json.member("isTransient", isTransient)
  }
}

/// The person, or another program, asked the process to stop.
struct Interruption: Error {}

// The ways in which a command ends: exit codes, and the errors of a wrong command line and of a closed stream.

/// The exit codes of the process; those above 63 are from BSD's sysexits.h.
enum ExitCode: Int32, CaseIterable, Sendable {
  /// Done, warnings or not.
  case done = 0
  /// The answer is "no"; under `--strict`, there were warnings, and nothing was written.
  case no = 1
  /// The command line is wrong.
  case usage = 64
  /// A movie or subtitle file that cannot be used.
  case badData = 65
  /// No such input, or one that may not be read.
  case noInput = 66
  /// A fault of movtool itself.
  case internalError = 70
  /// The output cannot be created.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Interrupted; 128 and the number of SIGINT.
  case interrupted = 130

  /// What it means to a person; `Docs/limits.md` and the manual page have these words.
  var meaning: String {
    switch self {
    case .done: "done; there may be warnings"
    case .no:
      "check failed, or differences found: validate found errors or warnings, diff differences, extract no text, "
        + "chapters --export no chapters, metadata --artwork -o no picture (validate --fix ends with 0, whatever is left to decide); or --strict and warnings: nothing was written"
    case .usage: "the command line is wrong"
    case .badData: "a movie or subtitle file that cannot be used"
    case .noInput: "no such input"
    case .internalError: "internal error"
    case .cannotCreate: "the output cannot be created"
    case .inputOutput: "reading or writing failed"
    case .interrupted: "interrupted"
    }
  }
}

/// What is wrong with a command line.
struct UsageError: Error, Equatable, Sendable {
  /// The kind of mistake.
  enum Code: String, Sendable {
    case unknownCommand = "unknown-command"
    case unknownOption = "unknown-option"
    case missingValue = "missing-value"
    case unexpectedValue = "unexpected-value"
    case invalidValue = "invalid-value"
    case repeatedOption = "repeated-option"
    case conflict = "conflicting-options"
    case missingOperand = "missing-operand"
    case unexpectedOperand = "unexpected-operand"
    /// The tracks of the movie do not allow what is asked for.
    case invalidEdit = "invalid-edit"
    case notSupported = "not-supported"
    /// A selector that matches no track, or a path that leads to no atom.
    case noMatch = "no-match"
    /// A selector that matches several tracks.
    case ambiguous = "ambiguous"
  }

  /// The kind of mistake.
  let code: Code
  /// One sentence, without the command's name.
  let message: String
  /// The command whose help says more; `nil` when none was named.
  var command: String?

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Where help is.
  var hint: String {
    if code == .unknownCommand { return "movtool help lists the commands" }
    return "see movtool help" + (command.map { " " + $0 } ?? "")
  }
}

/// The error of a stream of the process, as opposed to a file that the command works on.
struct StreamError: Error {
  /// `standard output` or `standard error`.
  let stream: String
  /// The error of the system.
  let answer: SystemError

  /// Whether whoever read the stream has gone, as `head` does when it has seen enough.
  var isClosedPipe: Bool { answer.code == .brokenPipe }
}
